// Eight constraints at a time: structure-of-arrays lanes in registers, positions in memory as (x, y, z, inverse mass).
// Compiler vectors where they exist (they become AVX2, SSE, NEON or WebAssembly code), plain loops elsewhere.
// No fused multiply-add is used, so every target gives the same bits.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define TOILE_VECTOR 1
#else
#define TOILE_VECTOR 0
#endif

// the same code is compiled for several instruction sets: each gets a namespace, so that the linker cannot mix them
#ifndef TOILE_ISA
#define TOILE_ISA plain
#endif
constexpr int LANES = 8;

namespace TOILE_ISA {

#if TOILE_VECTOR
template <class T>
struct LaneType;
template <>
struct LaneType<float> {
    typedef float V __attribute__((vector_size(32), aligned(32)));
    typedef float V4 __attribute__((vector_size(16), aligned(16)));
};
template <>
struct LaneType<double> {
    typedef double V __attribute__((vector_size(64), aligned(64)));
    typedef double V4 __attribute__((vector_size(32), aligned(32)));
};
template <class T>
using Lane = typename LaneType<T>::V;
template <class T>
using Four = typename LaneType<T>::V4;
#else
template <class T, int N>
struct Pack {
    T a[N];
    T &operator[](int i) { return a[i]; }
    T operator[](int i) const { return a[i]; }
};
template <class T>
using Lane = Pack<T, LANES>;
template <class T>
using Four = Pack<T, 4>;
#define TOILE_LANE_OP(op)                                                       \
    template <class T, int N>                                                   \
    inline Pack<T, N> operator op(const Pack<T, N> &x, const Pack<T, N> &y) {   \
        Pack<T, N> r;                                                           \
        for (int i = 0; i < N; ++i) r.a[i] = x.a[i] op y.a[i];                  \
        return r;                                                               \
    }                                                                           \
    template <class T, int N>                                                   \
    inline Pack<T, N> &operator op##=(Pack<T, N> &x, const Pack<T, N> &y) {     \
        return x = x op y;                                                      \
    }
template <class T, int N>
inline Pack<T, N> operator-(const Pack<T, N> &x) {
    Pack<T, N> r;
    for (int i = 0; i < N; ++i) r.a[i] = -x.a[i];
    return r;
}
TOILE_LANE_OP(+)
TOILE_LANE_OP(-)
TOILE_LANE_OP(*)
TOILE_LANE_OP(/)
#undef TOILE_LANE_OP
#endif

// one number in every lane
template <class V, class T>
inline V filled(T value) {
#if TOILE_VECTOR
    return value - V{};  // one instruction; lane by lane it becomes as many as there are lanes
#else
    V r;
    for (T &lane : r.a) lane = value;
    return r;
#endif
}
template <class T>
inline Lane<T> splat(T value) {
    return filled<Lane<T>>(value);
}
template <class T>
inline Lane<T> load(const T *p) {
    Lane<T> r;
    std::memcpy(&r, p, sizeof r);
    return r;
}
// one point (x, y, z, inverse mass) at a time
template <class T>
inline Four<T> four(T value) {
    return Four<T>{value, value, value, value};
}
template <class T>
inline Four<T> load4(const T *p) {
    Four<T> r;
    std::memcpy(&r, p, sizeof r);
    return r;
}
template <class T>
inline void store4(T *p, const Four<T> &v) {
    std::memcpy(p, &v, sizeof v);
}
// what follows takes vectors of any width
template <class V>
constexpr int LANES_OF = sizeof(V) / sizeof(std::declval<const V &>()[0]);

template <class V>
inline V square_root(const V &x) {
    V r;
    for (int i = 0; i < LANES_OF<V>; ++i) r[i] = std::sqrt(x[i]);
    return r;
}
// a comparison of whole vectors: written lane by lane it would be compiled lane by lane
#if TOILE_VECTOR
template <class V>
inline V at_most(const V &x, const V &y) {
    return x < y ? x : y;
}
template <class V>
inline V at_least(const V &x, const V &y) {
    return x > y ? x : y;
}
// x where the sign is positive, y elsewhere
template <class V>
inline V choose(const V &sign, const V &x, const V &y) {
    const V zero = {};
    return sign > zero ? x : y;
}
#else
template <class V>
inline V choose(const V &sign, const V &x, const V &y) {
    V r;
    for (int i = 0; i < LANES_OF<V>; ++i) r[i] = sign[i] > 0 ? x[i] : y[i];
    return r;
}
template <class V>
inline V at_most(const V &x, const V &y) {
    return choose(y - x, x, y);
}
template <class V>
inline V at_least(const V &x, const V &y) {
    return choose(x - y, x, y);
}
#endif
// x where the sign is positive, 0 elsewhere
template <class V>
inline V where_positive(const V &sign, const V &x) {
    return choose(sign, x, V{});
}

#if TOILE_VECTOR
// whether any bit of a comparison is set; written with memory in between it would cost more than the comparison saves
template <class Mask>
inline bool any_set(const Mask &mask) {
#if defined(__AVX2__)
    __m256i part[sizeof mask / 32];
    std::memcpy(part, &mask, sizeof mask);
    for (std::size_t k = 1; k < sizeof mask / 32; ++k) part[0] = _mm256_or_si256(part[0], part[k]);
    return !_mm256_testz_si256(part[0], part[0]);
#elif defined(__wasm_simd128__)
    v128_t part[sizeof mask / 16];
    std::memcpy(part, &mask, sizeof mask);
    for (std::size_t k = 1; k < sizeof mask / 16; ++k) part[0] = wasm_v128_or(part[0], part[k]);
    return wasm_v128_any_true(part[0]);
#else
    std::uint64_t part[sizeof mask / 8], all = 0;
    std::memcpy(part, &mask, sizeof mask);
    for (const std::uint64_t p : part) all |= p;
    return all != 0;
#endif
}
#endif

// whether x > y in any lane
template <class V>
inline bool any_greater(const V &x, const V &y) {
#if TOILE_VECTOR
    return any_set(x > y);
#else
    for (int i = 0; i < LANES_OF<V>; ++i)
        if (x[i] > y[i]) return true;
    return false;
#endif
}

template <class T>
struct Lanes4 {
    Lane<T> x, y, z, w;
};

// eight points by index, transposed into lanes
template <class T, class I>
inline Lanes4<T> gather(const T *points, const I *index) {
    Lanes4<T> r;
#if TOILE_VECTOR
    using V4 = typename LaneType<T>::V4;
    using V = Lane<T>;
    V row[4];
    for (int i = 0; i < 4; ++i) {
        V4 low, high;
        std::memcpy(&low, points + 4 * static_cast<std::size_t>(index[i]), sizeof low);
        std::memcpy(&high, points + 4 * static_cast<std::size_t>(index[i + 4]), sizeof high);
        row[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    const V a = __builtin_shufflevector(row[0], row[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const V b = __builtin_shufflevector(row[2], row[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const V c = __builtin_shufflevector(row[0], row[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const V d = __builtin_shufflevector(row[2], row[3], 2, 10, 3, 11, 6, 14, 7, 15);
    r.x = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    r.y = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    r.z = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r.w = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
#else
    for (int i = 0; i < LANES; ++i) {
        const T *p = points + 4 * static_cast<std::size_t>(index[i]);
        r.x[i] = p[0], r.y[i] = p[1], r.z[i] = p[2], r.w[i] = p[3];
    }
#endif
    return r;
}

// the way back; lanes of one block never share a point, except for padding, which nobody reads
template <class T, class I>
inline void scatter(T *points, const I *index, const Lanes4<T> &v) {
#if TOILE_VECTOR
    using V4 = typename LaneType<T>::V4;
    using V = Lane<T>;
    const V a = __builtin_shufflevector(v.x, v.y, 0, 8, 1, 9, 4, 12, 5, 13);
    const V b = __builtin_shufflevector(v.x, v.y, 2, 10, 3, 11, 6, 14, 7, 15);
    const V c = __builtin_shufflevector(v.z, v.w, 0, 8, 1, 9, 4, 12, 5, 13);
    const V d = __builtin_shufflevector(v.z, v.w, 2, 10, 3, 11, 6, 14, 7, 15);
    const V row[4] = {__builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13),
                      __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15),
                      __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13),
                      __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int i = 0; i < 4; ++i) {
        const V4 low = __builtin_shufflevector(row[i], row[i], 0, 1, 2, 3);
        const V4 high = __builtin_shufflevector(row[i], row[i], 4, 5, 6, 7);
        std::memcpy(points + 4 * static_cast<std::size_t>(index[i]), &low, sizeof low);
        std::memcpy(points + 4 * static_cast<std::size_t>(index[i + 4]), &high, sizeof high);
    }
#else
    for (int i = 0; i < LANES; ++i) {
        T *p = points + 4 * static_cast<std::size_t>(index[i]);
        p[0] = v.x[i], p[1] = v.y[i], p[2] = v.z[i], p[3] = v.w[i];
    }
#endif
}
}  // namespace TOILE_ISA
