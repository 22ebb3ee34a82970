#include "body/skinning.h"

#include <algorithm>
#include <cmath>

#include "core/threads.h"

namespace body {
namespace {

// fewer vertices are left to one thread
constexpr std::size_t SERIAL_BELOW = 6000;

// what the blends read: rest points, the joints and weights of each, one transform per joint
struct Flesh {
    const double *rest;
    const std::int32_t *joint;
    const double *weight;
    std::size_t k;
    const double *matrix;  // 3x4 by rows
    const double *dual;    // real wxyz, dual wxyz
};

inline void apply(const double *m, const double *v, double *out) {
    for (int r = 0; r < 3; ++r) out[r] = m[4 * r] * v[0] + m[4 * r + 1] * v[1] + m[4 * r + 2] * v[2] + m[4 * r + 3];
}

// v' = sum_k w_k (R_k v + t_k) (Magnenat-Thalmann et al. 1988); most vertices hang on one joint alone
void blend_linear(const Flesh &f, double *out, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const double *w = f.weight + i * f.k;
        const std::int32_t *j = f.joint + i * f.k;
        if (w[0] == 1.0) {
            apply(f.matrix + 12 * j[0], f.rest + 3 * i, out + 3 * i);
            continue;
        }
        double m[12] = {};
        for (std::size_t s = 0; s < f.k; ++s) {
            if (w[s] == 0.0) continue;
            const double *t = f.matrix + 12 * j[s];
            for (int c = 0; c < 12; ++c) m[c] += w[s] * t[c];
        }
        apply(m, f.rest + 3 * i, out + 3 * i);
    }
}

// dual quaternion blending (Kavan et al. 2007)
void blend_dual(const Flesh &f, double *out, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const double *share = f.weight + i * f.k;
        const std::int32_t *j = f.joint + i * f.k;
        if (share[0] == 1.0) {
            apply(f.matrix + 12 * j[0], f.rest + 3 * i, out + 3 * i);
            continue;
        }
        double q[8] = {};
        const double *pivot = f.dual + 8 * j[0];
        for (std::size_t s = 0; s < f.k; ++s) {
            double w = share[s];
            if (w == 0.0) continue;
            const double *d = f.dual + 8 * j[s];
            // the shorter way round: q and -q are the same rotation
            if (d[0] * pivot[0] + d[1] * pivot[1] + d[2] * pivot[2] + d[3] * pivot[3] < 0.0) w = -w;
            for (int c = 0; c < 8; ++c) q[c] += w * d[c];
        }
        // a product of two parts is divided by the squared length
        const double scale = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        const double w = q[0], *a = q + 1, dw = q[4], *b = q + 5, *v = f.rest + 3 * i;
        const double u[3] = {a[1] * v[2] - a[2] * v[1] + w * v[0] + b[0], a[2] * v[0] - a[0] * v[2] + w * v[1] + b[1],
                             a[0] * v[1] - a[1] * v[0] + w * v[2] + b[2]};
        // v + 2 (a x (a x v + w v) + w b - dw a + a x b), the two cross products with a taken as one
        double *o = out + 3 * i;
        o[0] = v[0] + scale * (a[1] * u[2] - a[2] * u[1] + w * b[0] - dw * a[0]);
        o[1] = v[1] + scale * (a[2] * u[0] - a[0] * u[2] + w * b[1] - dw * a[1]);
        o[2] = v[2] + scale * (a[0] * u[1] - a[1] * u[0] + w * b[2] - dw * a[2]);
    }
}

// a rigid 3x4 matrix as a dual quaternion; the largest of four squares is the safe one to divide by (Shepperd 1978)
void dual_quaternion(const double *m, double *q) {
    const double x = m[0], y = m[5], z = m[10];
    const double square[4] = {1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z};
    int best = 0;
    for (int i = 1; i < 4; ++i)
        if (square[i] > square[best]) best = i;
    const double a = m[9] - m[6], b = m[2] - m[8], c = m[4] - m[1];
    const double ab = m[4] + m[1], ac = m[2] + m[8], bc = m[9] + m[6];
    const double rows[4][4] = {
        {square[0], a, b, c}, {a, square[1], ab, ac}, {b, ab, square[2], bc}, {c, ac, bc, square[3]}};
    double *r = q, *d = q + 4;
    double length = 0.0;
    for (int i = 0; i < 4; ++i) length += rows[best][i] * rows[best][i];
    for (int i = 0; i < 4; ++i) r[i] = rows[best][i] / std::sqrt(length);
    const double t[3] = {0.5 * m[3], 0.5 * m[7], 0.5 * m[11]};
    d[0] = -(t[0] * r[1] + t[1] * r[2] + t[2] * r[3]);
    d[1] = t[0] * r[0] + t[1] * r[3] - t[2] * r[2];
    d[2] = t[1] * r[0] + t[2] * r[1] - t[0] * r[3];
    d[3] = t[2] * r[0] + t[0] * r[2] - t[1] * r[1];
}
}  // namespace

std::vector<double> from_rest(const double *world, const double *rest, std::size_t joints) {
    std::vector<double> pose(12 * joints);
    for (std::size_t j = 0; j < joints; ++j) {
        const double *w = world + 16 * j, *r = rest + 16 * j;
        for (int row = 0; row < 3; ++row) {
            double *out = &pose[12 * j + 4 * row];
            // row of the world's rotation times the transposed rotation at rest
            for (int c = 0; c < 3; ++c) out[c] = w[4 * row] * r[4 * c] + w[4 * row + 1] * r[4 * c + 1] + w[4 * row + 2] * r[4 * c + 2];
            out[3] = w[4 * row + 3] - (out[0] * r[3] + out[1] * r[7] + out[2] * r[11]);
        }
    }
    return pose;
}

void skin(const SkinWeights &weights, const double *pose, std::size_t joints, bool dual, const double *previous, double dt, double *position, double *velocity) {
    std::vector<double> turned(dual ? 8 * joints : 0);
    for (std::size_t j = 0; j < turned.size() / 8; ++j) dual_quaternion(pose + 12 * j, &turned[8 * j]);
    const Flesh flesh{weights.rest, weights.joint, weights.weight, weights.per_vertex, pose, turned.data()};
    const double rate = previous ? 1.0 / dt : 0.0;
    for_ranges(weights.vertex_count, SERIAL_BELOW, [&](std::size_t begin, std::size_t end) {
        (dual ? blend_dual : blend_linear)(flesh, position, begin, end);
        if (velocity && previous)
            for (std::size_t i = 3 * begin; i < 3 * end; ++i) velocity[i] = (position[i] - previous[i]) * rate;
        else if (velocity)
            std::fill_n(velocity + 3 * begin, 3 * (end - begin), 0.0);
    });
}

namespace {
// twice the area of a triangle times its normal
inline void face_area(const double *p, const std::int32_t *t, double *out) {
    const double *a = p + 3 * t[0], *b = p + 3 * t[1], *c = p + 3 * t[2];
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

inline void make_unit(double *s) {
    const double length = std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    const double scale = length > 0.0 ? 1.0 / length : 0.0;
    for (int r = 0; r < 3; ++r) s[r] *= scale;
}
}  // namespace

// the triangles round a vertex ascend, so that both ways below add up in the same order and give the same bits
std::vector<double> vertex_normals(const double *position, std::size_t n, const std::int32_t *triangles, std::size_t t, const VertexFaces &faces) {
    std::vector<double> normal(3 * n, 0.0);
    const double *p = position;
    const std::int32_t *tri = triangles;
    const bool serial = t < SERIAL_BELOW || thread_count() == 1;
    if (serial) {
        double *sum = normal.data();
        for (std::size_t i = 0; i < t; ++i) {
            double area[3];
            face_area(p, tri + 3 * i, area);
            for (int corner = 0; corner < 3; ++corner) {
                double *s = sum + 3 * static_cast<std::size_t>(tri[3 * i + corner]);
                const double x = s[0] + area[0], y = s[1] + area[1], z = s[2] + area[2];
                s[0] = x, s[1] = y, s[2] = z;
            }
        }
        for (std::size_t i = 0; i < n; ++i) make_unit(&normal[3 * i]);
    } else {
        std::vector<double> area(3 * t);
        for_ranges(t, SERIAL_BELOW, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) face_area(p, tri + 3 * i, &area[3 * i]);
        });
        for_ranges(n, SERIAL_BELOW, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                for (std::int32_t f = faces.start[i]; f < faces.start[i + 1]; ++f)
                    for (int r = 0; r < 3; ++r) normal[3 * i + r] += area[3 * faces.face[f] + r];
                make_unit(&normal[3 * i]);
            }
        });
    }
    return normal;
}

}  // namespace body
