// Bending: one stencil a particle, a weighted sum of itself and its neighbours that is zero on flat cloth (Bending in xpbd.h).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cloth/bending_smoothing.h"
#include "cloth/constraint_sets.h"

// one row of a sparse matrix
template <class T>
struct SparseRow {
    std::int32_t home = 0;  // the particle whose chunk it belongs to
    std::vector<std::pair<std::int32_t, T>> entry;
};

// rows whose numbers N holds, counted from one near them
template <class T, class N>
class PackedRows {
  public:
    PackedRows() {
        for (auto &begin : run_begin_) begin.assign(1, 0);
    }
    // whether numbers between low and high can be of one row
    static bool holds(std::int32_t low, std::int32_t high) { return high - low <= MOST; }
    // low, high: its least and largest number; of: curvature, force
    void add(const SparseRow<T> &row, std::int32_t r, std::int32_t low, std::int32_t high, const bool *of) {
        if (low < from_ || high - from_ > MOST) from_ = high <= MOST ? 0 : low + (high - low) / 2 - MOST / 2;
        const auto length = static_cast<std::int32_t>(row.entry.size());
        for (int k = 0; k < 2; ++k) {
            if (!of[k]) continue;
            const bool begun = run_[k].size() > run_begin_[k].back();
            const bool goes_on = begun && run_[k].back().length == length && run_[k].back().from == from_ && run_[k].back().last == target_.size();
            if (!goes_on) run_[k].push_back({length, from_, target_.size(), target_.size(), at_.size()});
            ++run_[k].back().last;
        }
        target_.push_back(static_cast<N>(r - from_));
        for (const auto &[source, c] : row.entry) at_.push_back(static_cast<N>(source - from_)), weight_.push_back(c);
    }
    void end_chunk() {
        for (int k = 0; k < 2; ++k) run_begin_[k].push_back(run_[k].size());
    }
    void shrink() { run_[0].shrink_to_fit(), run_[1].shrink_to_fit(), target_.shrink_to_fit(), at_.shrink_to_fit(), weight_.shrink_to_fit(); }
    // calls use(stencil, particle, weight)
    template <class Use>
    void each(const Use &use) const {
        for (const RowRun &k : run_[0])
            for (std::size_t r = k.first, e = k.entry; r < k.last; ++r)
                for (int n = 0; n < k.length; ++n, ++e) use(k.from + target_[r], k.from + at_[e], weight_[e]);
    }
    // of curvature (0) or force (1)
    RowList<T, N> view(int k) const { return {run_begin_[k].data(), run_[k].data(), target_.data(), at_.data(), weight_.data()}; }
    std::size_t bytes() const { return bytes_of(run_begin_[0], run_begin_[1], run_[0], run_[1], target_, at_, weight_); }

  private:
    static constexpr std::int32_t MOST = sizeof(N) == 2 ? 65535 : std::numeric_limits<std::int32_t>::max();
    std::int32_t from_ = 0;
    std::vector<std::size_t> run_begin_[2];
    std::vector<RowRun> run_[2];
    std::vector<N> target_, at_;
    std::vector<T> weight_;
};

// The stencils' matrix by stencil (curvature) and by particle (force), rows sorted by length inside each chunk. Away from free edges the
// matrix is symmetric, cotangents are: what is the same row in both is kept once.
template <class T, class I>
class StencilRows {
  public:
    // a stencil that is a particle's own has its number; empty_too: particles without a stencil have a row of force as well
    void set(const std::vector<SparseRow<T>> &curvature, const std::vector<SparseRow<T>> &force, int chunk_count, bool empty_too) {
        const std::size_t particle_count = force.size();
        struct Part {
            const std::vector<SparseRow<T>> *rows;
            bool of[2];  // curvature, force
            std::vector<std::vector<std::int32_t>> members;
        };
        const std::vector<std::vector<std::int32_t>> none(chunk_count);
        Part parts[3] = {{&curvature, {true, true}, none}, {&curvature, {true, false}, none}, {&force, {false, true}, none}};
        const auto join = [&](Part &part, std::size_t r) {
            part.members[chunk_of((*part.rows)[r].home, particle_count, chunk_count)].push_back(static_cast<std::int32_t>(r));
        };
        for (std::size_t r = 0; r < curvature.size(); ++r) {
            const bool both = r < particle_count && curvature[r].entry == force[r].entry;
            if (!curvature[r].entry.empty()) join(parts[both ? 0 : 1], r);
            if (r < particle_count && (!both || curvature[r].entry.empty()) && (empty_too || !force[r].entry.empty())) join(parts[2], r);
        }
        for (int c = 0; c < chunk_count; ++c) {
            for (Part &part : parts) {
                std::vector<std::int32_t> &list = part.members[c];
                std::stable_sort(list.begin(), list.end(), [&](std::int32_t a, std::int32_t b) {
                    const SparseRow<T> &one = (*part.rows)[a], &two = (*part.rows)[b];
                    return std::pair(one.entry.size(), one.home) < std::pair(two.entry.size(), two.home);
                });
                for (const std::int32_t r : list) add((*part.rows)[r], r, part.of);
            }
            near_.end_chunk(), far_.end_chunk();
        }
        near_.shrink(), far_.shrink();
    }
    // calls use(stencil, particle, weight)
    template <class Use>
    void each(const Use &use) const {
        near_.each(use), far_.each(use);
    }
    SparseRows<T, I> curvature() const { return {near_.view(0), far_.view(0)}; }
    SparseRows<T, I> force() const { return {near_.view(1), far_.view(1)}; }
    std::size_t bytes() const { return near_.bytes() + far_.bytes(); }

  private:
    void add(const SparseRow<T> &row, std::int32_t r, const bool *of) {
        std::int32_t low = r, high = r;
        for (const auto &[source, c] : row.entry) low = std::min(low, source), high = std::max(high, source);
        near_.holds(low, high) ? near_.add(row, r, low, high, of) : far_.add(row, r, low, high, of);
    }
    PackedRows<T, std::uint16_t> near_;
    PackedRows<T, std::int32_t> far_;
};

template <class T, class I>
class BendingStencils {
  public:
    // particle (stencil, width), -1 where there are fewer; weight alike; centre: the particle whose curvature it is. A stencil has the
    // number of its centre, of which it must be the only one; the last `along` ones, which run along a free edge, have numbers of
    // their own after the particles.
    void set(const std::vector<std::int32_t> &particle, const double *weight, std::size_t width, const std::vector<std::int32_t> &centre,
             const std::vector<T> &stiffness, std::size_t along, std::size_t particle_count, int chunk_count) {
        // what is kept comes first, so that the memory of the rest can be given back
        const std::size_t inner = centre.size() - along;
        edge_ = edge_neighbours(centre.data() + inner, particle.data() + width * inner, width, along, particle_count);
        stiffness_.reserve(particle_count + along), stiffness_.assign(particle_count, T(0)), home_.clear(), home_.reserve(along);
        std::vector<SparseRow<T>> curvature(particle_count), force = empty_rows(particle_count);
        curvature.reserve(particle_count + along);
        std::vector<char> taken(particle_count, 0);
        for (std::size_t s = 0; s < centre.size(); ++s) {
            std::size_t number = centre[s];
            if (taken[number] || s >= inner)
                number = curvature.size(), curvature.emplace_back(), stiffness_.push_back(T(0)), home_.push_back(centre[s]);
            else taken[number] = 1;
            stiffness_[number] = stiffness[s], curvature[number].home = centre[s];
            for (std::size_t k = width * s; k < width * (s + 1); ++k) {
                if (particle[k] < 0) continue;
                curvature[number].entry.emplace_back(particle[k], static_cast<T>(weight[k]));
                force[particle[k]].entry.emplace_back(static_cast<std::int32_t>(number), static_cast<T>(weight[k]));
            }
        }
        stiffness_.shrink_to_fit();
        rows_.set(curvature, force, chunk_count, true);
    }

    // numbers that stencils have, used or not
    std::size_t count() const { return stiffness_.size(); }

    // what the weighted sum of each particle's stencil is at rest (particle, 3), in the caller's order
    void set_rest(const double *rest, const std::vector<I> &order) {
        rest_.assign(4 * stiffness_.size(), T(0));
        const auto keep = [&](std::size_t stencil, std::size_t p) {
            for (int a = 0; a < 3; ++a) rest_[4 * stencil + a] = static_cast<T>(rest[3 * static_cast<std::size_t>(order[p]) + a]);
        };
        for (std::size_t p = 0; p < order.size(); ++p) keep(p, p);
        for (std::size_t k = 0; k < home_.size(); ++k)
            if (stiffness_[home_[k]] == T(0)) keep(order.size() + k, home_[k]);  // its only stencil
    }

    // Stencils that a grid bends get no rows any more, what they may weigh is still told. They are bend[0] (left + right) + bend[1] (below +
    // above) - 2 (bend[0] + bend[1]) middle.
    void leave_out(std::vector<bool> known, int columns, const T *bend, int chunk_count) {
        std::vector<SparseRow<T>> curvature(stiffness_.size()), force = empty_rows(known.size());
        rows_.each([&](std::int32_t s, std::int32_t p, T c) {
            if (is_known(known, s)) return;
            if (curvature[s].entry.empty()) curvature[s].home = p;
            curvature[s].entry.emplace_back(p, c), force[p].entry.emplace_back(s, c);
        });
        known_ = std::move(known), columns_ = columns, bend_ = {bend[0], bend[1]};
        rows_ = {}, rows_.set(curvature, force, chunk_count, false);
        release_memory(rest_);  // a grid lies flat
    }

    // row sums of |C W Cᵀ|; inverse_mass(particle)
    template <class Weight>
    void set_bound(std::size_t particle_count, const Weight &inverse_mass) {
        std::vector<double> reach(particle_count, 0.0), bound(stiffness_.size(), 0.0);  // reach: w_j Σ_t |c_tj|
        each([&](std::int32_t, std::int32_t p, T c) { reach[p] += inverse_mass(p) * std::abs(static_cast<double>(c)); });
        each([&](std::int32_t s, std::int32_t p, T c) { bound[s] += std::abs(static_cast<double>(c)) * reach[p]; });
        most_.resize(stiffness_.size());
        for (std::size_t s = 0; s < most_.size(); ++s) most_[s] = static_cast<T>(1.1 / bound[s]);
        if (known_.empty()) smooth_.set_threshold(stiffness_, most_);
    }

    // What a stencil weighs when all are projected at once, min(stiffness · asked_dt2, most): dt²/α is the exact bending force, 1 - β of it what is
    // left to do after a head start (StepOptions). With a head start β the correction of the predicted points is stable while no eigenvalue
    // exceeds 1 + 1 / (3 + 4 β), 1.2 for β = 0.5 (1.1 leaves some room); the row sums of |C W Cᵀ| bound them, so cloth that is too stiff for
    // the substep bends as stiffly as the substep allows.
    T stiffness(std::size_t stencil) const { return stiffness_[stencil]; }
    T most(std::size_t stencil) const { return most_[stencil]; }
    // whether a stencil is one that a grid bends
    bool known(std::size_t stencil) const { return known_[stencil]; }
    // calls use(stencil, particle, weight) for stencils that have rows, one after the other
    template <class Use>
    void each_listed(const Use &use) const {
        rows_.each(use);
    }

    std::size_t bytes() const {
        return rows_.bytes() + smooth_.bytes() + known_.capacity() / 8 + bytes_of(stiffness_, most_, rest_, home_, edge_);
    }
    // moment: room for all stencils; dt2: what the longest of the next substeps will ask for [s²]
    Bending<T, I> view(T *moment, T dt2) {
        const std::size_t particle_count = stiffness_.size() - home_.size();
        if (known_.empty() && !smooth_.ready(dt2)) smooth_.prepare(stiffness_, most_, edge_, particle_count, [&](const auto &use) { each(use); });
        return {rows_.curvature(), rows_.force(), stiffness_.data(), most_.data(), moment,
                rest_.empty() ? nullptr : rest_.data(), smooth_.view(particle_count)};
    }

  private:
    static std::vector<SparseRow<T>> empty_rows(std::size_t particle_count) {
        std::vector<SparseRow<T>> rows(particle_count);
        for (std::size_t p = 0; p < particle_count; ++p) rows[p].home = static_cast<std::int32_t>(p);
        return rows;
    }
    static bool is_known(const std::vector<bool> &known, std::int32_t s) { return static_cast<std::size_t>(s) < known.size() && known[s]; }
    // calls use(stencil, particle, weight), those of a grid too
    template <class Use>
    void each(const Use &use) const {
        rows_.each(use);
        const auto count = static_cast<std::int32_t>(known_.size());
        for (std::int32_t p = 0; p < count; ++p) {
            if (!known_[p]) continue;
            const std::pair<std::int32_t, T> entry[] = {{0, -2 * (bend_[0] + bend_[1])}, {-1, bend_[0]}, {1, bend_[0]}, {-columns_, bend_[1]}, {columns_, bend_[1]}};
            for (const auto &[away, c] : entry)
                if (p + away >= 0 && p + away < count) use(p, p + away, c);
        }
    }
    StencilRows<T, I> rows_;
    std::vector<bool> known_;  // (particle): its stencil is a grid's
    std::int32_t columns_ = 0;
    std::array<T, 2> bend_{};
    std::vector<std::int32_t> home_;  // particles of the stencils that are numbered after the particles
    std::vector<std::array<std::int32_t, 2>> edge_;  // neighbours of those along free edges
    SmoothedStencils<T, I> smooth_;
    std::vector<T> stiffness_, most_, rest_;  // of stencils; most: what they may weigh
};
