// Frames of cloth round a body for Python: body steps, repair, zones, rest, the walker.
#include <cmath>

#include "bind.h"
#include "contact_bind.h"
#include "core/checks.h"
#include "frame/scene.h"
#include "frame/scene_arrays.h"
#include "frame/walker.h"
#include "named.h"

namespace {
using namespace frame;

template <class Array>
auto span_of(const Array &array) {
    return std::span{array.data(), array.size()};
}
using Ints = In<std::int32_t, -1>;

std::vector<double> numbers(const Points &rows) { return {rows.data(), rows.data() + rows.size()}; }
nb::ndarray<nb::numpy, double> rows_of(std::vector<double> values) {
    const std::size_t n = values.size() / 3;
    return own(std::move(values), {n, 3});
}
StateArrays state_of(const Points &position, const Points &velocity) {
    require(position.shape(0) == velocity.shape(0), "position and velocity need one row per particle");
    require(all_finite(position.data(), position.size()) && all_finite(velocity.data(), velocity.size()), "a state holds NaN or infinite numbers");
    return {numbers(position), numbers(velocity)};
}
nb::tuple repaired(const Repaired &r) { return nb::make_tuple(r.body_before, r.cloth_before, r.body_after, r.cloth_after, r.moved); }

nb::tuple body_steps(Points before, Points after, Ints limb, Ints thin, Points position, Points velocity, double dt, double longest_contact_step, int followed_updates) {
    const std::size_t n = before.shape(0);
    require(after.shape(0) == n && limb.size() == n, "before, after and limb need one row per skin vertex");
    require(position.shape(0) == velocity.shape(0), "position and velocity need one row per particle");
    require(dt > 0 && longest_contact_step > 0 && followed_updates > 0, "dt, longest_contact_step and followed_updates must be positive");
    require_indices(limb, thin.size(), "a skin vertex names a limb that does not exist");
    for (std::size_t k = 0; k < thin.size(); ++k) require(thin(k) >= -1 && thin(k) < body::MOST_THIN_LIMBS, "thin limbs are numbered from 0 to 31");
    FramePlan plan;
    {
        nb::gil_scoped_release release;
        plan = plan_frame({n, before.data(), after.data(), limb.data(), thin.data(), position.shape(0), position.data(), velocity.data()}, dt, longest_contact_step, followed_updates);
    }
    std::vector<std::tuple<double, double, double, double, bool>> steps;
    for (const BodyStep &s : plan.steps) steps.emplace_back(s.at, s.length, s.watch, s.since, s.follow);
    const std::size_t boxes = plan.boxes.size() / 6;
    return nb::make_tuple(plan.searches, plan.broad, rows_of(std::move(plan.velocity)), own(std::move(plan.boxes), {boxes, 2, 3}), steps);
}

// the engine's copy of what a garment's arrays say, so that Python may let go of them
struct RepairArrays {
    std::vector<std::int32_t> triangles, layer, label;
    std::vector<double> sides;
    RepairModel model() const { return {triangles, layer, label, sides}; }
};
template <class Array, class T = std::remove_const_t<typename Array::Scalar>>
std::vector<T> copy_of(const Array &a) {
    return {a.data(), a.data() + a.size()};
}
void check_cloth(const Triangles &triangles, const Ints &label, const Points &position) {
    require(label.size() == position.shape(0), "label must have one value per particle");
    require_indices(triangles, position.shape(0), "a triangle names a particle that does not exist");
    require_indices(label, position.shape(0), "labels are particle numbers");
    require(all_finite(position.data(), position.size()), "positions hold NaN or infinite numbers");
}

struct KeptRepair {
    RepairArrays arrays;
    std::unique_ptr<Repair> repair;
};
void make_repair(KeptRepair *where, Triangles triangles, Ints layer, Ints label, In<double, -1, 3> sides, Points position, Ints pinned) {
    check_cloth(triangles, label, position);
    require(layer.size() == triangles.shape(0) && sides.shape(0) == triangles.shape(0), "layer and sides need one row per triangle");
    require(all_finite(sides.data(), sides.size()), "rest lengths hold NaN or infinite numbers");
    require_indices(pinned, position.shape(0), "a pinned particle does not exist");
    new (where) KeptRepair{{copy_of(triangles), copy_of(layer), copy_of(label), copy_of(sides)}, nullptr};
    where->repair = std::make_unique<Repair>(where->arrays.model(), std::span{position.data(), position.size()}, std::span{pinned.data(), pinned.size()});
}
nb::tuple run_repair(KeptRepair &r, Points position, Points velocity, SkinContact &contact, Points vertices, std::optional<Points> start) {
    StateArrays state = state_of(position, velocity);
    require(position.shape(0) == r.arrays.label.size() && (!start || start->shape(0) == r.arrays.label.size()), "position must have one row per particle");
    const PosedSkin skin = posed_skin(vertices, contact.vertex_count());
    Repaired found;
    {
        nb::gil_scoped_release release;
        found = r.repair->run(state.view(), contact, skin, start ? start->data() : nullptr);
    }
    return nb::make_tuple(rows_of(std::move(state.position)), rows_of(std::move(state.velocity)), repaired(found));
}

struct KeptRest {
    std::vector<std::int32_t> triangles, label;
    std::unique_ptr<Rest> rest;
    SkinContact *contact;
};
void make_rest(KeptRest *where, Triangles triangles, Ints label, Points position, SkinContact &contact) {
    check_cloth(triangles, label, position);
    new (where) KeptRest{copy_of(triangles), copy_of(label), nullptr, &contact};
    where->rest = std::make_unique<Rest>(where->triangles, where->label, std::span{position.data(), position.size()}, contact);
}
nb::object stay(KeptRest &r, Points start, Points end, Points end_velocity, Points free, Points vertices, double dt) {
    StateArrays state = state_of(end, end_velocity);
    const StateArrays begin{numbers(start), std::vector<double>(start.size(), 0.0)};
    require(start.shape(0) == r.label.size() && end.shape(0) == r.label.size() && free.shape(0) == r.label.size() && dt > 0, "a state must have one row per particle");
    const PosedSkin skin = posed_skin(vertices, r.contact->vertex_count());
    const std::vector<double> left = numbers(free);
    bool changed;
    {
        nb::gil_scoped_release release;
        changed = r.rest->stay(begin, state, left, skin, dt);
    }
    if (!changed) return nb::none();
    return nb::make_tuple(rows_of(std::move(state.position)), rows_of(std::move(state.velocity)));
}
bool asleep(KeptRest &r, Points start, Points end, Points before, Points after, double dt) {
    require(start.shape(0) == r.label.size() && end.shape(0) == r.label.size() && dt > 0, "a state must have one row per particle");
    const StateArrays begin{numbers(start), {}}, state{numbers(end), {}};
    const PosedSkin was = posed_skin(before, r.contact->vertex_count()), is = posed_skin(after, r.contact->vertex_count());
    nb::gil_scoped_release release;
    return r.rest->asleep(begin, state, was, is, dt);
}

std::vector<surface::TrianglePair> pairs_of(const In<std::int32_t, -1, 2> &crossing, std::size_t triangles) {
    require_indices(crossing, triangles, "a pair names a triangle that does not exist");
    std::vector<surface::TrianglePair> pairs;
    for (std::size_t k = 0; k < crossing.shape(0); ++k) pairs.push_back({crossing(k, 0), crossing(k, 1)});
    return pairs;
}
using ZoneFlags = nb::ndarray<const bool, nb::shape<-1>, nb::c_contig, nb::device::cpu>;
auto widen_zone(Triangles triangles, Ints label, ZoneFlags zone, In<std::int32_t, -1, 2> crossing) {
    require(zone.size() == label.size(), "zone and label need one value per particle");
    require_indices(triangles, label.size(), "a triangle names a particle that does not exist");
    require_indices(label, label.size(), "labels are particle numbers");
    Marks marks(zone.data(), zone.data() + zone.size());
    widen({span_of(triangles), span_of(label), {}}, pairs_of(crossing, triangles.shape(0)), marks);
    const std::size_t n = marks.size();
    return own(std::move(marks), {n});
}
nb::tuple carry_zone(Triangles triangles, Ints label, ZoneFlags zone, In<std::int32_t, -1, 2> crossing, Points start, Points position, Points velocity) {
    StateArrays state = state_of(position, velocity);
    const std::size_t n = position.shape(0);
    check_cloth(triangles, label, position);
    require(zone.size() == n && start.shape(0) == n, "zone and start need one row per particle");
    carry_zones({span_of(triangles), span_of(label), Marks(n, 1)}, Marks(zone.data(), zone.data() + n), pairs_of(crossing, triangles.shape(0)), start.data(), state.view());
    return nb::make_tuple(rows_of(std::move(state.position)), rows_of(std::move(state.velocity)));
}

// A solver and a collider written in Python. Called without the interpreter's lock, it takes it.
class PythonStepper final : public Stepper {
  public:
    explicit PythonStepper(nb::object stepper) : stepper_(std::move(stepper)) {}
    ~PythonStepper() override {
        const nb::gil_scoped_acquire lock;
        stepper_.reset();
    }
    void advance(const ClothState &cloth, const MovingSkin &, bool all_sides, const Air &, double) override {
        const nb::gil_scoped_acquire lock;
        const auto answer = nb::cast<nb::tuple>(stepper_.attr("advance")(copied(cloth.position), copied(cloth.velocity), all_sides));
        write(nb::cast<Points>(answer[0]), cloth.position), write(nb::cast<Points>(answer[1]), cloth.velocity);
    }
    void pin(std::span<const std::int32_t> particles) override {
        const nb::gil_scoped_acquire lock;
        stepper_.attr("pin")(own(std::vector<std::int32_t>(particles.begin(), particles.end()), {particles.size()}));
    }

  private:
    static nb::ndarray<nb::numpy, double> copied(std::span<double> rows) { return rows_of({rows.begin(), rows.end()}); }
    static void write(const Points &from, std::span<double> to) {
        require(from.size() == to.size(), "a solver must return one row per particle");
        std::copy_n(from.data(), from.size(), to.begin());
    }
    nb::object stepper_;
};

struct KeptWalker {
    KeptArrays kept;
    nb::object contact_kept;
    std::unique_ptr<Walker> walker;

    // contact: the skin, or None; make: makes a solver with its collider, or None for the default one
    KeptWalker(const nb::dict &arrays, nb::object contact, nb::object make) : kept(arrays), contact_kept(std::move(contact)) {
        const std::string wrong = check_scene(kept.arrays(), make.is_none() ? ScenePart::ALL : ScenePart::WALK);
        require(wrong.empty(), wrong.c_str());
        SkinContact *skin = contact_kept.is_none() ? nullptr : nb::cast<SkinContact *>(contact_kept);
        require(skin || !make.is_none(), "the default solver needs the skin");
        const WalkerModel model = walker_model(kept.arrays());
        require(!skin || 3 * skin->vertex_count() == model.skin_rest.size(), "the skin must have as many vertices as the body");
        Walker::MakeStepper maker;
        if (make.is_none()) maker = [this, skin] { return std::make_unique<DefaultStepper>(solver_model(kept.arrays()), *skin); };
        else maker = [make = LockedObject(make)]() -> std::unique_ptr<Stepper> {
            const nb::gil_scoped_acquire lock;
            return std::make_unique<PythonStepper>((*make.object)());
        };
        walker = std::make_unique<Walker>(model, skin, maker);
    }

  private:
    // is copied and let go of without the lock
    struct LockedObject {
        std::shared_ptr<nb::object> object;
        explicit LockedObject(nb::object o)
            : object(new nb::object(std::move(o)), [](nb::object *p) {
                  const nb::gil_scoped_acquire lock;
                  delete p;
              }) {}
    };
};

nb::tuple frame_of(KeptWalker &w, Points vertices, In<double, 3> gravity, In<double, 3> wind, std::optional<Points> led, double dt) {
    const FrameInput input{posed_skin(vertices, w.walker->skin().count()), {{gravity(0), gravity(1), gravity(2)}, {wind(0), wind(1), wind(2)}},
                           led ? std::span{led->data(), led->size()} : std::span<const double>{}};
    require(dt > 0 && dt < 1e6, "dt must be positive");
    Repaired found;
    {
        nb::gil_scoped_release release;
        found = w.walker->frame(input, dt);
    }
    return repaired(found);
}

void make_scene(std::unique_ptr<Scene> *where, nb::bytes file) {
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(file.c_str());
    std::string wrong;
    auto scene = Scene::open({bytes, bytes + file.size()}, wrong);
    require(scene != nullptr, wrong.c_str());
    new (where) std::unique_ptr<Scene>(std::move(scene));
}
std::array<double, 3> vector_of(const In<double, 3> &v) { return {v(0), v(1), v(2)}; }
}  // namespace

// what a page opens, for tests: a unique pointer, as a scene is made by `open` alone
struct SceneHandle {
    std::unique_ptr<Scene> scene;
};

void bind_scene(nb::module_ &m) {
    using namespace nb::literals;
    nb::class_<SceneHandle>(m, "Scene", "A prepared scene as a page or a game opens it: the bytes of a file (engine/core/named_arrays.h).")
        .def("__init__", [](SceneHandle *where, nb::bytes file) { make_scene(&where->scene, file); }, "file"_a)
        .def("pose", [](SceneHandle &s, In<double, -1, 4, 4> world) { return s.scene->pose(span_of(world)); }, "world_from_joint"_a)
        .def("pose_vertices", [](SceneHandle &s, Points vertices) { return s.scene->pose_vertices(span_of(vertices)); }, "vertices"_a)
        .def("frame", [](SceneHandle &s, double dt) {
            require(dt > 0 && dt < 1e6, "dt must be positive");
            nb::gil_scoped_release release;
            return s.scene->frame(dt).left();
        }, "dt"_a, "-> how many crossings are left")
        .def_prop_ro("position", [](const SceneHandle &s) { return rows_of(s.scene->state().position); }, nb::rv_policy::move)
        .def_prop_ro("velocity", [](const SceneHandle &s) { return rows_of(s.scene->state().velocity); }, nb::rv_policy::move)
        .def_prop_ro("skin", [](const SceneHandle &s) { return rows_of({s.scene->skin().data(), s.scene->skin().data() + 3 * s.scene->skin().count()}); }, nb::rv_policy::move)
        .def_prop_ro("sleeps", [](const SceneHandle &s) { return s.scene->sleeps(); })
        .def_prop_ro("counts", [](const SceneHandle &s) { const auto &c = s.scene->counts(); return std::make_tuple(c.frames, c.repaired, c.left); })
        .def("save", [](const SceneHandle &s) { std::vector<double> all(s.scene->saved_size()); s.scene->save(all.data()); const auto n = all.size(); return own(std::move(all), {n}); })
        .def("restore", [](SceneHandle &s, In<double, -1> numbers) { return s.scene->restore(span_of(numbers)); }, "numbers"_a)
        .def("set_wind", [](SceneHandle &s, In<double, 3> wind) { s.scene->set_wind(vector_of(wind)); }, "wind"_a)
        .def("set_gravity", [](SceneHandle &s, In<double, 3> gravity) { s.scene->set_gravity(vector_of(gravity)); }, "gravity"_a)
        .def("grab", [](SceneHandle &s, int particle, In<double, 3> target) { return s.scene->grab(particle, vector_of(target)); }, "particle"_a, "target"_a)
        .def("let_go", [](SceneHandle &s) { s.scene->let_go(); })
        .def("pin", [](SceneHandle &s, Ints particles) { return s.scene->pin(span_of(particles)); }, "particles"_a)
        .def("set_fabric", [](SceneHandle &s, double mass, double stretch, double bend, double friction) { return s.scene->set_fabric({mass, stretch, bend, friction}); },
             "mass"_a = 1.0, "stretch"_a = 1.0, "bend"_a = 1.0, "friction"_a = 1.0);
    m.def("scene_checksum", [](In<std::uint8_t, -1> bytes) { return checksum(bytes.data(), bytes.size()); }, "bytes"_a);
}

void bind_walker(nb::module_ &m) {
    using namespace nb::literals;
    m.def("body_steps", &body_steps, "before"_a, "after"_a, "limb"_a, "thin"_a, "position"_a, "velocity"_a, "dt"_a, "longest_contact_step"_a, "followed_updates"_a,
          "-> searches of the skin, those for broad limbs, velocity of the skin (n, 3), boxes near thin limbs (k, 2, 3), "
          "steps (share of the way, length [s], watch [s], since the skin was searched [s], whether contacts are followed)");
    nb::class_<KeptRepair>(m, "Repair", "The last correction of a frame. Not to be used by two threads at once.")
        .def("__init__", &make_repair, "triangles"_a, "layer"_a, "label"_a, "sides"_a, "position"_a, "pinned"_a)
        .def("run", &run_repair, "position"_a, "velocity"_a, "contact"_a, "vertices"_a, "start"_a.none() = nb::none(),
             "-> position, velocity, (body_before, cloth_before, body_after, cloth_after, moved)");
    nb::class_<KeptRest>(m, "Rest", "Keeps a garment from trembling while its body stands still. Not to be used by two threads at once.")
        .def("__init__", &make_rest, "triangles"_a, "label"_a, "position"_a, "contact"_a, nb::keep_alive<1, 5>())
        .def("stay", &stay, "start"_a, "end"_a, "end_velocity"_a, "free"_a, "vertices"_a, "dt"_a, "-> position, velocity; None: nothing has to stay")
        .def("asleep", &asleep, "start"_a, "end"_a, "before"_a, "after"_a, "dt"_a, "-> whether cloth stays at the start of a frame");
    m.def("stands_still", [](Points before, Points after) {
        return stands_still(posed_skin(before, after.shape(0)), posed_skin(after, after.shape(0)));
    }, "before"_a, "after"_a, "-> whether no skin moves between two poses");
    m.def("widen_zone", &widen_zone, "triangles"_a, "label"_a, "zone"_a, "crossing"_a, "-> zone (n,) with what crosses, one ring round it, both sides of seams");
    m.def("carry_zone", &carry_zone, "triangles"_a, "label"_a, "zone"_a, "crossing"_a, "start"_a, "position"_a, "velocity"_a,
          "-> position, velocity with each zone in the shape that it had at the start");
    nb::class_<KeptWalker>(m, "Walker", "A dressed body in motion: arrays as in scene_fields(). Not to be used by two threads at once.")
        .def(nb::init<nb::dict, nb::object, nb::object>(), "arrays"_a, "contact"_a.none(), "make"_a.none() = nb::none())
        .def("frame", &frame_of, "vertices"_a, "gravity"_a, "wind"_a, "led"_a.none(), "dt"_a,
             "Compute the next frame, which ends with the skin at vertices -> (body_before, cloth_before, body_after, cloth_after, moved)")
        .def("go_to", [](KeptWalker &w, Points position, Points velocity, Points vertices) {
            w.walker->go_to(state_of(position, velocity), posed_skin(vertices, w.walker->skin().count()));
        }, "position"_a, "velocity"_a, "vertices"_a)
        .def("pin", [](KeptWalker &w, Ints particles) { w.walker->pin(span_of(particles)); }, "particles"_a)
        .def_prop_ro("pinned", [](const KeptWalker &w) { auto p = w.walker->pinned(); const std::size_t n = p.size(); return own(std::move(p), {n}); }, nb::rv_policy::move)
        .def_prop_ro("position", [](const KeptWalker &w) { return rows_of(w.walker->state().position); }, nb::rv_policy::move)
        .def_prop_ro("velocity", [](const KeptWalker &w) { return rows_of(w.walker->state().velocity); }, nb::rv_policy::move)
        .def_prop_ro("sleeps", [](const KeptWalker &w) { return w.walker->sleeps(); });
}
