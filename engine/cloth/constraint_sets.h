// What a cloth keeps between steps: constraints and sparse rows, packed for the hot loop (xpbd.h).
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "cloth/grid.h"
#include "core/lanes.h"
#include "core/memory.h"
#include "cloth/batches.h"
#include "core/threads.h"
#include "cloth/xpbd.h"

// constraints of one kind
template <class T>
struct ConstraintSet {
    int arity = 0;
    std::vector<ConstraintGroup> group;
    std::vector<std::uint16_t> near;  // see Packed::index
    std::vector<std::int32_t> far;
    std::vector<T> rest, part, softness, weight;
    std::vector<std::uint16_t> kind;

    void take(const Packed &packed) {
        arity = packed.arity;
        for (std::size_t g = 0; g + 1 < packed.begin.size(); ++g) add_group(packed.index.data(), packed.begin[g], packed.begin[g + 1]);
        near.shrink_to_fit(), far.shrink_to_fit();
    }
    std::size_t block_count() const { return group.empty() ? 0 : group.back().last; }
    // calls use(lane, particles) for each constraint of a block
    template <class Use>
    void each(std::size_t block, const Use &use) const {
        const ConstraintGroup &of = *std::upper_bound(group.begin(), group.end(), block, [](std::size_t b, const ConstraintGroup &g) { return b < g.last; });
        const auto number = [&](std::size_t k, int a) {  // k: (block, lane)
            const std::size_t i = of.entry + (arity * (k / LANES - of.first) + a) * LANES + k % LANES;
            return of.near ? of.from + near[i] : far[i];
        };
        std::int32_t joined[3];
        for (std::size_t k = LANES * block; k < LANES * (block + 1); ++k) {
            if (Packed::repeats(k, [&](std::size_t lane) { return number(lane, 0); })) continue;
            for (int a = 0; a < arity; ++a) joined[a] = number(k, a);
            use(k, joined);
        }
    }
    Constraints<T> view() const {
        return {group.empty() ? nullptr : group.data(), near.data(), far.data(), rest.data(), part.empty() ? nullptr : part.data(), softness.data(), kind.data(), weight.data()};
    }
    std::size_t bytes() const { return bytes_of(group, near, far, rest, part, softness, kind, weight); }

  private:
    void add_group(const std::int32_t *index, std::size_t first, std::size_t last) {
        const std::int32_t *const begin = index + first * arity * LANES, *const end = index + last * arity * LANES;
        const auto [low, high] = std::minmax_element(begin, end);
        const std::int32_t from = begin == end ? 0 : *low;
        const bool is_near = begin == end || *high - from <= 65535;
        group.push_back({first, last, is_near ? near.size() : far.size(), from, is_near});
        if (is_near) std::transform(begin, end, std::back_inserter(near), [=](std::int32_t p) { return static_cast<std::uint16_t>(p - from); });
        else far.insert(far.end(), begin, end);
    }
};

// a number of each constraint, in the order of the blocks
template <class T>
std::vector<T> packed_numbers(const Packed &packed, const double *values) {
    std::vector<T> r;
    r.reserve(packed.source.size());
    for (const std::int32_t k : packed.source) r.push_back(static_cast<T>(values[k]));
    return r;
}

// pairs of points that may not be farther apart than their rest length [m]
template <class T>
ConstraintSet<T> packed_pulls(const Packed &packed, const double *rest) {
    ConstraintSet<T> set;
    set.take(packed);
    set.rest = packed_numbers<T>(packed, rest);
    return set;
}

// Flat corners of triangles (triangle, 3, 2) all counterclockwise: panels that are drawn from inside run clockwise and are mirrored, so that charts can be laid
// side by side.
inline std::vector<double> turned_outside(const double *corner, std::size_t count) {
    std::vector<double> r(corner, corner + 6 * count);
    for (std::size_t k = 0; k < count; ++k) {
        double *c = r.data() + 6 * k;
        const double area = (c[2] - c[0]) * (c[5] - c[1]) - (c[3] - c[1]) * (c[4] - c[0]);
        if (area < 0)
            for (int a = 0; a < 3; ++a) c[2 * a] = -c[2 * a];
    }
    return r;
}

constexpr std::size_t STRETCH_STEPS = 2000;
constexpr double STRETCH_STEP = 0.0005;

// elongation of threads, added up, and counted by size
struct Elongations {
    double sum = 0.0;
    std::vector<std::uint32_t> &counts;  // (STRETCH_STEPS)
    // of a thread, as the square of its length compared with that at rest
    void add(double length2) {
        const double more = std::max(0.0, std::sqrt(length2) - 1.0);
        sum += more;
        ++counts[std::min(STRETCH_STEPS - 1, static_cast<std::size_t>(std::min(more, 1.0) / STRETCH_STEP + 0.5))];
    }
};

// Mean and 99th percentile of the elongation of threads: of_block(block, counts) adds up and counts those of a block. Counted in
// steps of 0.05 %: counts, and sums kept block by block, do not depend on the threads.
template <class OfBlock>
std::tuple<double, double> stretch_of_blocks(std::size_t blocks, const OfBlock &of_block) {
    std::vector<double> sums(blocks, 0.0);
    std::vector<std::atomic<std::uint32_t>> counts(STRETCH_STEPS);
    for_ranges(blocks, 100, [&](std::size_t first, std::size_t last) {
        std::vector<std::uint32_t> mine(STRETCH_STEPS, 0);
        for (std::size_t b = first; b < last; ++b) sums[b] = of_block(b, mine);
        for (std::size_t k = 0; k < STRETCH_STEPS; ++k)
            if (mine[k]) counts[k].fetch_add(mine[k], std::memory_order_relaxed);
    });
    std::size_t thread_count = 0;
    for (const auto &count : counts) thread_count += count;
    if (!thread_count) return {0.0, 0.0};
    const auto wanted = static_cast<std::size_t>(0.99 * static_cast<double>(thread_count));
    std::size_t step = 0, below = counts[0];
    while (below <= wanted && step + 1 < STRETCH_STEPS) below += counts[++step];
    return {std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(thread_count), static_cast<double>(step) * STRETCH_STEP};
}

// of eight triangles of a grid
template <class T>
double block_stretch(const Grid<T> &grid, std::size_t block, const double *x, std::vector<std::uint32_t> &counts) {
    Elongations found{0.0, counts};
    for (std::size_t t = block * LANES; t < std::min((block + 1) * LANES, grid.triangle_count()); ++t) {
        double length2[2];
        grid.threads(t, x, length2);
        found.add(length2[0]), found.add(length2[1]);
    }
    return found.sum;
}
