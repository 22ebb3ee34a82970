// Coarse points over a rectangle of equal cells: no paths to search, no panels to lay out.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cloth/grid_view.h"
#include "cloth/hierarchy.h"
#include "core/fixed_math.h"

namespace {

// points of a rectangle, where they lie on the flat cloth
struct FlatGrid {
    int rows, columns;
    std::vector<double> u, v, inverse_mass;
    std::size_t at(int r, int c) const { return static_cast<std::size_t>(r) * columns + c; }
};

// Finer points follow the coarse ones round them, linearly from one to the next: 2/3 the nearest, 1/3 the next, by row and by column.
void spread_grid(Level &level, const FlatGrid &fine, const FlatGrid &coarse, std::vector<double> &carried) {
    level.spread_point.assign(4 * fine.u.size(), 0), level.spread_weight.assign(4 * fine.u.size(), 0.0);
    const auto split = [](int k, int count, int *to, double *weight) {
        const int other = k / 3 + k % 3 - 1;
        const bool between = k % 3 != 1 && other >= 0 && other < count;
        to[0] = k / 3, to[1] = between ? other : k / 3;
        weight[1] = between ? 1.0 / 3.0 : 0.0, weight[0] = 1.0 - weight[1];
    };
    for (int r = 0; r < fine.rows; ++r)
        for (int c = 0; c < fine.columns; ++c) {
            const std::size_t f = fine.at(r, c);
            if (fine.inverse_mass[f] == 0) continue;  // a pinned point follows nobody
            int row[2], column[2];
            double by_row[2], by_column[2];
            split(r, coarse.rows, row, by_row), split(c, coarse.columns, column, by_column);
            for (int k = 0; k < 4; ++k) {
                const std::size_t to = coarse.at(row[k / 2], column[k % 2]);
                const double weight = by_row[k / 2] * by_column[k % 2];
                level.spread_point[4 * f + k] = static_cast<std::int32_t>(to), level.spread_weight[4 * f + k] = weight;
                carried[to] += weight / fine.inverse_mass[f];
            }
        }
}

// coarse points as mass-weighted averages; one with pinned points among its own is pinned where they are
void average_grid(Level &level, const FlatGrid &fine, FlatGrid &coarse, const std::vector<double> &carried) {
    level.average_begin.assign(1, 0);
    for (int r = 0; r < coarse.rows; ++r)
        for (int c = 0; c < coarse.columns; ++c) {
            std::vector<std::size_t> members;
            bool pinned = false;
            for (int i = 3 * r; i < std::min(3 * r + 3, fine.rows); ++i)
                for (int j = 3 * c; j < std::min(3 * c + 3, fine.columns); ++j)
                    members.push_back(fine.at(i, j)), pinned |= fine.inverse_mass[fine.at(i, j)] == 0;
            double sum = 0, u = 0, v = 0;
            const auto mass = [&](std::size_t f) { return pinned ? double(fine.inverse_mass[f] == 0) : 1 / fine.inverse_mass[f]; };
            for (const std::size_t f : members) sum += mass(f);
            for (const std::size_t f : members) {
                if (mass(f) == 0) continue;
                level.average_point.push_back(static_cast<std::int32_t>(f)), level.average_weight.push_back(mass(f) / sum);
                u += mass(f) / sum * fine.u[f], v += mass(f) / sum * fine.v[f];
            }
            level.average_begin.push_back(level.average_point.size());
            coarse.u.push_back(u), coarse.v.push_back(v);
            coarse.inverse_mass.push_back(pinned ? 0.0 : 1 / carried[coarse.at(r, c)]);
        }
}
}  // namespace

std::vector<Level> make_grid_hierarchy(int rows, int columns, const double *cell, std::vector<double> inverse_mass, int level_count) {
    std::vector<Level> levels;
    FlatGrid fine{rows, columns, {}, {}, std::move(inverse_mass)};
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) fine.u.push_back(c * cell[0]), fine.v.push_back(r * cell[1]);
    for (int l = 0; l < level_count; ++l) {
        FlatGrid coarse{(fine.rows + 2) / 3, (fine.columns + 2) / 3, {}, {}, {}};
        Level level;
        level.count = static_cast<std::size_t>(coarse.rows) * coarse.columns;
        if (level.count < FEWEST_COARSE || (l > 0 && level.count > MOST_COARSE)) break;  // the finest are not counted by lists
        std::vector<double> carried(level.count, 0.0);
        spread_grid(level, fine, coarse, carried);
        average_grid(level, fine, coarse, carried);
        level.inverse_mass = coarse.inverse_mass;
        for (int r = 0; r < coarse.rows; ++r)
            for (int c = 0; c < coarse.columns; ++c)
                for (const CoarseOffset &away : COARSE_OFFSETS) {
                    const int i = r + away.rows, j = c + away.columns;
                    if (i >= coarse.rows || j < 0 || j >= coarse.columns) continue;
                    const std::size_t one = coarse.at(r, c), two = coarse.at(i, j);
                    level.pair.push_back(static_cast<std::int32_t>(one)), level.pair.push_back(static_cast<std::int32_t>(two));
                    const double u = coarse.u[two] - coarse.u[one], v = coarse.v[two] - coarse.v[one];
                    level.rest.push_back(fixed_math::hypot(u, v)), level.slant.push_back(slant_of(u, v));
                }
        levels.push_back(std::move(level));
        fine = std::move(coarse);
    }
    return levels;
}
