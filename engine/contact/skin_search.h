// Contacts of many points with a posed skin: who, how far, in which direction, and how the skin moves there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "contact/grouped_search.h"
#include "core/memory.h"
#include "geometry/bvh.h"

namespace surface {

// ascending by point, those of a point by group
struct SkinContacts {
    Scratch<std::int32_t> particle, triangle;
    Scratch<double> gap;               // negative inside [m]
    Scratch<double> normal, velocity;  // (contact, 3): unit, out of the skin; of the skin [m/s]
    std::vector<std::int32_t> hint;    // (point, group)
    std::size_t count() const { return particle.size(); }
};

// velocity: of the skin's vertices (vertex, 3) [m/s]. With earlier contacts, those are followed over the surface where nothing else can have come near.
SkinContacts find_contacts(const Tree &tree, const AskingPoints &points, double radius, const double *velocity, const EarlierContacts *earlier = nullptr);

// All places of the skin within radius that are nearer to a point than the skin round them, and that it is outside of; no triangles and no hints.
SkinContacts find_sides(const Tree &tree, const double *points, std::size_t count, double radius, const double *velocity);

// of rows (count, 3), added up in one order
Vec3 mean_of_rows(const double *rows, std::size_t count);

}  // namespace surface
