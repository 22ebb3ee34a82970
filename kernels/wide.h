// As many lanes as the machine's registers hold, for loops in which lanes are alike.
#pragma once
#include "lanes.h"

// arguments by the dozen would go through memory; HERE is for lambdas, after their arguments
#if TOILE_VECTOR
#define TOILE_INLINE __attribute__((always_inline)) inline
#define TOILE_HERE __attribute__((always_inline))
#else
#define TOILE_INLINE inline
#define TOILE_HERE
#endif

namespace TOILE_ISA {
namespace {

// lanes never mix, so their number does not change a bit
template <class T>
struct WideType {
    using V = Lane<T>;
};
#if TOILE_VECTOR && defined(TOILE_SIXTEEN)
template <>
struct WideType<float> {
    typedef float V __attribute__((vector_size(64), aligned(64)));
};
#endif
template <class T>
using Wide = typename WideType<T>::V;
template <class T>
constexpr int WIDTH = sizeof(Wide<T>) / sizeof(T);

template <class T>
inline Wide<T> wide(T value) {
    return filled<Wide<T>>(value);
}
template <class T>
inline Wide<T> wide_load(const T *p) {
    Wide<T> r;
    std::memcpy(&r, p, sizeof r);
    return r;
}
template <class T>
inline void wide_store(T *p, const Wide<T> &v) {
    std::memcpy(p, &v, sizeof v);
}
template <class T>
struct WidePoint {
    Wide<T> x, y, z, w;
};

// particles (x, y, z, inverse mass) side by side: four numbers each
template <class T>
constexpr int SIDE_BY_SIDE = WIDTH<T> / 4;

#if TOILE_VECTOR
// one of each particle's four numbers, four times
template <int which, class T>
inline Wide<T> all_four(const Wide<T> &v) {
    constexpr int k = which;
    if constexpr (WIDTH<T> == 16)
        return __builtin_shufflevector(v, v, k, k, k, k, 4 + k, 4 + k, 4 + k, 4 + k, 8 + k, 8 + k, 8 + k, 8 + k, 12 + k, 12 + k, 12 + k, 12 + k);
    else
        return __builtin_shufflevector(v, v, k, k, k, k, 4 + k, 4 + k, 4 + k, 4 + k);
}
#else
template <int which, class T>
inline Wide<T> all_four(const Wide<T> &v) {
    Wide<T> r;
    for (int i = 0; i < WIDTH<T>; ++i) r[i] = v[i / 4 * 4 + which];
    return r;
}
#endif
// one number per particle, four times each; four numbers are read
template <class T>
inline Wide<T> each_four_times(const T *p) {
#if TOILE_VECTOR
    const Four<T> v = load4(p);
    if constexpr (WIDTH<T> == 16)
        return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    else
        return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1);
#else
    Wide<T> r;
    for (int i = 0; i < WIDTH<T>; ++i) r[i] = p[i / 4];
    return r;
#endif
}
// x, y, z, 0 of every particle
template <class T>
inline Wide<T> same_vector(const T *v) {
    Wide<T> r;
    for (int i = 0; i < WIDTH<T>; ++i) r[i] = i % 4 < 3 ? v[i % 4] : T(0);
    return r;
}
}  // namespace
}  // namespace TOILE_ISA
