// Contact with the ellipsoids of a body by the distance along the ray from the centre (Rudomín & Castillo 2002); see
// docs/collider-ellipsoids.md. Ellipsoids lie sorted by group; a group is measured only if it is next to that of the particle's parent and
// its box is near enough to matter: the ray's distance is never shorter than that of the box.
#pragma once
#include <cstddef>

#include "contact/contact_list.h"

constexpr std::size_t MOST_ELLIPSOIDS = 256, MOST_ELLIPSOID_GROUPS = 16;

struct Ellipsoids {
    const double *world_from_unit, *unit_from_world;  // (e, 3, 4)
    IndicesView group, limb;                          // (e)
    const bool *adjacent;                             // (group, group)
    std::size_t group_count;
    bool along_ray;  // contacts lie on the ray from the centre, as the paper moves particles; else on the plane that touches there
};

// a limb is a rigid body: a point, its velocity [m/s], the angular velocity [rad/s]
struct LimbMotion {
    PointsView centre, velocity, spin;
};

// The nearest ellipsoid of each group that is tested, within the radius [m]. parent (n): the ellipsoid that was nearest to each point
// before, -1: all groups are tested; next (n): the one that is nearest now.
ContactList ellipsoid_contacts(PointsView points, const Ellipsoids &ellipsoids, const LimbMotion &limbs, IndicesView parent, double radius,
                               std::int32_t *next);
