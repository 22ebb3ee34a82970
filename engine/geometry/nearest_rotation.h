// The rotation that turns one set of points best into another.
#pragma once
#include <array>

namespace surface {

using Matrix3 = std::array<std::array<double, 3>, 3>;

// sum[a][b] = Σ from_a to_b over points measured from their middle: the rotation R for which Σ |R from - to|² is least, without mirrors (Horn 1987: the
// eigenvector of the largest eigenvalue of a symmetric 4 × 4 matrix is its quaternion).
Matrix3 nearest_rotation(const Matrix3 &sum);

}  // namespace surface
