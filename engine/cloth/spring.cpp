#include "cloth/spring.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using surface::cross;
using surface::dot;
using surface::length;
using surface::load;
using surface::normalised;
using surface::Vec3;

SpringCloth::SpringCloth(const Springs &springs, const SpringParticles &particles, const SpringFaces &faces) {
    const auto copied = [](const auto &from) { return std::vector(from.data(), from.data() + from.size()); };
    const std::size_t n = particles.mass.rows();
    ends_ = copied(springs.ends), rest_ = copied(springs.rest), stiffness_ = copied(springs.stiffness);
    limited_.assign(springs.limited.data(), springs.limited.data() + springs.limited.size());
    mass_ = copied(particles.mass), air_ = copied(particles.air), friction_ = copied(particles.friction), pinned_.assign(n, 0);
    triangle_ = copied(faces.triangles), face_ = copied(faces.faces);
    blown_ = std::any_of(air_.begin(), air_.end(), [](double a) { return a > 0; });
    x_.resize(n), v_.resize(n), force_.resize(n), normal_.resize(n), object_.resize(n), touching_.resize(n);
    answer_.resize(n), answers_.resize(n);
}

// springs (equation 2), gravity, viscous damping; on the way, springs that are too long are noted for modify_velocities
void SpringCloth::find_forces(const Options &o) {
    for (std::size_t p = 0; p < mass_.size(); ++p) force_[p] = mass_[p] * (o.gravity - o.damping * v_[p]);
    const bool noted = o.rule == Elongation::ZERO || o.rule == Elongation::AVERAGE || o.rule == Elongation::DIRECTIONAL;
    long_.clear();
    for (std::size_t s = 0; s < rest_.size(); ++s) {
        const std::int32_t a = ends_[2 * s], b = ends_[2 * s + 1];
        const Vec3 delta = x_[b] - x_[a];
        const double now = std::max(length(delta), 1e-12);
        const Vec3 pull = stiffness_[s] * (1 - rest_[s] / now) * delta;
        force_[a] = force_[a] + pull, force_[b] = force_[b] - pull;
        if (noted && limited_[s] && now > (1 + o.threshold) * rest_[s]) long_.push_back({static_cast<std::int32_t>(s), (1 / now) * delta, 0});
    }
    if (seams_.stiffness > 0) add_seam_forces();
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
    if (o.rule == Elongation::DIRECTIONAL)
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
            if (o.rule != Elongation::ZERO) {
                const double part = share(a, b), mean = part * v1 + (1 - part) * v2;
                new1 = new2 = o.rule == Elongation::AVERAGE || std::abs(l.cosine) < 0.3 ? mean : l.cosine > 0 ? v2 : v1;
            }
            if (pinned_[a]) new2 = v1;
            if (pinned_[b]) new1 = v2;
            if (!pinned_[a]) v_[a] = v_[a] + (new1 - v1) * l.along;
            if (!pinned_[b]) v_[b] = v_[b] + (new2 - v2) * l.along;
        }
}

// particles that are sewn together, directly or through others (where seams meet), make one stitch
void SpringCloth::set_seams(PairsView pairs, const Seams &how) {
    seam_.assign(pairs.data(), pairs.data() + pairs.size());
    seams_ = how;
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

// elastic forces along the seams (Vassilev & Spanlang 2001, section 1): springs without length. Without damping of their own they swing
// through each other for ever; √(k m) is 0.7 of what is critical for two particles of mass m
void SpringCloth::add_seam_forces() {
    for (std::size_t i = 0; i < seam_.size(); i += 2) {
        const std::int32_t a = seam_[i], b = seam_[i + 1];
        const double damping = std::sqrt(seams_.stiffness * 0.5 * (mass_[a] + mass_[b]));
        const Vec3 pull = seams_.stiffness * (x_[b] - x_[a]) + damping * (v_[b] - v_[a]);
        force_[a] = force_[a] + pull, force_[b] = force_[b] - pull;
    }
}

// the same by velocities: what is sewn together comes to its middle at a rate, up to a speed; of two particles each covers half the way
void SpringCloth::pull_seams() {
    if (seams_.stiffness > 0) return;
    for (const auto &stitch : stitch_) {
        Vec3 middle{0, 0, 0}, mean{0, 0, 0};
        for (const std::int32_t p : stitch) middle = middle + x_[p], mean = mean + v_[p];
        const double share = 1.0 / static_cast<double>(stitch.size());
        middle = share * middle, mean = share * mean;
        for (const std::int32_t p : stitch) {
            const Vec3 delta = middle - x_[p];
            const double far = std::max(length(delta), 1e-9);
            if (!pinned_[p]) v_[p] = mean + (std::min(seams_.rate * far, 0.5 * seams_.speed) / far) * delta;
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
            const Vec3 delta = x_[b] - x_[a];
            const double now = std::max(length(delta), 1e-12), excess = std::max(now - (1 + o.threshold) * rest_[s], 0.0);
            const double part = share(a, b);
            x_[a] = x_[a] + (1 - part) * (excess / now) * delta, x_[b] = x_[b] - part * (excess / now) * delta;
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
    if (o.rule == Elongation::DIRECTIONAL) find_objects(o, t);
    if (o.rule != Elongation::LEAVE && o.rule != Elongation::POSITION) modify_velocities(o);
    pull_seams();
    if (o.by_velocity) respond_by_velocity(o, t);
    limit_speed(o);
    if (o.rule == Elongation::POSITION) answer_ = x_;
    for (std::size_t p = 0; p < v_.size(); ++p) x_[p] = x_[p] + o.dt * v_[p];
    // ... or after moving: positions
    if (o.rule == Elongation::POSITION) {
        modify_positions(o);
        for (std::size_t p = 0; p < v_.size(); ++p)
            if (!pinned_[p]) v_[p] = (1 / o.dt) * (x_[p] - answer_[p]);
    }
    if (!o.by_velocity) respond(o, t + o.dt);
}

// one map sample for every particle and every face's middle, t after the maps were drawn
void SpringCloth::sample_maps(const Maps &maps, double t) {
    planes_.clear(), face_planes_.clear();
    const auto ask = [&](std::int32_t who, Vec3 now, std::vector<Plane> &planes) {
        const Vec3 then = now - t * maps.travel;
        map_lookup::Hit hit;
        if (map_lookup::sample(maps.view, maps.o, then, hit)) planes.push_back({who, hit.gap, then, hit.normal, hit.velocity});
    };
    for (std::size_t p = 0; p < x_.size(); ++p) ask(static_cast<std::int32_t>(p), x_[p], planes_);
    for (std::size_t f = 0; f < face_.size() / 4; ++f) ask(static_cast<std::int32_t>(f), middle(x_, static_cast<std::int32_t>(f)), face_planes_);
}

SpringCloth::Options SpringCloth::begin(const Steps &steps, const double *position, const double *velocity) {
    for (std::size_t p = 0; p < mass_.size(); ++p) x_[p] = load(position + 3 * p), v_[p] = load(velocity + 3 * p);
    return {option_, steps.dt, steps.gravity, steps.wind};
}

void SpringCloth::result(double *position, double *velocity) const {
    for (std::size_t p = 0; p < mass_.size(); ++p) surface::store(position + 3 * p, x_[p]), surface::store(velocity + 3 * p, v_[p]);
}

void SpringCloth::advance(const Steps &steps, const ContactsView &contacts, NumbersView grip, double *position, double *velocity) {
    const Options o = begin(steps, position, velocity);
    const std::size_t n = mass_.size();
    planes_.clear(), face_planes_.clear();
    for (std::size_t i = 0; i < contacts.particle.rows(); ++i) {
        const std::int32_t w = contacts.particle[i];
        const bool face = static_cast<std::size_t>(w) >= n;
        const std::int32_t own_index = face ? w - static_cast<std::int32_t>(n) : w;
        (face ? face_planes_ : planes_)
            .push_back({own_index, contacts.gap[i], face ? middle(x_, own_index) : x_[own_index], load(contacts.normal.row(i)),
                        load(contacts.velocity.row(i)), grip[i]});
    }
    for (int k = 0; k < steps.count; ++k) substep(o, steps.since + k * steps.dt);
    result(position, velocity);
}

int SpringCloth::advance_in_maps(const Steps &steps, const Maps &maps, double closed, double *position, double *velocity) {
    const Options o = begin(steps, position, velocity);
    int done = 0;
    while (done < steps.count && !(done && closed > 0 && seam_gap() <= closed)) {
        sample_maps(maps, steps.since + done * steps.dt);
        substep(o, steps.since + done * steps.dt);
        ++done;
    }
    result(position, velocity);
    return done;
}
