// How far the skin near a cloth moves against it: what decides how often it must be looked at.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace body {

constexpr int MOST_THIN_LIMBS = 32;

// Two poses of a skin, and the cloth near it.
struct SkinAndCloth {
    std::size_t vertex_count = 0;
    const double *before = nullptr, *after = nullptr;       // (vertex, 3) [m]
    const std::int32_t *limb = nullptr;                     // (vertex)
    const std::int32_t *thin = nullptr;                     // (limb): the number of a thin limb, -1: it is broad
    std::size_t particle_count = 0;
    const double *position = nullptr, *velocity = nullptr;  // (particle, 3) [m], [m/s]
};

struct SkinTravel {
    double broad = 0, thin = 0;  // how far skin near the cloth moves against the cloth's median motion [m]: of broad limbs, of thin ones
    std::vector<double> boxes;   // (box, 2, 3): low and high corner of cloth that may come near thin limbs [m]
};

// velocity: room for that of the skin (vertex, 3) [m/s]; near: skin farther than this from the box round the cloth does not count [m]
SkinTravel skin_travel(const SkinAndCloth &both, double dt, double near, double *velocity);

struct MeanSquares {
    double all, own;
};
// Of rows (count, 3), always added up in the same order: the mean of their squared lengths, and of those from the mean row.
MeanSquares mean_squares(const double *rows, std::size_t count);

}  // namespace body
