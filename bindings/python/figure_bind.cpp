#include "body/figure.h"

#include "bind.h"

namespace {

using Targets = In<std::int16_t, -1, -1>;

figure::Targets targets_of(const Targets &targets) { return {targets.data(), targets.shape(1)}; }

auto blend(Targets targets, Indices rows, In<float, -1> share) {
    require(share.shape(0) == rows.shape(0), "blend: one share per row");
    require_indices(rows, targets.shape(0), "blend: a row names a target that does not exist");
    return own(figure::blend(targets_of(targets), view(rows), share.data()), {targets.shape(1)});
}

// start[g]..start[g + 1] are the entries of group g
void check_groups(const Indices &start, std::size_t entries) {
    require(start.shape(0) > 0 && start.data()[0] == 0, "groups: the first starts at 0");
    for (std::size_t g = 0; g + 1 < start.shape(0); ++g)
        require(start.data()[g] <= start.data()[g + 1], "groups: starts must ascend");
    require(static_cast<std::size_t>(start.data()[start.shape(0) - 1]) == entries, "groups: the last must end");
}

auto target_work(Targets targets, Indices rows, Indices vertex, Points force, Indices start) {
    require(force.shape(0) == vertex.shape(0), "target_work: one force per vertex");
    check_groups(start, vertex.shape(0));
    require_indices(rows, targets.shape(0), "target_work: a row names a target that does not exist");
    require_indices(vertex, targets.shape(1) / 3, "target_work: a force names a vertex that does not exist");
    const figure::Forces forces{view(vertex), view(force), view(start)};
    return own(figure::target_work(targets_of(targets), view(rows), forces), {forces.groups(), rows.shape(0)});
}

auto rest_forces(Indices vertex, Points force, Indices start, In<std::int32_t, -1, -1> joint, In<double, -1, -1> weight, In<double, -1, 9> rotation) {
    const std::size_t count = vertex.shape(0), k = joint.shape(1), joints = rotation.shape(0);
    require(force.shape(0) == count, "rest_forces: one force per vertex");
    require(joint.shape(0) == weight.shape(0) && weight.shape(1) == k, "rest_forces: as many joints as weights per vertex");
    check_groups(start, count);
    require_indices(vertex, joint.shape(0), "rest_forces: a force names a vertex that does not exist");
    require_indices(joint, joints, "rest_forces: a weight names a joint that does not exist");
    const figure::Forces forces{view(vertex), view(force), view(start)};
    figure::RestForces found = figure::rest_forces(forces, {joint.data(), weight.data(), k, view(rotation)});
    return std::make_tuple(own(std::move(found.force), {count, 3}), own(std::move(found.carried), {forces.groups(), joints, 3}));
}

auto tape(Points skin, Indices rows, IndexPairs edges, In<double, 4, 3> plane, double reach, In<double, 2, -1> fan) {
    require_indices(rows, skin.shape(0), "tape: a region names a vertex that does not exist");
    require_indices(edges, rows.shape(0), "tape: an edge names a row that does not exist");
    figure::Tape found = figure::tape({view(skin), view(rows), view(edges)}, plane.data(), reach, fan.data(), fan.shape(1));
    const std::size_t held = found.vertex.size();
    return std::make_tuple(found.length, own(std::move(found.vertex), {held}), own(std::move(found.slope), {held, 3}), found.slide);
}

auto volume(Points skin, Triangles triangles) {
    const std::size_t n = skin.shape(0);
    require_indices(triangles, n, "volume: a triangle names a vertex that does not exist");
    std::vector<double> outward(3 * n);
    const double inside = figure::volume(view(skin), view(triangles), outward.data());
    return std::make_tuple(inside, own(std::move(outward), {n, 3}));
}

}  // namespace

void bind_figure(nb::module_ &m) {
    using namespace nb::literals;
    m.def("blend", &blend, "targets"_a, "rows"_a, "share"_a, "Sum of share * target over the rows, in their order.");
    m.def("target_work", &target_work, "targets"_a, "rows"_a, "vertex"_a, "force"_a, "start"_a,
          "Work of each group of forces when a target is turned on, (groups, rows).");
    m.def("rest_forces", &rest_forces, "vertex"_a, "force"_a, "start"_a, "joint"_a, "weight"_a, "rotation"_a,
          "Forces on a posed skin, turned back to the rest pose, and what each joint carries of each group.");
    m.def("tape", &tape, "skin"_a, "rows"_a, "edges"_a, "plane"_a, "reach"_a, "fan"_a,
          "Length of a tape round a section; vertices and slopes; slope along the normal. plane: origin, normal, axes.");
    m.def("volume", &volume, "skin"_a, "triangles"_a, "Volume inside a closed surface and its slopes by vertex.");
}
