// Coarse points over a garment, so that one sweep carries tension across the whole cloth.
//
// Each level has about a ninth of the points of the level below. A coarse point is the mass-weighted average of the
// points near it; two coarse points may never be farther apart than on the flat cloth. Limits are one-sided: cloth
// folds freely, it only does not stretch.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

constexpr std::size_t FEWEST_COARSE = 12;     // no level with fewer points
constexpr std::size_t MOST_COARSE = 65'000;   // nor with more: 16 bits count them

struct Level {
    std::size_t count = 0;
    std::vector<double> inverse_mass;  // (count); 0 where the point stands for a pinned particle
    // average: coarse = Σ weight · finer
    std::vector<std::size_t> average_begin;  // (count + 1)
    std::vector<std::int32_t> average_point;
    std::vector<double> average_weight;
    // spread: finer += Σ weight · correction of up to four coarse points (weight 0 where fewer)
    std::vector<std::int32_t> spread_point;  // (finer, 4)
    std::vector<double> spread_weight;       // (finer, 4)
    // limits
    std::vector<std::int32_t> pair;  // (limit, 2)
    std::vector<double> rest;        // (limit) [m]
    std::vector<double> slant;       // (limit) sin 2θ of its angle with the weft: 0 along threads, ±1 along the bias
};

// sin 2θ of a way on the flat cloth; 0, not a rounding error, along threads: so that those of a rectangle are alike
inline double slant_of(double u, double v) {
    const double square = u * u + v * v;
    const double slant = square > 0 ? 2 * u * v / square : 0.0;
    return std::abs(slant) < 1e-12 ? 0.0 : slant;
}

struct Sheet {
    std::size_t particle_count;
    std::size_t triangle_count;
    const std::int32_t *triangle;  // (t, 3)
    const double *corner;          // (t, 3, 2): flat corners [m]
    const double *inverse_mass;    // (n): 0 for pinned particles
    const std::int32_t *panel;     // (t)
    const std::int32_t *flat;      // (t, 3): flat points; at a seam one particle has several
};

// levels with spacing 3, 9, 27 … times the mean edge length, up to `level_count` or until few points are left; wider where there would be too many
std::vector<Level> make_hierarchy(const Sheet &sheet, int level_count);

// The same over a rectangle of rows × columns points, cells of width and height `cell` [m]: a coarse point to three by three finer ones. Limits go
// to points up to two rows or columns away (COARSE_OFFSETS in grid_view.h). In grid_hierarchy.cpp.
std::vector<Level> make_grid_hierarchy(int rows, int columns, const double *cell, std::vector<double> inverse_mass, int level_count);
