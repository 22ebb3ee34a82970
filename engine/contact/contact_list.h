// Contacts of points with something solid, one after the other: given to the engine, or found by it.
#pragma once
#include <cstdint>
#include <vector>

#include "core/vector3.h"
#include "core/views.h"

struct ContactsView {
    IndicesView particle;
    NumbersView gap;      // [m], negative inside
    PointsView normal;    // outward
    PointsView velocity;  // of the surface [m/s]
};

struct ContactList {
    std::vector<std::int32_t> particle;
    std::vector<double> gap, normal, velocity;  // (c), (c, 3), (c, 3)

    std::size_t size() const { return particle.size(); }
    void reserve(std::size_t count) { particle.reserve(count), gap.reserve(count), normal.reserve(3 * count), velocity.reserve(3 * count); }
    void add(std::size_t who, double how_far, surface::Vec3 n, surface::Vec3 v) {
        particle.push_back(static_cast<std::int32_t>(who)), gap.push_back(how_far);
        for (const double a : {n.x, n.y, n.z}) normal.push_back(a);
        for (const double a : {v.x, v.y, v.z}) velocity.push_back(a);
    }
};
