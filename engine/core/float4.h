// Four floats at once: SSE2 or WebAssembly's vectors where they exist, plain loops elsewhere; the same bits either way.
#pragma once
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define TOILE_SSE2 1
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define TOILE_WASM_SIMD 1
#endif

namespace surface {

#ifdef TOILE_SSE2
struct Float4 {
    __m128 v;
    Float4() = default;
    Float4(__m128 value) : v(value) {}
    explicit Float4(float x) : v(_mm_set1_ps(x)) {}
    static Float4 load(const float *p) { return _mm_loadu_ps(p); }
    void store(float *p) const { _mm_storeu_ps(p, v); }
};
inline Float4 operator+(Float4 a, Float4 b) { return _mm_add_ps(a.v, b.v); }
inline Float4 operator-(Float4 a, Float4 b) { return _mm_sub_ps(a.v, b.v); }
inline Float4 operator*(Float4 a, Float4 b) { return _mm_mul_ps(a.v, b.v); }
inline Float4 operator/(Float4 a, Float4 b) { return _mm_div_ps(a.v, b.v); }
// when a number is NaN the second one is returned
inline Float4 min(Float4 a, Float4 b) { return _mm_min_ps(a.v, b.v); }
inline Float4 max(Float4 a, Float4 b) { return _mm_max_ps(a.v, b.v); }
// bit k is set where a <= b
inline int less_equal(Float4 a, Float4 b) { return _mm_movemask_ps(_mm_cmple_ps(a.v, b.v)); }
// yes where a > 0 and b > 0 and c > 0, else no
inline Float4 where_positive(Float4 a, Float4 b, Float4 c, Float4 yes, Float4 no) {
    const __m128 m = _mm_cmpgt_ps(_mm_min_ps(_mm_min_ps(a.v, b.v), c.v), _mm_setzero_ps());
    return _mm_or_ps(_mm_and_ps(m, yes.v), _mm_andnot_ps(m, no.v));
}
// rows become columns
inline void transpose(Float4 &a, Float4 &b, Float4 &c, Float4 &d) { _MM_TRANSPOSE4_PS(a.v, b.v, c.v, d.v); }
#elif defined(TOILE_WASM_SIMD)
struct Float4 {
    v128_t v;
    Float4() = default;
    Float4(v128_t value) : v(value) {}
    explicit Float4(float x) : v(wasm_f32x4_splat(x)) {}
    static Float4 load(const float *p) { return wasm_v128_load(p); }
    void store(float *p) const { wasm_v128_store(p, v); }
};
inline Float4 operator+(Float4 a, Float4 b) { return wasm_f32x4_add(a.v, b.v); }
inline Float4 operator-(Float4 a, Float4 b) { return wasm_f32x4_sub(a.v, b.v); }
inline Float4 operator*(Float4 a, Float4 b) { return wasm_f32x4_mul(a.v, b.v); }
inline Float4 operator/(Float4 a, Float4 b) { return wasm_f32x4_div(a.v, b.v); }
// pmin(b, a) is a < b ? a : b: when a number is NaN the second one is returned
inline Float4 min(Float4 a, Float4 b) { return wasm_f32x4_pmin(b.v, a.v); }
inline Float4 max(Float4 a, Float4 b) { return wasm_f32x4_pmax(b.v, a.v); }
inline int less_equal(Float4 a, Float4 b) { return static_cast<int>(wasm_i32x4_bitmask(wasm_f32x4_le(a.v, b.v))); }
inline Float4 where_positive(Float4 a, Float4 b, Float4 c, Float4 yes, Float4 no) {
    return wasm_v128_bitselect(yes.v, no.v, wasm_f32x4_gt(min(min(a, b), c).v, wasm_f32x4_const_splat(0)));
}
inline void transpose(Float4 &a, Float4 &b, Float4 &c, Float4 &d) {
    const v128_t ab_low = wasm_i32x4_shuffle(a.v, b.v, 0, 4, 1, 5), ab_high = wasm_i32x4_shuffle(a.v, b.v, 2, 6, 3, 7);
    const v128_t cd_low = wasm_i32x4_shuffle(c.v, d.v, 0, 4, 1, 5), cd_high = wasm_i32x4_shuffle(c.v, d.v, 2, 6, 3, 7);
    a.v = wasm_i64x2_shuffle(ab_low, cd_low, 0, 2), b.v = wasm_i64x2_shuffle(ab_low, cd_low, 1, 3);
    c.v = wasm_i64x2_shuffle(ab_high, cd_high, 0, 2), d.v = wasm_i64x2_shuffle(ab_high, cd_high, 1, 3);
}
#else
struct Float4 {
    float v[4];
    Float4() = default;
    explicit Float4(float x) : v{x, x, x, x} {}
    static Float4 load(const float *p) {
        Float4 r;
        for (int k = 0; k < 4; ++k) r.v[k] = p[k];
        return r;
    }
    void store(float *p) const {
        for (int k = 0; k < 4; ++k) p[k] = v[k];
    }
};
template <class F>
inline Float4 each(Float4 a, Float4 b, F f) {
    Float4 r;
    for (int k = 0; k < 4; ++k) r.v[k] = f(a.v[k], b.v[k]);
    return r;
}
inline Float4 operator+(Float4 a, Float4 b) {
    return each(a, b, [](float x, float y) { return x + y; });
}
inline Float4 operator-(Float4 a, Float4 b) {
    return each(a, b, [](float x, float y) { return x - y; });
}
inline Float4 operator*(Float4 a, Float4 b) {
    return each(a, b, [](float x, float y) { return x * y; });
}
inline Float4 operator/(Float4 a, Float4 b) {
    return each(a, b, [](float x, float y) { return x / y; });
}
inline Float4 min(Float4 a, Float4 b) {
    return each(a, b, [](float x, float y) { return x < y ? x : y; });
}
inline Float4 max(Float4 a, Float4 b) {
    return each(a, b, [](float x, float y) { return x > y ? x : y; });
}
inline int less_equal(Float4 a, Float4 b) {
    int bits = 0;
    for (int k = 0; k < 4; ++k) bits |= (a.v[k] <= b.v[k]) << k;
    return bits;
}
inline Float4 where_positive(Float4 a, Float4 b, Float4 c, Float4 yes, Float4 no) {
    const Float4 least = min(min(a, b), c);
    Float4 r;
    for (int k = 0; k < 4; ++k) r.v[k] = least.v[k] > 0 ? yes.v[k] : no.v[k];
    return r;
}
inline void transpose(Float4 &a, Float4 &b, Float4 &c, Float4 &d) {
    Float4 *row[4] = {&a, &b, &c, &d};
    for (int i = 0; i < 4; ++i)
        for (int k = i + 1; k < 4; ++k) {
            const float v = row[i]->v[k];
            row[i]->v[k] = row[k]->v[i], row[k]->v[i] = v;
        }
}
#endif

}  // namespace surface
