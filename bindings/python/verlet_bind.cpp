#include <cmath>

#include "bind.h"
#include "cloth/verlet.h"

namespace {

template <class T>
void make_grid(VerletGrid<T> *where, int rows, int columns, In<double, GRID_CLASSES, -1> rest, In<double, GRID_CLASSES> share) {
    require(rows >= 1 && columns >= 1 && rows <= 1 << 14 && columns <= 1 << 14, "a grid has 1 to 16384 particles a side");
    const std::size_t count = static_cast<std::size_t>(rows) * columns;
    require(rest.shape(1) == count, "one rest length per class and particle");
    for (int c = 0; c < GRID_CLASSES; ++c) {
        require(share.data()[c] >= 0 && share.data()[c] <= 0.5, "shares lie between 0 and 0.5");
        for (std::size_t p = 0; p < count; ++p) {
            const double r = rest.data()[c * count + p];
            require(!VerletGrid<T>::paired(rows, columns, c, p) || (r > 0 && std::isfinite(r)), "rest lengths must be positive");
        }
    }
    new (where) VerletGrid<T>(rows, columns, rest.data(), share.data());
}

template <class T>
void make_mesh(VerletMesh<T> *where, Indices order, IndexPairs pairs, Numbers low, Numbers high, double share) {
    const std::size_t n = order.size();
    require(n > 0 && low.size() == pairs.shape(0) && high.size() == pairs.shape(0), "a least and a largest length per pair");
    require(share > 0 && share <= 0.5, "the share lies between 0 and 0.5");
    require_indices(order, n, "the order names a particle that does not exist");
    require_indices(pairs, n, "a pair names a particle that does not exist");
    std::vector<bool> named(n, false);
    for (std::size_t i = 0; i < n; ++i) {
        require(!named[order.data()[i]], "the order names a particle twice");
        named[order.data()[i]] = true;
    }
    new (where) VerletMesh<T>(view(order), view(pairs), view(low), view(high), share);
}

template <class Cloth>
void pin(Cloth &cloth, Indices particles) {
    require_indices(particles, cloth.count(), "a pinned particle does not exist");
    cloth.pin(view(particles));
}

template <class Cloth>
auto step(Cloth &cloth, Points position, Points velocity, double dt, double keep, Vector3 gravity, Vector3 wind, int iterations, double threshold, int check_every,
          int moving) {
    const std::size_t n = cloth.count();
    require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
    require(dt > 0 && std::isfinite(dt) && iterations >= 1, "dt must be positive, iterations at least 1");
    require(check_every >= 1 && moving >= 0, "check_every must be at least 1, moving at least 0");
    std::vector<double> x(position.data(), position.data() + 3 * n), v(velocity.data(), velocity.data() + 3 * n);
    int sweeps;
    {
        nb::gil_scoped_release free_python;
        sweeps = cloth.advance({dt, keep, surface::load(gravity.data()), surface::load(wind.data()), iterations, threshold, check_every, moving}, x.data(), v.data());
    }
    return std::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}), sweeps);
}

template <class T>
nb::ndarray<nb::numpy, std::int32_t> sequence(const VerletMesh<T> &mesh) {
    std::vector<std::int32_t> found = mesh.sequence();
    const std::size_t n = found.size();
    return own(std::move(found), {n});
}

template <class T>
void bind_kind(nb::module_ &m, const char *grid, const char *mesh) {
    nb::class_<VerletGrid<T>>(m, grid, "A grid of particles, row by row; see docs/solver-verlet.md.")
        .def("__init__", &make_grid<T>, nb::arg("rows"), nb::arg("columns"),
             nb::arg("rest"), nb::arg("share"))
        .def("pin", &pin<VerletGrid<T>>, nb::arg("particles"))
        .def("step", &step<VerletGrid<T>>, nb::arg("position"), nb::arg("velocity"), nb::arg("dt"), nb::arg("keep"),
             nb::arg("gravity"), nb::arg("wind"), nb::arg("iterations"), nb::arg("threshold"), nb::arg("check_every") = 4, nb::arg("moving") = 0, "-> position, velocity, sweeps");
    nb::class_<VerletMesh<T>>(m, mesh, "Particles joined by pairs; see docs/solver-verlet.md.")
        .def("__init__", &make_mesh<T>, nb::arg("order"), nb::arg("pairs"), nb::arg("low"), nb::arg("high"),
             nb::arg("share"), "a pair whose length lies between low and high is left alone")
        .def("pin", &pin<VerletMesh<T>>, nb::arg("particles"))
        .def("sequence", &sequence<T>)
        .def("step", &step<VerletMesh<T>>, nb::arg("position"), nb::arg("velocity"), nb::arg("dt"), nb::arg("keep"),
             nb::arg("gravity"), nb::arg("wind"), nb::arg("iterations"), nb::arg("threshold"), nb::arg("check_every") = 4, nb::arg("moving") = 0, "-> position, velocity, sweeps");
}

}  // namespace

void bind_verlet(nb::module_ &m) {
    bind_kind<float>(m, "VerletGridFloat", "VerletMeshFloat");
    bind_kind<double>(m, "VerletGridDouble", "VerletMeshDouble");
}
