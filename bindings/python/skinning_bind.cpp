// Skinning for Python.
#include "bind.h"
#include "body/skinning.h"
#include "core/checks.h"

namespace {
void check_weights(const In<std::int32_t, -1, -1> &joint, const In<double, -1, -1> &weight, std::size_t vertices,
                   std::size_t joints) {
    require(joint.shape(0) == vertices && weight.shape(0) == vertices, "skin: one row of weights per vertex");
    require(joint.shape(1) == weight.shape(1) && joint.shape(1) > 0, "skin: as many joints as weights per vertex");
    if (!all_name_one(joint.data(), joint.size(), joints)) throw std::out_of_range("skin: a weight names a joint that does not exist");
}

auto from_rest(In<double, -1, 4, 4> world, In<double, -1, 4, 4> rest) {
    require(rest.shape(0) == world.shape(0), "skin: one rest frame per joint");
    return own(body::from_rest(world.data(), rest.data(), world.shape(0)), {world.shape(0), 12});
}

auto skin(Points rest, In<std::int32_t, -1, -1> joint, In<double, -1, -1> weight, In<double, -1, 12> pose, In<double, -1, 3> previous, double dt, bool dual) {
    const std::size_t n = rest.shape(0);
    check_weights(joint, weight, n, pose.shape(0));
    const bool moving = previous.shape(0) > 0;
    require(!moving || previous.shape(0) == n, "skin: the previous pose has another number of vertices");
    require(!moving || dt > 0.0, "skin: dt must be positive");
    auto position = std::make_unique_for_overwrite<double[]>(3 * n), velocity = std::make_unique_for_overwrite<double[]>(3 * n);
    {
        nb::gil_scoped_release free;
        body::skin({n, joint.shape(1), rest.data(), joint.data(), weight.data()}, pose.data(), pose.shape(0), dual, moving ? previous.data() : nullptr, dt, position.get(),
                   velocity.get());
    }
    return std::make_tuple(own(std::move(position), {n, 3}), own(std::move(velocity), {n, 3}));
}

void check_faces(const In<std::int32_t, -1> &start, const In<std::int32_t, -1> &face, std::size_t n, std::size_t t) {
    require_indices(face, t, "normals: a vertex names a triangle that does not exist");
    require(start.shape(0) == n + 1, "normals: one start per vertex and one end");
    for (std::size_t i = 0; i < n; ++i)
        require(start.data()[i] >= 0 && start.data()[i] <= start.data()[i + 1], "normals: starts must ascend");
    require(static_cast<std::size_t>(start.data()[n]) <= face.shape(0), "normals: starts end after the faces");
}

auto vertex_normals(Points position, Triangles triangles, In<std::int32_t, -1> start, In<std::int32_t, -1> face) {
    const std::size_t n = position.shape(0), t = triangles.shape(0);
    require_indices(triangles, n, "normals: a triangle names a vertex that does not exist");
    check_faces(start, face, n, t);
    std::vector<double> normal;
    {
        nb::gil_scoped_release free;
        normal = body::vertex_normals(position.data(), n, triangles.data(), t, {start.data(), face.data()});
    }
    return own(std::move(normal), {n, 3});
}
}  // namespace

void bind_skinning(nb::module_ &m) {
    using namespace nb::literals;
    m.def("skin", &skin, "rest"_a, "joint"_a, "weight"_a, "pose"_a, "previous"_a, "dt"_a, "dual"_a = false,
          "Positions and velocities of a skinned surface; pose: 3x4 world_from_rest per joint; dual: blend dual "
          "quaternions instead of matrices.");
    m.def("from_rest", &from_rest, "world"_a, "rest"_a, "-> world_from_rest (j, 12): 3x4 by rows; both arguments (j, 4, 4) are rigid");
    m.def("vertex_normals", &vertex_normals, "position"_a, "triangles"_a, "start"_a, "face"_a, "Unit vertex normals, area-weighted.");
}
