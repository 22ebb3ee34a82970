// What a cloth keeps between steps: constraints, sparse rows and coarse levels, packed for the hot loop (xpbd.h).
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "grid.h"
#include "hierarchy.h"
#include "lanes.h"
#include "memory.h"
#include "pack.h"
#include "team.h"
#include "xpbd.h"

// constraints of one kind
template <class T, class I>
struct ConstraintSet {
    std::vector<I> index;            // see Packed
    std::vector<std::size_t> begin;
    std::vector<T> rest, softness, weight;
    std::vector<std::uint16_t> kind;
    void take(const Packed &packed) { index.assign(packed.index.begin(), packed.index.end()), begin = packed.begin; }
    std::size_t block_count() const { return begin.empty() ? 0 : begin.back(); }
    Constraints<T, I> view() const {
        return {index.data(), begin.empty() ? nullptr : begin.data(), rest.data(), softness.data(), kind.data(), weight.data()};
    }
    std::size_t bytes() const { return bytes_of(index, begin, rest, softness, kind, weight); }
};

// pairs of points (pair, 2) that may not be farther apart than their rest length [m]
template <class T, class I>
ConstraintSet<T, I> packed_pulls(const std::vector<std::int32_t> &pairs, const double *rest, std::size_t point_count, int chunk_count) {
    const Packed packed = pack(pairs, 2, point_count, chunk_count);
    ConstraintSet<T, I> set;
    set.take(packed);
    set.rest.reserve(packed.source.size());
    for (const std::int32_t k : packed.source) set.rest.push_back(k < 0 ? T(0) : static_cast<T>(rest[k]));
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

// coarse points of a level (Level, CoarseSet) from the points of the finer one
template <class Coarse>
std::vector<double> averages(const Coarse &level, const std::vector<double> &finer) {
    std::vector<double> coarse(3 * level.count, 0.0);
    for (std::size_t c = 0; c < level.count; ++c)
        for (auto k = level.average_begin[c]; k < level.average_begin[c + 1]; ++k)
            for (int a = 0; a < 3; ++a)
                coarse[3 * c + a] += static_cast<double>(level.average_weight[k]) * finer[3 * static_cast<std::size_t>(level.average_point[k]) + a];
    return coarse;
}

// where the body holds the cloth stretched (a garment that is too small), the limits must not fight the body; points: (particle, 3)
inline void give_way(std::vector<Level> &levels, std::vector<double> points) {
    for (Level &level : levels) {
        points = averages(level, points);
        for (std::size_t e = 0; e < level.rest.size(); ++e) {
            const double *p = points.data() + 3 * static_cast<std::size_t>(level.pair[2 * e]);
            const double *q = points.data() + 3 * static_cast<std::size_t>(level.pair[2 * e + 1]);
            const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
            level.rest[e] = std::max(level.rest[e], std::sqrt(x * x + y * y + z * z));
        }
    }
}

// a level of coarse points with its limits, as the hot loop reads them
template <class T, class I>
struct CoarseSet {
    std::size_t count;
    int chunk_count;
    ConstraintSet<T, I> limits;
    std::vector<std::int32_t> average_begin;
    std::vector<I> average_point, spread_point;
    std::vector<T> point, start, average_weight, spread_weight;
    explicit CoarseSet(const Level &from)
        : count(from.count), chunk_count(chunk_count_for(4 * count)),
          limits(packed_pulls<T, I>(from.pair, from.rest.data(), count, chunk_count)),
          average_begin(from.average_begin.begin(), from.average_begin.end()),
          average_point(from.average_point.begin(), from.average_point.end()),
          spread_point(from.spread_point.begin(), from.spread_point.end()), point(4 * (count + group_count(chunk_count)), T(0)),
          start(4 * count, T(0)), average_weight(from.average_weight.begin(), from.average_weight.end()),
          spread_weight(from.spread_weight.begin(), from.spread_weight.end()) {
        for (std::size_t c = 0; c < count; ++c) point[4 * c + 3] = static_cast<T>(from.inverse_mass[c]);
    }
    // calls use(first point, second point, rest length) for every limit
    template <class Use>
    void each_limit(const Use &use) const {
        for (std::size_t b = 0; b < limits.block_count(); ++b)
            for (int lane = 0; lane < LANES; ++lane) {
                const auto i = limits.index[2 * b * LANES + lane], j = limits.index[(2 * b + 1) * LANES + lane];
                if (static_cast<std::size_t>(i) < count) use(i, j, limits.rest[b * LANES + lane]);
            }
    }
    std::size_t bytes() const {
        return limits.bytes() + bytes_of(average_begin, average_point, spread_point, point, start, average_weight, spread_weight);
    }
    LevelView<T, I> view() {
        return {count, chunk_count, point.data(), start.data(), average_begin.data(), average_point.data(),
                average_weight.data(), spread_point.data(), spread_weight.data(), limits.view()};
    }
};

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
