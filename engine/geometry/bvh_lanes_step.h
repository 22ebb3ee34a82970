// Boxes near a point and triangles near a point, as many at a time as registers hold. Included by bvh_lanes_plain.cpp and others,
// which set TOILE_ISA. Raw pointers only: a library template instantiated here could be linked into code that runs on older machines.
#include "geometry/bvh_lanes.h"
#include "core/lanes.h"
#if defined(__SSE2__) && TOILE_VECTOR
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
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
#elif defined(__wasm_simd128__)
    v128_t x[4], y[4];
    std::memcpy(x, &a, sizeof x), std::memcpy(y, &b, sizeof y);
    unsigned bits = 0;
    for (int k = 0; k < 4; ++k) bits |= static_cast<unsigned>(wasm_i32x4_bitmask(wasm_f32x4_le(x[k], y[k]))) << 4 * k;
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
    const Vector<V> closest = along<V>(along<V>(a, vb / whole, ab), vc / whole, ac);
    return choose<V>(at_most<V>(at_most<V>(va, vb), vc), at_most<V>(dot(closest, closest), near), near);
}

// row(corner, axis): of triangles side by side
template <class V, class Row>
inline V corners_distance2(const Row &row, const float *p) {
    const V x = all<V>(p[0]), y = all<V>(p[1]), z = all<V>(p[2]);
    const auto corner = [&](int i) { return Vector<V>{row(i, 0) - x, row(i, 1) - y, row(i, 2) - z}; };
    return triangle_distance2<V>(corner(0), corner(1), corner(2));
}

// Numbers of the bits that are set, from `first` on; how many. There is room for sixteen: with AVX-512 no branch depends on the bits.
inline int put_numbers(unsigned bits, int first, std::int32_t *found) {
#if TOILE_VECTOR && defined(__AVX512F__)
    const __m512i numbers = _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(first));
    _mm512_storeu_si512(found, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), numbers));
    return __builtin_popcount(bits);
#else
    int count = 0;
    for (; bits; bits &= bits - 1) found[count++] = first + lowest_bit(bits);
    return count;
#endif
}

// numbers of the boxes within the square root of `limit` of p; how many
inline int near_boxes(const surface::BoxRows &boxes, const float *p, float limit, std::int32_t *found) {
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
        count += put_numbers(less_equal(distance2, most), i, found + count);
    }
    return count;
}

// bit k is set where a <= b
inline unsigned less_equal(const Lane<float> &a, const Lane<float> &b) {
#if TOILE_VECTOR && defined(__AVX2__)
    __m256 x, y;
    std::memcpy(&x, &a, sizeof x), std::memcpy(&y, &b, sizeof y);
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_LE_OQ)));
#elif defined(__wasm_simd128__)
    v128_t x[2], y[2];
    std::memcpy(x, &a, sizeof x), std::memcpy(y, &b, sizeof y);
    return static_cast<unsigned>(wasm_i32x4_bitmask(wasm_f32x4_le(x[0], y[0])) | wasm_i32x4_bitmask(wasm_f32x4_le(x[1], y[1])) << 4);
#else
    unsigned bits = 0;
    for (int k = 0; k < LANES; ++k) bits |= static_cast<unsigned>(a[k] <= b[k]) << k;
    return bits;
#endif
}
inline Lane<float> joined(const Four<float> &a, const Four<float> &b) {
#if TOILE_VECTOR
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    Lane<float> r;
    for (int i = 0; i < 4; ++i) r[i] = a[i], r[i + 4] = b[i];
    return r;
#endif
}

// the least of eight
inline float least_of(const Lane<float> &v) {
#if TOILE_VECTOR
    const Lane<float> a = at_most<Lane<float>>(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    const Lane<float> b = at_most<Lane<float>>(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5));
    return b[0] < b[1] ? b[0] : b[1];
#else
    float least = v[0];
    for (int k = 1; k < LANES; ++k) least = v[k] < least ? v[k] : least;
    return least;
#endif
}

// keeps those triangles of two leaves that can be nearest; false: no room
inline bool keep_nearest(const surface::Leaf *const *leaf, const Lane<float> &distance2, surface::Candidates &found) {
    unsigned bits = less_equal(distance2, splat(found.limit));
    if (!bits) return true;
    if (const float least = least_of(distance2); least < found.least) {
        found.least = least, found.limit = surface::enlarged(least, found.slack);
        bits &= less_equal(distance2, splat(found.limit));
    }
    for (; bits; bits &= bits - 1) {
        const int k = lowest_bit(bits);
        const std::int32_t t = leaf[k / 4]->triangle[k % 4];
        if (found.count == surface::Candidates::capacity) return false;
        // unused places repeat a triangle
        if (found.count && found.triangle[found.count - 1] == t) continue;
        found.triangle[found.count] = t, found.distance2[found.count++] = distance2[k];
    }
    return true;
}

// rows of numbers side by side: x, y, z of points
template <class V, class Row>
inline Vector<V> points(const Row &row) {
    Vector<V> r;
    std::memcpy(&r.x, row[0], sizeof(V)), std::memcpy(&r.y, row[1], sizeof(V)), std::memcpy(&r.z, row[2], sizeof(V));
    return r;
}
template <class V>
inline void keep(double *to, const V &v) {
    std::memcpy(to, &v, sizeof v);
}
template <class V>
inline void keep(double (*to)[LANES], const Vector<V> &v) {
    keep(to[0], v.x), keep(to[1], v.y), keep(to[2], v.z);
}
// three points by weights
template <class V>
inline Vector<V> weighted(const V &u, const Vector<V> &a, const V &v, const Vector<V> &b, const V &w, const Vector<V> &c) {
    return {u * a.x + v * b.x + w * c.x, u * a.y + v * b.y + w * c.y, u * a.z + v * b.z + w * c.z};
}
template <class V>
inline Vector<V> cross(const Vector<V> &a, const Vector<V> &b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// the zero vector stays zero
template <class V>
inline Vector<V> normalised(const Vector<V> &a) {
    const V length = square_root(dot(a, a)), scale = splat(1.0) / length;
    return {choose<V>(length, scale * a.x, a.x), choose<V>(length, scale * a.y, a.y), choose<V>(length, scale * a.z, a.z)};
}

// the same steps as nearest_on_triangle, closest_on and face_hit (vector3.h, bvh_closest.h), for the same bits
template <class V>
inline void find_feet(surface::FaceFeet &f) {
    const Vector<V> p = points<V>(f.p), a = points<V>(f.corner[0]), b = points<V>(f.corner[1]), c = points<V>(f.corner[2]);
    const Vector<V> ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    const V d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
    const V vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4, zero = splat(0.0);
    // neither beyond a corner nor beyond an edge
    const V corner = at_most<V>(at_most<V>(at_least<V>(d1, d2), at_least<V>(zero - d3, d4 - d3)), at_least<V>(zero - d6, d5 - d6));
    keep(f.inside, at_most<V>(corner, at_most<V>(at_most<V>(va, vb), vc)));
    const V s = splat(1.0) / (va + vb + vc), v = vb * s, w = vc * s, u = splat(1.0) - v - w;
    const Vector<V> point = weighted(u, a, v, b, w, c), away = p - point, normal = normalised(cross(ab, ac));
    const V square = dot(away, away), distance = square_root(square);
    keep(f.weight[0], u), keep(f.weight[1], v), keep(f.weight[2], w), keep(f.point, point), keep(f.normal, normal);
    keep(f.distance2, square), keep(f.gap, choose<V>(zero - dot(away, normal), zero - distance, distance));
}
}  // namespace

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

bool near_triangles(const surface::Shelf &shelf, surface::Candidates &found) {
    std::int32_t near[surface::Shelf::capacity + surface::BOXES_AT_ONCE];
    const int count = near_boxes({shelf.low[0], shelf.high[0], surface::Shelf::capacity, shelf.count}, found.p, found.limit, near);
    near[count] = near[count ? count - 1 : 0];  // of an odd number the last one counts twice
    for (int i = 0; i < count; i += 2) {
        const surface::Leaf *const leaf[2] = {shelf.leaf[near[i]], shelf.leaf[near[i + 1]]};
        const auto row = [&](int corner, int axis) { return joined(load4(leaf[0]->corner[corner][axis]), load4(leaf[1]->corner[corner][axis])); };
        if (!keep_nearest(leaf, corners_distance2<Lane<float>>(row, found.p), found)) return false;
    }
    return true;
}

void hint_distances2(const float *rounded, const std::int32_t *const *triangle, const float (*p)[surface::HINTS_AT_ONCE], float *distance2) {
    alignas(64) float corner[3][3][16];
    for (int i = 0; i < 16; ++i)
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) corner[k][a][i] = rounded[4 * static_cast<std::size_t>(triangle[i][k]) + a] - p[a][i];
    const Sixteen near = triangle_distance2(points<Sixteen>(corner[0]), points<Sixteen>(corner[1]), points<Sixteen>(corner[2]));
    std::memcpy(distance2, &near, sizeof near);
}

void face_feet(surface::FaceFeet &feet) {
    static_assert(LANES == surface::FEET_AT_ONCE);
    find_feet<Lane<double>>(feet);
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
