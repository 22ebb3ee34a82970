// Mass-spring cloth in explicit steps (Vassilev et al. 2001): forces, over-elongation, contact planes; see cloth/spring.py, whose
// formulas these are. Springs are visited in the given order, one thread: the papers' garments have a few thousand particles.
// Contacts come from outside, or from front and back maps that are looked up before every step (spring and maps in one loop).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bind.h"
#include "contact/map_lookup.h"
#include "core/vector3.h"

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
using Texels = In<float, -1, -1, 2, map_lookup::kValues>;
enum Rule { LEAVE, ZERO, AVERAGE, DIRECTIONAL, POSITION };

struct Options {
    double damping = 0, threshold = 0.1, thickness = 0, speed_limit = 1e9, slide = 1, reflection = 0, grip = 0;
    int rule = LEAVE, sweeps = 1;
    bool gravity_directs = false, by_velocity = false;
    double dt = 0;  // per call, as what follows
    Vec3 gravity{}, wind{};
};

// one finished pair of maps in the world's frame
struct Maps {
    map_lookup::View view;
    map_lookup::MapOptions o;
};

// a plane that the skin carries on: gap + n · (x - start - t v)
struct Plane {
    std::int32_t who;  // particle, or face
    double gap;
    Vec3 start, normal, skin;
    double grip = 1;  // share of the friction that acts
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
    void set_options(double damping, int rule, double threshold, int sweeps, bool gravity_directs, double thickness, double speed_limit,
                     bool by_velocity, double slide, double reflection, double grip) {
        require(rule >= LEAVE && rule <= POSITION, "no such rule");
        option_ = {damping, threshold, thickness, speed_limit, slide, reflection, grip, rule, sweeps, gravity_directs, by_velocity};
    }
    void set_seams(In<std::int32_t, -1, 2> pairs, double rate, double speed);
    double seam_gap() const;
    nb::tuple steps(Points position, Points velocity, int count, double dt, double since, Vector3 gravity, Vector3 wind, In<std::int32_t, -1> who,
                    Numbers gap, Points normal, Points skin, Numbers grip);
    nb::tuple steps_in_maps(Points position, Points velocity, int count, double dt, double since, Vector3 gravity, Vector3 wind, Texels texels,
                            double left, double top, double pixel, double reach, bool refine, double closed);

  private:
    void find_forces(const Options &o);
    void blow(const Options &o);
    void react(const Options &o, double t);
    void find_objects(const Options &o, double t);
    Vec3 direction(const Options &o, std::size_t spring) const;
    void modify_velocities(const Options &o);
    void pull_seams();
    void look(const Maps &maps);
    Options begin(const Points &position, const Points &velocity, double dt, const Vector3 &gravity, const Vector3 &wind);
    nb::tuple result(int done) const;
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
    Options option_;
    std::vector<std::int32_t> seam_;                 // (m, 2)
    std::vector<std::vector<std::int32_t>> stitch_;  // particles that become one
    double seam_rate_ = 0, seam_speed_ = 0;
};

// springs (equation 2), gravity, viscous damping; on the way, springs that are too long are noted for modify_velocities
void SpringCloth::find_forces(const Options &o) {
    for (std::size_t p = 0; p < mass_.size(); ++p) force_[p] = mass_[p] * (o.gravity - o.damping * v_[p]);
    const bool noted = o.rule == ZERO || o.rule == AVERAGE || o.rule == DIRECTIONAL;
    long_.clear();
    for (std::size_t s = 0; s < rest_.size(); ++s) {
        const std::int32_t a = ends_[2 * s], b = ends_[2 * s + 1];
        const Vec3 way = x_[b] - x_[a];
        const double now = std::max(length(way), 1e-12);
        const Vec3 pull = stiffness_[s] * (1 - rest_[s] / now) * way;
        force_[a] = force_[a] + pull, force_[b] = force_[b] - pull;
        if (noted && limited_[s] && now > (1 + o.threshold) * rest_[s]) long_.push_back({static_cast<std::int32_t>(s), (1 / now) * way, 0});
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
        f = f - plane.grip * o.grip * across - press * plane.normal;
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
    if (o.rule == DIRECTIONAL)
        for (TooLong &l : long_) {
            const Vec3 d = direction(o, l.spring);
            l.cosine = dot(l.along, d) / std::max(length(d), 1e-12);
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

// particles that are sewn together, directly or through others (where seams meet), make one stitch
void SpringCloth::set_seams(In<std::int32_t, -1, 2> pairs, double rate, double speed) {
    require_indices(pairs, mass_.size(), "a seam names a particle that does not exist");
    require(rate > 0 && speed > 0, "seams close at a positive rate and speed");
    seam_.assign(pairs.data(), pairs.data() + pairs.size());
    seam_rate_ = rate, seam_speed_ = speed;
    std::vector<std::int32_t> first(mass_.size());
    std::iota(first.begin(), first.end(), 0);
    const auto root = [&](std::int32_t p) {
        while (first[p] != p) p = first[p] = first[first[p]];
        return p;
    };
    for (std::size_t i = 0; i < seam_.size(); i += 2) {
        const std::int32_t a = root(seam_[i]), b = root(seam_[i + 1]);
        first[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::vector<std::int32_t>> members(mass_.size());
    for (std::size_t p = 0; p < mass_.size(); ++p) members[root(static_cast<std::int32_t>(p))].push_back(static_cast<std::int32_t>(p));
    stitch_.clear();
    for (auto &m : members)
        if (m.size() > 1) stitch_.push_back(std::move(m));
}

// elastic forces along the seams (001, section 1), stiff and well damped: what is sewn together comes to its middle at a rate, up to a
// speed; of two particles each covers half the way
void SpringCloth::pull_seams() {
    for (const auto &stitch : stitch_) {
        Vec3 middle{0, 0, 0}, mean{0, 0, 0};
        for (const std::int32_t p : stitch) middle = middle + x_[p], mean = mean + v_[p];
        const double share = 1.0 / static_cast<double>(stitch.size());
        middle = share * middle, mean = share * mean;
        for (const std::int32_t p : stitch) {
            const Vec3 way = middle - x_[p];
            const double far = std::max(length(way), 1e-9);
            if (!pinned_[p]) v_[p] = mean + (std::min(seam_rate_ * far, 0.5 * seam_speed_) / far) * way;
        }
    }
}

double SpringCloth::seam_gap() const {
    double widest = 0;
    for (std::size_t i = 0; i < seam_.size(); i += 2) widest = std::max(widest, length(x_[seam_[i + 1]] - x_[seam_[i]]));
    return widest;
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
        const double slide = o.slide + (1 - plane.grip) * (1 - o.slide);
        result = slide * vt - o.reflection * vn + plane.skin;
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
        const double speed = length(slide), taken = speed > 0 ? std::min(plane.grip * friction_[p] * impulse, speed) / speed : 0;
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
    pull_seams();
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

// one look for every particle and every face's middle
void SpringCloth::look(const Maps &maps) {
    planes_.clear(), face_planes_.clear();
    map_lookup::Hit hit;
    for (std::size_t p = 0; p < x_.size(); ++p)
        if (map_lookup::look(maps.view, maps.o, x_[p], hit)) planes_.push_back({static_cast<std::int32_t>(p), hit.gap, x_[p], hit.normal, hit.velocity});
    for (std::size_t f = 0; f < face_.size() / 4; ++f) {
        const Vec3 at = middle(x_, static_cast<std::int32_t>(f));
        if (map_lookup::look(maps.view, maps.o, at, hit)) face_planes_.push_back({static_cast<std::int32_t>(f), hit.gap, at, hit.normal, hit.velocity});
    }
}

Options SpringCloth::begin(const Points &position, const Points &velocity, double dt, const Vector3 &gravity, const Vector3 &wind) {
    const std::size_t n = mass_.size();
    require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
    require(dt > 0, "steps have a positive length");
    for (std::size_t p = 0; p < n; ++p) x_[p] = load(position.data() + 3 * p), v_[p] = load(velocity.data() + 3 * p);
    Options o = option_;
    o.dt = dt, o.gravity = load(gravity.data()), o.wind = load(wind.data());
    return o;
}

nb::tuple SpringCloth::result(int done) const {
    const std::size_t n = mass_.size();
    std::vector<double> x(3 * n), v(3 * n);
    for (std::size_t p = 0; p < n; ++p) surface::store(x.data() + 3 * p, x_[p]), surface::store(v.data() + 3 * p, v_[p]);
    return nb::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}), done, seam_gap());
}

nb::tuple SpringCloth::steps(Points position, Points velocity, int count, double dt, double since, Vector3 gravity, Vector3 wind,
                             In<std::int32_t, -1> who, Numbers gap, Points normal, Points skin, Numbers grip) {
    const std::size_t n = mass_.size(), c = who.size();
    require(gap.size() == c && normal.shape(0) == c && skin.shape(0) == c && grip.size() == c, "one gap, normal, velocity and grip per contact");
    require(count >= 1, "at least one step");
    require_indices(who, n + face_.size() / 4, "a contact names a particle or face that does not exist");
    const Options o = begin(position, velocity, dt, gravity, wind);
    {
        nb::gil_scoped_release free_python;
        planes_.clear(), face_planes_.clear();
        for (std::size_t i = 0; i < c; ++i) {
            const std::int32_t w = who.data()[i];
            const bool face = static_cast<std::size_t>(w) >= n;
            const std::int32_t own_index = face ? w - static_cast<std::int32_t>(n) : w;
            (face ? face_planes_ : planes_)
                .push_back({own_index, gap.data()[i], face ? middle(x_, own_index) : x_[own_index], load(normal.data() + 3 * i), load(skin.data() + 3 * i),
                            grip.data()[i]});
        }
        for (int k = 0; k < count; ++k) substep(o, since + k * dt);
    }
    return result(count);
}

// looks before every step; ends early when no seam is wider open than `closed`
nb::tuple SpringCloth::steps_in_maps(Points position, Points velocity, int count, double dt, double since, Vector3 gravity, Vector3 wind,
                                     Texels texels, double left, double top, double pixel, double reach, bool refine, double closed) {
    require(count >= 1 && pixel > 0 && reach > 0, "at least one step; pixel and reach must be positive");
    const Options o = begin(position, velocity, dt, gravity, wind);
    const Maps maps{{static_cast<int>(texels.shape(1)), static_cast<int>(texels.shape(0)), left, top, texels.data()}, {pixel, 0, reach, 0, 0, refine}};
    int done = 0;
    {
        nb::gil_scoped_release free_python;
        while (done < count && !(done && closed > 0 && seam_gap() <= closed)) {
            look(maps);
            substep(o, since + done * dt);
            ++done;
        }
    }
    return result(done);
}

}  // namespace

void bind_spring(nb::module_ &m) {
    nb::class_<SpringCloth>(m, "SpringCloth", "Particles and springs; see cloth/spring.py.")
        .def(nb::init<In<std::int32_t, -1, 2>, Numbers, Numbers, Flags, Numbers, Numbers, Numbers, Triangles, In<std::int32_t, -1, 4>>(),
             nb::arg("ends"), nb::arg("rest"), nb::arg("stiffness"), nb::arg("limited"), nb::arg("mass"), nb::arg("air"), nb::arg("friction"),
             nb::arg("triangles"), nb::arg("faces"), "faces (f, 4): corners, -1 last for triangles; their middles may have contacts")
        .def("pin", &SpringCloth::pin, nb::arg("pinned"))
        .def("set_options", &SpringCloth::set_options, nb::arg("damping"), nb::arg("rule"), nb::arg("threshold"), nb::arg("sweeps"),
             nb::arg("gravity_directs"), nb::arg("thickness"), nb::arg("speed_limit"), nb::arg("by_velocity"), nb::arg("slide"),
             nb::arg("reflection"), nb::arg("grip"))
        .def("set_seams", &SpringCloth::set_seams, nb::arg("pairs"), nb::arg("rate"), nb::arg("speed"),
             "pairs (m, 2) are pulled together in every step from now on")
        .def("steps", &SpringCloth::steps, nb::arg("position"), nb::arg("velocity"), nb::arg("count"), nb::arg("dt"), nb::arg("since"),
             nb::arg("gravity"), nb::arg("wind"), nb::arg("who"), nb::arg("gap"), nb::arg("normal"), nb::arg("skin_velocity"), nb::arg("grip"),
             "-> position, velocity, steps made, widest seam; contacts of face f have who = particles + f")
        .def("steps_in_maps", &SpringCloth::steps_in_maps, nb::arg("position"), nb::arg("velocity"), nb::arg("count"), nb::arg("dt"),
             nb::arg("since"), nb::arg("gravity"), nb::arg("wind"), nb::arg("texels"), nb::arg("left"), nb::arg("top"), nb::arg("pixel"),
             nb::arg("reach"), nb::arg("refine"), nb::arg("closed") = 0.0,
             "the same with a look into front and back maps before every step; ends when the widest seam is at most `closed`");
}
