#include "contact/ellipsoids.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/ellipsoid_rows.h"
#include "core/lanes.h"
#include "core/threads.h"
#include "core/vector3.h"

namespace {

using surface::cross;
using surface::dot;
using surface::load;
using surface::Vec3;

constexpr std::size_t kMostGroups = MOST_ELLIPSOID_GROUPS;
static_assert(MOST_ELLIPSOIDS + kMostGroups * LANES <= kEllipsoidPlaces);

struct Box {
    Vec3 low, high;
    double distance(Vec3 p) const {
        const double x = std::max({low.x - p.x, 0.0, p.x - high.x}), y = std::max({low.y - p.y, 0.0, p.y - high.y});
        const double z = std::max({low.z - p.z, 0.0, p.z - high.z});
        return std::sqrt(x * x + y * y + z * z);
    }
};

// the ellipsoids of one instant, ready to be measured
struct Body {
    EllipsoidRows rows;
    std::int32_t ellipsoid[kEllipsoidPlaces];  // at each place; -1: padding
    std::size_t begin[kMostGroups + 1];        // places of each group
    Box box[kMostGroups];
    Vec3 origin;
    std::size_t groups;
};

using Frames = Ellipsoids;

// half the box of an ellipsoid along an axis is the length of that row of its matrix
void widen(Box &box, const double *a, Vec3 origin) {
    const Vec3 c = Vec3{a[3], a[7], a[11]} - origin;
    const Vec3 half{surface::length({a[0], a[1], a[2]}), surface::length({a[4], a[5], a[6]}), surface::length({a[8], a[9], a[10]})};
    box.low = {std::min(box.low.x, c.x - half.x), std::min(box.low.y, c.y - half.y), std::min(box.low.z, c.z - half.z)};
    box.high = {std::max(box.high.x, c.x + half.x), std::max(box.high.y, c.y + half.y), std::max(box.high.z, c.z + half.z)};
}

void arrange(const Frames &f, Body &body) {
    const std::size_t count = f.group.rows(), groups = f.group_count;
    constexpr double inf = std::numeric_limits<double>::infinity();
    // relative to the first ellipsoid, so that float32 is fine anywhere in the world
    body.origin = {f.world_from_unit[3], f.world_from_unit[7], f.world_from_unit[11]};
    body.groups = groups;
    std::size_t place = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        body.begin[g] = place;
        body.box[g] = {{inf, inf, inf}, {-inf, -inf, -inf}};
        for (std::size_t e = 0; e < count; ++e) {
            if (static_cast<std::size_t>(f.group[e]) != g) continue;
            const double *a = f.world_from_unit + 12 * e, *b = f.unit_from_world + 12 * e;
            for (int k = 0; k < 9; ++k) body.rows.m[k][place] = static_cast<float>(b[4 * (k / 3) + k % 3]);
            for (int k = 0; k < 3; ++k) body.rows.c[k][place] = static_cast<float>(a[4 * k + 3] - (&body.origin.x)[k]);
            widen(body.box[g], a, body.origin);
            body.ellipsoid[place++] = static_cast<std::int32_t>(e);
        }
        for (; place % LANES; ++place) {
            // a unit sphere a thousand kilometres away
            for (int k = 0; k < 9; ++k) body.rows.m[k][place] = k % 4 ? 0.0f : 1.0f;
            for (int k = 0; k < 3; ++k) body.rows.c[k][place] = 1e6f;
            body.ellipsoid[place] = -1;
        }
    }
    body.begin[groups] = place;
}

struct Found {
    double gap;
    Vec3 normal, surface;
};

// exactly, in double precision; from the very centre every way out is allowed: take up
Found exactly(std::int32_t e, Vec3 p, const Frames &f) {
    const double *a = f.world_from_unit + 12 * static_cast<std::size_t>(e), *b = f.unit_from_world + 12 * static_cast<std::size_t>(e);
    const Vec3 centre{a[3], a[7], a[11]}, d = p - centre;
    Vec3 u{b[0] * d.x + b[1] * d.y + b[2] * d.z, b[4] * d.x + b[5] * d.y + b[6] * d.z, b[8] * d.x + b[9] * d.y + b[10] * d.z};
    const double size = surface::length(u);
    u = size > 1e-9 ? (1 / size) * u : Vec3{0, 1, 0};
    const Vec3 s = centre + Vec3{a[0] * u.x + a[1] * u.y + a[2] * u.z, a[4] * u.x + a[5] * u.y + a[6] * u.z, a[8] * u.x + a[9] * u.y + a[10] * u.z};
    if (f.along_ray) {
        // from outside or inside, the ray leaves the same way
        const Vec3 outward = surface::normalised(s - centre);
        return {dot(p - s, outward), outward, s};
    }
    const Vec3 n = surface::normalised({b[0] * u.x + b[4] * u.y + b[8] * u.z, b[1] * u.x + b[5] * u.y + b[9] * u.z, b[2] * u.x + b[6] * u.y + b[10] * u.z});
    return {dot(p - s, n), n, s};
}

// the nearest ellipsoid of each group that is tested and within the radius, -1 elsewhere; returns the nearest of all
std::int32_t nearest(const Body &body, Vec3 world, std::int32_t old_group, const bool *adjacent, float radius, std::int32_t *chosen) {
    static const bool fast = machine_has_avx2();
    const Vec3 p = world - body.origin;
    const float at[3] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
    float distance[kEllipsoidPlaces], least = std::numeric_limits<float>::infinity();
    std::int32_t parent = -1;
    const auto test = [&](std::size_t g) {
        const std::size_t begin = body.begin[g], end = body.begin[g + 1];
        if (begin == end || body.box[g].distance(p) > static_cast<double>(std::max(radius, least))) return;
        const float best = fast ? avx2::ray_distances(body.rows, begin, end, at, distance) : plain::ray_distances(body.rows, begin, end, at, distance);
        if (!(best < radius || best < least)) return;
        std::size_t k = begin;
        while (k + 1 < end && distance[k] != best) ++k;
        if (best < radius) chosen[g] = body.ellipsoid[k];
        if (best < least) least = best, parent = body.ellipsoid[k];
    };
    // the parent's own group first: what is far from the particle is then passed over
    if (old_group >= 0) test(static_cast<std::size_t>(old_group));
    for (std::size_t g = 0; g < body.groups; ++g)
        if (old_group < 0 || (static_cast<std::int32_t>(g) != old_group && adjacent[g])) test(g);
    return parent;
}
}  // namespace

ContactList ellipsoid_contacts(PointsView points, const Ellipsoids &ellipsoids, const LimbMotion &limbs, IndicesView parent, double radius,
                               std::int32_t *next) {
    const std::size_t n = points.rows(), groups = ellipsoids.group_count;
    std::vector<std::int32_t> chosen(n * groups, -1);
    Body body;
    arrange(ellipsoids, body);
    for_ranges(n, 8192, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::int32_t old = parent[i], old_group = old < 0 ? -1 : ellipsoids.group[old];
            const bool *next_to = old < 0 ? nullptr : ellipsoids.adjacent + groups * static_cast<std::size_t>(old_group);
            const std::int32_t found = nearest(body, load(points.row(i)), old_group, next_to, static_cast<float>(radius), chosen.data() + i * groups);
            next[i] = found >= 0 ? found : std::max(old, 0);
        }
    });
    ContactList list;
    list.reserve(n);
    for (std::size_t i = 0; i < n * groups; ++i) {
        if (chosen[i] < 0) continue;
        const Found f = exactly(chosen[i], load(points.row(i / groups)), ellipsoids);
        const std::size_t l = static_cast<std::size_t>(ellipsoids.limb[chosen[i]]);
        const Vec3 v = load(limbs.velocity.row(l)) + cross(load(limbs.spin.row(l)), f.surface - load(limbs.centre.row(l)));
        list.add(i / groups, f.gap, f.normal, v);
    }
    return list;
}
