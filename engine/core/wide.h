// As many lanes as the machine's registers hold, for loops in which lanes are alike.
#pragma once
#include <utility>

#include "core/lanes.h"

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

// Three registers one after the other, as one row of numbers: every third of them, from `phase` on. And back: `part` of a row of
// which three registers hold every third number.
#if TOILE_VECTOR
template <class T, int phase, std::size_t... k>
inline Wide<T> every_third_from(const Wide<T> *from, std::index_sequence<k...>) {
    constexpr int W = WIDTH<T>;
    const Wide<T> two = __builtin_shufflevector(from[0], from[1], (3 * k + phase < 2 * W ? 3 * k + phase : 0)...);
    return __builtin_shufflevector(two, from[2], (3 * k + phase < 2 * W ? k : 3 * k + phase - W)...);
}
template <class T, int part, std::size_t... k>
inline Wide<T> in_turn_part(const Wide<T> *from, std::index_sequence<k...>) {
    constexpr std::size_t W = WIDTH<T>, first = part * W;
    const Wide<T> two = __builtin_shufflevector(from[0], from[1], ((first + k) % 3 == 1 ? W + (first + k) / 3 : (first + k) / 3)...);
    return __builtin_shufflevector(two, from[2], ((first + k) % 3 == 2 ? W + (first + k) / 3 : k)...);
}
template <class T>
inline Wide<T> every_third(const Wide<T> *from, int phase) {
    constexpr auto all = std::make_index_sequence<WIDTH<T>>();
    return phase == 0 ? every_third_from<T, 0>(from, all) : phase == 1 ? every_third_from<T, 1>(from, all) : every_third_from<T, 2>(from, all);
}
template <class T>
inline Wide<T> in_turn(const Wide<T> *from, int part) {
    constexpr auto all = std::make_index_sequence<WIDTH<T>>();
    return part == 0 ? in_turn_part<T, 0>(from, all) : part == 1 ? in_turn_part<T, 1>(from, all) : in_turn_part<T, 2>(from, all);
}
#else
template <class T>
inline Wide<T> every_third(const Wide<T> *from, int phase) {
    Wide<T> r;
    for (int k = 0; k < WIDTH<T>; ++k) r[k] = from[(3 * k + phase) / WIDTH<T>][(3 * k + phase) % WIDTH<T>];
    return r;
}
template <class T>
inline Wide<T> in_turn(const Wide<T> *from, int part) {
    Wide<T> r;
    for (int k = 0; k < WIDTH<T>; ++k) r[k] = from[(part * WIDTH<T> + k) % 3][(part * WIDTH<T> + k) / 3];
    return r;
}
#endif

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
// A position that is moved is rounded to what it can be, which is coarse for the way of one substep: what gets lost there (of the way of a particle so far) is
// not lost to its velocity, else slow cloth would stick or creep.
template <class Some>
TOILE_INLINE void add_rounded(Some &x, const Some &by, Some &lost) {
    const Some to = x + by;
    lost += by - (to - x), x = to;
}
}  // namespace
}  // namespace TOILE_ISA
