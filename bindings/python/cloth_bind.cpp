// The cloth and the default solver for Python.
#include <cmath>

#include "bind.h"
#include "cloth/cloth.h"
#include "contact_bind.h"
#include "core/checks.h"
#include "core/fixed_math.h"
#include "frame/cloth_solver.h"
#include "frame/scene_arrays.h"
#include "frame/step_laws.h"
#include "named.h"
#include "tracked.h"

namespace {
using namespace frame;
using cloth::Cloth;

template <class Array>
auto span_of(const Array &array) {
    return std::span{array.data(), array.size()};
}
std::array<double, 3> three(const In<double, 3> &a) { return {a(0), a(1), a(2)}; }

struct KeptSolver {
    KeptArrays kept;
    std::unique_ptr<ClothSolver> solver;
    explicit KeptSolver(const nb::dict &arrays) : kept(arrays) {
        const std::string wrong = check_scene(kept.arrays(), ScenePart::CLOTH);
        require(wrong.empty(), wrong.c_str());
        solver = std::make_unique<ClothSolver>(solver_model(kept.arrays()));
        kept.keep_only(solver->forget_arrays());
    }
};

// position and velocity that become those after a step
struct StepState {
    std::unique_ptr<double[]> position, velocity;
    std::size_t count;
    StepState(const Points &x, const Points &v, std::size_t particles)
        : position(std::make_unique_for_overwrite<double[]>(x.size())), velocity(std::make_unique_for_overwrite<double[]>(v.size())), count(particles) {
        require(x.shape(0) == particles && v.shape(0) == particles, "position and velocity need one row per particle");
        std::copy_n(x.data(), x.size(), position.get()), std::copy_n(v.data(), v.size(), velocity.get());
    }
    nb::tuple arrays() { return nb::make_tuple(own(std::move(position), {count, 3}), own(std::move(velocity), {count, 3})); }
};

nb::tuple solver_step(KeptSolver &s, Points position, Points velocity, nb::object contacts, In<double, 3> gravity, In<double, 3> wind, std::optional<double> watch, double dt) {
    StepState state(position, velocity, s.solver->particle_count());
    require(dt > 0 && dt < 1e6 && (!watch || *watch >= 0), "dt must be positive and below 1e6 s, watch None or at least 0 s");
    PythonSource source(std::move(contacts), state.count);
    {
        nb::gil_scoped_release release;
        s.solver->step(state.position.get(), state.velocity.get(), source, {three(gravity), three(wind)}, watch ? *watch : THIS_STEP, dt);
    }
    return state.arrays();
}

// The engine's own step, for tests and measurements; options are the fields of StepInput.
nb::tuple cloth_step(Cloth &c, Points position, Points velocity, double dt, int substep_count, In<double, 3> gravity, In<double, 3> wind, In<std::int32_t, -1> particle,
                     In<double, -1> gap, Points normal, Points skin_velocity, nb::kwargs options) {
    StepState state(position, velocity, c.particle_count());
    cloth::StepInput in;
    in.dt = dt, in.substep_count = substep_count, in.gravity = three(gravity), in.wind = three(wind);
    const Ball *ball = nullptr;
    const KeptTracked *tracked = nullptr;
    const std::pair<const char *, double *> reals[] = {
        {"seam_from", &in.seam_from}, {"seam_to", &in.seam_to}, {"speed_limit", &in.speed_limit}, {"jolt", &in.jolt}, {"push_limit", &in.push_limit}, {"cloth_radius", &in.cloth_radius},
        {"watch", &in.watch}, {"head_start", &in.head_start}, {"compression", &in.compression}, {"evening", &in.evening}, {"skin_time", &in.skin_time}, {"rubbing", &in.rubbing}, {"apart", &in.apart}};
    for (const auto &[key, value] : options) {
        const auto name = nb::cast<std::string>(key);
        const auto known = std::find_if(std::begin(reals), std::end(reals), [&](const auto &one) { return name == one.first; });
        if (known != std::end(reals)) *known->second = nb::cast<double>(value);
        else if (name == "contact_updates") in.contact_updates = nb::cast<int>(value);
        else if (name == "widest") in.widest = nb::cast<int>(value);
        else if (name == "ball") ball = value.is_none() ? nullptr : nb::cast<const Ball *>(value);
        else if (name == "tracked") tracked = value.is_none() ? nullptr : nb::cast<const KeptTracked *>(value);
        else throw nb::type_error(("a step has no option " + name).c_str());
    }
    const StepContacts contacts = step_contacts(particle, gap, normal, skin_velocity, tracked, state.count);
    {
        nb::gil_scoped_release release;
        c.step(state.position.get(), state.velocity.get(), in, contacts, ball);
    }
    return state.arrays();
}

nb::tuple level_limits(const Cloth &c, std::size_t level, Points position) {
    cloth::LevelLimits l = c.level_limits(level, span_of(position));
    const std::size_t points = l.inverse_mass.size(), limits = l.rest.size();
    return nb::make_tuple(own(std::move(l.points), {points, 3}), own(std::move(l.pairs), {limits, 2}), own(std::move(l.rest), {limits}), own(std::move(l.part), {limits}),
                          own(std::move(l.inverse_mass), {points}));
}

void set_grid(Cloth &c, int rows, int columns, In<double, 2> cell, In<double, 3> stiffness, In<double, 2> bend, In<double, 2> reach, In<std::int32_t, -1> stencil_of, bool alternate) {
    c.set_grid({rows, columns, {cell(0), cell(1)}, three(stiffness), {bend(0), bend(1)}, {reach(0), reach(1)}, span_of(stencil_of), alternate});
}

// of each number; for tests against the C library
auto fixed(const std::string &name, In<double, -1> x, In<double, -1> y) {
    require(x.size() == y.size(), "as many of one as of the other");
    std::vector<double> r(x.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
        const double a = x(i), b = y(i);
        if (name == "log") r[i] = fixed_math::log(a);
        else if (name == "exp") r[i] = fixed_math::exp(a);
        else if (name == "power") r[i] = fixed_math::power(a, b);
        else if (name == "atan2") r[i] = fixed_math::atan2(a, b);
        else if (name == "hypot") r[i] = fixed_math::hypot(a, b);
        else if (name == "fourth_root") r[i] = fixed_math::fourth_root(a);
        else if (name == "sine") r[i] = fixed_math::sine_cosine(a).sine;
        else if (name == "cosine") r[i] = fixed_math::sine_cosine(a).cosine;
        else throw nb::value_error("no such function");
    }
    const std::size_t n = r.size();
    return own(std::move(r), {n});
}

nb::dict laws() {
    nb::dict all;
    const std::pair<const char *, double> figures[] = {{"SLOW", SLOW}, {"BRISK", BRISK}, {"JOLT_AT_REST", JOLT_AT_REST}, {"JOLT", JOLT}, {"FAST", FAST}, {"LARGE", LARGE}, {"SOFT", SOFT},
                                                       {"FIRM", FIRM}, {"WORN_FIRM", WORN_FIRM}, {"FIRMER", FIRMER}, {"SOFT_STRETCH", SOFT_STRETCH}, {"MOST_SOFT_STRETCH", MOST_SOFT_STRETCH},
                                                       {"EVENED", EVENED}, {"AT_ONCE", AT_ONCE}, {"RUBBING", RUBBING}, {"STICKING", STICKING}, {"NEARLY_STILL", NEARLY_STILL},
                                                       {"HARDEST_BRAKE", HARDEST_BRAKE}, {"FOLLOWED", FOLLOWED}};
    for (const auto &[name, value] : figures) all[name] = value;
    return all;
}
}  // namespace

void bind_cloth(nb::module_ &m) {
    using namespace nb::literals;
    nb::class_<Cloth>(m, "Cloth", "A garment's constraints and the step that advances it.")
        .def_prop_ro("kind", [](const Cloth &c) { return c.kind() == cloth::Kind::SMALL ? "small" : c.kind() == cloth::Kind::FLOAT ? "float" : "double"; })
        .def("set_long_threads", [](Cloth &c, In<std::int32_t, -1, 2> pairs, In<double, -1> rest) { c.set_long_threads({span_of(pairs), span_of(rest)}); }, "pairs"_a, "rest"_a)
        .def("set_stencil_rest", [](Cloth &c, Points rest) { c.set_stencil_rest(span_of(rest)); }, "rest"_a)
        .def("set_grid", &set_grid, "rows"_a, "columns"_a, "cell"_a, "stiffness"_a, "bend"_a, "reach"_a, "stencil_of"_a, "alternate"_a)
        .def("set_limit_compliance", &Cloth::set_limit_compliance, "soft_stretch"_a, "substep"_a, "bias"_a = 1.0)
        .def("level_limits", &level_limits, "level"_a, "position"_a)
        .def("triangle_sequence", [](const Cloth &c, Triangles t) { return c.triangle_sequence(span_of(t)); }, "triangles"_a)
        .def("stretch", [](const Cloth &c, Points x, std::size_t every) { const auto s = c.stretch(span_of(x), every); return std::make_tuple(s.mean, s.most); }, "position"_a, "every"_a = 1)
        .def("step", &cloth_step, "position"_a, "velocity"_a, "dt"_a, "substep_count"_a, "gravity"_a, "wind"_a, "contact_particle"_a, "contact_gap"_a, "contact_normal"_a,
             "contact_velocity"_a, "options"_a)
        .def_prop_ro("memory", &Cloth::memory, "-> bytes held, by part")
        .def_prop_ro("levels", [](const Cloth &c) { std::vector<std::tuple<std::size_t, std::size_t>> r; for (const auto &[a, b] : c.levels()) r.emplace_back(a, b); return r; })
        .def_prop_ro("constraint_count", &Cloth::constraint_count);
    nb::class_<KeptSolver>(m, "ClothSolver", "The default solver of a cloth: arrays as in scene_fields().")
        .def(nb::init<nb::dict>(), "arrays"_a)
        .def("set_law", [](KeptSolver &s, const std::string &name, double value) {
            require(name == "FIRMER" || name == "JOLT_AT_REST", "tests may set FIRMER and JOLT_AT_REST");
            (name == "FIRMER" ? s.solver->settings().firmer : s.solver->settings().jolt_at_rest) = value;
        }, "name"_a, "value"_a, "for tests")
        .def("set_levels", [](KeptSolver &s) { s.solver->set_levels(); })
        .def_prop_ro("measured", [](const KeptSolver &s) { return s.solver->measured(); }, "-> how often the stretch of the cloth has been measured")
        .def("pin", [](KeptSolver &s, In<std::int32_t, -1> particles) { s.solver->pin(span_of(particles)); }, "particles"_a)
        .def("set_drag", [](KeptSolver &s, double drag) { s.solver->set_drag(drag); }, "drag"_a)
        .def("set_friction", [](KeptSolver &s, In<double, -1> scale) { s.solver->set_friction(span_of(scale)); }, "scale"_a)
        .def("close_seams", [](KeptSolver &s, double fraction) { s.solver->close_seams(fraction); }, "fraction"_a)
        .def("substep", [](KeptSolver &s, Points x, double speed, double whipping, bool over_skin) { require(x.shape(0) == s.solver->particle_count(), "position needs one row per particle"); return s.solver->substep(span_of(x), speed, whipping, over_skin); },
             "position"_a, "speed"_a, "whipping"_a, "over_skin"_a)
        .def("step", &solver_step, "position"_a, "velocity"_a, "contacts"_a, "gravity"_a, "wind"_a, "watch"_a.none(), "dt"_a,
             "-> position, velocity dt [s] later; contacts: a query, as in toile.core.records")
        .def_prop_ro("longest_contact_step", [](const KeptSolver &s) { return s.solver->longest_contact_step(); })
        .def_prop_ro("followed_updates", [](const KeptSolver &s) { return s.solver->followed_updates(); })
        .def_prop_ro("cloth", [](KeptSolver &s) -> Cloth & { return s.solver->cloth(); }, nb::rv_policy::reference_internal);
    m.def("fixed_math", &fixed, "name"_a, "x"_a, "y"_a, "log, exp, power, atan2, hypot, fourth_root, sine, cosine of engine/core/fixed_math.h");
    m.def("step_laws", &laws, "-> figures by which the default solver steps (engine/frame/step_laws.h)");
    m.def("calmness", &calmness, "speed"_a, "slow"_a);
    m.def("swiftness", &swiftness, "speed"_a, "slow"_a, "fast"_a);
    m.def("firmness", [](double speed, double firm) { return firmness(speed, firm); }, "speed"_a, "firm"_a);
    m.def("rubbing_drag", &rubbing_drag, "speed"_a);
    m.def("speeds", [](Points velocity) { const auto s = speeds(velocity.data(), velocity.shape(0)); return std::make_tuple(s.mean, s.whipping); }, "velocity"_a);
    m.def("scene_fields", [] {
        std::vector<std::tuple<std::string, std::string, std::string, std::string>> all;
        for (const SceneField &f : scene_fields()) all.emplace_back(f.name, f.type == NumberType::INT32 ? "int32" : "float64", f.shape, f.group);
        return all;
    }, "-> name, type, shape, group of each array of a scene");
}
