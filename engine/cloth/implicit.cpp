#include "cloth/implicit.h"

#include <algorithm>
#include <cmath>

using surface::dot;
using surface::length;
using surface::load;
using surface::store;
using surface::Vec3;

Vec3 ImplicitCloth::Block::operator*(Vec3 p) const {
    return {v[0] * p.x + v[1] * p.y + v[2] * p.z, v[1] * p.x + v[3] * p.y + v[4] * p.z, v[2] * p.x + v[4] * p.y + v[5] * p.z};
}

ImplicitCloth::Block ImplicitCloth::inverse(const Block &b) {
    const auto &[xx, xy, xz, yy, yz, zz] = b.v;
    const double a = yy * zz - yz * yz, c = xz * yz - xy * zz, d = xy * yz - xz * yy;
    const double over = 1 / (xx * a + xy * c + xz * d);
    return {{over * a, over * c, over * d, over * (xx * zz - xz * xz), over * (xy * xz - xx * yz), over * (xx * yy - xy * xy)}};
}

ImplicitCloth::ImplicitCloth(const ImplicitSprings &springs, const ImplicitParticles &particles, PairsView limited, NumbersView longest) {
    const auto copied = [](const auto &from) { return std::vector(from.data(), from.data() + from.size()); };
    pair_ = copied(springs.pairs), rest_ = copied(springs.rest), stiffness_ = copied(springs.stiffness);
    mass_ = copied(particles.mass), drag_ = copied(particles.drag), limited_ = copied(limited), longest_ = copied(longest);
    const std::size_t n = mass_.size();
    pinned_.assign(n, 0), inertia_.resize(n), force_.resize(longest_.size()), block_.resize(rest_.size()), nearly_.resize(n);
    for (auto *v : {&right_, &residual_, &search_, &image_, &guess_}) v->resize(n);
}

// f = -(k_s (|d| - l) + k_v d̂ · (v_p - v_q)) d̂ with d = x_p - x_q; of df/dx the part across a compressed spring is left out, so that the
// system stays positive definite
int ImplicitCloth::velocity_change(const Step &step, const double *position, const double *velocity, double *change) {
    const double h = step.dt;
    const std::size_t n = mass_.size();
    for (std::size_t p = 0; p < n; ++p) {
        const Vec3 outer = mass_[p] * (step.gravity - drag_[p] * (load(velocity + 3 * p) - step.wind));
        inertia_[p] = mass_[p] * (1 + h * drag_[p]);
        right_[p] = h * outer;
        // what a single particle would do: exact where no spring is tense
        guess_[p] = pinned_[p] ? Vec3{0, 0, 0} : (1 / inertia_[p]) * right_[p];
        nearly_[p] = {{inertia_[p], 0, 0, inertia_[p], 0, inertia_[p]}};
    }
    for (std::size_t s = 0; s < rest_.size(); ++s) {
        const std::int32_t p = pair_[2 * s], q = pair_[2 * s + 1];
        const Vec3 delta = load(position + 3 * p) - load(position + 3 * q), speed = load(velocity + 3 * p) - load(velocity + 3 * q);
        const double now = std::max(length(delta), 1e-12), viscous = step.damping * stiffness_[s];
        const Vec3 d = (1 / now) * delta;
        const double rate = dot(d, speed), tight = std::max(1 - rest_[s] / now, 0.0);
        // h k_v d̂ d̂ᵀ + h² k_s (d̂ d̂ᵀ + tight (1 - d̂ d̂ᵀ))
        const double across = h * h * stiffness_[s] * tight, along = h * viscous + h * h * stiffness_[s] - across;
        block_[s] = {{along * d.x * d.x + across, along * d.x * d.y, along * d.x * d.z, along * d.y * d.y + across, along * d.y * d.z,
                      along * d.z * d.z + across}};
        const double size = stiffness_[s] * (now - rest_[s]) + viscous * rate;
        // h times the part of the matrix that is h df/dx times the speed
        const Vec3 stiff = h * stiffness_[s] * ((rate * (1 - tight)) * d + tight * speed);
        const Vec3 push = h * (size * d + stiff);
        right_[p] = right_[p] - push, right_[q] = right_[q] + push;
        for (int k = 0; k < 6; ++k) nearly_[p].v[k] += block_[s].v[k], nearly_[q].v[k] += block_[s].v[k];
    }
    for (std::size_t p = 0; p < n; ++p) {
        if (pinned_[p]) right_[p] = {0, 0, 0}, nearly_[p] = {{inertia_[p], 0, 0, inertia_[p], 0, inertia_[p]}};
        nearly_[p] = inverse(nearly_[p]);
    }
    const int done = solve(step, guess_);
    for (std::size_t p = 0; p < n; ++p) store(change + 3 * p, guess_[p]);
    return done;
}

// p is zero where pinned, and so is the answer
void ImplicitCloth::multiply(const std::vector<Vec3> &p, std::vector<Vec3> &out) const {
    for (std::size_t i = 0; i < p.size(); ++i) out[i] = inertia_[i] * p[i];
    for (std::size_t s = 0; s < rest_.size(); ++s) {
        const std::int32_t a = pair_[2 * s], b = pair_[2 * s + 1];
        const Vec3 w = block_[s] * (p[a] - p[b]);
        out[a] = out[a] + w, out[b] = out[b] - w;
    }
    for (std::size_t i = 0; i < p.size(); ++i)
        if (pinned_[i]) out[i] = {0, 0, 0};
}

// conjugate gradients, preconditioned with the 3 × 3 blocks of the diagonal
int ImplicitCloth::solve(const Step &step, std::vector<Vec3> &found) {
    const std::size_t n = mass_.size();
    const auto product = [n](const std::vector<Vec3> &a, const std::vector<Vec3> &b) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += dot(a[i], b[i]);
        return sum;
    };
    multiply(found, image_);
    for (std::size_t i = 0; i < n; ++i) residual_[i] = right_[i] - image_[i], search_[i] = nearly_[i] * residual_[i];
    const double enough = step.tolerance * step.tolerance * product(right_, right_);
    double old = product(residual_, search_);
    int done = 0;
    while (done < step.iterations && product(residual_, residual_) > enough) {
        multiply(search_, image_);
        const double share = old / product(search_, image_);
        double next = 0;
        for (std::size_t i = 0; i < n; ++i) {
            found[i] = found[i] + share * search_[i];
            residual_[i] = residual_[i] - share * image_[i];
            next += dot(residual_[i], nearly_[i] * residual_[i]);
        }
        for (std::size_t i = 0; i < n; ++i) search_[i] = nearly_[i] * residual_[i] + (next / old) * search_[i];
        old = next;
        ++done;
    }
    return done;
}

void ImplicitCloth::shorten(int sweeps, double *position) const {
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t s = 0; s < longest_.size(); ++s) {
            const std::int32_t p = limited_[2 * s], q = limited_[2 * s + 1];
            const double wp = weight(p), wq = weight(q);
            const Vec3 a = load(position + 3 * p), b = load(position + 3 * q), delta = b - a;
            const double now = length(delta);
            if (!(now > longest_[s] && wp + wq > 0)) continue;
            const Vec3 pull = ((now - longest_[s]) / (now * (wp + wq))) * delta;
            store(position + 3 * p, a + wp * pull), store(position + 3 * q, b - wq * pull);
        }
}

// C(x + h v) = |x_q + h v_q - x_p - h v_p| - longest ≤ 0 with a force that pulls along the pair: projected Gauss–Seidel on the forces
double ImplicitCloth::constrain(int sweeps, double h, const double *position, double *velocity) {
    std::fill(force_.begin(), force_.end(), 0.0);
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t s = 0; s < longest_.size(); ++s) {
            const std::int32_t p = limited_[2 * s], q = limited_[2 * s + 1];
            const double wp = weight(p), wq = weight(q);
            if (!(wp + wq > 0)) continue;
            const Vec3 vp = load(velocity + 3 * p), vq = load(velocity + 3 * q);
            const Vec3 delta = load(position + 3 * q) - load(position + 3 * p) + h * (vq - vp);
            const double now = std::max(length(delta), 1e-12);
            const double wanted = std::max(force_[s] + (now - longest_[s]) / (h * h * (wp + wq)), 0.0), more = wanted - force_[s];
            if (more == 0) continue;
            force_[s] = wanted;
            const Vec3 impulse = (h * more / now) * delta;
            store(velocity + 3 * p, vp + wp * impulse), store(velocity + 3 * q, vq - wq * impulse);
        }
    return force_.empty() ? 0 : *std::max_element(force_.begin(), force_.end());
}
