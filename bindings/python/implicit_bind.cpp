#include <cmath>

#include "bind.h"
#include "cloth/implicit.h"

namespace {
void make(ImplicitCloth *where, IndexPairs pairs, Numbers rest, Numbers stiffness, Numbers mass, Numbers drag, IndexPairs limited, Numbers longest) {
    const std::size_t n = mass.size(), s = pairs.shape(0);
    require(rest.size() == s && stiffness.size() == s, "one rest length and stiffness per spring");
    require(drag.size() == n && longest.size() == limited.shape(0), "one drag per particle, one length per limit");
    require_indices(pairs, n, "a spring names a particle that does not exist");
    require_indices(limited, n, "a limit names a particle that does not exist");
    for (std::size_t i = 0; i < n; ++i) require(mass.data()[i] > 0 && std::isfinite(mass.data()[i]), "masses must be positive");
    new (where) ImplicitCloth({view(pairs), view(rest), view(stiffness)}, {view(mass), view(drag)}, view(limited), view(longest));
}

void pin(ImplicitCloth &cloth, Flags pinned) {
    require(pinned.size() == cloth.particle_count(), "one flag per particle");
    cloth.pin(view(pinned));
}

std::vector<double> copied(const ImplicitCloth &cloth, Points points) {
    require(points.shape(0) == cloth.particle_count(), "one row per particle");
    return std::vector<double>(points.data(), points.data() + points.size());
}

auto velocity_change(ImplicitCloth &cloth, Points position, Points velocity, double dt, double damping, Vector3 gravity, Vector3 wind,
                     double tolerance, int iterations) {
    const std::size_t n = cloth.particle_count();
    require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
    require(dt > 0 && tolerance > 0 && iterations >= 1, "dt and tolerance must be positive, iterations at least 1");
    std::vector<double> change(3 * n);
    int done;
    {
        nb::gil_scoped_release free_python;
        done = cloth.velocity_change({dt, damping, surface::load(gravity.data()), surface::load(wind.data()), tolerance, iterations}, position.data(),
                                     velocity.data(), change.data());
    }
    return std::make_tuple(own(std::move(change), {n, 3}), done);
}

nb::ndarray<nb::numpy, double> shorten(const ImplicitCloth &cloth, int sweeps, Points position) {
    std::vector<double> x = copied(cloth, position);
    {
        nb::gil_scoped_release free_python;
        cloth.shorten(sweeps, x.data());
    }
    return own(std::move(x), {cloth.particle_count(), 3});
}

auto constrain(ImplicitCloth &cloth, int sweeps, double dt, Points position, Points velocity) {
    require(position.shape(0) == cloth.particle_count() && dt > 0, "one row per particle, a positive dt");
    std::vector<double> v = copied(cloth, velocity);
    double largest;
    {
        nb::gil_scoped_release free_python;
        largest = cloth.constrain(sweeps, dt, position.data(), v.data());
    }
    return std::make_tuple(own(std::move(v), {cloth.particle_count(), 3}), largest);
}
}  // namespace

void bind_implicit(nb::module_ &m) {
    nb::class_<ImplicitCloth>(m, "ImplicitCloth", "Springs in implicit Euler steps; see docs/solver-implicit.md.")
        .def("__init__", &make, nb::arg("pairs"), nb::arg("rest"), nb::arg("stiffness"), nb::arg("mass"), nb::arg("drag"), nb::arg("limited"),
             nb::arg("longest"))
        .def("pin", &pin, nb::arg("pinned"))
        .def("velocity_change", &velocity_change, nb::arg("position"), nb::arg("velocity"), nb::arg("dt"), nb::arg("damping"), nb::arg("gravity"),
             nb::arg("wind"), nb::arg("tolerance"), nb::arg("iterations"), "-> change of velocity (n, 3), iterations of conjugate gradients")
        .def("shorten", &shorten, nb::arg("sweeps"), nb::arg("position"), "-> position (n, 3) with limited pairs shortened")
        .def("constrain", &constrain, nb::arg("sweeps"), nb::arg("dt"), nb::arg("position"), nb::arg("velocity"),
             "-> velocity (n, 3) after the constraint forces, the largest of these [N]");
}
