// The search for near cloth between two patches, part of near_step.h: boxes of vertices, faces and edges eight at a time, then
// distances eight at a time.
#pragma once
#include <bit>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "proximity_view.h"

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
#else
    int bits = 0;
    for (int k = 0; k < LANES; ++k) bits |= (a[k] <= b[k]) << k;
    return bits;
#endif
}

// a box, grown by a radius
struct Around {
    std::int16_t lo[3], hi[3];
    Around(const BoxGrid &grid, const float *from, const float *to, float radius) {
        for (int k = 0; k < 3; ++k) lo[k] = grid.low(from[k] - radius, k), hi[k] = grid.high(to[k] + radius, k);
    }
    // one of eight boxes; steps: the radius, rounded up
    Around(const std::int16_t *block, int lane, const int *steps) {
        for (int k = 0; k < 3; ++k) {
            const int low = block[k * LANES + lane] - steps[k], high = block[(3 + k) * LANES + lane] + steps[k];
            lo[k] = static_cast<std::int16_t>(low > BoxGrid::LOWEST ? low : BoxGrid::LOWEST);
            hi[k] = static_cast<std::int16_t>(high < BoxGrid::HIGHEST ? high : BoxGrid::HIGHEST);
        }
    }
    // which of eight boxes it touches
    int touched(const std::int16_t *block) const {
#if defined(__SSE2__)
        __m128i out = _mm_setzero_si128();
        const auto eight = [&](int row) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(block + row * LANES)); };
        for (int k = 0; k < 3; ++k)
            out = _mm_or_si128(out, _mm_or_si128(_mm_cmpgt_epi16(eight(k), _mm_set1_epi16(hi[k])), _mm_cmpgt_epi16(_mm_set1_epi16(lo[k]), eight(3 + k))));
        return ~_mm_movemask_epi8(_mm_packs_epi16(out, out)) & 255;
#else
        int bits = 0;
        for (int i = 0; i < LANES; ++i) {
            bool in = true;
            for (int k = 0; k < 3; ++k) in &= block[k * LANES + i] <= hi[k] && lo[k] <= block[(3 + k) * LANES + i];
            bits |= in << i;
        }
        return bits;
#endif
    }
};

// a radius in steps of the boxes
struct Steps {
    int of[3];
    Steps(const BoxGrid &grid, float radius) {
        for (int k = 0; k < 3; ++k) {
            const float steps = radius * grid.scale[k];
            of[k] = steps < 65535 ? static_cast<int>(steps) + 2 : 65537;
        }
    }
};

inline bool reaches(const float *lo, const float *hi, const float *patch, float radius) {
    return lo[0] - radius <= patch[4] && patch[0] - radius <= hi[0] && lo[1] - radius <= patch[5] &&
           patch[1] - radius <= hi[1] && lo[2] - radius <= patch[6] && patch[2] - radius <= hi[2];
}

// which blocks of boxes touch a box; few of a patch do when two patches meet at their rims
struct Blocks {
    static constexpr int room = 8;  // a patch has at most 12 triangles and 36 edges of its own
    int block[room], count = 0;
    Blocks(const std::int16_t *boxes, int blocks, const Around &box) {
        for (int k = 0; k < blocks && count < room; ++k)
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
inline void search_faces(const PatchView &v, std::int32_t a, std::int32_t b, bool related, float radius, NearWork &work) {
    const float *patch = v.patch_box + 8 * std::size_t(b), *own = v.patch_box + 8 * std::size_t(a);
    const std::int32_t *faces = v.triangles + 3 * std::size_t(v.patch_start[b]);
    const std::int32_t *corners = v.triangles + 3 * std::size_t(v.patch_start[a]);
    const std::int16_t *boxes = v.face_boxes + BOX_BLOCK * std::size_t(v.face_block[b]);
    const Blocks blocks(boxes, v.face_block[b + 1] - v.face_block[b], Around(v.grid, own, own + 4, radius));
    if (!blocks.count) return;
    for (auto i = v.vertex_start[a]; i < v.vertex_start[a + 1]; ++i) {
        const auto p = corners[v.vertices[i]];
        const float *x = v.point + 4 * std::size_t(p);
        if (!reaches(x, x, patch, radius)) continue;
        const Around box(v.grid, x, x, radius);
        for (int k = 0; k < blocks.count; ++k) {
            const int block = blocks.block[k];
            for (int bits = box.touched(boxes + BOX_BLOCK * block); bits; bits &= bits - 1) {
                const std::int32_t *t = faces + 3 * (LANES * block + std::countr_zero(static_cast<unsigned>(bits)));
                if (related && !(v.apart(p, t[0]) && v.apart(p, t[1]) && v.apart(p, t[2]))) continue;
                const std::int32_t four[4] = {p, t[0], t[1], t[2]};
                work.face_radius2[work.faces] = radius * radius;
                std::memcpy(work.face[work.faces++], four, sizeof four);
                if (work.faces == NearWork::BATCH) flush_faces(v, work);
            }
        }
    }
}

// edges of patch a against edges of patch b
inline void search_edges(const PatchView &v, std::int32_t a, std::int32_t b, bool related, float radius, NearWork &work) {
    const float *patch = v.patch_box + 8 * std::size_t(b), *own = v.patch_box + 8 * std::size_t(a);
    const std::int16_t *boxes = v.edge_boxes + BOX_BLOCK * std::size_t(v.edge_block[b]);
    const std::int16_t *mine = v.edge_boxes + BOX_BLOCK * std::size_t(v.edge_block[a]);
    const Blocks blocks(boxes, v.edge_block[b + 1] - v.edge_block[b], Around(v.grid, own, own + 4, radius));
    if (!blocks.count) return;
    const Around there(v.grid, patch, patch + 4, radius);
    const Steps steps(v.grid, radius);
    for (int block = 0; block < v.edge_block[a + 1] - v.edge_block[a]; ++block) {
        const std::int16_t *eight = mine + BOX_BLOCK * block;
        for (int near = there.touched(eight); near; near &= near - 1) {
            const int lane = std::countr_zero(static_cast<unsigned>(near));
            const auto i = v.edge_start[a] + LANES * block + lane;
            std::int32_t p, q, s, t;
            v.edge(a, i, p, q);
            const Around box(eight, lane, steps.of);
            for (int k = 0; k < blocks.count; ++k)
                for (int bits = box.touched(boxes + BOX_BLOCK * blocks.block[k]); bits; bits &= bits - 1) {
                    const auto j = v.edge_start[b] + LANES * blocks.block[k] + std::countr_zero(static_cast<unsigned>(bits));
                    if (a == b && j <= i) continue;
                    v.edge(b, j, s, t);
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

void search_patches(const PatchView &patches, std::int32_t a, std::int32_t b, bool related, float radius, NearWork &work) {
    search_faces(patches, a, b, related, radius, work);
    if (a != b) search_faces(patches, b, a, related, radius, work);
    search_edges(patches, a, b, related, radius, work);
}

void finish_search(const PatchView &patches, NearWork &work) {
    flush_faces(patches, work);
    flush_edges(patches, work);
}

std::size_t touching_boxes(const PatchView &v, std::int32_t a, std::int32_t b, float radius, std::int32_t *pairs) {
    const float *patch = v.patch_box + 8 * std::size_t(b);
    const std::int16_t *own = v.face_boxes + BOX_BLOCK * std::size_t(v.face_block[a]), *boxes = v.face_boxes + BOX_BLOCK * std::size_t(v.face_block[b]);
    const Around there(v.grid, patch, patch + 4, radius);
    const Steps steps(v.grid, radius);
    std::size_t count = 0;
    for (int mine = 0; mine < v.face_block[a + 1] - v.face_block[a]; ++mine) {
        const std::int16_t *eight = own + BOX_BLOCK * mine;
        for (int near = there.touched(eight); near; near &= near - 1) {
            const int lane = std::countr_zero(static_cast<unsigned>(near));
            const auto i = v.patch_start[a] + LANES * mine + lane;
            const Around box(eight, lane, steps.of);
            for (int k = 0; k < v.face_block[b + 1] - v.face_block[b]; ++k)
                for (int bits = box.touched(boxes + BOX_BLOCK * k); bits; bits &= bits - 1) {
                    const auto j = v.patch_start[b] + LANES * k + std::countr_zero(static_cast<unsigned>(bits));
                    if (a == b && j <= i) continue;
                    pairs[2 * count] = i, pairs[2 * count + 1] = j, ++count;
                }
        }
    }
    return count;
}
}  // namespace TOILE_ISA
