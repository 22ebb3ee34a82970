// Skinning: linear blend or dual quaternion, velocities against a previous pose, vertex normals.
#include <cmath>
#include <cstring>

#include "bind.h"
#include "team.h"

namespace {

// waking a second thread costs more than a body of 13k vertices does
constexpr std::size_t SERIAL_BELOW = 32768;

// v' = sum_k w_k (R_k v + t_k), transforms as rows of 3x4 (Magnenat-Thalmann et al. 1988)
void blend_linear(const double *rest, const std::int32_t *joint, const double *weight, std::size_t k,
                  const double *transforms, double *out, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        double m[12] = {};
        for (std::size_t s = 0; s < k; ++s) {
            const double w = weight[i * k + s];
            if (w == 0.0) continue;
            const double *t = transforms + 12 * joint[i * k + s];
            for (int c = 0; c < 12; ++c) m[c] += w * t[c];
        }
        const double x = rest[3 * i], y = rest[3 * i + 1], z = rest[3 * i + 2];
        for (int r = 0; r < 3; ++r) out[3 * i + r] = m[4 * r] * x + m[4 * r + 1] * y + m[4 * r + 2] * z + m[4 * r + 3];
    }
}

// dual quaternion blending (Kavan et al. 2007); dual = (real wxyz, dual wxyz) per joint
void blend_dual(const double *rest, const std::int32_t *joint, const double *weight, std::size_t k,
                const double *dual, double *out, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        double q[8] = {};
        const double *pivot = dual + 8 * joint[i * k];
        for (std::size_t s = 0; s < k; ++s) {
            double w = weight[i * k + s];
            if (w == 0.0) continue;
            const double *d = dual + 8 * joint[i * k + s];
            // the shorter way round: q and -q are the same rotation
            if (d[0] * pivot[0] + d[1] * pivot[1] + d[2] * pivot[2] + d[3] * pivot[3] < 0.0) w = -w;
            for (int c = 0; c < 8; ++c) q[c] += w * d[c];
        }
        const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (double &c : q) c /= n;
        const double w = q[0], a[3] = {q[1], q[2], q[3]}, dw = q[4], b[3] = {q[5], q[6], q[7]};
        const double *v = rest + 3 * i;
        const double u[3] = {a[1] * v[2] - a[2] * v[1] + w * v[0], a[2] * v[0] - a[0] * v[2] + w * v[1],
                             a[0] * v[1] - a[1] * v[0] + w * v[2]};
        for (int r = 0; r < 3; ++r) {
            const int s = (r + 1) % 3, t = (r + 2) % 3;
            out[3 * i + r] = v[r] + 2.0 * (a[s] * u[t] - a[t] * u[s]) +
                             2.0 * (w * b[r] - dw * a[r] + a[s] * b[t] - a[t] * b[s]);
        }
    }
}

void check_weights(const In<std::int32_t, -1, -1> &joint, const In<double, -1, -1> &weight, std::size_t vertices,
                   std::size_t joints) {
    require(joint.shape(0) == vertices && weight.shape(0) == vertices, "skin: one row of weights per vertex");
    require(joint.shape(1) == weight.shape(1) && joint.shape(1) > 0, "skin: as many joints as weights per vertex");
    require_indices(joint, joints, "skin: a weight names a joint that does not exist");
}

using Blend = void (*)(const double *, const std::int32_t *, const double *, std::size_t, const double *, double *,
                       std::size_t, std::size_t);

// moves the skin; velocity = (new - previous) / dt where a previous pose is given, else 0
auto skin(Points rest, In<std::int32_t, -1, -1> joint, In<double, -1, -1> weight, In<double, -1, -1> pose,
          In<double, -1, 3> previous, double dt) {
    const std::size_t n = rest.shape(0), k = joint.shape(1), width = pose.shape(1);
    require(width == 12 || width == 8, "skin: a pose has 12 numbers (3x4 matrix) or 8 (dual quaternion) per joint");
    check_weights(joint, weight, n, pose.shape(0));
    const bool moving = previous.shape(0) > 0;
    require(!moving || previous.shape(0) == n, "skin: the previous pose has another number of vertices");
    require(!moving || dt > 0.0, "skin: dt must be positive");
    std::vector<double> position(3 * n), velocity(3 * n, 0.0);
    const Blend blend = width == 12 ? blend_linear : blend_dual;
    const double rate = moving ? 1.0 / dt : 0.0;
    {
        nb::gil_scoped_release free;
        for_ranges(n, SERIAL_BELOW, [&](std::size_t begin, std::size_t end) {
            blend(rest.data(), joint.data(), weight.data(), k, pose.data(), position.data(), begin, end);
            if (moving)
                for (std::size_t i = 3 * begin; i < 3 * end; ++i)
                    velocity[i] = (position[i] - previous.data()[i]) * rate;
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
        for (std::size_t i = 0; i < t; ++i) {
            double area[3];
            face_area(p, tri + 3 * i, area);
            for (int corner = 0; corner < 3; ++corner)
                for (int r = 0; r < 3; ++r) normal[3 * tri[3 * i + corner] + r] += area[r];
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

void bind_skin(nb::module_ &m) {
    using namespace nb::literals;
    m.def("skin", &skin, "rest"_a, "joint"_a, "weight"_a, "pose"_a, "previous"_a, "dt"_a,
          "Positions and velocities of a skinned surface; pose rows: 12 numbers (3x4 world_from_rest) or 8 (dual "
          "quaternion).");
    m.def(
        "vertex_normals",
        [](Points position, Triangles triangles, In<std::int32_t, -1> start, In<std::int32_t, -1> face) {
            return own(vertex_normals(position, triangles, start, face), {position.shape(0), 3});
        },
        "position"_a, "triangles"_a, "start"_a, "face"_a, "Unit vertex normals, area-weighted.");
}
