// Distance of points from ellipsoids along the ray from the centre (Rudomín & Castillo 2002); see collision/ellipsoids.py.
// With u = unit_from_world p and g = unit_from_world^T u: distance = |p - c| (1 - 1 / |u|), plane gap = (|u| - 1) |u| / |g|.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bind.h"
#include "surface_math.h"
#include "team.h"

namespace {

using surface::cross;
using surface::dot;
using surface::load;
using surface::Vec3;
using Indices = In<std::int32_t, -1>;

constexpr std::size_t kMost = 256;  // ellipsoids
constexpr int kMostGroups = 16;

// the inverse transforms as numbers side by side, so that one loop measures all ellipsoids
struct Inverses {
    float m[9][kMost], c[3][kMost];
    std::size_t count;
};

void measure(const Inverses &e, const float *p, float *distance, float *gap) {
    for (std::size_t k = 0; k < e.count; ++k) {
        const float x = p[0] - e.c[0][k], y = p[1] - e.c[1][k], z = p[2] - e.c[2][k];
        const float u = e.m[0][k] * x + e.m[1][k] * y + e.m[2][k] * z;
        const float v = e.m[3][k] * x + e.m[4][k] * y + e.m[5][k] * z;
        const float w = e.m[6][k] * x + e.m[7][k] * y + e.m[8][k] * z;
        const float gx = e.m[0][k] * u + e.m[3][k] * v + e.m[6][k] * w;
        const float gy = e.m[1][k] * u + e.m[4][k] * v + e.m[7][k] * w;
        const float gz = e.m[2][k] * u + e.m[5][k] * v + e.m[8][k] * w;
        const float size = std::sqrt(u * u + v * v + w * w) + 1e-9f, g = std::sqrt(gx * gx + gy * gy + gz * gz) + 1e-9f;
        distance[k] = std::sqrt(x * x + y * y + z * z) * (1.0f - 1.0f / size);
        gap[k] = (size - 1.0f) * size / g;
    }
}

struct Found {
    std::int32_t ellipsoid;
    double gap;
    Vec3 normal, surface;
};

// exactly, in double precision; from the very centre every way out is allowed: take up
Found exactly(std::int32_t e, Vec3 p, const double *world_from_unit, const double *unit_from_world) {
    const double *a = world_from_unit + 12 * static_cast<std::size_t>(e), *b = unit_from_world + 12 * static_cast<std::size_t>(e);
    const Vec3 centre{a[3], a[7], a[11]}, d = p - centre;
    Vec3 u{b[0] * d.x + b[1] * d.y + b[2] * d.z, b[4] * d.x + b[5] * d.y + b[6] * d.z, b[8] * d.x + b[9] * d.y + b[10] * d.z};
    const double size = surface::length(u);
    u = size > 1e-9 ? (1 / size) * u : Vec3{0, 1, 0};
    const Vec3 s = centre + Vec3{a[0] * u.x + a[1] * u.y + a[2] * u.z, a[4] * u.x + a[5] * u.y + a[6] * u.z, a[8] * u.x + a[9] * u.y + a[10] * u.z};
    const Vec3 n = surface::normalised({b[0] * u.x + b[4] * u.y + b[8] * u.z, b[1] * u.x + b[5] * u.y + b[9] * u.z, b[2] * u.x + b[6] * u.y + b[10] * u.z});
    return {e, dot(p - s, n), n, s};
}

nb::tuple contacts(Points points, In<double, -1, 3, 4> world_from_unit, In<double, -1, 3, 4> unit_from_world, Indices group, Indices limb,
                   In<bool, -1, -1> adjacent, Indices parent, double radius, Points centre, Points velocity, Points spin) {
    const std::size_t n = points.shape(0), count = world_from_unit.shape(0), groups = adjacent.shape(0);
    require(count >= 1 && count <= kMost, "1 to 256 ellipsoids");
    require(unit_from_world.shape(0) == count && group.size() == count && limb.size() == count, "one inverse, group and limb per ellipsoid");
    require(groups >= 1 && groups <= kMostGroups && adjacent.shape(1) == groups, "adjacent is a square matrix of at most 16 groups");
    require(parent.size() == n && radius > 0, "one parent per point, a positive radius");
    require(velocity.shape(0) == centre.shape(0) && spin.shape(0) == centre.shape(0), "one velocity and spin per limb");
    require_indices(group, groups, "an ellipsoid names a group that does not exist");
    require_indices(limb, centre.shape(0), "an ellipsoid names a limb that does not exist");
    for (std::size_t i = 0; i < n; ++i) require(parent.data()[i] >= -1 && parent.data()[i] < static_cast<std::int64_t>(count), "no such parent");
    Inverses inverses;
    inverses.count = count;
    // relative to the first ellipsoid, so that float32 is fine anywhere in the world
    const Vec3 origin{world_from_unit.data()[3], world_from_unit.data()[7], world_from_unit.data()[11]};
    for (std::size_t e = 0; e < count; ++e) {
        const double *a = world_from_unit.data() + 12 * e, *b = unit_from_world.data() + 12 * e;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) inverses.m[3 * r + c][e] = static_cast<float>(b[4 * r + c]);
        inverses.c[0][e] = static_cast<float>(a[3] - origin.x), inverses.c[1][e] = static_cast<float>(a[7] - origin.y);
        inverses.c[2][e] = static_cast<float>(a[11] - origin.z);
    }
    std::vector<std::int32_t> next(n), chosen(n * groups, -1), particle;
    std::vector<double> gap, normal, speed;
    {
        nb::gil_scoped_release free_python;
        for_ranges(n, 8192, [&](std::size_t begin, std::size_t end) {
            float distance[kMost], plane[kMost], best[kMostGroups];
            for (std::size_t i = begin; i < end; ++i) {
                const Vec3 p = load(points.data() + 3 * i) - origin;
                const float at[3] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
                measure(inverses, at, distance, plane);
                const std::int32_t old = parent.data()[i];
                const bool *near = old < 0 ? nullptr : adjacent.data() + groups * group.data()[old];
                std::fill(best, best + groups, static_cast<float>(radius) + 1e-4f);
                float least = INFINITY;
                next[i] = old < 0 ? 0 : old;
                for (std::size_t e = 0; e < count; ++e) {
                    const std::int32_t g = group.data()[e];
                    if (near && !near[g]) continue;
                    if (distance[e] < least) least = distance[e], next[i] = static_cast<std::int32_t>(e);
                    if (plane[e] < best[g]) best[g] = plane[e], chosen[i * groups + g] = static_cast<std::int32_t>(e);
                }
            }
        });
        for (std::size_t i = 0; i < n * groups; ++i) {
            if (chosen[i] < 0) continue;
            const Found f = exactly(chosen[i], load(points.data() + 3 * (i / groups)), world_from_unit.data(), unit_from_world.data());
            if (!(f.gap < radius)) continue;
            const std::size_t l = 3 * static_cast<std::size_t>(limb.data()[f.ellipsoid]);
            const Vec3 v = load(velocity.data() + l) + cross(load(spin.data() + l), f.surface - load(centre.data() + l));
            particle.push_back(static_cast<std::int32_t>(i / groups)), gap.push_back(f.gap);
            for (const double a : {f.normal.x, f.normal.y, f.normal.z}) normal.push_back(a);
            for (const double a : {v.x, v.y, v.z}) speed.push_back(a);
        }
    }
    const std::size_t c = particle.size();
    return nb::make_tuple(own(std::move(particle), {c}), own(std::move(gap), {c}), own(std::move(normal), {c, 3}), own(std::move(speed), {c, 3}),
                          own(std::move(next), {n}));
}

}  // namespace

void bind_ellipsoids(nb::module_ &m) {
    m.def("ellipsoid_contacts", &contacts, nb::arg("points"), nb::arg("world_from_unit"), nb::arg("unit_from_world"), nb::arg("group"), nb::arg("limb"),
          nb::arg("adjacent"), nb::arg("parent"), nb::arg("radius"), nb::arg("centre"), nb::arg("velocity"), nb::arg("spin"),
          "-> particle (c,), gap (c,), normal (c, 3), velocity (c, 3), parent (n,): the nearest ellipsoid of each group that is tested; "
          "parent -1: all groups are");
}
