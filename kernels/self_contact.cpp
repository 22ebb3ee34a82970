// Cloth against cloth by projected pairs, in a fixed order (Gauss-Seidel), so that results do not depend on threads.
#include "self_contact.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "bind.h"

namespace surface {

SelfContact::SelfContact(const std::int32_t *triangles, std::size_t triangle_count, std::size_t particle_count,
                         const std::int32_t *layer, const std::int32_t *label)
    : patches_(triangles, triangle_count, particle_count, label) {
    // one layer alone needs no order
    if (layer && std::adjacent_find(layer, layer + particle_count, std::not_equal_to<>()) != layer + particle_count) {
        layer_.assign(layer, layer + particle_count);
        triangles_.assign(triangles, triangles + 3 * triangle_count);
    }
}

// Where the pair touches now. A pair whose nearest points lie outside of face or edges is none.
bool SelfContact::contact(const Pair &pair, const double *x, Contact &c) const {
    const Vec3 p = load(x + 3 * std::size_t(pair.particle[0])), q = load(x + 3 * std::size_t(pair.particle[1])),
               r = load(x + 3 * std::size_t(pair.particle[2])), s = load(x + 3 * std::size_t(pair.particle[3]));
    constexpr double margin = 0.02;
    if (pair.edges) {
        const Vec3 d = q - p, e = s - r, between = p - r, n = cross(d, e);
        const double dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, between), er = dot(e, between);
        const double whole = dd * ee - de * de;
        if (!(whole > 1e-4 * dd * ee)) return false;  // nearly parallel: faces take care of them
        const double a = (de * er - dr * ee) / whole, b = (dd * er - de * dr) / whole;
        if (a < -margin || a > 1 + margin || b < -margin || b > 1 + margin) return false;
        c.normal = (pair.side / length(n)) * n;
        c.weight[0] = 1 - a, c.weight[1] = a, c.weight[2] = b - 1, c.weight[3] = -b;
        c.gap = dot(c.normal, between);
    } else {
        const Vec3 u = r - q, v = s - q, n = cross(u, v), w = p - q;
        const double nn = dot(n, n);
        if (!(nn > 0)) return false;
        const double b = dot(cross(w, v), n) / nn, g = dot(cross(u, w), n) / nn;
        if (b < -margin || g < -margin || b + g > 1 + margin) return false;
        c.normal = (pair.side / std::sqrt(nn)) * n;
        c.weight[0] = 1, c.weight[1] = b + g - 1, c.weight[2] = -b, c.weight[3] = -g;
        c.gap = dot(c.normal, w);
    }
    return true;
}

// normals of the particles, weighted by area
void SelfContact::find_normals(const double *x) {
    normal_.assign(particle_count(), Vec3{0, 0, 0});
    for (std::size_t i = 0; i < triangles_.size(); i += 3) {
        const Vec3 a = load(x + 3 * std::size_t(triangles_[i])), b = load(x + 3 * std::size_t(triangles_[i + 1])),
                   c = load(x + 3 * std::size_t(triangles_[i + 2])), n = cross(b - a, c - a);
        for (int k = 0; k < 3; ++k) normal_[triangles_[i + k]] = normal_[triangles_[i + k]] + n;
    }
}

// near pairs at the start of the step, and on which side they are; between layers the order of the layers decides
void SelfContact::collect(const double *before, const SelfContactOptions &options) {
    patches_.find(before, 3, options.radius, near_);
    pairs_.clear();
    if (!layer_.empty()) find_normals(before);
    const auto add = [&](const Four &four, bool edges) {
        Pair pair{four, edges, 1};
        Contact c;
        if (!contact(pair, before, c)) {
            // beside the primitive now, perhaps over it after the step: the side of the plane still holds
            if (edges) return;
            const Vec3 q = load(before + 3 * std::size_t(four[1]));
            const Vec3 n = cross(load(before + 3 * std::size_t(four[2])) - q, load(before + 3 * std::size_t(four[3])) - q);
            c.normal = n, c.gap = dot(n, load(before + 3 * std::size_t(four[0])) - q);
        }
        pair.side = c.gap < 0 ? -1 : 1;
        const int other = edges ? 2 : 1;
        if (!layer_.empty() && layer_[four[0]] != layer_[four[other]]) {
            pair.side = layer_[four[0]] > layer_[four[other]] ? 1 : -1;
            // Out is where the inner cloth faces, not the outer: under an arm a shirt's sleeve lies outside the coat's front.
            // The common normal of two edges points anywhere.
            const int inner = pair.side > 0 ? 2 : 0;
            Vec3 out = c.normal;
            if (edges) out = normal_[four[inner]] + normal_[four[inner + 1]];
            else if (inner == 0) out = normal_[four[0]];
            if (dot(c.normal, out) < 0) pair.side = -pair.side;
        }
        pairs_.push_back(pair);
    };
    for (const auto &four : near_.vertex_face) add(four, false);
    for (const auto &four : near_.edge_edge) add(four, true);
}

bool SelfContact::push(const Pair &pair, const double *before, double *x, const double *inverse_mass,
                       const SelfContactOptions &options) const {
    Contact c;
    if (!contact(pair, x, c) || !(c.gap < options.thickness)) return false;
    double mass[4], sum = 0;
    for (int k = 0; k < 4; ++k) {
        mass[k] = inverse_mass ? inverse_mass[pair.particle[k]] : 1;
        sum += mass[k] * c.weight[k] * c.weight[k];
    }
    if (!(sum > 0)) return false;
    const double depth = std::min(options.thickness - c.gap, 0.5 * options.radius);
    // friction: what slid in this step is taken back, at most by friction times the push
    Vec3 slide{0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const std::size_t i = 3 * std::size_t(pair.particle[k]);
        slide = slide + c.weight[k] * (load(x + i) - load(before + i));
    }
    slide = slide - dot(slide, c.normal) * c.normal;
    const double way = length(slide), grip = way > 0 ? std::min(1.0, options.friction * depth / way) : 0;
    const Vec3 change = depth * c.normal - grip * slide;
    for (int k = 0; k < 4; ++k) {
        const std::size_t i = 3 * std::size_t(pair.particle[k]);
        store(x + i, load(x + i) + (mass[k] * c.weight[k] / sum) * change);
    }
    return true;
}

// velocities of pairs in contact: no approach, and friction on the sliding
void SelfContact::slow(const Pair &pair, const double *x, double *v, const double *inverse_mass,
                       const SelfContactOptions &options) const {
    Contact c;
    if (!contact(pair, x, c) || !(c.gap < 1.05 * options.thickness)) return;
    double mass[4], sum = 0;
    Vec3 relative{0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        mass[k] = inverse_mass ? inverse_mass[pair.particle[k]] : 1;
        sum += mass[k] * c.weight[k] * c.weight[k];
        relative = relative + c.weight[k] * load(v + 3 * std::size_t(pair.particle[k]));
    }
    const double approach = -dot(relative, c.normal);
    if (!(sum > 0) || !(approach > 0)) return;
    const Vec3 slide = relative + approach * c.normal;
    const double speed = length(slide), grip = speed > 0 ? std::min(1.0, options.friction * approach / speed) : 0;
    const Vec3 change = approach * c.normal - grip * slide;
    for (int k = 0; k < 4; ++k) {
        const std::size_t i = 3 * std::size_t(pair.particle[k]);
        store(v + i, load(v + i) + (mass[k] * c.weight[k] / sum) * change);
    }
}

std::size_t SelfContact::resolve(const double *before, double *position, double *velocity, const double *inverse_mass,
                                 const SelfContactOptions &options) {
    collect(before, options);
    std::size_t touched = 0;
    for (int sweep = 0; sweep < options.sweeps; ++sweep) {
        std::size_t pushed = 0;
        for (const auto &pair : pairs_) pushed += push(pair, before, position, inverse_mass, options);
        touched = std::max(touched, pushed);
        if (!pushed) break;
    }
    if (touched)
        for (const auto &pair : pairs_) slow(pair, position, velocity, inverse_mass, options);
    return touched;
}

}  // namespace surface

namespace {
using namespace surface;
using Labels = std::optional<In<std::int32_t, -1>>;

void require_finite(const double *values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) require(std::abs(values[i]) < 1e15, "an array holds NaN or infinite numbers");
}

std::size_t resolve(SelfContact &contact, Points before, Out<double, -1, 3> position, Out<double, -1, 3> velocity,
                    std::optional<In<double, -1>> inverse_mass, double thickness, double radius, double friction, int sweeps) {
    const std::size_t n = contact.particle_count();
    require(before.shape(0) == n && position.shape(0) == n && velocity.shape(0) == n,
            "before, position and velocity must have one row per particle");
    require(!inverse_mass || inverse_mass->shape(0) == n, "inverse_mass must have one value per particle");
    require(thickness > 0 && radius >= thickness && radius < 1 && friction >= 0 && sweeps > 0,
            "thickness, radius and sweeps must be positive, radius not below thickness");
    require_finite(before.data(), 3 * n), require_finite(position.data(), 3 * n);
    nb::gil_scoped_release release;
    return contact.resolve(before.data(), position.data(), velocity.data(), inverse_mass ? inverse_mass->data() : nullptr,
                           {thickness, radius, friction, sweeps});
}
}  // namespace

void bind_self_contact(nb::module_ &m) {
    nb::class_<SelfContact>(m, "SelfContact", "Cloth against cloth. Not to be used by two threads at once.")
        .def("__init__", [](SelfContact *where, Triangles triangles, std::size_t particle_count, Labels layer, Labels label) {
                require(particle_count < 1u << 30, "too many particles");
                require_indices(triangles, particle_count, "a triangle names a particle that does not exist");
                require(!layer || layer->shape(0) == particle_count, "layer must have one value per particle");
                if (label) {
                    require(label->shape(0) == particle_count, "label must have one value per particle");
                    require_indices(*label, particle_count, "labels are particle numbers");
                }
                new (where) SelfContact(triangles.data(), triangles.shape(0), particle_count,
                                        layer ? layer->data() : nullptr, label ? label->data() : nullptr);
            }, nb::arg("triangles"), nb::arg("particle_count"), nb::arg("layer").none() = nb::none(),
             nb::arg("label").none() = nb::none())
        .def("resolve", &resolve, nb::arg("before"), nb::arg("position"), nb::arg("velocity"),
             nb::arg("inverse_mass").none() = nb::none(), nb::arg("thickness") = 0.002, nb::arg("radius") = 0.006,
             nb::arg("friction") = 0.3, nb::arg("sweeps") = 4,
             "changes position and velocity (n, 3) in place -> number of pairs that were too close")
        .def_prop_ro("candidate_count", &SelfContact::candidate_count);
}
