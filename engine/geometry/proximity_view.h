// The patches of a cloth (proximity.h) as raw views, so that the search between two of them (proximity_search.h) can be compiled once
// per instruction set.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/compact_indices.h"

constexpr int PATCH_SIZE = 12;             // triangles, at most
constexpr int PATCH_SIDES = 3 * PATCH_SIZE;
constexpr int BOX_LANES = 8;
constexpr int BOX_BLOCK = 6 * BOX_LANES;  // numbers of eight boxes: lo x, lo y, lo z, hi x, hi y, hi z of eight each

// blocks of eight for so many
constexpr int box_blocks(int count) { return (count + BOX_LANES - 1) / BOX_LANES; }

// Where a patch's triangles, particles and neighbours begin (they end where the next one's begin), and what it speaks for: the
// first `own` of its particles, and the sides of its triangles whose bit is set, 3 t + k for side k of triangle t.
struct Patch {
    std::int32_t triangle = 0, particle = 0, touch = 0;
    std::uint8_t own = 0;
    bool rim = false;  // whether it has a free edge
    std::uint64_t sides = 0;
};
static_assert(PATCH_SIDES <= 64);

struct PatchView {
    const float *point;           // (particle, 4)
    CompactIndicesView label;             // (particle): equal ones are sewn together; none: each is its own
    const Patch *patch;
    CompactIndicesView particle;          // of the patches
    const std::uint8_t *corner;   // (t, 3): which of its patch's particles
    const float *patch_box;       // (patch, 8)
    float slack;                  // by which boxes are larger than they need be, for rounding [m]

    bool apart(std::int32_t p, std::int32_t q) const { return label ? label[p] != label[q] : p != q; }
    int triangle_count(std::int32_t a) const { return patch[a + 1].triangle - patch[a].triangle; }
    // at a corner of a patch's triangles: which of its particles, and the particle
    int corner_at(std::int32_t a, int k) const { return corner[3 * patch[a].triangle + k]; }
    std::int32_t at(std::int32_t a, int k) const { return particle[patch[a].particle + corner_at(a, k)]; }
};

// A patch as it is now, unpacked by the thread that searches: particles of its triangles and edges, boxes eight by eight. Places
// that stay unused hold boxes that touch nothing.
struct OpenPatch {
    static constexpr int FACE_BLOCKS = box_blocks(PATCH_SIZE), EDGE_BLOCKS = box_blocks(PATCH_SIDES);
    std::int32_t number = -1;
    int face_count = 0, edge_count = 0;
    std::int32_t face[3][BOX_LANES * FACE_BLOCKS], edge[2][BOX_LANES * EDGE_BLOCKS];
    float face_boxes[BOX_BLOCK * FACE_BLOCKS], edge_boxes[BOX_BLOCK * EDGE_BLOCKS];
};

// What one thread collects: candidates until there are enough to measure them together, then those that are near.
struct NearWork {
    static constexpr int BATCH = 64;
    // no two patches have more candidates: at most 12 triangles, 36 vertices and 36 edges each
    static constexpr std::size_t CAPACITY = 2048;
    std::int32_t face[BATCH][4], edge[BATCH][4];
    float face_radius2[BATCH], edge_radius2[BATCH];
    int faces = 0, edges = 0;
    std::int32_t *near_face = nullptr, *near_edge = nullptr;  // (pair, 4): where those found go
    std::size_t near_faces = 0, near_edges = 0;
};

#define TOILE_SEARCH                                                                                                        \
    void open_patch(const PatchView &patches, std::int32_t number, OpenPatch &open);                                        \
    /* candidates between two patches within radius [m]; there must be CAPACITY for all of them */                              \
    void search_patches(const PatchView &patches, const OpenPatch &a, const OpenPatch &b, bool related, float radius, NearWork &work); \
    /* measures the candidates that are left */                                                                             \
    void finish_search(const PatchView &patches, NearWork &work);                                                           \
    /* triangles of two patches whose boxes touch, (pair, 2), at most 144; returns how many */                              \
    std::size_t touching_boxes(const PatchView &patches, const OpenPatch &a, const OpenPatch &b, float radius, std::int32_t *pairs);
namespace plain {
TOILE_SEARCH
}  // namespace plain
namespace avx2 {
TOILE_SEARCH
}  // namespace avx2
#undef TOILE_SEARCH
