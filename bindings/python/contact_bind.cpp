#include "contact_bind.h"

#include "core/checks.h"
#include "frame/scene_arrays.h"
#include "frame/skin_contact.h"
#include "frame/skin_sides.h"
#include "named.h"

StepContacts step_contacts(const In<std::int32_t, -1> &particle, const In<double, -1> &gap, const Points &normal, const Points &velocity, const KeptTracked *tracked,
                           std::size_t particles) {
    const std::size_t count = particle.size();
    require(gap.size() == count && normal.shape(0) == count && velocity.shape(0) == count, "contacts: arrays differ in length");
    require(!tracked || (tracked->triangle.size() == count && (!tracked->hint || tracked->hint_rows() == particles)),
            "tracked contacts need a triangle each, and hints of each particle");
    require_indices(particle, particles, "contacts: a particle does not exist");
    return {{count, particle.data(), gap.data(), normal.data(), velocity.data()}, tracked ? &tracked->contacts : nullptr, nullptr};
}

frame::PosedSkin posed_skin(const Points &vertices, std::size_t vertex_count) {
    require(vertices.shape(0) == vertex_count, "a pose needs one place per vertex");
    require(all_finite(vertices.data(), vertices.size()), "surface vertices hold NaN or infinite numbers");
    const auto *kept = new Points(vertices);
    return {std::shared_ptr<const double>(vertices.data(),
                                          [kept](const double *) {
                                              const nb::gil_scoped_acquire lock;
                                              delete kept;
                                          }),
            vertex_count};
}

PythonSource::PythonSource(nb::object query, std::size_t particles) : query_(std::move(query)), particles_(particles) {
    nowhere_ = nb::cast<bool>(query_.attr("nowhere"));
    ball_kept_ = query_.attr("ball");
    if (!ball_kept_.is_none()) ball_ = nb::cast<const Ball *>(ball_kept_);
}

PythonSource::~PythonSource() {
    // an exception may pass while the lock is not held
    const nb::gil_scoped_acquire lock;
    query_.reset(), ball_kept_.reset(), found_.reset();
    particle_ = {}, gap_ = {}, grip_ = {}, normal_ = {}, velocity_ = {};
}

StepContacts PythonSource::find(const double *position) {
    const nb::gil_scoped_acquire lock;
    std::vector<double> copy(position, position + 3 * particles_);
    found_ = query_(own(std::move(copy), {particles_, 3}));
    particle_ = nb::cast<In<std::int32_t, -1>>(found_.attr("particle")), gap_ = nb::cast<In<double, -1>>(found_.attr("gap"));
    normal_ = nb::cast<Points>(found_.attr("normal")), velocity_ = nb::cast<Points>(found_.attr("velocity"));
    const nb::object tracked = found_.attr("tracked"), grip = found_.attr("grip");
    StepContacts contacts = step_contacts(particle_, gap_, normal_, velocity_, tracked.is_none() ? nullptr : nb::cast<const KeptTracked *>(tracked), particles_);
    if (!grip.is_none()) {
        grip_ = nb::cast<In<double, -1>>(grip);
        require(grip_.size() == contacts.given.count, "contacts: arrays differ in length");
        contacts.grip = grip_.data();
    }
    return contacts;
}

namespace {
using namespace frame;

template <class T>
auto copied(const T *values, std::size_t size, std::initializer_list<std::size_t> shape) {
    return own(std::vector<T>(values, values + size), shape);
}

nb::object grip_of(SkinContact &c, std::size_t count) {
    const double *grip = c.grip();
    return grip ? nb::cast(copied(grip, count, {count})) : nb::none();
}

nb::tuple listed(SkinContact &c, const surface::SkinContacts &found, const KeptTracked &tracked) {
    const std::size_t n = found.count();
    return nb::make_tuple(copied(found.particle.data(), n, {n}), copied(found.gap.data(), n, {n}), copied(found.normal.data(), 3 * n, {n, 3}),
                          copied(found.velocity.data(), 3 * n, {n, 3}), tracked, grip_of(c, n));
}

// with arrays of its own: those of the contact change when it is asked again
KeptTracked kept_tracked(const SkinContact &c, const Points &velocity) {
    KeptTracked kept{c.tracked(velocity.data()), {}, velocity, {}, nb::find(c)};
    const auto groups = static_cast<std::size_t>(c.tree().group_count());
    const std::size_t hints = c.hint_count();
    kept.triangle = nb::cast<In<std::int32_t, -1>>(nb::cast(copied(kept.contacts.triangle, kept.contacts.count, {kept.contacts.count})));
    kept.hint = nb::cast<In<std::int32_t, -1, -1>>(nb::cast(copied(kept.contacts.hint, hints, {hints / groups, groups})));
    kept.contacts.triangle = kept.triangle.data(), kept.contacts.hint = kept.hint->data();
    return kept;
}

void require_points(const SkinContact &c, const Points &velocity) { require(velocity.shape(0) == c.vertex_count(), "velocity must have one row per vertex"); }

nb::tuple find(SkinContact &c, Points vertices, Points velocity, Points points) {
    require_points(c, velocity);
    const PosedSkin skin = posed_skin(vertices, c.vertex_count());
    const surface::SkinContacts *found;
    {
        nb::gil_scoped_release release;
        found = &c.find(skin, velocity.data(), points.data(), points.shape(0));
    }
    return listed(c, *found, kept_tracked(c, velocity));
}

nb::tuple follow(SkinContact &c, Points vertices, Points velocity, Points points, double since, In<double, -1, 2, 3> boxes) {
    require_points(c, velocity);
    require(since >= 0, "since must not be negative");
    const PosedSkin skin = posed_skin(vertices, c.vertex_count());
    const surface::SkinContacts *found;
    {
        nb::gil_scoped_release release;
        found = &c.follow(skin, velocity.data(), points.data(), points.shape(0), {since, {boxes.data(), boxes.size()}});
    }
    return listed(c, *found, kept_tracked(c, velocity));
}

nb::tuple sides(SkinContact &c, Points vertices, Points velocity, Points points) {
    require_points(c, velocity);
    SkinSides source(c, points.shape(0));
    source.pose(posed_skin(vertices, c.vertex_count()), velocity.data());
    StepContacts found;
    {
        nb::gil_scoped_release release;
        found = source.find(points.data());
    }
    const GivenContacts &g = found.given;
    return nb::make_tuple(copied(g.particle, g.count, {g.count}), copied(g.gap, g.count, {g.count}), copied(g.normal, 3 * g.count, {g.count, 3}),
                          copied(g.velocity, 3 * g.count, {g.count, 3}));
}
}  // namespace

void bind_contact(nb::module_ &m) {
    using namespace nb::literals;
    nb::class_<SkinContact>(m, "SkinContact", "Contact with one body's skin: arrays as in scene_fields(). Not to be asked by two threads at once.")
        .def("__init__", [](SkinContact *where, nb::dict arrays) {
                const KeptArrays kept(arrays);
                const std::string wrong = check_scene(kept.arrays(), ScenePart::SKIN);
                require(wrong.empty(), wrong.c_str());
                new (where) SkinContact(skin_model(kept.arrays()));
            }, "arrays"_a)
        .def("find", &find, "vertices"_a, "velocity"_a, "points"_a, "-> particle, gap, normal, velocity, tracked contacts, grip or None")
        .def("follow", &follow, "vertices"_a, "velocity"_a, "points"_a, "since"_a, "boxes"_a, "the same since [s] after all were searched; points in boxes (k, 2, 3) are searched again")
        .def("sides", &sides, "vertices"_a, "velocity"_a, "points"_a, "-> particle, gap, normal, velocity of contacts with all sides of creases")
        .def("tree", [](SkinContact &c, Points vertices) -> const surface::Tree & { return c.tree(posed_skin(vertices, c.vertex_count())); }, "vertices"_a, nb::rv_policy::reference_internal,
             "-> the tree over the skin in this pose, until another pose is asked for");
}
