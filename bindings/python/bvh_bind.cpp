// The box tree for Python: many points at once, on the thread team.
#include <algorithm>
#include <limits>
#include <optional>

#include "bind.h"
#include "geometry/bvh.h"
#include "core/checks.h"
#include "contact/grouped_search.h"
#include "contact/skin_search.h"
#include "core/threads.h"
#include "tracked.h"

namespace {
using namespace surface;
using Hints = std::optional<In<std::int32_t, -1>>;
using GroupHints = std::optional<In<std::int32_t, -1, -1>>;

void require_radius(double radius) { require(radius >= 0, "radius must not be negative or NaN"); }

template <class Array>
void require_hints(const Array &hint, std::size_t triangle_count) {
    if (!all_name_one_or_none(hint.data(), hint.size(), triangle_count)) throw std::out_of_range("a hint names a triangle that does not exist");
}

void require_finite(const Points &points, const char *message) {
    require(all_finite(points.data(), points.size()), message);
}

Tree *make_tree(Tree *where, Triangles triangles, Points vertices, std::optional<In<std::int32_t, -1>> group) {
    require_indices(triangles, vertices.shape(0), "a triangle names a vertex that does not exist");
    require_finite(vertices, "surface vertices hold NaN or infinite numbers");
    if (group) {
        require(group->shape(0) == triangles.shape(0), "group must have one value per triangle");
        require_indices(*group, Tree::max_groups, "groups are numbered from 0 to 31");
    }
    return new (where) Tree(triangles.data(), triangles.shape(0), vertices.data(), vertices.shape(0),
                            group ? group->data() : nullptr);
}

// raised: vertices that are elsewhere, and where
void refit_tree(Tree &tree, Points vertices, std::optional<In<std::int32_t, -1>> raised, std::optional<Points> place) {
    require(vertices.shape(0) == tree.vertex_count(), "refit needs as many vertices as the tree was built with");
    require_finite(vertices, "surface vertices hold NaN or infinite numbers");
    require(raised.has_value() == place.has_value() && (!raised || raised->shape(0) == place->shape(0)), "raised vertices need one place each");
    if (raised) {
        require_indices(*raised, tree.vertex_count(), "a raised vertex does not exist");
        require_finite(*place, "surface vertices hold NaN or infinite numbers");
    }
    nb::gil_scoped_release release;
    if (raised) tree.refit(vertices.data(), {raised->shape(0), raised->data(), place->data()});
    else tree.refit(vertices.data());
}

auto nearest(const Tree &tree, Points points, double radius, Hints hint) {
    require_radius(radius);
    const std::size_t n = points.shape(0);
    if (hint) {
        require(hint->shape(0) == n, "hint must have one value per point");
        require_hints(*hint, tree.triangle_count());
    }
    std::vector<std::int32_t> triangle(n, -1);
    std::vector<double> gap(n, std::numeric_limits<double>::infinity()), point(3 * n), normal(3 * n), weight(3 * n);
    {
        nb::gil_scoped_release release;
        for_ranges(n, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                Hit hit;
                if (!tree.nearest(load(points.data() + 3 * i), radius, hint ? hint->data()[i] : -1, hit)) continue;
                triangle[i] = hit.triangle;
                gap[i] = hit.gap;
                store(&point[3 * i], hit.point);
                store(&normal[3 * i], hit.normal);
                std::copy_n(hit.weight, 3, &weight[3 * i]);
            }
        });
    }
    return nb::make_tuple(own(std::move(triangle), {n}), own(std::move(gap), {n}), own(std::move(point), {n, 3}),
                          own(std::move(normal), {n, 3}), own(std::move(weight), {n, 3}));
}

using Order = std::optional<In<std::int32_t, -1>>;

void require_order(const Points &points, const Order &order) {
    if (!order) return;
    require(order->shape(0) == points.shape(0), "order must name each point once");
    std::vector<std::uint8_t> seen(points.shape(0), 0);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto p = static_cast<std::size_t>(order->data()[i]);
        require(p < seen.size() && !seen[p], "order must name each point once");
        seen[p] = 1;
    }
}

void require_group_hints(const Tree &tree, const Points &points, const GroupHints &hint) {
    if (!hint) return;
    require(hint->shape(0) == points.shape(0) && hint->shape(1) == static_cast<std::size_t>(tree.group_count()),
            "hint must have the shape (points, groups)");
    require_hints(*hint, tree.triangle_count());
}

AskingPoints asking(const Points &points, const GroupHints &hint, const Order &order) {
    return {points.data(), points.shape(0), order ? order->data() : nullptr, hint ? hint->data() : nullptr};
}

auto nearest_per_group(const Tree &tree, Points points, double radius, GroupHints hint, Order order, int widest) {
    require_radius(radius);
    require_group_hints(tree, points, hint);
    require_order(points, order);
    const std::size_t n = points.shape(0);
    const auto all = [&] {
        nb::gil_scoped_release release;
        return GroupedSearch<Hit>(tree, asking(points, hint, order), radius, [](const Hit &hit) { return hit; }, nullptr, widest);
    }();
    const std::size_t total = all.total();
    std::vector<std::int32_t> particle(total), triangle(total), next = all.hint;
    std::vector<double> gap(total), point(3 * total), normal(3 * total), weight(3 * total);
    all.each([&](std::size_t c, std::int32_t i, const Hit &hit) {
        particle[c] = i;
        triangle[c] = hit.triangle;
        gap[c] = hit.gap;
        store(&point[3 * c], hit.point);
        store(&normal[3 * c], hit.normal);
        std::copy_n(hit.weight, 3, &weight[3 * c]);
    });
    return nb::make_tuple(own(std::move(particle), {total}), own(std::move(gap), {total}),
                          own(std::move(normal), {total, 3}), own(std::move(point), {total, 3}),
                          own(std::move(triangle), {total}), own(std::move(weight), {total, 3}),
                          own(std::move(next), {n, static_cast<std::size_t>(tree.group_count())}));
}

// the same with the surface's velocity at each contact instead of the place
nb::tuple listed(SkinContacts &&found, std::size_t points, std::size_t groups) {
    const std::size_t total = found.count();
    return nb::make_tuple(own(found.particle.release(), {total}), own(found.gap.release(), {total}), own(found.normal.release(), {total, 3}),
                          own(found.velocity.release(), {total, 3}), own(found.triangle.release(), {total}), own(std::move(found.hint), {points, groups}));
}

nb::tuple listed(const Tree &tree, const Points &points, double radius, const Points &velocity, const GroupHints &hint, const Order &order,
                 const EarlierContacts *earlier = nullptr) {
    SkinContacts found;
    {
        nb::gil_scoped_release release;
        found = find_contacts(tree, asking(points, hint, order), radius, velocity.data(), earlier);
    }
    return listed(std::move(found), points.shape(0), static_cast<std::size_t>(tree.group_count()));
}

void require_asked(const Tree &tree, const Points &points, double radius, const Points &velocity, const GroupHints &hint, const Order &order) {
    require_radius(radius);
    require_group_hints(tree, points, hint);
    require_order(points, order);
    require(velocity.shape(0) == tree.vertex_count(), "velocity must have one row per vertex");
}

auto contacts(const Tree &tree, Points points, double radius, Points velocity, GroupHints hint, Order order) {
    require_asked(tree, points, radius, velocity, hint, order);
    return listed(tree, points, radius, velocity, hint, order);
}

void require_earlier(const Tree &tree, std::size_t points, const EarlierContacts &earlier) {
    require_indices(earlier.particle, earlier.count, points, "a contact names a point that does not exist");
    require_indices(earlier.triangle, earlier.count, tree.triangle_count(), "a contact names a triangle that does not exist");
    for (std::size_t i = 1; i < earlier.count; ++i) {
        const auto point = [&](std::size_t c) { return earlier.particle[c]; };
        require(point(i - 1) <= point(i), "contacts must ascend by point");
        require(point(i - 1) < point(i) || tree.group_of(earlier.triangle[i - 1]) < tree.group_of(earlier.triangle[i]), "contacts of a point must ascend by group");
    }
}

// the same a moment later, since [s]: contacts (particle, triangle) are followed over the surface where nothing else can have come near
auto contacts_tracked(const Tree &tree, Points points, double radius, Points velocity, In<std::int32_t, -1> particle, In<std::int32_t, -1> triangle, Points asked,
                        double since, double slip, In<double, -1, 2, 3> boxes, GroupHints hint, Order order) {
    require_asked(tree, points, radius, velocity, hint, order);
    require(since >= 0 && slip >= 0, "since and slip must not be negative");
    require(asked.shape(0) == points.shape(0) && particle.size() == triangle.size(), "each point was somewhere, each contact has a particle and a triangle");
    const Vec3 drift = since * mean_of_rows(velocity.data(), velocity.shape(0));
    const EarlierContacts earlier{particle.size(), particle.data(), triangle.data(), asked.data(), drift, slip, boxes.shape(0), boxes.data()};
    require_earlier(tree, points.shape(0), earlier);
    return listed(tree, points, radius, velocity, hint, order, &earlier);
}

void make_tracked(KeptTracked *where, const Tree &tree, In<std::int32_t, -1> triangle, Points velocity, double radius, double slip, GroupHints hint) {
    require_radius(radius);
    require(velocity.shape(0) == tree.vertex_count(), "velocity must have one row per vertex");
    require_indices(triangle, tree.triangle_count(), "a contact names a triangle that does not exist");
    if (hint) {
        require(hint->shape(1) == static_cast<std::size_t>(tree.group_count()), "hint must have the shape (points, groups)");
        require_hints(*hint, tree.triangle_count());
    }
    const TrackedContacts contacts{&tree, triangle.data(), triangle.size(), velocity.data(), radius, slip, hint ? hint->data() : nullptr,
                                   mean_of_rows(velocity.data(), velocity.shape(0))};
    new (where) KeptTracked{contacts, triangle, velocity, hint, nb::find(tree)};
}

auto sides(const Tree &tree, Points points, double radius, Points velocity) {
    require_radius(radius);
    require(velocity.shape(0) == tree.vertex_count(), "velocity must have one row per vertex");
    SkinContacts found;
    {
        nb::gil_scoped_release release;
        found = find_sides(tree, points.data(), points.shape(0), radius, velocity.data());
    }
    const std::size_t total = found.count();
    return nb::make_tuple(own(found.particle.release(), {total}), own(found.gap.release(), {total}), own(found.normal.release(), {total, 3}),
                          own(found.velocity.release(), {total, 3}));
}

auto winding(const Tree &tree, Points points) {
    const std::size_t n = points.shape(0);
    std::vector<std::int32_t> number(n);
    {
        nb::gil_scoped_release release;
        for_ranges(n, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) number[i] = tree.winding(load(points.data() + 3 * i));
        });
    }
    return own(std::move(number), {n});
}
}  // namespace

void bind_bvh(nb::module_ &m) {
    nb::class_<Tree>(m, "SurfaceTree", "Tree of boxes over a triangle surface. Not to be refitted while being asked.")
        .def("__init__", [](Tree *where, Triangles t, Points v, std::optional<In<std::int32_t, -1>> g) {
                make_tree(where, t, v, g);
            }, nb::arg("triangles"), nb::arg("vertices"), nb::arg("group").none() = nb::none())
        .def("refit", &refit_tree, nb::arg("vertices"), nb::arg("raised").none() = nb::none(), nb::arg("place").none() = nb::none(),
             "new places of all vertices (n, 3); raised (v,) are at place (v, 3) instead")
        .def("nearest", &nearest, nb::arg("points"), nb::arg("radius"), nb::arg("hint").none() = nb::none(),
             "-> triangle (n,), gap (n,), point (n, 3), normal (n, 3), weight (n, 3); triangle -1 and gap inf beyond radius")
        .def("nearest_per_group", &nearest_per_group, nb::arg("points"), nb::arg("radius"),
             nb::arg("hint").none() = nb::none(), nb::arg("order").none() = nb::none(), nb::arg("widest") = 5,
             "-> particle (c,), gap (c,), normal (c, 3), point (c, 3), triangle (c,), weight (c, 3), hint (n, groups)")
        .def("contacts", &contacts, nb::arg("points"), nb::arg("radius"), nb::arg("velocity"), nb::arg("hint").none() = nb::none(),
             nb::arg("order").none() = nb::none(),
             "-> particle (c,), gap (c,), normal (c, 3), velocity of the surface there (c, 3), triangle (c,), hint (n, groups)")
        .def("contacts_tracked", &contacts_tracked, nb::arg("points"), nb::arg("radius"), nb::arg("velocity"), nb::arg("particle"), nb::arg("triangle"),
             nb::arg("asked"), nb::arg("since"), nb::arg("slip"), nb::arg("boxes"), nb::arg("hint").none() = nb::none(), nb::arg("order").none() = nb::none(),
             "the same some time after points were at asked (n, 3) and had contacts (particle, triangle): these are followed over the surface; points in boxes "
             "(k, 2, 3) and those that have gone farther than slip past the surface are searched again")
        .def("sides", &sides, nb::arg("points"), nb::arg("radius"), nb::arg("velocity"),
             "-> particle (c,), gap (c,), normal (c, 3), velocity of the surface (c, 3) at all places of the surface that are nearer than the surface round them, seen from outside")
        .def("winding", &winding, nb::arg("points"),
             "-> how often the surface encloses each point (n,): 0 outside, 1 inside, 2 where two limbs overlap")
        .def_prop_ro("triangle_count", &Tree::triangle_count)
        .def_prop_ro("vertex_count", &Tree::vertex_count)
        .def_prop_ro("group_count", &Tree::group_count);
    nb::class_<KeptTracked>(m, "TrackedContacts", "Contacts that a step may follow over a surface that moves on.")
        .def("__init__", &make_tracked, nb::arg("tree"), nb::arg("triangle"), nb::arg("velocity"), nb::arg("radius"), nb::arg("slip"),
             nb::arg("hint").none() = nb::none());
}
