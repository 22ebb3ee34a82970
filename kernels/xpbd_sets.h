// What a cloth keeps between steps: constraints, sparse rows and coarse levels, packed for the hot loop (xpbd.h).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "hierarchy.h"
#include "lanes.h"
#include "pack.h"
#include "xpbd.h"

// constraints of one kind
template <class T>
struct ConstraintSet {
    Packed packed;
    std::vector<T> rest, compliance, weight, gram;
    Constraints<T> view() const {
        return {packed.index.data(), packed.begin.empty() ? nullptr : packed.begin.data(), rest.data(), compliance.data(), weight.data(), gram.data(), packed.arity};
    }
};

// pairs of points (pair, 2) that may not be farther apart than their rest length [m]
template <class T>
ConstraintSet<T> packed_pulls(const std::vector<std::int32_t> &pairs, const double *rest, std::size_t point_count, int chunk_count) {
    ConstraintSet<T> set;
    set.packed = pack(pairs, 2, point_count, chunk_count);
    for (const std::int32_t k : set.packed.source) {
        set.rest.push_back(k < 0 ? T(0) : static_cast<T>(rest[k]));
        set.compliance.push_back(T(0));
    }
    return set;
}

// one row of a sparse matrix
template <class T>
struct SparseRow {
    std::int32_t home = 0;  // the particle whose chunk it belongs to
    std::vector<std::pair<std::int32_t, T>> entry;
};
// a sparse matrix, its rows sorted by length inside each chunk
template <class T>
struct RowSet {
    std::vector<std::size_t> run_begin;
    std::vector<RowRun> run;
    std::vector<std::int32_t> target, at;
    std::vector<T> weight;
    void set(const std::vector<SparseRow<T>> &rows, std::size_t particle_count, int chunk_count, bool empty_too = true) {
        std::vector<std::vector<std::int32_t>> members(chunk_count);
        for (std::size_t r = 0; r < rows.size(); ++r)
            if (empty_too || !rows[r].entry.empty()) members[chunk_of(rows[r].home, particle_count, chunk_count)].push_back(static_cast<std::int32_t>(r));
        run_begin.assign(1, 0);
        for (auto &list : members) {
            std::stable_sort(list.begin(), list.end(), [&](std::int32_t a, std::int32_t b) {
                return std::pair(rows[a].entry.size(), rows[a].home) < std::pair(rows[b].entry.size(), rows[b].home);
            });
            for (const std::int32_t r : list) add(rows[r], r);
            run_begin.push_back(run.size());
        }
    }
    void add(const SparseRow<T> &row, std::int32_t r) {
        const auto length = static_cast<std::int32_t>(row.entry.size());
        if (run.size() == run_begin.back() || run.back().length != length)
            run.push_back({length, target.size(), target.size(), at.size()});
        ++run.back().last;
        target.push_back(r);
        for (const auto &[source, c] : row.entry) at.push_back(4 * source), weight.push_back(c);
    }
    template <class Use>
    void each(const Use &use) const {
        for (const RowRun &k : run)
            for (std::size_t r = k.first, e = k.entry; r < k.last; ++r)
                for (int n = 0; n < k.length; ++n, ++e) use(target[r], at[e] / 4, weight[e]);
    }
    SparseRows<T> view() const { return {run_begin.data(), run.data(), target.data(), at.data(), weight.data()}; }
};

// a level of coarse points with its limits
template <class T>
struct CoarseSet {
    Level level;
    ConstraintSet<T> limits;
    std::vector<T> point, start, average_weight, spread_weight;
    int chunk_count;
    explicit CoarseSet(Level &&from) : level(std::move(from)), chunk_count(chunk_count_for(4 * level.count)) {
        limits = packed_pulls<T>(level.pair, level.rest.data(), level.count, chunk_count);
        average_weight.assign(level.average_weight.begin(), level.average_weight.end());
        spread_weight.assign(level.spread_weight.begin(), level.spread_weight.end());
        level.spread_weight = {};  // once is enough
        point.assign(4 * (level.count + group_count(chunk_count)), T(0)), start.assign(4 * level.count, T(0));
        for (std::size_t c = 0; c < level.count; ++c) point[4 * c + 3] = static_cast<T>(level.inverse_mass[c]);
    }
    LevelView<T> view() {
        return {level.count, chunk_count, point.data(), start.data(), level.average_begin.data(), level.average_point.data(),
                average_weight.data(), level.spread_point.data(), spread_weight.data(), limits.view()};
    }
};

// coarse points of a level from the points of the finer one
inline std::vector<double> averages(const Level &level, const std::vector<double> &finer) {
    std::vector<double> coarse(3 * level.count, 0.0);
    for (std::size_t c = 0; c < level.count; ++c)
        for (std::size_t k = level.average_begin[c]; k < level.average_begin[c + 1]; ++k)
            for (int a = 0; a < 3; ++a)
                coarse[3 * c + a] += level.average_weight[k] * finer[3 * static_cast<std::size_t>(level.average_point[k]) + a];
    return coarse;
}

constexpr std::size_t STRETCH_STEPS = 2000;
constexpr double STRETCH_STEP = 0.0005;

// elongation of the threads of eight triangles, added up, and counted by size
template <class T>
double block_stretch(const ConstraintSet<T> &triangles, const std::vector<std::int32_t> &order, std::size_t block, const double *x,
                     std::vector<std::uint32_t> &counts) {
    double sum = 0.0;
    for (int lane = 0; lane < LANES; ++lane) {
        if (triangles.packed.source[block * LANES + lane] < 0) continue;
        const std::int32_t *index = triangles.packed.index.data() + block * 3 * LANES + lane;
        const T *weight = triangles.weight.data() + block * 4 * LANES + lane;
        const double *p[3];
        for (int k = 0; k < 3; ++k) p[k] = x + 3 * static_cast<std::size_t>(order[index[k * LANES]]);
        for (int thread = 0; thread < 2; ++thread) {
            const double c = weight[2 * thread * LANES], d = weight[(2 * thread + 1) * LANES];
            double square = 0.0;
            for (int a = 0; a < 3; ++a) {
                const double f = c * (p[1][a] - p[0][a]) + d * (p[2][a] - p[0][a]);
                square += f * f;
            }
            const double more = std::max(0.0, std::sqrt(square) - 1.0);
            sum += more;
            ++counts[std::min(STRETCH_STEPS - 1, static_cast<std::size_t>(std::min(more, 1.0) / STRETCH_STEP + 0.5))];
        }
    }
    return sum;
}
