#include "body/riding_points.h"

#include <algorithm>
#include <cmath>

#include "core/threads.h"
#include "core/vector3.h"

namespace body {
namespace {
using surface::cross;
using surface::length;
using surface::load;
using surface::store;
using surface::Vec3;

constexpr std::size_t SERIAL_NUMBERS = 8192;

// orthonormal: along the first side, across it in the plane, out of the plane
struct Axes {
    Vec3 x, y, z;
    Axes(Vec3 a, Vec3 b, Vec3 c) : x(b - a), y{}, z(cross(b - a, c - a)) {
        x = unit(x), z = unit(z), y = cross(z, x);
    }
    static Vec3 unit(Vec3 v) {
        const double size = std::max(length(v), 1e-12);
        return {v.x / size, v.y / size, v.z / size};
    }
    Vec3 operator*(Vec3 v) const {
        return {x.x * v.x + y.x * v.y + z.x * v.z, x.y * v.x + y.y * v.y + z.y * v.z, x.z * v.x + y.z * v.y + z.z * v.z};
    }
};
}  // namespace

void between(const double *before, const double *after, double fraction, std::size_t size, double *place) {
    for_ranges(size, SERIAL_NUMBERS, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) place[i] = before[i] + fraction * (after[i] - before[i]);
    });
}

void ride(const double *vertices, const std::int32_t *frame, const std::int32_t *rides, const double *local, const std::int32_t *from, std::size_t count,
          double *place) {
    const auto vertex = [&](std::int32_t i) { return load(vertices + 3 * static_cast<std::size_t>(i)); };
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t *t = frame + 3 * static_cast<std::size_t>(rides[i]);
        const Vec3 a = vertex(t[0]), b = vertex(t[1]), c = vertex(t[2]), sum = a + b + c;
        const Vec3 start = from ? vertex(from[i]) : Vec3{sum.x / 3, sum.y / 3, sum.z / 3};
        store(place + 3 * i, start + Axes(a, b, c) * load(local + 3 * i));
    }
}

double most_bent(const double *vertices, const std::int32_t *pairs, const double *apart, std::size_t count) {
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = [&](int k) { return load(vertices + 3 * static_cast<std::size_t>(pairs[2 * i + k])); };
        most = std::max(most, std::abs(length(at(0) - at(1)) - apart[i]));
    }
    return most;
}

}  // namespace body
