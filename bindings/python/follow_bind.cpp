#include "bind.h"
#include "cloth/follow.h"

namespace {

template <class T>
void make(FollowCloth<T> *where, IndexPairs edges, Numbers rest, Numbers mass, Numbers drag, Numbers friction) {
    const std::size_t n = mass.size();
    require(n > 0 && rest.size() == edges.shape(0), "one rest length per edge");
    require(drag.size() == n && friction.size() == n, "one mass, drag and friction per particle");
    require_indices(edges, n, "an edge names a particle that does not exist");
    for (std::size_t p = 0; p < n; ++p) require(mass.data()[p] > 0, "masses must be positive");
    new (where) FollowCloth<T>({view(edges), view(rest)}, {view(mass), view(drag), view(friction)});
}

template <class T>
void hold(FollowCloth<T> &cloth, Flags held) {
    require(held.size() == cloth.particle_count(), "one flag per particle");
    cloth.hold(view(held));
}

template <class T>
auto step(FollowCloth<T> &cloth, Points position, Points velocity, int steps, double dt, double stiffness, double thickness, double near,
               double share, Vector3 gravity, Vector3 wind, Indices who, Numbers gap, Points normal, Points skin, Numbers grip) {
    const std::size_t n = cloth.particle_count(), c = who.size();
    require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
    require(gap.size() == c && normal.shape(0) == c && skin.shape(0) == c && grip.size() == c, "one gap, normal, velocity and grip per contact");
    require(steps >= 1 && dt > 0, "at least one step of positive length");
    require_indices(who, n, "a contact names a particle that does not exist");
    std::vector<double> x(position.data(), position.data() + 3 * n), v(velocity.data(), velocity.data() + 3 * n);
    {
        nb::gil_scoped_release free_python;
        cloth.advance({steps, dt, stiffness, thickness, near, share, surface::load(gravity.data()), surface::load(wind.data())},
                      {view(who), view(gap), view(normal), view(skin)}, view(grip), x.data(), v.data());
    }
    return std::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}));
}

template <class T>
void bind_kind(nb::module_ &m, const char *name) {
    nb::class_<FollowCloth<T>>(m, name, "Particles and edges as springs; see docs/solver-follow.md.")
        .def("__init__", &make<T>, nb::arg("edges"), nb::arg("rest"), nb::arg("mass"), nb::arg("drag"), nb::arg("friction"))
        .def("hold", &hold<T>, nb::arg("held"))
        .def("step", &step<T>, nb::arg("position"), nb::arg("velocity"), nb::arg("steps"), nb::arg("dt"), nb::arg("stiffness"),
             nb::arg("thickness"), nb::arg("near"), nb::arg("share"), nb::arg("gravity"), nb::arg("wind"), nb::arg("who"), nb::arg("gap"),
             nb::arg("normal"), nb::arg("skin_velocity"), nb::arg("grip"),
             "-> position, velocity; particles with a gap below `near` first take over the part `share` of the skin's velocity, times its grip");
}

}  // namespace

void bind_follow(nb::module_ &m) {
    bind_kind<float>(m, "FollowClothFloat");
    bind_kind<double>(m, "FollowClothDouble");
}
