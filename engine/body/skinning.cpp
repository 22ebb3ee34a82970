// Skinning: linear blend or dual quaternion, velocities against a previous pose, vertex normals.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "bind.h"
#include "core/checks.h"
#include "core/threads.h"

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

void check_weights(const In<std::int32_t, -1, -1> &joint, const In<double, -1, -1> &weight, std::size_t vertices,
                   std::size_t joints) {
    require(joint.shape(0) == vertices && weight.shape(0) == vertices, "skin: one row of weights per vertex");
    require(joint.shape(1) == weight.shape(1) && joint.shape(1) > 0, "skin: as many joints as weights per vertex");
    if (!all_name_one(joint.data(), joint.size(), joints)) throw std::out_of_range("skin: a weight names a joint that does not exist");
}

// world_from_joint times the inverse of the rigid rest frames, 3x4 by rows
auto from_rest(In<double, -1, 4, 4> world, In<double, -1, 4, 4> rest) {
    const std::size_t joints = world.shape(0);
    require(rest.shape(0) == joints, "skin: one rest frame per joint");
    std::vector<double> pose(12 * joints);
    for (std::size_t j = 0; j < joints; ++j) {
        const double *w = world.data() + 16 * j, *r = rest.data() + 16 * j;
        for (int row = 0; row < 3; ++row) {
            double *out = &pose[12 * j + 4 * row];
            // row of the world's rotation times the transposed rotation at rest
            for (int c = 0; c < 3; ++c) out[c] = w[4 * row] * r[4 * c] + w[4 * row + 1] * r[4 * c + 1] + w[4 * row + 2] * r[4 * c + 2];
            out[3] = w[4 * row + 3] - (out[0] * r[3] + out[1] * r[7] + out[2] * r[11]);
        }
    }
    return own(std::move(pose), {joints, 12});
}

// moves the skin; velocity = (new - previous) / dt where a previous pose is given, else 0
auto skin(Points rest, In<std::int32_t, -1, -1> joint, In<double, -1, -1> weight, In<double, -1, 12> pose,
          In<double, -1, 3> previous, double dt, bool dual) {
    const std::size_t n = rest.shape(0), joints = pose.shape(0);
    check_weights(joint, weight, n, joints);
    const bool moving = previous.shape(0) > 0;
    require(!moving || previous.shape(0) == n, "skin: the previous pose has another number of vertices");
    require(!moving || dt > 0.0, "skin: dt must be positive");
    auto position = std::make_unique_for_overwrite<double[]>(3 * n), velocity = std::make_unique_for_overwrite<double[]>(3 * n);
    std::vector<double> turned(dual ? 8 * joints : 0);
    if (dual)
        for (std::size_t j = 0; j < joints; ++j) dual_quaternion(pose.data() + 12 * j, &turned[8 * j]);
    const Flesh flesh{rest.data(), joint.data(), weight.data(), joint.shape(1), pose.data(), turned.data()};
    const double rate = moving ? 1.0 / dt : 0.0;
    {
        nb::gil_scoped_release free;
        for_ranges(n, SERIAL_BELOW, [&](std::size_t begin, std::size_t end) {
            (dual ? blend_dual : blend_linear)(flesh, position.get(), begin, end);
            if (moving)
                for (std::size_t i = 3 * begin; i < 3 * end; ++i) velocity[i] = (position[i] - previous.data()[i]) * rate;
            else
                std::fill_n(velocity.get() + 3 * begin, 3 * (end - begin), 0.0);
        });
    }
    return std::make_tuple(own(std::move(position), {n, 3}), own(std::move(velocity), {n, 3}));
}

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

void check_faces(const In<std::int32_t, -1> &start, const In<std::int32_t, -1> &face, std::size_t n, std::size_t t) {
    require_indices(face, t, "normals: a vertex names a triangle that does not exist");
    require(start.shape(0) == n + 1, "normals: one start per vertex and one end");
    for (std::size_t i = 0; i < n; ++i)
        require(start.data()[i] >= 0 && start.data()[i] <= start.data()[i + 1], "normals: starts must ascend");
    require(static_cast<std::size_t>(start.data()[n]) <= face.shape(0), "normals: starts end after the faces");
}

// unit normals, area-weighted mean of the faces round each vertex; face[start[i]..start[i+1]) lists them in
// ascending order, so that both ways below add up in the same order and give the same bits
std::vector<double> vertex_normals(Points position, Triangles triangles, In<std::int32_t, -1> start, In<std::int32_t, -1> face) {
    const std::size_t n = position.shape(0), t = triangles.shape(0);
    require_indices(triangles, n, "normals: a triangle names a vertex that does not exist");
    std::vector<double> normal(3 * n, 0.0);
    const double *p = position.data();
    const std::int32_t *tri = triangles.data();
    const bool serial = t < SERIAL_BELOW || thread_count() == 1;
    if (!serial) check_faces(start, face, n, t);
    nb::gil_scoped_release free;
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
                for (std::int32_t f = start.data()[i]; f < start.data()[i + 1]; ++f)
                    for (int r = 0; r < 3; ++r) normal[3 * i + r] += area[3 * face.data()[f] + r];
                make_unit(&normal[3 * i]);
            }
        });
    }
    return normal;
}

}  // namespace

void bind_skinning(nb::module_ &m) {
    using namespace nb::literals;
    m.def("skin", &skin, "rest"_a, "joint"_a, "weight"_a, "pose"_a, "previous"_a, "dt"_a, "dual"_a = false,
          "Positions and velocities of a skinned surface; pose: 3x4 world_from_rest per joint; dual: blend dual "
          "quaternions instead of matrices.");
    m.def("from_rest", &from_rest, "world"_a, "rest"_a, "-> world_from_rest (j, 12): 3x4 by rows; both arguments (j, 4, 4) are rigid");
    m.def(
        "vertex_normals",
        [](Points position, Triangles triangles, In<std::int32_t, -1> start, In<std::int32_t, -1> face) {
            return own(vertex_normals(position, triangles, start, face), {position.shape(0), 3});
        },
        "position"_a, "triangles"_a, "start"_a, "face"_a, "Unit vertex normals, area-weighted.");
}
