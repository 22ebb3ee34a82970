// What the nearest point of a surface tells: its sign and normal, and the way to it over the surface itself. `at` gives the
// place of a vertex: as the tree was fitted, or moved on since.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/fixed_math.h"
#include "geometry/bvh.h"

namespace surface {

// NaN, infinity and numbers that float32 cannot hold are near nothing
inline bool askable(Vec3 p) { return std::abs(p.x) < 1e15 && std::abs(p.y) < 1e15 && std::abs(p.z) < 1e15; }
// by how much float32 may move a point and a surface of an extent [m]
inline float rounding(Vec3 p, double extent) {
    return static_cast<float>(1e-6 * std::max({extent, std::abs(p.x), std::abs(p.y), std::abs(p.z)}));
}
// squared distance [m2] in float32 that is worth a look for what is within a radius [m]
inline float search_limit(double radius, float slack) { return enlarged(static_cast<float>(std::min(radius * radius, 1e30)), slack); }

inline Vec3 face_normal(const Vec3 *corner) { return normalised(cross(corner[1] - corner[0], corner[2] - corner[0])); }
template <class At>
Vec3 face_normal(const std::int32_t *v, const At &at) {
    const Vec3 corner[3] = {at(v[0]), at(v[1]), at(v[2])};
    return face_normal(corner);
}

// angle-weighted, not normalised (Baerentzen & Aanaes 2005)
template <class At>
Vec3 Tree::pseudonormal(std::int32_t t, Feature feature, const At &at) const {
    if (feature == FACE) return face_normal(triangle(t), at);
    if (feature < CORNER0) {
        const auto other = across(t, feature - EDGE0);
        return other < 0 ? face_normal(triangle(t), at) : face_normal(triangle(t), at) + face_normal(triangle(other), at);
    }
    const auto v = triangle(t)[feature - CORNER0];
    Vec3 sum{0, 0, 0};
    for (auto f = fan_start_[v]; f < fan_start_[v + 1]; ++f) {
        const std::int32_t *corner = triangle(fan_[f]);
        const int k = corner[0] == v ? 0 : corner[1] == v ? 1 : 2;
        const Vec3 e = at(corner[(k + 1) % 3]) - at(v), g = at(corner[(k + 2) % 3]) - at(v);
        const Vec3 n = cross(e, g);
        sum = sum + fixed_math::atan2(length(n), dot(e, g)) * normalised(n);
    }
    return sum;
}

// A triangle, its point nearest to p, and how far that is.
inline ClosestPoint closest_on(Vec3 p, std::int32_t t, const Vec3 *corner) {
    ClosestPoint closest{t, nearest_on_triangle(p, corner[0], corner[1], corner[2]), 0};
    const double *w = closest.at.weight;
    const Vec3 d = p - (w[0] * corner[0] + w[1] * corner[1] + w[2] * corner[2]);
    closest.distance2 = dot(d, d);
    return closest;
}
template <class At>
ClosestPoint Tree::closest_on(Vec3 p, std::int32_t t, const At &at) const {
    const std::int32_t *v = triangle(t);
    const Vec3 corner[3] = {at(v[0]), at(v[1]), at(v[2])};
    return surface::closest_on(p, t, corner);
}

template <class Use>
void Tree::each_beside(std::int32_t t, Feature feature, const Use &use) const {
    if (feature == FACE) return;
    if (feature < CORNER0) {
        if (const auto other = across(t, feature - EDGE0); other >= 0) use(other);
        return;
    }
    const auto v = triangle(t)[feature - CORNER0];
    for (auto f = fan_start_[v]; f < fan_start_[v + 1]; ++f)
        if (fan_[f] != t) use(fan_[f]);
}

// From triangle to triangle of one group, as long as the next one is nearer: where a contact is that was found a moment ago.
template <class At>
ClosestPoint Tree::walk(Vec3 p, ClosestPoint closest, const At &at) const {
    const int group = group_of(closest.triangle);
    for (int steps = 0; steps < longest_walk && closest.at.feature != FACE; ++steps) {
        ClosestPoint best = closest;
        const auto try_out = [&](std::int32_t t) {
            if (group_of(t) != group) return;
            const ClosestPoint other = closest_on(p, t, at);
            if (other.distance2 < best.distance2) best = other;
        };
        each_beside(closest.triangle, closest.at.feature, try_out);
        if (best.triangle == closest.triangle) break;
        closest = best;
    }
    return closest;
}

// the nearest point is inside a face, whose corners are known
inline Hit face_hit(Vec3 p, const ClosestPoint &closest, const Vec3 *corner) {
    const double *w = closest.at.weight;
    const Vec3 point = w[0] * corner[0] + w[1] * corner[1] + w[2] * corner[2], normal = face_normal(corner);
    const double sign = dot(p - point, normal) < 0 ? -1 : 1;
    return {closest.triangle, FACE, sign * std::sqrt(closest.distance2), {w[0], w[1], w[2]}, point, normal};
}

template <class At>
Hit Tree::hit_at(Vec3 p, const ClosestPoint &closest, const At &at) const {
    const std::int32_t *v = triangle(closest.triangle);
    const Vec3 corner[3] = {at(v[0]), at(v[1]), at(v[2])};
    if (closest.at.feature == FACE) return face_hit(p, closest, corner);
    const double *w = closest.at.weight;
    Hit hit{closest.triangle, closest.at.feature, 0, {w[0], w[1], w[2]}, w[0] * corner[0] + w[1] * corner[1] + w[2] * corner[2], {}};
    const Vec3 away = p - hit.point, pseudo = pseudonormal(closest.triangle, closest.at.feature, at);
    const double distance = std::sqrt(closest.distance2), sign = dot(away, pseudo) < 0 ? -1 : 1;
    hit.gap = sign * distance;
    // on the surface itself the difference has no direction
    const bool blurred = distance < 1e-12 + 1e-9 * extent_;
    hit.normal = blurred ? normalised(pseudo) : (sign / distance) * away;
    return hit;
}

// of the surface at a hit; velocity of its vertices (vertex, 3)
inline Vec3 speed_at(const Tree &tree, const Hit &hit, const double *velocity) {
    const std::int32_t *v = tree.triangle(hit.triangle);
    Vec3 sum{0, 0, 0};
    for (int k = 0; k < 3; ++k) sum = sum + hit.weight[k] * load(velocity + 3 * std::size_t(v[k]));
    return sum;
}

}  // namespace surface
