// Contact of cloth with cloth as raw views, so that the loops over it (pairs_step.h) can be compiled once per instruction set.
#pragma once
#include <cstddef>
#include <cstdint>

constexpr int PAIR_LANES = 8;

// planes between pieces of near cloth (pairs.h), eight side by side
template <class T>
struct PairView {
    std::size_t block_count = 0;
    const std::int32_t *particle = nullptr;  // (block, 4, lane)
    const T *weight = nullptr;               // (block, 4, lane): c_k, zero in unused lanes
    const T *normal = nullptr;               // (block, 3, lane)
    const T *thickness = nullptr;            // (block, lane): distance kept [m]
    const T *friction = nullptr;             // (block, lane): Coulomb coefficient
    T *push = nullptr;                       // (block, 4, lane): correction per inverse mass; last: part of it that gives no speed
    T *depth = nullptr;                      // (block, lane): how much too near in this substep [m]; 0: far enough
    unsigned char *pushed = nullptr;         // (particle): whether a pair of it is too near in this substep
    const std::int32_t *use_begin = nullptr; // (particle + 1)
    const std::int32_t *use = nullptr;       // (block * 4 + place) * lanes + lane
};

// where two pieces of cloth are nearest to each other, eight pairs side by side
template <class T>
struct NearLanes {
    T weight[4][PAIR_LANES];  // of the particles: their weighted sum is the way from the second piece to the first
    T apart[3][PAIR_LANES];   // that way [m]
    T distance2[PAIR_LANES];
    T speed2[PAIR_LANES];     // square of the speed of one piece against the other [m²/s²]
};

// a cloth at one instant: (particle, 4) each; pairs farther apart than `far` need no more than their distance
template <class T>
struct NearCloth {
    const T *point, *velocity;
    T far;
};

// pairs (count, 4): vertex and face, or two edges; the count need not be a multiple of eight
#define TOILE_NEAR(T)                                                                                                   \
    void measure_faces(const NearCloth<T> &cloth, const std::int32_t *pairs, std::size_t count, NearLanes<T> *out);     \
    void measure_edges(const NearCloth<T> &cloth, const std::int32_t *pairs, std::size_t count, NearLanes<T> *out);
namespace plain {
TOILE_NEAR(float)
TOILE_NEAR(double)
}  // namespace plain
namespace avx2 {
TOILE_NEAR(float)
TOILE_NEAR(double)
}  // namespace avx2
#undef TOILE_NEAR
