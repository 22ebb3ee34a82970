// Mass-spring cloth in explicit steps (Vassilev et al. 2001): forces, over-elongation, contact planes; see cloth/spring.py, whose
// formulas these are. Springs are visited in the given order, one thread: the papers' garments have a few thousand particles.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bind.h"
#include "surface_math.h"

namespace {

using surface::cross;
using surface::dot;
using surface::length;
using surface::load;
using surface::normalised;
using surface::Vec3;

using Numbers = In<double, -1>;
using Flags = In<bool, -1>;
using Vector3 = In<double, 3>;
enum Rule { LEAVE, ZERO, AVERAGE, DIRECTIONAL, POSITION };

struct Options {
    double dt, damping, threshold, thickness, speed_limit, slide, reflection, grip;
    int rule, sweeps;
    bool gravity_directs, by_velocity;
    Vec3 gravity, wind;
};

// a plane that the skin carries on: gap + n · (x - start - t v)
struct Plane {
    std::int32_t who;  // particle, or face
    double gap;
    Vec3 start, normal, skin;
    double at(Vec3 x, double t) const { return gap + dot(normal, x - start - t * skin); }
};

struct TooLong {
    std::int32_t spring;
    Vec3 along;
    double cosine;
};

class SpringCloth {
  public:
    SpringCloth(In<std::int32_t, -1, 2> ends, Numbers rest, Numbers stiffness, Flags limited, Numbers mass, Numbers air, Numbers friction,
                Triangles triangles, In<std::int32_t, -1, 4> faces) {
        const std::size_t n = mass.size(), s = ends.shape(0);
        require(rest.size() == s && stiffness.size() == s && limited.size() == s, "one rest length, stiffness and flag per spring");
        require(air.size() == n && friction.size() == n, "one air strength and friction per particle");
        require_indices(ends, n, "a spring names a particle that does not exist");
        require_indices(triangles, n, "a triangle names a particle that does not exist");
        for (std::size_t i = 0; i < faces.size(); ++i)
            require(faces.data()[i] >= (i % 4 == 3 ? -1 : 0) && faces.data()[i] < static_cast<std::int64_t>(n), "a face names a particle that does not exist");
        for (std::size_t i = 0; i < n; ++i) require(mass.data()[i] > 0, "masses must be positive");
        ends_.assign(ends.data(), ends.data() + 2 * s), rest_.assign(rest.data(), rest.data() + s);
        stiffness_.assign(stiffness.data(), stiffness.data() + s), limited_.assign(limited.data(), limited.data() + s);
        mass_.assign(mass.data(), mass.data() + n), air_.assign(air.data(), air.data() + n);
        friction_.assign(friction.data(), friction.data() + n), pinned_.assign(n, 0);
        triangle_.assign(triangles.data(), triangles.data() + triangles.size()), face_.assign(faces.data(), faces.data() + faces.size());
        blown_ = std::any_of(air_.begin(), air_.end(), [](double a) { return a > 0; });
        x_.resize(n), v_.resize(n), force_.resize(n), normal_.resize(n), object_.resize(n), touching_.resize(n);
        answer_.resize(n), answers_.resize(n);
    }
    void pin(Flags pinned) {
        require(pinned.size() == mass_.size(), "one flag per particle");
        pinned_.assign(pinned.data(), pinned.data() + pinned.size());
    }
    nb::tuple steps(Points position, Points velocity, int count, double since, Options o, In<std::int32_t, -1> who, Numbers gap,
                    Points normal, Points skin);

  private:
    void find_forces(const Options &o);
    void blow(const Options &o);
    void react(const Options &o, double t);
    void find_objects(const Options &o, double t);
    Vec3 direction(const Options &o, std::size_t spring) const;
    void modify_velocities(const Options &o);
    void modify_positions(const Options &o);
    void limit_speed(const Options &o);
    void respond_by_velocity(const Options &o, double t);
    void respond(const Options &o, double t);
    void answer(std::int32_t p, Vec3 velocity) { answer_[p] = answer_[p] + velocity, ++answers_[p]; }
    Vec3 middle(const std::vector<Vec3> &of, std::int32_t face) const;
    double share(std::int32_t a, std::int32_t b) const;
    void substep(const Options &o, double t);

    std::vector<std::int32_t> ends_, triangle_, face_;
    std::vector<double> rest_, stiffness_, mass_, air_, friction_;
    std::vector<char> limited_, pinned_;
    bool blown_ = false;
    std::vector<Vec3> x_, v_, force_, normal_, object_, answer_;
    std::vector<char> touching_;
    std::vector<int> answers_;
    std::vector<Plane> planes_, face_planes_;
    std::vector<TooLong> long_;
};

// springs (equation 2), gravity, viscous damping
void SpringCloth::find_forces(const Options &o) {
    for (std::size_t p = 0; p < mass_.size(); ++p) force_[p] = mass_[p] * (o.gravity - o.damping * v_[p]);
    for (std::size_t s = 0; s < rest_.size(); ++s) {
        const std::int32_t a = ends_[2 * s], b = ends_[2 * s + 1];
        const Vec3 way = x_[b] - x_[a];
        const Vec3 pull = stiffness_[s] * (1 - rest_[s] / std::max(length(way), 1e-12)) * way;
        force_[a] = force_[a] + pull, force_[b] = force_[b] - pull;
    }
    if (blown_) blow(o);
}

// Provot's wind: c (n · (u - v)) n
void SpringCloth::blow(const Options &o) {
    std::fill(normal_.begin(), normal_.end(), Vec3{0, 0, 0});
    for (std::size_t t = 0; t < triangle_.size(); t += 3) {
        const std::int32_t a = triangle_[t], b = triangle_[t + 1], c = triangle_[t + 2];
        const Vec3 n = cross(x_[b] - x_[a], x_[c] - x_[a]);
        normal_[a] = normal_[a] + n, normal_[b] = normal_[b] + n, normal_[c] = normal_[c] + n;
    }
    for (std::size_t p = 0; p < mass_.size(); ++p) {
        const Vec3 n = normalised(normal_[p]);
        force_[p] = force_[p] + air_[p] * dot(n, o.wind - v_[p]) * n;
    }
}

// equation 16: the skin answers a force that presses into it, and takes part of what pulls along it
void SpringCloth::react(const Options &o, double t) {
    for (const Plane &plane : planes_) {
        if (!(plane.at(x_[plane.who], t) < o.thickness)) continue;
        Vec3 &f = force_[plane.who];
        const double press = dot(f, plane.normal);
        if (!(press < 0)) continue;
        const Vec3 across = f - press * plane.normal;
        f = f - o.grip * across - press * plane.normal;
    }
}

// the velocity of what each particle touches
void SpringCloth::find_objects(const Options &o, double t) {
    std::fill(touching_.begin(), touching_.end(), 0);
    for (const Plane &plane : planes_)
        if (plane.at(x_[plane.who], t) <= o.thickness + 1e-3) touching_[plane.who] = 1, object_[plane.who] = plane.skin;
}

// equation 6, zero where nothing pushes and gravity does not direct
Vec3 SpringCloth::direction(const Options &o, std::size_t spring) const {
    const std::int32_t a = ends_[2 * spring], b = ends_[2 * spring + 1];
    Vec3 total{0, 0, 0};
    if (touching_[a]) total = total + object_[a];
    if (touching_[b]) total = total + object_[b];
    const Vec3 falling = o.dt * o.gravity, object = (1.0 / std::max(touching_[a] + touching_[b], 1)) * total;
    if (!o.gravity_directs && !(length(object) > length(falling))) return {0, 0, 0};
    return falling + object;
}

double SpringCloth::share(std::int32_t a, std::int32_t b) const {
    if (pinned_[a] != pinned_[b]) return pinned_[a] ? 1 : 0;
    return pinned_[a] ? 0.5 : mass_[a] / (mass_[a] + mass_[b]);
}

// new speeds along a spring that is too long: section 4.3, equation 5, or section 3.2 with the directional vector
void SpringCloth::modify_velocities(const Options &o) {
    long_.clear();
    for (std::size_t s = 0; s < rest_.size(); ++s) {
        if (!limited_[s]) continue;
        const Vec3 way = x_[ends_[2 * s + 1]] - x_[ends_[2 * s]];
        const double now = length(way);
        if (!(now > (1 + o.threshold) * rest_[s])) continue;
        const Vec3 along = (1 / now) * way, d = o.rule == DIRECTIONAL ? direction(o, s) : Vec3{0, 0, 0};
        long_.push_back({static_cast<std::int32_t>(s), along, dot(along, d) / std::max(length(d), 1e-12)});
    }
    for (int sweep = 0; sweep < o.sweeps; ++sweep)
        for (const TooLong &l : long_) {
            const std::int32_t a = ends_[2 * l.spring], b = ends_[2 * l.spring + 1];
            const double v1 = dot(v_[a], l.along), v2 = dot(v_[b], l.along);
            if (!(v2 > v1)) continue;
            double new1 = 0, new2 = 0;
            if (o.rule != ZERO) {
                const double part = share(a, b), mean = part * v1 + (1 - part) * v2;
                new1 = new2 = o.rule == AVERAGE || std::abs(l.cosine) < 0.3 ? mean : l.cosine > 0 ? v2 : v1;
            }
            if (pinned_[a]) new2 = v1;
            if (pinned_[b]) new1 = v2;
            if (!pinned_[a]) v_[a] = v_[a] + (new1 - v1) * l.along;
            if (!pinned_[b]) v_[b] = v_[b] + (new2 - v2) * l.along;
        }
}

// Provot 1995: shorten to the threshold
void SpringCloth::modify_positions(const Options &o) {
    for (int sweep = 0; sweep < o.sweeps; ++sweep)
        for (std::size_t s = 0; s < rest_.size(); ++s) {
            const std::int32_t a = ends_[2 * s], b = ends_[2 * s + 1];
            if (!limited_[s] || (pinned_[a] && pinned_[b])) continue;
            const Vec3 way = x_[b] - x_[a];
            const double now = std::max(length(way), 1e-12), excess = std::max(now - (1 + o.threshold) * rest_[s], 0.0);
            const double part = share(a, b);
            x_[a] = x_[a] + (1 - part) * (excess / now) * way, x_[b] = x_[b] - part * (excess / now) * way;
        }
}

void SpringCloth::limit_speed(const Options &o) {
    for (std::size_t p = 0; p < v_.size(); ++p)
        if (const double speed = length(v_[p]); !pinned_[p] && speed > o.speed_limit) v_[p] = (o.speed_limit / speed) * v_[p];
}

Vec3 SpringCloth::middle(const std::vector<Vec3> &of, std::int32_t face) const {
    const std::int32_t *c = face_.data() + 4 * static_cast<std::size_t>(face);
    const Vec3 three = of[c[0]] + of[c[1]] + of[c[2]];
    return c[3] < 0 ? (1.0 / 3) * three : 0.25 * (three + of[c[3]]);
}

// equation 15 for what approaches; a face's middle answers for all its corners; several answers are averaged
void SpringCloth::respond_by_velocity(const Options &o, double t) {
    std::fill(answer_.begin(), answer_.end(), Vec3{0, 0, 0});
    std::fill(answers_.begin(), answers_.end(), 0);
    const auto after = [&](const Plane &plane, Vec3 velocity, Vec3 &result) {
        const Vec3 relative = velocity - plane.skin;
        const double approach = dot(relative, plane.normal);
        if (!(approach < 0)) return false;
        const Vec3 vn = approach * plane.normal, vt = relative - vn;
        result = o.slide * vt - o.reflection * vn + plane.skin;
        return true;
    };
    Vec3 result;
    for (const Plane &plane : planes_)
        if (plane.at(x_[plane.who], t) < o.thickness && after(plane, v_[plane.who], result)) answer(plane.who, result);
    for (const Plane &plane : face_planes_)
        if (plane.at(middle(x_, plane.who), t) < o.thickness && after(plane, middle(v_, plane.who), result))
            for (int c = 0; c < 4; ++c)
                if (const std::int32_t p = face_[4 * static_cast<std::size_t>(plane.who) + c]; p >= 0) answer(p, result);
    for (std::size_t p = 0; p < v_.size(); ++p)
        if (answers_[p] && !pinned_[p]) v_[p] = (1.0 / answers_[p]) * answer_[p];
}

// the project's own response (collision/contacts.py): depth, approach, Coulomb friction
void SpringCloth::respond(const Options &o, double t) {
    for (const Plane &plane : planes_) {
        const std::int32_t p = plane.who;
        const double depth = o.thickness - plane.at(x_[p], t);
        if (pinned_[p] || !(depth > 0)) continue;
        const Vec3 n = plane.normal;
        Vec3 relative = v_[p] - plane.skin;
        const double impulse = std::max(-dot(n, relative), 0.0);
        relative = relative + impulse * n;
        const Vec3 slide = relative - dot(n, relative) * n;
        const double speed = length(slide), taken = speed > 0 ? std::min(friction_[p] * impulse, speed) / speed : 0;
        x_[p] = x_[p] + depth * n - (o.dt * taken) * slide;
        v_[p] = plane.skin + relative - taken * slide;
    }
}

// equation 3; t: time since the planes were found, at the start of the substep
void SpringCloth::substep(const Options &o, double t) {
    find_forces(o);
    if (o.by_velocity) react(o, t);
    for (std::size_t p = 0; p < v_.size(); ++p)
        if (!pinned_[p]) v_[p] = v_[p] + (o.dt / mass_[p]) * force_[p];
    // limit the elongation before moving: velocities
    if (o.rule == DIRECTIONAL) find_objects(o, t);
    if (o.rule != LEAVE && o.rule != POSITION) modify_velocities(o);
    if (o.by_velocity) respond_by_velocity(o, t);
    limit_speed(o);
    if (o.rule == POSITION) answer_ = x_;
    for (std::size_t p = 0; p < v_.size(); ++p) x_[p] = x_[p] + o.dt * v_[p];
    // ... or after moving: positions
    if (o.rule == POSITION) {
        modify_positions(o);
        for (std::size_t p = 0; p < v_.size(); ++p)
            if (!pinned_[p]) v_[p] = (1 / o.dt) * (x_[p] - answer_[p]);
    }
    if (!o.by_velocity) respond(o, t + o.dt);
}

nb::tuple SpringCloth::steps(Points position, Points velocity, int count, double since, Options o, In<std::int32_t, -1> who, Numbers gap,
                             Points normal, Points skin) {
    const std::size_t n = mass_.size(), c = who.size();
    require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
    require(gap.size() == c && normal.shape(0) == c && skin.shape(0) == c, "one gap, normal and velocity per contact");
    require(count >= 1 && o.dt > 0, "at least one step of positive length");
    require_indices(who, n + face_.size() / 4, "a contact names a particle or face that does not exist");
    std::vector<double> x(3 * n), v(3 * n);
    {
        nb::gil_scoped_release free_python;
        for (std::size_t p = 0; p < n; ++p) x_[p] = load(position.data() + 3 * p), v_[p] = load(velocity.data() + 3 * p);
        planes_.clear(), face_planes_.clear();
        for (std::size_t i = 0; i < c; ++i) {
            const std::int32_t w = who.data()[i];
            const bool face = static_cast<std::size_t>(w) >= n;
            const std::int32_t own_index = face ? w - static_cast<std::int32_t>(n) : w;
            (face ? face_planes_ : planes_)
                .push_back({own_index, gap.data()[i], face ? middle(x_, own_index) : x_[own_index], load(normal.data() + 3 * i), load(skin.data() + 3 * i)});
        }
        for (int k = 0; k < count; ++k) substep(o, since + k * o.dt);
        for (std::size_t p = 0; p < n; ++p) surface::store(x.data() + 3 * p, x_[p]), surface::store(v.data() + 3 * p, v_[p]);
    }
    return nb::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}));
}

nb::tuple steps(SpringCloth &cloth, Points position, Points velocity, int count, double dt, double since, Vector3 gravity, Vector3 wind,
                In<std::int32_t, -1> who, Numbers gap, Points normal, Points skin, double damping, int rule, double threshold, int sweeps,
                bool gravity_directs, double thickness, double speed_limit, bool by_velocity, double slide, double reflection, double grip) {
    require(rule >= LEAVE && rule <= POSITION, "no such rule");
    return cloth.steps(position, velocity, count, since,
                       {dt, damping, threshold, thickness, speed_limit, slide, reflection, grip, rule, sweeps, gravity_directs, by_velocity,
                        load(gravity.data()), load(wind.data())},
                       who, gap, normal, skin);
}

}  // namespace

void bind_spring(nb::module_ &m) {
    nb::class_<SpringCloth>(m, "SpringCloth", "Particles and springs; see cloth/spring.py.")
        .def(nb::init<In<std::int32_t, -1, 2>, Numbers, Numbers, Flags, Numbers, Numbers, Numbers, Triangles, In<std::int32_t, -1, 4>>(),
             nb::arg("ends"), nb::arg("rest"), nb::arg("stiffness"), nb::arg("limited"), nb::arg("mass"), nb::arg("air"), nb::arg("friction"),
             nb::arg("triangles"), nb::arg("faces"), "faces (f, 4): corners, -1 last for triangles; their middles may have contacts")
        .def("pin", &SpringCloth::pin, nb::arg("pinned"))
        .def("steps", &steps, nb::arg("position"), nb::arg("velocity"), nb::arg("count"), nb::arg("dt"), nb::arg("since"), nb::arg("gravity"),
             nb::arg("wind"), nb::arg("who"), nb::arg("gap"), nb::arg("normal"), nb::arg("skin_velocity"), nb::arg("damping"), nb::arg("rule"),
             nb::arg("threshold"), nb::arg("sweeps"), nb::arg("gravity_directs"), nb::arg("thickness"), nb::arg("speed_limit"),
             nb::arg("by_velocity"), nb::arg("slide"), nb::arg("reflection"), nb::arg("grip"),
             "-> position, velocity after `count` steps; contacts of face f have who = particles + f");
}
