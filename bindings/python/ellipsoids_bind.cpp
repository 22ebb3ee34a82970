#include "bind.h"
#include "contact/ellipsoids.h"

namespace {
auto contacts(Points points, In<double, -1, 3, 4> world_from_unit, In<double, -1, 3, 4> unit_from_world, Indices group, Indices limb,
                   In<bool, -1, -1> adjacent, Indices parent, double radius, Points centre, Points velocity, Points spin, bool along_ray) {
    const std::size_t n = points.shape(0), count = world_from_unit.shape(0), groups = adjacent.shape(0);
    require(count >= 1 && count <= MOST_ELLIPSOIDS, "1 to 256 ellipsoids");
    require(unit_from_world.shape(0) == count && group.size() == count && limb.size() == count, "one inverse, group and limb per ellipsoid");
    require(groups >= 1 && groups <= MOST_ELLIPSOID_GROUPS && adjacent.shape(1) == groups, "adjacent is a square matrix of at most 16 groups");
    require(parent.size() == n && radius > 0, "one parent per point, a positive radius");
    require(velocity.shape(0) == centre.shape(0) && spin.shape(0) == centre.shape(0), "one velocity and spin per limb");
    require_indices(group, groups, "an ellipsoid names a group that does not exist");
    require_indices(limb, centre.shape(0), "an ellipsoid names a limb that does not exist");
    require(all_name_one_or_none(parent.data(), n, count), "no such parent");
    std::vector<std::int32_t> next(n);
    ContactList found;
    {
        nb::gil_scoped_release free_python;
        found = ellipsoid_contacts(view(points), {world_from_unit.data(), unit_from_world.data(), view(group), view(limb), adjacent.data(), groups, along_ray},
                                   {view(centre), view(velocity), view(spin)}, view(parent), radius, next.data());
    }
    const std::size_t c = found.size();
    return std::make_tuple(own(std::move(found.particle), {c}), own(std::move(found.gap), {c}), own(std::move(found.normal), {c, 3}),
                          own(std::move(found.velocity), {c, 3}), own(std::move(next), {n}));
}
}  // namespace

void bind_ellipsoids(nb::module_ &m) {
    m.def("ellipsoid_contacts", &contacts, nb::arg("points"), nb::arg("world_from_unit"), nb::arg("unit_from_world"), nb::arg("group"), nb::arg("limb"),
          nb::arg("adjacent"), nb::arg("parent"), nb::arg("radius"), nb::arg("centre"), nb::arg("velocity"), nb::arg("spin"), nb::arg("along_ray") = false,
          "-> particle (c,), gap (c,), normal (c, 3), velocity (c, 3), parent (n,): the nearest ellipsoid of each group that is tested; "
          "parent -1: all groups are");
}
