// Distance of a point from rows of ellipsoids, eight at a time; compiled once per instruction set (ellipsoids_measure.h).
#pragma once
#include <cstddef>

constexpr std::size_t kEllipsoidPlaces = 512;  // eight per block, padding included

// unit_from_world of each ellipsoid (rows of the matrix) and its centre, side by side
struct EllipsoidRows {
    float m[9][kEllipsoidPlaces], c[3][kEllipsoidPlaces];
};

// With u = unit_from_world p: distance along the ray from the centre c = |p - c| (1 - 1 / |u|) (Rudomín & Castillo 2002, figure 2).
// Writes those of places [begin, end), multiples of eight, and returns the smallest.
namespace plain {
float ray_distances(const EllipsoidRows &, std::size_t begin, std::size_t end, const float *point, float *distance);
}
namespace avx2 {
float ray_distances(const EllipsoidRows &, std::size_t begin, std::size_t end, const float *point, float *distance);
}
