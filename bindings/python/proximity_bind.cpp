// What Python sees of the search for near cloth.
#include <algorithm>

#include "bind.h"
#include "core/checks.h"
#include "contact/crossing.h"
#include "contact/pairs_view.h"
#include "geometry/proximity.h"
#include "core/threads.h"

namespace {
using namespace surface;

auto listed(const std::vector<Four> &pairs) {
    std::vector<std::int32_t> flat(4 * pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) std::copy_n(pairs[i].data(), 4, &flat[4 * i]);
    return own(std::move(flat), {pairs.size(), 4});
}

// where pairs are nearest to each other, as the engine looks at them (pairs.h)
nb::tuple nearest_points(Points position, In<std::int32_t, -1, 4> pairs, bool edges, bool allow_avx2) {
    require_indices(pairs, position.shape(0), "a pair names a particle that does not exist");
    const std::size_t n = position.shape(0), count = pairs.shape(0), lanes = PAIR_LANES;
    std::vector<double> point(4 * n, 0.0), weight(4 * count), apart(3 * count);
    const std::vector<double> still(4 * n, 0.0);
    for (std::size_t i = 0; i < 3 * n; ++i) point[i / 3 * 4 + i % 3] = position.data()[i];
    std::vector<NearLanes<double>> at((count + lanes - 1) / lanes);
    const NearCloth<double> cloth{point.data(), still.data(), 1e30};
    const bool wide = allow_avx2 && machine_has_avx2();
    if (edges)
        wide ? avx2::measure_edges(cloth, pairs.data(), count, at.data()) : plain::measure_edges(cloth, pairs.data(), count, at.data());
    else
        wide ? avx2::measure_faces(cloth, pairs.data(), count, at.data()) : plain::measure_faces(cloth, pairs.data(), count, at.data());
    for (std::size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) weight[4 * i + k] = at[i / lanes].weight[k][i % lanes];
        for (int k = 0; k < 3; ++k) apart[3 * i + k] = at[i / lanes].apart[k][i % lanes];
    }
    return nb::make_tuple(own(std::move(weight), {count, 4}), own(std::move(apart), {count, 3}));
}

nb::tuple find(Patches &patches, Points position, double radius, bool allow_avx2) {
    require(position.shape(0) == patches.particle_count(), "position must have one row per particle");
    require(radius > 0 && radius < 1e6, "radius must be positive");
    require(all_finite(position.data(), position.size()), "positions hold NaN or infinite numbers");
    Near near;
    {
        nb::gil_scoped_release release;
        patches.set_wide(allow_avx2 && machine_has_avx2());
        patches.find(position.data(), 3, radius, near);
    }
    return nb::make_tuple(listed(near.vertex_face), listed(near.edge_edge));
}

auto crossing(const Patches &patches, Points position, const Tree &body, int widest) {
    require(position.shape(0) == patches.particle_count(), "position must have one row per particle");
    require(all_finite(position.data(), position.size()), "positions hold NaN or infinite numbers");
    std::vector<TrianglePair> pairs;
    {
        nb::gil_scoped_release release;
        pairs = crossing_skin(patches, position.data(), body, widest);
    }
    std::vector<std::int32_t> flat;
    for (const auto [a, b] : pairs) flat.push_back(a), flat.push_back(b);
    return own(std::move(flat), {pairs.size(), 2});
}
}  // namespace

void bind_proximity(nb::module_ &m) {
    nb::class_<Patches>(m, "ClothPatches", "Near pairs of a cloth. Not to be used by two threads at once.")
        .def("__init__", [](Patches *where, Triangles triangles, std::size_t particle_count,
                            std::optional<In<std::int32_t, -1>> label) {
                require(particle_count < 1u << 30, "too many particles");
                require_indices(triangles, particle_count, "a triangle names a particle that does not exist");
                if (label) {
                    require(label->shape(0) == particle_count, "label must have one value per particle");
                    require_indices(*label, particle_count, "labels are particle numbers");
                }
                new (where) Patches(triangles.data(), triangles.shape(0), particle_count, label ? label->data() : nullptr);
            }, nb::arg("triangles"), nb::arg("particle_count"), nb::arg("label").none() = nb::none())
        .def("find", &find, nb::arg("position"), nb::arg("radius"), nb::arg("allow_avx2") = true,
             "-> vertex-face (k, 4), edge-edge (k, 4): particles of pairs nearer than radius that share none")
        .def("crossing_skin", &crossing, nb::arg("position"), nb::arg("body"), nb::arg("widest") = 5,
             "-> (k, 2) triangles of the cloth and of a tree that have a common point, ascending: those of meeting_pairs")
        .def_prop_ro("patch_count", &Patches::patch_count);
    m.def("nearest_points", &nearest_points, nb::arg("position"), nb::arg("pairs"), nb::arg("edges"), nb::arg("allow_avx2") = true,
          "-> weights of the particles of each pair (k, 4), the way from its second piece to its first (k, 3) [m]");
}
