// Coarse points of a rectangle of equal cells: averages, their limits, and how vertices follow them.
#pragma once
#include "cloth/grid_step.h"

namespace TOILE_ISA {
namespace {

// Coarse points of one row, each the average of three by three finer ones: use(first column, their places) for as many as a register holds.
template <class T, class Use>
TOILE_INLINE void average_row(const GridLayout &finer, T *const *x, const T *share_of, int coarse_row, const Use &use) {
    const int first = PHASES * coarse_row, past = first + PHASES < finer.rows ? first + PHASES : finer.rows, columns = finer.count(0);
    for (int k = 0; k < columns; k += WIDTH<T>) {
        Wide<T> sum[3] = {};
        for (int r = first; r < past; ++r)
            for (int phase = 0; phase < PHASES; ++phase) {
                const std::ptrdiff_t at = finer.at(r, phase) + k;
                const Wide<T> share = wide_load(share_of + at);
                for (int a = 0; a < 3; ++a) sum[a] += share * wide_load(x[a] + at);
            }
        use(k, sum);
    }
}
// of the vertices, into phases
template <class T>
void average_vertices(const GridView<T> &g, int row) {
    Wide<T> group[3][PHASES];  // by axis: PHASES registers of consecutive columns
    average_row<T>(g.fine, g.x, g.share, row, [&](int k, const Wide<T> *sum) TOILE_HERE {
        const int part = k / WIDTH<T> % PHASES;
        for (int a = 0; a < 3; ++a) group[a][part] = sum[a];
        if (part + 1 < PHASES && k + WIDTH<T> < g.coarse.columns) return;
        const int at = k / WIDTH<T> / PHASES * WIDTH<T>;
        for (int a = 0; a < 3; ++a) {
            for (int p = part + 1; p < PHASES; ++p) group[a][p] = wide<T>(T(0));
            for (int phase = 0; phase < PHASES; ++phase)
                if (at < g.coarse.count(phase)) wide_store(g.average[a] + g.coarse.at(row, phase) + at, every_third<T>(group[a], phase));
        }
    });
}
// of the coarse points, into particles (x, y, z, …) of the next coarser level
template <class T>
void average_coarse(const GridView<T> &g, int row, T *point, T *start) {
    const int columns = g.coarse.count(0);
    average_row<T>(g.coarse, g.average, g.coarse_share, row, [&](int k, const Wide<T> *sum) TOILE_HERE {
        const std::size_t to = 4 * (static_cast<std::size_t>(row) * columns + k);
        for (int lane = 0; lane < WIDTH<T> && k + lane < columns; ++lane)
            for (int a = 0; a < 3; ++a) point[to + 4 * lane + a] = start[to + 4 * lane + a] = sum[a][lane];
    });
}

// limits of coarse points that lie between rows first … past; parts of three rows that do not touch each other
template <class T>
void limit_rows(const GridView<T> &g, int kind, int first, int past, Pulls<T> how) {
    const CoarseOffset &away = COARSE_OFFSETS[kind];
    const int passes = away.rows ? 2 : 1, run = away.rows ? away.rows : 1;
    for (int pass = 0; pass < passes; ++pass)
        for (int phase = 0; phase < PHASES; ++phase)
            for (int start = first + pass * run; start < past; start += passes * run)
                for (int r = start; r < start + run && r < past; ++r) {
                    if (r + away.rows >= g.coarse.rows) continue;
                    const std::ptrdiff_t one = g.coarse.at(r, phase), two = g.coarse.place(r + away.rows, phase + away.columns);
                    for (int k = 0; k < g.coarse.count(phase); k += WIDTH<T>)
                        pull(g.coarse_x, g.coarse_weight, one + k, two + k, wide_load(g.coarse_rest2[kind] + one + k), how,
                             wide_load(g.coarse_part[kind] + one + k));
                }
}
template <class T>
void limit_within(const GridView<T> &g, int first, int past, int kinds, Pulls<T> how) {
    for (int kind = 0; kind < kinds; ++kind) limit_rows(g, kind, first, past - COARSE_OFFSETS[kind].rows, how);
}
// those that lead across the border before a row
template <class T>
void limit_across(const GridView<T> &g, int past, int kinds, Pulls<T> how) {
    for (int kind = 0; kind < kinds; ++kind)
        if (COARSE_OFFSETS[kind].rows) limit_rows(g, kind, past - COARSE_OFFSETS[kind].rows, past, how);
}

// one more column on each side moves as the outermost
template <class T>
inline void close_row(const GridPush<T> &p, T *row) {
    row[0] = row[1], row[p.columns + 1] = row[p.columns];
}
// how far the limits moved the coarse points of a row
template <class T>
void keep_push(const GridView<T> &g, int row) {
    for (int a = 0; a < 3; ++a) {
        T *push = g.push.push[a] + row * g.push.pitch;
        for (int k = 0; k < g.coarse.count(0); k += WIDTH<T>) {
            Wide<T> moved[PHASES];
            for (int phase = 0; phase < PHASES; ++phase) {
                const std::ptrdiff_t at = g.coarse.at(row, phase) + k;
                moved[phase] = wide_load(g.coarse_x[a] + at) - wide_load(g.average[a] + at);
            }
            for (int part = 0; part < PHASES; ++part) wide_store(push + 1 + PHASES * k + part * WIDTH<T>, in_turn<T>(moved, part));
        }
        close_row(g.push, push);
    }
}
// the same of particles of the next coarser level
template <class T>
void keep_coarser_push(const GridPush<T> &p, const T *point, const T *start) {
    for (int row = 0; row < p.rows; ++row)
        for (int a = 0; a < 3; ++a) {
            T *push = p.push[a] + row * p.pitch;
            const std::size_t from = 4 * static_cast<std::size_t>(row) * p.columns + a;
            for (int c = 0; c < p.columns; ++c) push[1 + c] = point[from + 4 * c] - start[from + 4 * c];
            close_row(p, push);
        }
}

// how far a row of finer points follows
template <class T>
struct RowPush {
    const T *between;
    std::ptrdiff_t pitch;
    Wide<T> third = wide<T>(T(1) / T(3)), two_thirds = wide<T>(T(2) / T(3));
    RowPush(const GridPush<T> &p, std::size_t band, int row) : between(p.between + 3 * static_cast<std::ptrdiff_t>(band) * p.pitch), pitch(p.pitch) {
        const int near = row / PHASES, far = near + row % PHASES - 1, other = far < 0 || far >= p.rows ? near : far;
        T *to = p.between + 3 * static_cast<std::ptrdiff_t>(band) * pitch;
        for (int a = 0; a < 3; ++a) {
            const T *one = p.push[a] + near * pitch, *two = p.push[a] + other * pitch;
            for (int k = 0; k < p.columns + 2; k += WIDTH<T>)
                wide_store(to + a * pitch + k, other == near ? wide_load(one + k) : two_thirds * wide_load(one + k) + third * wide_load(two + k));
        }
    }
    inline Wide<T> at(int a, int phase, int k) const {
        const T *mine = between + a * pitch + 1 + k;
        const Wide<T> push = wide_load(mine);
        return phase == 1 ? push : two_thirds * push + third * wide_load(mine + phase - 1);
    }
};

// coarse points of a row where the next coarser ones take them
template <class T>
void place_coarse(const GridView<T> &g, std::size_t band, int row) {
    const auto place = [&](const auto &push) TOILE_HERE {
        each_wide<T>(g.coarse, row, [&](std::ptrdiff_t at, int phase, int k) {
            for (int a = 0; a < 3; ++a) wide_store(g.coarse_x[a] + at, wide_load(g.average[a] + at) + push(at, a, phase, k));
        });
    };
    if (!g.coarser_push.rows) return place([](std::ptrdiff_t, int, int, int) { return wide<T>(T(0)); });
    const RowPush<T> follow(g.coarser_push, band, row);
    place([&](std::ptrdiff_t at, int a, int phase, int k) TOILE_HERE { return where_positive(wide_load(g.coarse_weight + at), follow.at(a, phase, k)); });
}

// vertices follow the coarse points round them and bend: x += push - w Σ c moment
template <class T>
void carry_row(const GridView<T> &g, std::size_t band, int row, bool limited) {
    const Stencil<T> stencil(g);
    const auto carry = [&](const auto &push) TOILE_HERE {
        each_wide<T>(g.fine, row, [&](std::ptrdiff_t at, int phase, int k) {
            const std::ptrdiff_t left = g.fine.place(row, phase - 1) + k, right = g.fine.place(row, phase + 1) + k;
            const Wide<T> w = wide_load(g.weight + at);
            for (int a = 0; a < 3; ++a)
                wide_store(g.x[a] + at, wide_load(g.x[a] + at) + (where_positive(w, push(a, phase, k)) - w * stencil.sum(g.moment[a], left, at, right)));
        });
    };
    if (!limited) return carry([](int, int, int) { return wide<T>(T(0)); });
    const RowPush<T> follow(g.push, band, row);
    carry([&](int a, int phase, int k) TOILE_HERE { return follow.at(a, phase, k); });
}
}  // namespace
}  // namespace TOILE_ISA
