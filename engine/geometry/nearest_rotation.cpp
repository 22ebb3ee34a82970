#include "geometry/nearest_rotation.h"

#include <cmath>

namespace surface {
namespace {
using Matrix4 = std::array<std::array<double, 4>, 4>;

// Jacobi's rotations in the plane of two axes until nothing is left beside the diagonal; vectors: by columns
void make_diagonal(Matrix4 &m, Matrix4 &vectors) {
    constexpr int SWEEPS = 30;  // each squares what is left
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double beside = 0, size = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) (i == j ? size : beside) += m[i][j] * m[i][j];
        if (!(beside > 1e-34 * size)) return;
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 4; ++q) {
                if (m[p][q] == 0) continue;
                const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double t = (theta < 0 ? -1.0 : 1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                const auto rotate = [&](double &a, double &b) {
                    const double x = a, y = b;
                    a = c * x - s * y, b = s * x + c * y;
                };
                for (int k = 0; k < 4; ++k) rotate(m[k][p], m[k][q]);
                for (int k = 0; k < 4; ++k) rotate(m[p][k], m[q][k]);
                for (int k = 0; k < 4; ++k) rotate(vectors[k][p], vectors[k][q]);
            }
    }
}
}  // namespace

Matrix3 nearest_rotation(const Matrix3 &s) {
    const double xx = s[0][0], yy = s[1][1], zz = s[2][2];
    const double yz = s[1][2] - s[2][1], zx = s[2][0] - s[0][2], xy = s[0][1] - s[1][0];
    const double xy_sum = s[0][1] + s[1][0], zx_sum = s[2][0] + s[0][2], yz_sum = s[1][2] + s[2][1];
    Matrix4 m{{{xx + yy + zz, yz, zx, xy}, {yz, xx - yy - zz, xy_sum, zx_sum}, {zx, xy_sum, yy - xx - zz, yz_sum}, {xy, zx_sum, yz_sum, zz - xx - yy}}};
    Matrix4 vectors{};
    for (int k = 0; k < 4; ++k) vectors[k][k] = 1;
    make_diagonal(m, vectors);
    int most = 0;
    for (int k = 1; k < 4; ++k)
        if (m[k][k] > m[most][most]) most = k;
    double q[4], square = 0;
    for (int k = 0; k < 4; ++k) q[k] = vectors[k][most], square += q[k] * q[k];
    const double scale = 1 / std::sqrt(square), w = scale * q[0], x = scale * q[1], y = scale * q[2], z = scale * q[3];
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

}  // namespace surface
