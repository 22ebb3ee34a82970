// The patches of a cloth (proximity.h) as raw views, so that the search between two of them (near_step.h) can be compiled once
// per instruction set.
#pragma once
#include <cstddef>
#include <cstdint>

constexpr int BOX_LANES = 8;
constexpr int BOX_BLOCK = 6 * BOX_LANES;  // numbers of eight boxes: lo x, lo y, lo z, hi x, hi y, hi z of eight each

// Boxes are kept as 16-bit steps through the extent of the cloth, rounded outwards: what they let through is measured anyway.
struct BoxGrid {
    // beyond them lie the boxes of places that stay unused
    static constexpr int LOWEST = -32767, HIGHEST = 32766;
    float origin[3] = {0, 0, 0}, scale[3] = {0, 0, 0};  // [m], [1/m]
    // a NaN is put at the lower end
    static std::int16_t held(float step) {
        return static_cast<std::int16_t>(step > LOWEST ? step < HIGHEST ? static_cast<int>(step) : HIGHEST : LOWEST);
    }
    // truncation goes towards zero, by less than one step
    std::int16_t low(float v, int axis) const { return held((v - origin[axis]) * scale[axis] - 1.05f); }
    std::int16_t high(float v, int axis) const { return held((v - origin[axis]) * scale[axis] + 1.05f); }
};

struct PatchView {
    const float *point;         // (particle, 4)
    const std::int32_t *label;  // (particle): equal ones are sewn together; null: none are
    const std::int32_t *triangles, *patch_start;
    const std::uint8_t *vertices, *edges;  // that each patch speaks for: corners of its triangles, sides that begin there
    const std::int32_t *vertex_start, *edge_start;
    const std::int16_t *face_boxes, *edge_boxes;
    BoxGrid grid;
    const std::int32_t *face_block, *edge_block;  // first block of each patch
    const float *patch_box;                       // (patch, 8)

    bool apart(std::int32_t p, std::int32_t q) const { return label ? label[p] != label[q] : p != q; }
    // particles of an edge that patch a speaks for
    void edge(std::int32_t a, std::int32_t e, std::int32_t &p, std::int32_t &q) const {
        const std::int32_t *corner = triangles + 3 * patch_start[a];
        p = corner[edges[e]], q = corner[edges[e] % 3 == 2 ? edges[e] - 2 : edges[e] + 1];
    }
};

// What one thread collects: candidates until there are enough to measure them together, then those that are near.
struct NearWork {
    static constexpr int BATCH = 64;
    // no two patches have more candidates: at most 12 triangles, 36 vertices and 36 edges each
    static constexpr std::size_t ROOM = 2048;
    std::int32_t face[BATCH][4], edge[BATCH][4];
    float face_radius2[BATCH], edge_radius2[BATCH];
    int faces = 0, edges = 0;
    std::int32_t *near_face = nullptr, *near_edge = nullptr;  // (pair, 4): where those found go
    std::size_t near_faces = 0, near_edges = 0;
};

#define TOILE_SEARCH                                                                                                        \
    /* candidates between patches a and b within radius [m]; there must be ROOM for all of them */                          \
    void search_patches(const PatchView &patches, std::int32_t a, std::int32_t b, bool related, float radius, NearWork &work); \
    /* measures the candidates that are left */                                                                             \
    void finish_search(const PatchView &patches, NearWork &work);                                                           \
    /* triangles of two patches whose boxes touch, (pair, 2), at most 144; returns how many */                              \
    std::size_t touching_boxes(const PatchView &patches, std::int32_t a, std::int32_t b, float radius, std::int32_t *pairs);
namespace plain {
TOILE_SEARCH
}  // namespace plain
namespace avx2 {
TOILE_SEARCH
}  // namespace avx2
#undef TOILE_SEARCH
