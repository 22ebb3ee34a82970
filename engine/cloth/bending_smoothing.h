// What lets cloth bend truly that is too stiff for its substep: moments that are smoothed (Smoothing in xpbd.h).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/fixed_math.h"
#include "core/memory.h"
#include "cloth/xpbd.h"

// Stencils along free edges: which of them come before and after each, itself where the edge turns or ends.
inline std::vector<std::array<std::int32_t, 2>> edge_neighbours(const std::int32_t *centre, const std::int32_t *particle, std::size_t width,
                                                                std::size_t count, std::size_t particle_count) {
    std::vector<std::array<std::int32_t, 2>> next(count);
    std::vector<std::int32_t> at(particle_count, -1);  // the stencil of each particle
    for (std::size_t k = 0; k < count; ++k) at[centre[k]] = static_cast<std::int32_t>(k);
    const auto end = [&](std::int32_t k, int side) { return particle[width * k + (side ? 3 : 1)]; };
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(count); ++k)
        for (int side = 0; side < 2; ++side) {
            const std::int32_t p = end(k, side), other = p < 0 ? -1 : at[p];
            // both must know each other, or what one gives the other would not take
            const bool knows = other >= 0 && at[centre[k]] == k && (end(other, 0) == centre[k] || end(other, 1) == centre[k]);
            next[k][side] = knows ? other : k;
        }
    return next;
}

// What smoothing needs. Most cloth never does: it is worked out when the first substep asks for it.
template <class T, class I>
class SmoothedStencils {
  public:
    // Where more than half of the stencils ask for more than they may weigh; smaller triangles than others matter to nobody.
    void set_threshold(const std::vector<T> &stiffness, const std::vector<T> &most) {
        source_.clear();
        std::vector<T> longest;
        for (std::size_t s = 0; s < most.size(); ++s)
            if (stiffness[s] > T(0) && std::isfinite(most[s])) longest.push_back(most[s] / stiffness[s]);
        from_dt2_ = std::numeric_limits<T>::infinity();
        if (longest.empty()) return;
        const auto middle = longest.begin() + static_cast<std::ptrdiff_t>(longest.size() / 2);
        std::nth_element(longest.begin(), middle, longest.end());
        from_dt2_ = *middle;
    }
    bool ready(T dt2) const { return !(dt2 > from_dt2_) || !source_.empty(); }

    // row sums of |C W Cᵀ| are 1.1 / most; edge: neighbours of the last stencils; each(use) calls use(stencil, particle, weight)
    template <class Each>
    void prepare(const std::vector<T> &stiffness, const std::vector<T> &most, const std::vector<std::array<std::int32_t, 2>> &edge, std::size_t particle_count,
                 const Each &each) {
        // eigenvalues are found larger beside free edges than the rows there promise, most of all where an edge turns
        constexpr double INSIDE = 0.85, BESIDE = 0.55, ALONG = 0.5, AT_END = 0.35, MOST = 6.75;  // MOST: r where ω is 1
        std::vector<double> sum(most.size(), 0.0);
        std::vector<char> beside(most.size(), 0);
        each([&](std::int32_t s, std::int32_t p, T c) { sum[s] += std::abs(static_cast<double>(c)), beside[s] |= stiffness[p] == T(0); });
        const std::size_t first = most.size() - edge.size();
        const auto ends = [&](std::size_t s) {
            const auto k = static_cast<std::int32_t>(s - first);
            return s >= first && (edge[k][0] == k || edge[k][1] == k);
        };
        full_.resize(most.size()), rate_.resize(most.size()), source_.assign(4 * most.size(), T(0));
        for (std::size_t s = 0; s < most.size(); ++s) {
            const bool along = s >= particle_count;
            const double factor = ends(s) ? AT_END : along ? ALONG : beside[s] ? BESIDE : INSIDE;
            // what it weighs where ω is 1; stencils of pinned particles alone weigh whatever they like
            const double heaviest = MOST * std::min(static_cast<double>(most[s]), 1e30) / 1.1 * factor, k = std::max(static_cast<double>(stiffness[s]), 1e-30);
            const double longest = fixed_math::fourth_root(heaviest / k);
            full_[s] = static_cast<T>(longest);
            rate_[s] = static_cast<T>(std::sqrt(heaviest * (along ? 0.25 : 1 / sum[s])) / (longest * longest * longest));
        }
        edge_.clear();
        for (std::size_t k = 0; k < edge.size(); ++k)
            for (const std::size_t stencil : {k, static_cast<std::size_t>(edge[k][0]), static_cast<std::size_t>(edge[k][1])}) edge_.push_back(static_cast<I>(first + stencil));
    }
    std::size_t bytes() const { return bytes_of(full_, rate_, source_, edge_); }
    Smoothing<T, I> view(std::size_t particle_count) {
        if (source_.empty()) return {};
        return {from_dt2_, full_.data(), rate_.data(), source_.data(), particle_count, edge_.size() / 3, edge_.data()};
    }

  private:
    T from_dt2_ = std::numeric_limits<T>::infinity();
    std::vector<T> full_, rate_, source_;
    std::vector<I> edge_;
};
