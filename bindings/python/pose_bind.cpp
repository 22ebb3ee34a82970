// What a body in motion asks before the cloth round it is stepped, for Python.
#include <cmath>

#include "bind.h"
#include "body/riding_points.h"
#include "body/track_pose.h"

namespace {
auto track_pose(In<double, -1, -1, 4> rotations, Points root, In<std::int32_t, -1> parents, Points offsets, double time, bool loop) {
    const std::size_t frames = rotations.shape(0), joints = rotations.shape(1);
    require(frames > 0 && joints > 0 && frames < 1u << 30, "a track has at least one frame and one joint");
    require(root.shape(0) == frames, "root needs one row per frame");
    require(parents.size() == joints && offsets.shape(0) == joints, "parents and offsets need one row per joint");
    for (std::size_t j = 0; j < joints; ++j) require(parents(j) >= -1 && parents(j) < static_cast<std::int32_t>(j), "parents come before their joints");
    require(std::abs(time) < 1e9, "time must be finite");
    return own(body::track_pose({frames, joints, rotations.data(), root.data(), parents.data(), offsets.data(), loop}, time), {joints, 4, 4});
}

auto between(Points before, Points after, double fraction) {
    require(after.size() == before.size(), "before and after need one row per vertex");
    auto place = std::make_unique_for_overwrite<double[]>(before.size());
    {
        nb::gil_scoped_release release;
        body::between(before.data(), after.data(), fraction, before.size(), place.get());
    }
    return own(std::move(place), {before.shape(0), 3});
}

auto ride(Points vertices, Triangles frame, In<std::int32_t, -1> rides, Points local, std::optional<In<std::int32_t, -1>> from) {
    const std::size_t n = local.shape(0), v = vertices.shape(0);
    require(rides.size() == n && (!from || from->size() == n), "each point rides on one triangle");
    require_indices(frame, v, "a triangle names a vertex that does not exist");
    require_indices(rides, frame.shape(0), "a point rides on a triangle that does not exist");
    if (from) require_indices(*from, v, "a point starts from a vertex that does not exist");
    std::vector<double> place(3 * n);
    body::ride(vertices.data(), frame.data(), rides.data(), local.data(), from ? from->data() : nullptr, n, place.data());
    return own(std::move(place), {n, 3});
}

double most_bent(Points vertices, In<std::int32_t, -1, 2> pairs, In<double, -1> apart) {
    require(pairs.shape(0) == apart.size(), "each pair has a distance at rest");
    require_indices(pairs, vertices.shape(0), "a pair names a vertex that does not exist");
    return body::most_bent(vertices.data(), pairs.data(), apart.data(), apart.size());
}
}  // namespace

void bind_pose(nb::module_ &m) {
    using namespace nb::literals;
    m.def("track_pose", &track_pose, "rotations"_a, "root"_a, "parents"_a, "offsets"_a, "time"_a, "loop"_a,
          "-> world_from_joint (j, 4, 4) of a motion at a time [frames]");
    m.def("between", &between, "before"_a, "after"_a, "fraction"_a, "-> points (n, 3) a fraction of the way between two places");
    m.def("ride", &ride, "vertices"_a, "frame"_a, "rides"_a, "local"_a, "start"_a.none() = nb::none(),
          "-> points (p, 3) that are at local (p, 3) in the axes of triangle frame[rides[p]], from vertex start[p] or from the triangle's middle");
    m.def("most_bent", &most_bent, "vertices"_a, "pairs"_a, "apart"_a, "-> by how much a pair's distance differs most from apart (p,) [m]");
}
