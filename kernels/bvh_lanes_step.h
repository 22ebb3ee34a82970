// Boxes near a point and triangles near a point, as many at a time as registers hold. Included by bvh_lanes_plain.cpp and others,
// which set TOILE_ISA. Raw pointers only: a library template instantiated here could be linked into code that runs on older machines.
#include "bvh_lanes.h"
#include "lanes.h"
#if defined(__SSE2__) && TOILE_VECTOR
#include <immintrin.h>
#endif

namespace TOILE_ISA {
namespace {

#if TOILE_VECTOR
typedef float Sixteen __attribute__((vector_size(64), aligned(64)));
template <class V>
inline V all(float value) {
    return value - V{};  // one instruction
}
inline Sixteen joined(const Four<float> &a, const Four<float> &b, const Four<float> &c, const Four<float> &d) {
    const Lane<float> ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7), cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#else
using Sixteen = Pack<float, 16>;
template <class V>
inline V all(float value) {
    V r;
    for (int i = 0; i < LANES_OF<V>; ++i) r[i] = value;
    return r;
}
inline Sixteen joined(const Four<float> &a, const Four<float> &b, const Four<float> &c, const Four<float> &d) {
    Sixteen r;
    for (int i = 0; i < 4; ++i) r[i] = a[i], r[i + 4] = b[i], r[i + 8] = c[i], r[i + 12] = d[i];
    return r;
}
#endif

inline Sixteen load16(const float *p) {
    Sixteen r;
    std::memcpy(&r, p, sizeof r);
    return r;
}

// bit k is set where a <= b
inline unsigned less_equal(const Sixteen &a, const Sixteen &b) {
#if TOILE_VECTOR && defined(__AVX512F__)
    __m512 x, y;
    std::memcpy(&x, &a, sizeof x), std::memcpy(&y, &b, sizeof y);
    return _mm512_cmp_ps_mask(x, y, _CMP_LE_OQ);
#elif TOILE_VECTOR && defined(__SSE2__)
    __m128 x[4], y[4];
    std::memcpy(x, &a, sizeof x), std::memcpy(y, &b, sizeof y);
    unsigned bits = 0;
    for (int k = 0; k < 4; ++k) bits |= static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(x[k], y[k]))) << 4 * k;
    return bits;
#else
    unsigned bits = 0;
    for (int k = 0; k < 16; ++k) bits |= static_cast<unsigned>(a[k] <= b[k]) << k;
    return bits;
#endif
}

inline int lowest_bit(unsigned bits) {
#if defined(__GNUC__)
    return __builtin_ctz(bits);
#else
    int k = 0;
    while (!(bits >> k & 1)) ++k;
    return k;
#endif
}

template <class V>
struct Vector {
    V x, y, z;
};
template <class V>
inline Vector<V> operator-(const Vector<V> &a, const Vector<V> &b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class V>
inline V dot(const Vector<V> &a, const Vector<V> &b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class V>
inline Vector<V> along(const Vector<V> &a, const V &t, const Vector<V> &e) {
    return {a.x + t * e.x, a.y + t * e.y, a.z + t * e.z};
}

// squared distance of the origin to the segment from a along e; points count as segments (0/0 becomes 0)
template <class V>
inline V segment_distance2(const Vector<V> &a, const Vector<V> &e, const V &ee, const V &towards) {
    const V t = at_most<V>(at_least<V>(towards / ee, all<V>(0)), all<V>(1));
    const Vector<V> d = along<V>(a, t, e);
    return dot(d, d);
}

// squared distance of the origin to triangles
template <class V>
inline V triangle_distance2(const Vector<V> &a, const Vector<V> &b, const Vector<V> &c) {
    const Vector<V> ab = b - a, ac = c - a, bc = c - b;
    const V zero = all<V>(0), abab = dot(ab, ab), abac = dot(ab, ac), acac = dot(ac, ac), bcbc = dot(bc, bc);
    const V d1 = zero - dot(ab, a), d2 = zero - dot(ac, a);
    V near = segment_distance2(a, ab, abab, d1);
    near = at_most<V>(segment_distance2(a, ac, acac, d2), near);
    near = at_most<V>(segment_distance2<V>(b, bc, bcbc, zero - dot(bc, b)), near);
    // inside the face: all three barycentric coordinates positive
    const V d3 = d1 - abab, d4 = d2 - abac, d5 = d1 - abac, d6 = d2 - acac;
    const V va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const V whole = va + vb + vc;
    const Vector<V> foot = along<V>(along<V>(a, vb / whole, ab), vc / whole, ac);
    return choose<V>(at_most<V>(at_most<V>(va, vb), vc), at_most<V>(dot(foot, foot), near), near);
}

// row(corner, axis): of triangles side by side
template <class V, class Row>
inline V corners_distance2(const Row &row, const float *p) {
    const V x = all<V>(p[0]), y = all<V>(p[1]), z = all<V>(p[2]);
    const auto corner = [&](int i) { return Vector<V>{row(i, 0) - x, row(i, 1) - y, row(i, 2) - z}; };
    return triangle_distance2<V>(corner(0), corner(1), corner(2));
}
}  // namespace

int near_boxes(const surface::BoxRows &boxes, const float *p, float limit, std::int32_t *found) {
    const Sixteen most = all<Sixteen>(limit), zero = all<Sixteen>(0);
    int count = 0;
    for (int i = 0; i < boxes.count; i += surface::BOXES_AT_ONCE) {
        Sixteen distance2 = zero;
        for (int k = 0; k < 3; ++k) {
            const Sixteen x = all<Sixteen>(p[k]);
            const Sixteen below = load16(boxes.low + k * boxes.stride + i) - x, above = x - load16(boxes.high + k * boxes.stride + i);
            const Sixteen d = at_least<Sixteen>(at_least<Sixteen>(below, above), zero);
            distance2 += d * d;
        }
        for (unsigned near = less_equal(distance2, most); near; near &= near - 1) found[count++] = i + lowest_bit(near);
    }
    return count;
}

int touched_boxes(const surface::BoxRows &boxes, const float *low, const float *high, std::int32_t *found) {
    int count = 0;
    for (int i = 0; i < boxes.count; i += surface::BOXES_AT_ONCE) {
        unsigned bits = 0xffff;
        for (int k = 0; k < 3 && bits; ++k)
            bits &= less_equal(load16(boxes.low + k * boxes.stride + i), all<Sixteen>(high[k])) & less_equal(all<Sixteen>(low[k]), load16(boxes.high + k * boxes.stride + i));
        for (; bits; bits &= bits - 1) found[count++] = i + lowest_bit(bits);
    }
    return count;
}

void leaf_distance2(const float *corners, const float *p, float *distance2) {
    const auto row = [&](int i, int axis) { return load4(corners + 4 * (3 * i + axis)); };
    store4<float>(distance2, corners_distance2<Four<float>>(row, p));
}

void leaf_distances2(const float *const *corners, const float *p, float *distance2) {
    const auto row = [&](int i, int axis) {
        const int at = 4 * (3 * i + axis);
        return joined(load4(corners[0] + at), load4(corners[1] + at), load4(corners[2] + at), load4(corners[3] + at));
    };
    const Sixteen near = corners_distance2<Sixteen>(row, p);
    std::memcpy(distance2, &near, sizeof near);
}

unsigned not_parted(const float *const *corners, const surface::Blade &blade) {
    unsigned bits = 0xffff;
    Sixteen above[3];  // how far each corner is above the plane
    for (int axis = 0; axis < 3; ++axis) {
        Sixteen x[3];
        for (int i = 0; i < 3; ++i) {
            const int at = 4 * (3 * i + axis);
            x[i] = joined(load4(corners[0] + at), load4(corners[1] + at), load4(corners[2] + at), load4(corners[3] + at));
        }
        bits &= less_equal(at_most<Sixteen>(at_most<Sixteen>(x[0], x[1]), x[2]), all<Sixteen>(blade.high[axis])) &
                less_equal(all<Sixteen>(blade.low[axis]), at_least<Sixteen>(at_least<Sixteen>(x[0], x[1]), x[2]));
        if (!bits) return 0;
        const Sixteen origin = all<Sixteen>(blade.origin[axis]), normal = all<Sixteen>(blade.normal[axis]);
        for (int i = 0; i < 3; ++i) {
            const Sixteen part = normal * (x[i] - origin);
            above[i] = axis ? above[i] + part : part;
        }
    }
    const Sixteen lowest = at_most<Sixteen>(at_most<Sixteen>(above[0], above[1]), above[2]);
    const Sixteen highest = at_least<Sixteen>(at_least<Sixteen>(above[0], above[1]), above[2]);
    return bits & less_equal(lowest, all<Sixteen>(blade.slack)) & less_equal(all<Sixteen>(-blade.slack), highest);
}
}  // namespace TOILE_ISA
