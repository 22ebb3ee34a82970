#include "bind.h"
#include "cloth/spring.h"

namespace {
using map_lookup::kValues;

void make(SpringCloth *where, IndexPairs ends, Numbers rest, Numbers stiffness, Flags limited, Numbers mass, Numbers air, Numbers friction,
          Triangles triangles, In<std::int32_t, -1, 4> faces) {
    const std::size_t n = mass.size(), s = ends.shape(0);
    require(rest.size() == s && stiffness.size() == s && limited.size() == s, "one rest length, stiffness and flag per spring");
    require(air.size() == n && friction.size() == n, "one air strength and friction per particle");
    require_indices(ends, n, "a spring names a particle that does not exist");
    require_indices(triangles, n, "a triangle names a particle that does not exist");
    for (std::size_t i = 0; i < faces.size(); ++i)
        require(faces.data()[i] >= (i % 4 == 3 ? -1 : 0) && faces.data()[i] < static_cast<std::int64_t>(n), "a face names a particle that does not exist");
    for (std::size_t i = 0; i < n; ++i) require(mass.data()[i] > 0, "masses must be positive");
    new (where) SpringCloth({view(ends), view(rest), view(stiffness), view(limited)}, {view(mass), view(air), view(friction)},
                            {view(triangles), view(faces)});
}

void pin(SpringCloth &cloth, Flags pinned) {
    require(pinned.size() == cloth.particle_count(), "one flag per particle");
    cloth.pin(view(pinned));
}

void set_options(SpringCloth &cloth, double damping, int rule, double threshold, int sweeps, bool gravity_directs, double thickness,
                 double speed_limit, bool by_velocity, double slide, double reflection, double grip) {
    require(rule >= 0 && rule <= static_cast<int>(Elongation::POSITION), "no such rule");
    cloth.set_options({damping, threshold, thickness, speed_limit, slide, reflection, grip, static_cast<Elongation>(rule), sweeps, gravity_directs,
                       by_velocity});
}

void set_seams(SpringCloth &cloth, IndexPairs pairs, double rate, double speed, double stiffness) {
    require_indices(pairs, cloth.particle_count(), "a seam names a particle that does not exist");
    require(rate > 0 && speed > 0 && stiffness >= 0, "seams close at a positive rate and speed, or by a positive stiffness");
    cloth.set_seams(view(pairs), {rate, speed, stiffness});
}

// position and velocity, moved on by move(position, velocity), which returns the number of steps
template <class Move>
auto moved(const SpringCloth &cloth, Points position, Points velocity, double dt, const Move &move) {
    const std::size_t n = cloth.particle_count();
    require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
    require(dt > 0, "steps have a positive length");
    std::vector<double> x(position.data(), position.data() + 3 * n), v(velocity.data(), velocity.data() + 3 * n);
    int done;
    {
        nb::gil_scoped_release free_python;
        done = move(x.data(), v.data());
    }
    return std::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}), done, cloth.seam_gap());
}

auto steps(SpringCloth &cloth, Points position, Points velocity, int count, double dt, double since, Vector3 gravity, Vector3 wind, Indices who,
                Numbers gap, Points normal, Points skin, Numbers grip) {
    const std::size_t c = who.size();
    require(gap.size() == c && normal.shape(0) == c && skin.shape(0) == c && grip.size() == c, "one gap, normal, velocity and grip per contact");
    require(count >= 1, "at least one step");
    require_indices(who, cloth.particle_count() + cloth.face_count(), "a contact names a particle or face that does not exist");
    const SpringCloth::Steps how{count, dt, since, surface::load(gravity.data()), surface::load(wind.data())};
    return moved(cloth, position, velocity, dt, [&](double *x, double *v) {
        cloth.advance(how, {view(who), view(gap), view(normal), view(skin)}, view(grip), x, v);
        return count;
    });
}

auto steps_in_maps(SpringCloth &cloth, Points position, Points velocity, int count, double dt, double since, Vector3 gravity, Vector3 wind,
                        In<float, -1, -1, 2, kValues> texels, double left, double top, double pixel, double reach, bool refine, double closed, bool by_depth,
                   Vector3 travel) {
    require(count >= 1 && pixel > 0 && reach > 0, "at least one step; pixel and reach must be positive");
    const SpringCloth::Steps how{count, dt, since, surface::load(gravity.data()), surface::load(wind.data())};
    const SpringCloth::Maps maps{{static_cast<int>(texels.shape(1)), static_cast<int>(texels.shape(0)), left, top, texels.data()},
                                 {pixel, 0, reach, 0, 0, refine, by_depth}, surface::load(travel.data())};
    return moved(cloth, position, velocity, dt, [&](double *x, double *v) { return cloth.advance_in_maps(how, maps, closed, x, v); });
}

}  // namespace

void bind_spring(nb::module_ &m) {
    nb::class_<SpringCloth>(m, "SpringCloth", "Particles and springs; see docs/solver-spring.md.")
        .def("__init__", &make, nb::arg("ends"), nb::arg("rest"), nb::arg("stiffness"), nb::arg("limited"), nb::arg("mass"), nb::arg("air"), nb::arg("friction"),
             nb::arg("triangles"), nb::arg("faces"), "faces (f, 4): corners, -1 last for triangles; their middles may have contacts")
        .def("pin", &pin, nb::arg("pinned"))
        .def("set_options", &set_options, nb::arg("damping"), nb::arg("rule"), nb::arg("threshold"), nb::arg("sweeps"),
             nb::arg("gravity_directs"), nb::arg("thickness"), nb::arg("speed_limit"), nb::arg("by_velocity"), nb::arg("slide"),
             nb::arg("reflection"), nb::arg("grip"))
        .def("set_seams", &set_seams, nb::arg("pairs"), nb::arg("rate"), nb::arg("speed"), nb::arg("stiffness") = 0.0,
             "pairs (m, 2) are pulled together in every step from now on: by velocities, or by elastic forces of a stiffness [N/m]")
        .def("steps", &steps, nb::arg("position"), nb::arg("velocity"), nb::arg("count"), nb::arg("dt"), nb::arg("since"),
             nb::arg("gravity"), nb::arg("wind"), nb::arg("who"), nb::arg("gap"), nb::arg("normal"), nb::arg("skin_velocity"), nb::arg("grip"),
             "-> position, velocity, steps made, widest seam; contacts of face f have who = particles + f")
        .def("steps_in_maps", &steps_in_maps, nb::arg("position"), nb::arg("velocity"), nb::arg("count"), nb::arg("dt"),
             nb::arg("since"), nb::arg("gravity"), nb::arg("wind"), nb::arg("texels"), nb::arg("left"), nb::arg("top"), nb::arg("pixel"),
             nb::arg("reach"), nb::arg("refine"), nb::arg("closed"), nb::arg("by_depth"), nb::arg("travel"),
             "the same with a look into front and back maps before every step; ends when the widest seam is at most `closed`");
}
