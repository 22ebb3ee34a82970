#include "bind.h"
#include "contact/boxes.h"

namespace {

void make(BoxTrees *where, Triangles triangles, Points vertices, Indices group, int group_count) {
    require(triangles.shape(0) > 0, "a surface has at least one triangle");
    require(group.shape(0) == triangles.shape(0), "one group per triangle");
    require(group_count > 0, "at least one group");
    require_indices(triangles, vertices.shape(0), "a triangle names a vertex that does not exist");
    require_indices(group, group_count, "a triangle names a group that does not exist");
    require(all_finite(vertices.data(), vertices.size()), "vertices must be finite");
    new (where) BoxTrees(view(triangles), view(vertices), view(group), group_count);
}

void refit(BoxTrees &trees, Points vertices) {
    require(vertices.shape(0) == trees.vertex_count(), "wrong number of vertices");
    require(all_finite(vertices.data(), vertices.size()), "vertices must be finite");
    nb::gil_scoped_release free_python;
    trees.refit(view(vertices));
}

auto contacts(const BoxTrees &trees, Points points, double reach) {
    require(reach > 0 && reach < 1e15, "reach must be positive");
    BoxTrees::Contacts found;
    {
        nb::gil_scoped_release free_python;
        found = trees.contacts(view(points), reach);
    }
    const std::size_t c = found.particle.size();
    return std::make_tuple(own(std::move(found.particle), {c}), own(std::move(found.gap), {c}), own(std::move(found.normal), {c, 3}),
                          own(std::move(found.face), {c}), own(std::move(found.weight), {c, 3}));
}

}  // namespace

void bind_boxes(nb::module_ &m) {
    nb::class_<BoxTrees>(m, "BoxTrees", "One quad tree of boxes over the faces of each group. Not to be refitted while being asked.")
        .def("__init__", &make, nb::arg("triangles"), nb::arg("vertices"), nb::arg("group"), nb::arg("group_count"))
        .def("refit", &refit, nb::arg("vertices"))
        .def("contacts", &contacts, nb::arg("points"), nb::arg("reach"),
             "-> particle (c,), gap (c,), normal (c, 3), face (c,), weight (c, 3): the nearest face of each group in reach");
}
