// Levels of coarse points (hierarchy.h) as a cloth keeps them, and how much their limits do (compliance.h).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "cloth/compliance.h"
#include "cloth/grid.h"
#include "cloth/hierarchy.h"
#include "cloth/constraint_sets.h"

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
inline void use_worn_shape(std::vector<Level> &levels, std::vector<double> points) {
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
    ConstraintSet<T> limits;
    std::vector<T> slant;  // (block, lane) of limits: sin 2θ
    std::vector<std::int32_t> average_begin;
    std::vector<I> average_point;
    std::vector<CoarseNumber> spread_point;
    std::vector<T> point, start, average_weight, spread_weight;
    explicit CoarseSet(const Level &from) : CoarseSet(from, pack(from.pair, 2, from.count, chunk_count_for(4 * from.count))) {}
    CoarseSet(const Level &from, const Packed &packed)
        : count(from.count), chunk_count(chunk_count_for(4 * count)), limits(packed_pulls<T>(packed, from.rest.data())),
          slant(packed_numbers<T>(packed, from.slant.data())),
          average_begin(from.average_begin.begin(), from.average_begin.end()),
          average_point(from.average_point.begin(), from.average_point.end()),
          spread_point(from.spread_point.begin(), from.spread_point.end()), point(4 * count, T(0)),
          start(4 * count, T(0)), average_weight(from.average_weight.begin(), from.average_weight.end()),
          spread_weight(from.spread_weight.begin(), from.spread_weight.end()) {
        for (std::size_t c = 0; c < count; ++c) point[4 * c + 3] = static_cast<T>(from.inverse_mass[c]);
    }
    // limits do so much of what they ask for
    void set_parts(const Stiffness &parts) {
        limits.part.resize(slant.size());
        for (std::size_t k = 0; k < slant.size(); ++k) limits.part[k] = static_cast<T>(parts.part(slant[k]));
    }
    // calls use(first point, second point, rest length, part) for every limit
    template <class Use>
    void each_limit(const Use &use) const {
        for (std::size_t b = 0; b < limits.block_count(); ++b)
            limits.each(b, [&](std::size_t k, const std::int32_t *pair) { use(pair[0], pair[1], limits.rest[k], limits.part.empty() ? T(1) : limits.part[k]); });
    }
    std::size_t bytes() const {
        return limits.bytes() + bytes_of(slant, average_begin, average_point, spread_point, point, start, average_weight, spread_weight);
    }
    LevelView<T, I> view() {
        return {count, chunk_count, point.data(), start.data(), average_begin.data(), average_point.data(),
                average_weight.data(), spread_point.data(), spread_weight.data(), limits.view()};
    }
};

// the finest level of a rectangle lies in its grid
template <class T, class I>
class CoarseLevels {
  public:
    std::size_t size() const { return levels_.size(); }
    CoarseSet<T, I> &operator[](std::size_t l) { return levels_[l]; }
    const CoarseSet<T, I> &operator[](std::size_t l) const { return levels_[l]; }

    void clear() { levels_.clear(), shared_ = {}, thread_part_ = T(1); }
    // mean mass of a particle [kg], area of the flat cloth [m²]
    void set(std::vector<Level> levels, Grid<T> &grid, double mass, double area) {
        clear();
        level_stiffness_.assign(1, {2 * mass, 0.0});  // long threads lead over two edges
        for (const Level &level : levels) level_stiffness_.push_back(stiffness_of(level, grid, &level == levels.data(), area));
        // each thread of a cell moves two vertices, shear moves three; elsewhere two triangles share a cell
        const double moved = grid.there() ? mass : 2 * mass;
        sweep_ = {moved / 2, moved / 4};
        if (grid.there() && !levels.empty()) {
            grid.set_coarse(levels[0]);
            if (levels.size() > 1) grid.set_coarser(levels[1]);
            Level points;  // the rest is in the grid
            points.count = levels[0].count, points.inverse_mass = std::move(levels[0].inverse_mass);
            levels[0] = std::move(points);
        }
        levels_.reserve(levels.size());
        for (const Level &from : levels) levels_.emplace_back(from);
    }
    // limits do what a fabric needs besides the sweep, in substeps that ask for the forces of so long [s]
    void share_out(const Stiffness &fabric, double substep, Grid<T> &grid) {
        const std::array<double, 3> what{fabric.threads, fabric.bias, substep};
        if (levels_.empty() || what == shared_) return;
        shared_ = what;
        const std::vector<Stiffness> parts = share_stiffness(fabric, sweep_, level_stiffness_, substep * substep);
        thread_part_ = static_cast<T>(parts[0].threads);
        if (grid.there()) grid.set_parts(parts[1]);
        for (std::size_t l = 0; l < levels_.size(); ++l) levels_[l].set_parts(parts[l + 1]);
    }
    T thread_part() const { return thread_part_; }

    // calls use(first point, second point, rest length, part) for every limit of a level
    template <class Use>
    void each_limit(std::size_t level, const Grid<T> &grid, const Use &use) const {
        if (level == 0 && grid.there()) grid.each_limit(use);
        else levels_[level].each_limit(use);
    }
    // (coarse point, 3) from (particle, 3)
    std::vector<double> points(std::size_t level, const Grid<T> &grid, std::vector<double> x) const {
        for (std::size_t l = 0; l <= level; ++l) x = l == 0 && grid.there() ? grid.averages(x) : averages(levels_[l], x);
        return x;
    }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto &level : levels_) sum += level.bytes();
        return sum;
    }

  private:
    // what limits bear that do all they can in each substep; the finest are swept several times
    static Stiffness stiffness_of(const Level &level, const Grid<T> &grid, bool finest, double area) {
        Stiffness sum;
        for (std::size_t e = 0; e < level.rest.size(); ++e) {
            const std::int32_t i = level.pair[2 * e], j = level.pair[2 * e + 1];
            const int sweeps = !finest ? 1 : grid.there() ? grid.sweeps(i, j) : FINEST_SWEEPS;
            if (const double w = level.inverse_mass[i] + level.inverse_mass[j]; w > 0) sum.add_limit(level.rest[e], level.slant[e], w, area / sweeps);
        }
        return sum;
    }
    std::vector<CoarseSet<T, I>> levels_;
    Stiffness sweep_;
    std::vector<Stiffness> level_stiffness_;  // of long threads, then of each level
    std::array<double, 3> shared_{};  // the stiffness and the substep for which limits know their part
    T thread_part_ = T(1);      // of long threads
};
