// Points that the skin carries along, and the skin between two poses.
#pragma once
#include <cstddef>
#include <cstdint>

namespace body {

// A fraction of the way between two places of the same numbers.
void between(const double *before, const double *after, double fraction, std::size_t size, double *place);

// Points that are seen from a triangle of skin always at the same place: local (point, 3) [m] in the axes of triangle frame[rides[point]], from the
// vertex from[point], or, where from is null, from the triangle's middle.
void ride(const double *vertices, const std::int32_t *frame, const std::int32_t *rides, const double *local, const std::int32_t *from, std::size_t count,
          double *place);

// By how much the distance of a pair of vertices (pair, 2) differs most from what it was [m].
double most_bent(const double *vertices, const std::int32_t *pairs, const double *apart, std::size_t count);

}  // namespace body
