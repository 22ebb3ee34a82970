// The search for near cloth between two patches, part of proximity_step.h: boxes of vertices, faces and edges eight at a time, then
// distances eight at a time.
#pragma once
#include <bit>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#include "geometry/proximity_view.h"

namespace TOILE_ISA {
namespace {
static_assert(LANES == BOX_LANES);
using Lf = Lane<float>;

// bit k is set where a <= b
inline int less_equal(const Lf &a, const Lf &b) {
#if defined(__AVX2__)
    __m256 x, y;
    std::memcpy(&x, &a, sizeof x), std::memcpy(&y, &b, sizeof y);
    return _mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_LE_OQ));
#elif defined(__SSE2__)
    __m128 x[2], y[2];
    std::memcpy(x, &a, sizeof x), std::memcpy(y, &b, sizeof y);
    return _mm_movemask_ps(_mm_cmple_ps(x[0], y[0])) | _mm_movemask_ps(_mm_cmple_ps(x[1], y[1])) << 4;
#elif defined(__wasm_simd128__)
    v128_t x[2], y[2];
    std::memcpy(x, &a, sizeof x), std::memcpy(y, &b, sizeof y);
    return static_cast<int>(wasm_i32x4_bitmask(wasm_f32x4_le(x[0], y[0])) | wasm_i32x4_bitmask(wasm_f32x4_le(x[1], y[1])) << 4);
#else
    int bits = 0;
    for (int k = 0; k < LANES; ++k) bits |= (a[k] <= b[k]) << k;
    return bits;
#endif
}

// a box, grown by a radius
struct Around {
    float lo[3], hi[3];
    Around(const float *from, const float *to, float radius) {
        for (int k = 0; k < 3; ++k) lo[k] = from[k] - radius, hi[k] = to[k] + radius;
    }
    // one of eight boxes
    Around(const float *block, int lane, float radius) {
        for (int k = 0; k < 3; ++k) lo[k] = block[k * LANES + lane] - radius, hi[k] = block[(3 + k) * LANES + lane] + radius;
    }
    // which of eight boxes it touches
    int touched(const float *block) const {
        int bits = 255;
        for (int k = 0; k < 3; ++k)
            bits &= less_equal(load(block + k * LANES), splat(hi[k])) & less_equal(splat(lo[k]), load(block + (3 + k) * LANES));
        return bits;
    }
};

// boxes of eight triangles or edges at a time; index: their particles, filled up to whole blocks
template <int Corners, std::size_t Places>
inline void put_boxes(const float *point, std::int32_t (&index)[Corners][Places], int count, float *boxes) {
    for (int block = 0; block < box_blocks(count); ++block) {
        float *to = boxes + BOX_BLOCK * block;
        for (int i = count; i < LANES * (block + 1); ++i)
            for (int k = 0; k < Corners; ++k) index[k][i] = index[k][count - 1];
        Lanes4<float> lo = gather(point, index[0] + LANES * block), hi = lo;
        for (int k = 1; k < Corners; ++k) {
            const Lanes4<float> p = gather(point, index[k] + LANES * block);
            lo = {at_most(lo.x, p.x), at_most(lo.y, p.y), at_most(lo.z, p.z), p.w};
            hi = {at_least(hi.x, p.x), at_least(hi.y, p.y), at_least(hi.z, p.z), p.w};
        }
        store(to, lo.x), store(to + LANES, lo.y), store(to + 2 * LANES, lo.z);
        store(to + 3 * LANES, hi.x), store(to + 4 * LANES, hi.y), store(to + 5 * LANES, hi.z);
        for (int i = count - LANES * block; i < LANES; ++i) to[i] = 1e30f;
    }
}

inline bool reaches(const float *lo, const float *hi, const float *patch, float radius) {
    return lo[0] - radius <= patch[4] && patch[0] - radius <= hi[0] && lo[1] - radius <= patch[5] &&
           patch[1] - radius <= hi[1] && lo[2] - radius <= patch[6] && patch[2] - radius <= hi[2];
}

// which blocks of boxes touch a box; few of a patch do when two patches meet at their rims
struct Blocks {
    int block[OpenPatch::EDGE_BLOCKS], count = 0;
    Blocks(const float *boxes, int blocks, const Around &box) {
        for (int k = 0; k < blocks; ++k)
            if (box.touched(boxes + BOX_BLOCK * k)) block[count++] = k;
    }
};

// squared distance of the origin to the segment from a along e
inline Lf segment_distance2(const V3<float> &a, const V3<float> &e, const Lf &ee, const Lf &towards) {
    const V3<float> d = along(a, clamped<float>(towards / ee), e);
    return dot(d, d);
}

// squared distances of eight points to eight triangles: nearest edge, or the foot where it is inside (Ericson 2004)
inline Lf face_distance2(const V3<float> &p, const V3<float> &ta, const V3<float> &tb, const V3<float> &tc) {
    const V3<float> a = minus(ta, p), b = minus(tb, p), c = minus(tc, p), ab = minus(b, a), ac = minus(c, a), bc = minus(c, b);
    const Lf zero = splat(0.0f), abab = dot(ab, ab), abac = dot(ab, ac), acac = dot(ac, ac), bcbc = dot(bc, bc);
    const Lf d1 = zero - dot(ab, a), d2 = zero - dot(ac, a);
    Lf near = segment_distance2(a, ab, abab, d1);
    near = at_most(segment_distance2(a, ac, acac, d2), near);
    near = at_most(segment_distance2(b, bc, bcbc, zero - dot(bc, b)), near);
    const Lf d3 = d1 - abab, d4 = d2 - abac, d5 = d1 - abac, d6 = d2 - acac;
    const Lf va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, whole = va + vb + vc;
    const V3<float> foot = along(along(a, vb / whole, ab), vc / whole, ac);
    const Lf inside = at_most(at_most(va, vb), vc);
    return where_less<float>(zero, inside, at_most(dot(foot, foot), near), near);
}

// squared distances of eight pairs of segments (Ericson 2004, section 5.1.9)
inline Lf edge_distance2(const V3<float> &p, const V3<float> &q, const V3<float> &u, const V3<float> &v) {
    const V3<float> d = minus(q, p), e = minus(v, u), r = minus(p, u);
    const Lf dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, r), er = dot(e, r);
    const Lf s0 = clamped<float>((de * er - dr * ee) / (dd * ee - de * de));
    const Lf t = clamped<float>((de * s0 + er) / ee), s = clamped<float>((de * t - dr) / dd);
    const V3<float> gap = along(along(r, s, d), splat(0.0f) - t, e);
    return dot(gap, gap);
}

// measures the candidates in `pair` and appends those within their radius
template <class Distance2>
inline void measure(const float *point, const std::int32_t (*pair)[4], const float *radius2, int count, std::int32_t *near,
                    std::size_t &near_count, const Distance2 &distance2) {
    for (int i = 0; i < count; i += LANES) {
        const int lanes = count - i < LANES ? count - i : LANES;
        V3<float> p[4];
        for (int k = 0; k < 4; ++k) p[k] = corner(point, pair[i], static_cast<std::size_t>(lanes), k);
        const Lf d2 = distance2(p[0], p[1], p[2], p[3]);
        for (int bits = less_equal(d2, load(radius2 + i)) & ((1 << lanes) - 1); bits; bits &= bits - 1)
            std::memcpy(near + 4 * near_count++, pair[i + std::countr_zero(static_cast<unsigned>(bits))], sizeof pair[0]);
    }
}
inline void flush_faces(const PatchView &patches, NearWork &work) {
    measure(patches.point, work.face, work.face_radius2, work.faces, work.near_face, work.near_faces, face_distance2);
    work.faces = 0;
}
inline void flush_edges(const PatchView &patches, NearWork &work) {
    measure(patches.point, work.edge, work.edge_radius2, work.edges, work.near_edge, work.near_edges, edge_distance2);
    work.edges = 0;
}

// vertices of patch a against faces of patch b
inline void search_faces(const PatchView &v, const OpenPatch &a, const OpenPatch &b, bool related, float radius, NearWork &work) {
    const float *patch = v.patch_box + 8 * std::size_t(b.number), *own = v.patch_box + 8 * std::size_t(a.number), wide = radius + v.slack;
    const Blocks blocks(b.face_boxes, box_blocks(b.face_count), Around(own, own + 4, wide));
    if (!blocks.count) return;
    const Patch &from = v.patch[a.number];
    for (int i = 0; i < from.own; ++i) {
        const auto p = v.particle[from.particle + i];
        const float *x = v.point + 4 * std::size_t(p);
        if (!reaches(x, x, patch, radius)) continue;
        const Around box(x, x, wide);
        for (int k = 0; k < blocks.count; ++k) {
            const int block = blocks.block[k];
            for (int bits = box.touched(b.face_boxes + BOX_BLOCK * block); bits; bits &= bits - 1) {
                const int t = LANES * block + std::countr_zero(static_cast<unsigned>(bits));
                const std::int32_t four[4] = {p, b.face[0][t], b.face[1][t], b.face[2][t]};
                if (related && !(v.apart(p, four[1]) && v.apart(p, four[2]) && v.apart(p, four[3]))) continue;
                work.face_radius2[work.faces] = radius * radius;
                std::memcpy(work.face[work.faces++], four, sizeof four);
                if (work.faces == NearWork::BATCH) flush_faces(v, work);
            }
        }
    }
}

// edges of patch a against edges of patch b
inline void search_edges(const PatchView &v, const OpenPatch &a, const OpenPatch &b, bool related, float radius, NearWork &work) {
    const float *patch = v.patch_box + 8 * std::size_t(b.number), *own = v.patch_box + 8 * std::size_t(a.number), wide = radius + v.slack;
    const Blocks blocks(b.edge_boxes, box_blocks(b.edge_count), Around(own, own + 4, wide));
    if (!blocks.count) return;
    const Around there(patch, patch + 4, wide);
    for (int block = 0; block < box_blocks(a.edge_count); ++block) {
        const float *eight = a.edge_boxes + BOX_BLOCK * block;
        for (int near = there.touched(eight); near; near &= near - 1) {
            const int lane = std::countr_zero(static_cast<unsigned>(near)), i = LANES * block + lane;
            const auto p = a.edge[0][i], q = a.edge[1][i];
            const Around box(eight, lane, wide);
            for (int k = 0; k < blocks.count; ++k)
                for (int bits = box.touched(b.edge_boxes + BOX_BLOCK * blocks.block[k]); bits; bits &= bits - 1) {
                    const int j = LANES * blocks.block[k] + std::countr_zero(static_cast<unsigned>(bits));
                    if (a.number == b.number && j <= i) continue;
                    const auto s = b.edge[0][j], t = b.edge[1][j];
                    if (related && !(v.apart(p, s) && v.apart(p, t) && v.apart(q, s) && v.apart(q, t))) continue;
                    const std::int32_t four[4] = {p, q, s, t};
                    work.edge_radius2[work.edges] = radius * radius;
                    std::memcpy(work.edge[work.edges++], four, sizeof four);
                    if (work.edges == NearWork::BATCH) flush_edges(v, work);
                }
        }
    }
}
}  // namespace

void open_patch(const PatchView &v, std::int32_t number, OpenPatch &open) {
    open.number = number, open.face_count = v.triangle_count(number), open.edge_count = 0;
    for (int t = 0; t < open.face_count; ++t)
        for (int k = 0; k < 3; ++k) open.face[k][t] = v.at(number, 3 * t + k);
    for (std::uint64_t sides = v.patch[number].sides; sides; sides &= sides - 1) {
        const int from = std::countr_zero(sides), to = from % 3 == 2 ? from - 2 : from + 1, e = open.edge_count++;
        open.edge[0][e] = v.at(number, from), open.edge[1][e] = v.at(number, to);
    }
    put_boxes(v.point, open.face, open.face_count, open.face_boxes);
    put_boxes(v.point, open.edge, open.edge_count, open.edge_boxes);
}

void search_patches(const PatchView &patches, const OpenPatch &a, const OpenPatch &b, bool related, float radius, NearWork &work) {
    search_faces(patches, a, b, related, radius, work);
    if (a.number != b.number) search_faces(patches, b, a, related, radius, work);
    search_edges(patches, a, b, related, radius, work);
}

void finish_search(const PatchView &patches, NearWork &work) {
    flush_faces(patches, work);
    flush_edges(patches, work);
}

std::size_t touching_boxes(const PatchView &v, const OpenPatch &a, const OpenPatch &b, float radius, std::int32_t *pairs) {
    const float *patch = v.patch_box + 8 * std::size_t(b.number);
    const Around there(patch, patch + 4, radius);
    std::size_t count = 0;
    for (int mine = 0; mine < box_blocks(a.face_count); ++mine) {
        const float *eight = a.face_boxes + BOX_BLOCK * mine;
        for (int near = there.touched(eight); near; near &= near - 1) {
            const int lane = std::countr_zero(static_cast<unsigned>(near)), i = LANES * mine + lane;
            const Around box(eight, lane, radius);
            for (int k = 0; k < box_blocks(b.face_count); ++k)
                for (int bits = box.touched(b.face_boxes + BOX_BLOCK * k); bits; bits &= bits - 1) {
                    const int j = LANES * k + std::countr_zero(static_cast<unsigned>(bits));
                    if (a.number == b.number && j <= i) continue;
                    pairs[2 * count] = v.patch[a.number].triangle + i, pairs[2 * count + 1] = v.patch[b.number].triangle + j, ++count;
                }
        }
    }
    return count;
}
}  // namespace TOILE_ISA
