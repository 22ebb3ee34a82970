// One point asks one finished map for contact: what the maps of limbs and of whole bodies share with solvers that look up in their
// own loop. A pixel holds what the front and the back camera see there.
#pragma once
#include <cmath>
#include <cstddef>

#include "core/vector3.h"

namespace map_lookup {

using surface::dot;
using surface::load;
using surface::normalised;
using surface::Vec3;

constexpr int kValues = 8;  // normal (3), offset, depth, velocity (3)

struct MapOptions {
    double pixel, tolerance, reach, silhouette;
    int rim;
    bool refine;
    bool by_depth = false;  // the gap is the difference in depth, as the papers test it; else the distance from the pixel's plane
};

// a finished map: what a look-up needs
struct View {
    int width, height;
    double left, top;
    const float *pixel;
};

struct Hit {
    Vec3 normal;  // in the part's frame
    double gap;
    Vec3 velocity;  // in the world
};

// the planes of both sides at the pixel of `at`, asked for the point p; false: nothing near
inline bool planes(const View &map, const MapOptions &o, Vec3 at, Vec3 p, Hit &hit) {
    const double c = (at.x - map.left) / o.pixel, r = (map.top - at.y) / o.pixel;
    if (!(c >= 0 && r >= 0 && c < map.width && r < map.height)) return false;
    const float *front = map.pixel + (static_cast<std::size_t>(r) * map.width + static_cast<std::size_t>(c)) * 2 * kValues;
    const float *back = front + kValues;
    // equation 3: how far under the skin, as each camera sees it
    const double deep_front = front[4] - at.z, deep_back = at.z - back[4];
    if (!(deep_front > -o.reach && deep_back > -o.reach)) return false;
    const float *near = deep_front < deep_back ? front : back;
    const Vec3 n_front = load(front), n_back = load(back), sum = n_front + n_back;
    const double gap_front = dot(n_front, p) - front[3], gap_back = dot(n_back, p) - back[3];
    const bool both = std::abs(deep_front - deep_back) < o.silhouette && dot(sum, sum) > 0.25;
    if (both) {
        hit.normal = normalised(sum);
        hit.gap = 0.5 * (gap_front + gap_back);
        hit.velocity = 0.5 * (load(front + 5) + load(back + 5));
    } else {
        hit.normal = near == front ? n_front : n_back;
        hit.gap = near == front ? gap_front : gap_back;
        hit.velocity = load(near + 5);
    }
    if (o.by_depth) hit.gap = -(deep_front < deep_back ? deep_front : deep_back);
    return true;
}

// contact of a point in the map's frame
inline bool sample(const View &map, const MapOptions &o, Vec3 p, Hit &hit) {
    if (!planes(map, o, p, p, hit)) return false;
    if (o.refine) {
        // the first plane tells where about the nearest skin is: ask there, and measure from the plane found there
        Hit second;
        if (hit.gap < o.reach && planes(map, o, p - hit.gap * hit.normal, p, second)) hit = second;
    }
    return hit.gap < o.reach;
}

}  // namespace map_lookup
