// Bending: one star a particle, a weighted sum of itself and its neighbours that is zero on flat cloth (Bending in xpbd.h).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "xpbd_sets.h"

template <class T>
class Stars {
  public:
    std::size_t count() const { return compliance_.size(); }
    const std::vector<T> &gain() const { return gain_; }

    // particle (star, width), -1 where there are fewer; weight alike; kept by star and by particle
    void set(const std::vector<std::int32_t> &particle, const double *weight, std::size_t width, std::vector<T> compliance,
             std::size_t particle_count, int chunk_count) {
        compliance_ = std::move(compliance);
        std::vector<SparseRow<T>> curvature(count()), force = empty_rows(particle_count);
        for (std::size_t s = 0; s < count(); ++s) {
            curvature[s].home = std::max(particle[width * s], 0);
            for (std::size_t k = width * s; k < width * (s + 1); ++k) {
                if (particle[k] < 0) continue;
                curvature[s].entry.emplace_back(particle[k], static_cast<T>(weight[k]));
                force[particle[k]].entry.emplace_back(static_cast<std::int32_t>(s), static_cast<T>(weight[k]));
            }
        }
        moment_.assign(4 * count(), T(0));
        curvature_.set(curvature, particle_count, chunk_count), force_.set(force, particle_count, chunk_count);
    }

    // what the weighted sum of each star is at rest (star, 3)
    void set_rest(const double *rest) {
        rest_.assign(4 * count(), T(0));
        for (std::size_t s = 0; s < count(); ++s)
            for (int a = 0; a < 3; ++a) rest_[4 * s + a] = static_cast<T>(rest[3 * s + a]);
    }

    // stars that somebody else bends (a grid) get no rows any more; their gain is still told
    void leave_out(const std::vector<std::int32_t> &known, std::size_t particle_count, int chunk_count) {
        std::vector<char> out(count(), 0);
        for (const std::int32_t s : known)
            if (s >= 0) out[s] = 1;
        std::vector<SparseRow<T>> curvature(count()), force = empty_rows(particle_count);
        curvature_.each([&](std::int32_t s, std::int32_t p, T c) {
            if (out[s]) return;
            if (curvature[s].entry.empty()) curvature[s].home = p;
            curvature[s].entry.emplace_back(p, c), force[p].entry.emplace_back(s, c);
        });
        few_curvature_ = {}, few_force_ = {}, few_ = true, step2_ = 0.0;
        few_curvature_.set(curvature, particle_count, chunk_count, false), few_force_.set(force, particle_count, chunk_count, false);
    }

    void set_bound(const std::vector<T> &inverse_mass) {
        std::vector<double> reach(inverse_mass.size(), 0.0);  // w_j Σ_t |c_tj|
        force_.each([&](std::int32_t p, std::int32_t, T c) { reach[p] += inverse_mass[p] * std::abs(static_cast<double>(c)); });
        bound_.assign(count(), 0.0);
        curvature_.each([&](std::int32_t s, std::int32_t p, T c) { bound_[s] += std::abs(static_cast<double>(c)) * reach[p]; });
        step2_ = 0.0;
    }

    // What a star weighs when all are projected at once: dt²/α is the exact bending force, `share` of it what is left to do
    // after a head start. With a head start β the correction of the predicted points is stable while no eigenvalue
    // exceeds 1 + 1 / (3 + 4 β), 1.2 for β = 0.5 (1.1 leaves some room); the row sums of |C W Cᵀ| bound them, so cloth that is too stiff for
    // the substep bends as stiffly as the substep allows. Returns whether anything has changed.
    bool set_gain(double dt, double share) {
        const double step2 = share * dt * dt;
        if (step2 == step2_) return false;
        step2_ = step2;
        gain_.resize(count());
        for (std::size_t s = 0; s < count(); ++s) gain_[s] = static_cast<T>(1.0 / std::max(compliance_[s] / step2, bound_[s] / 1.1));
        return true;
    }

    std::size_t bytes() const {
        return curvature_.bytes() + force_.bytes() + few_curvature_.bytes() + few_force_.bytes() + bytes_of(compliance_, gain_, moment_, rest_, bound_);
    }
    Bending<T> view() {
        const RowSet<T> &curvature = few_ ? few_curvature_ : curvature_, &force = few_ ? few_force_ : force_;
        return {curvature.view(), force.view(), gain_.data(), moment_.data(), rest_.empty() ? nullptr : rest_.data()};
    }

  private:
    static std::vector<SparseRow<T>> empty_rows(std::size_t particle_count) {
        std::vector<SparseRow<T>> rows(particle_count);
        for (std::size_t p = 0; p < particle_count; ++p) rows[p].home = static_cast<std::int32_t>(p);
        return rows;
    }
    RowSet<T> curvature_, force_, few_curvature_, few_force_;
    bool few_ = false;  // rows for a few stars only
    std::vector<T> compliance_, gain_, moment_, rest_;
    std::vector<double> bound_;  // row sums of |C W Cᵀ|
    double step2_ = 0.0;         // what gain_ holds for [s²]
};
