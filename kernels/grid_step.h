// One sweep over a rectangle of equal cells: bending as stencils, long threads, triangles. Included by xpbd_step.h.
#pragma once
#include "grid_view.h"
#include "team.h"
#include "threads_step.h"
#include "wide.h"

namespace TOILE_ISA {
namespace {

// where a phase of a row begins; `shift` counts columns, so the phase may be another one
template <class T>
inline std::ptrdiff_t place(const GridView<T> &g, int row, int phase, int shift) {
    const int column = phase + shift + PHASES;  // not negative
    return g.at(row, column % PHASES) + column / PHASES - 1;
}
template <class T>
inline WidePoint<T> read(const GridView<T> &g, std::ptrdiff_t at) {
    return {wide_load(g.x[0] + at), wide_load(g.x[1] + at), wide_load(g.x[2] + at), wide_load(g.weight + at)};
}
template <class T>
inline void write(const GridView<T> &g, std::ptrdiff_t at, const WidePoint<T> &p) {
    wide_store(g.x[0] + at, p.x), wide_store(g.x[1] + at, p.y), wide_store(g.x[2] + at, p.z);
}

// rows of particles (x, y, z, inverse mass) into phases, and back
template <class T, class Use>
inline void each_vertex(const GridView<T> &g, int first, int last, const Use &use) {
    for (int r = first; r < last; ++r)
        for (int phase = 0; phase < PHASES; ++phase)
            for (int k = 0; k < g.count(phase); k += LANES) {
                const int lanes = g.count(phase) - k < LANES ? g.count(phase) - k : LANES;
                use(static_cast<std::ptrdiff_t>(r) * g.columns + phase + PHASES * k, g.at(r, phase) + k, lanes);
            }
}
constexpr std::int32_t EVERY_FOURTH[LANES] = {0, 4, 8, 12, 16, 20, 24, 28};

template <class T>
void read_rows(const GridView<T> &g, const T *point, int first, int last) {
    each_vertex(g, first, last, [&](std::ptrdiff_t p, std::ptrdiff_t at, int lanes) {
        if (lanes == LANES) {
            const Lanes4<T> v = gather(point + 4 * p, EVERY_FOURTH);
            std::memcpy(g.x[0] + at, &v.x, sizeof v.x), std::memcpy(g.x[1] + at, &v.y, sizeof v.y), std::memcpy(g.x[2] + at, &v.z, sizeof v.z);
        } else {
            for (int lane = 0; lane < lanes; ++lane)
                for (int a = 0; a < 3; ++a) g.x[a][at + lane] = point[4 * (p + PHASES * lane) + a];
        }
    });
}
template <class T>
void write_rows(const GridView<T> &g, T *point, int first, int last) {
    each_vertex(g, first, last, [&](std::ptrdiff_t p, std::ptrdiff_t at, int lanes) {
        if (lanes == LANES) {
            scatter(point + 4 * p, EVERY_FOURTH, Lanes4<T>{load(g.x[0] + at), load(g.x[1] + at), load(g.x[2] + at), load(g.weight + at)});
        } else {
            for (int lane = 0; lane < lanes; ++lane)
                for (int a = 0; a < 3; ++a) point[4 * (p + PHASES * lane) + a] = g.x[a][at + lane];
        }
    });
}

// cu (left + right) + cv (below + above) - 2 (cu + cv) middle, for all vertices of some rows
template <class T, class Use>
inline void each_star(const GridView<T> &g, T *const *from, int first, int last, const Use &use) {
    const Wide<T> along = wide<T>(g.bend[0]), up = wide<T>(g.bend[1]), middle = wide<T>(T(2) * (g.bend[0] + g.bend[1]));
    for (int r = first; r < last; ++r)
        for (int phase = 0; phase < PHASES; ++phase) {
            const std::ptrdiff_t left = place(g, r, phase, -1), right = place(g, r, phase, 1), row = PHASES * g.pitch;
            for (int k = 0; k < g.count(phase); k += WIDTH<T>) {
                const std::ptrdiff_t at = g.at(r, phase) + k;
                Wide<T> sum[3];
                for (int a = 0; a < 3; ++a)
                    sum[a] = along * (wide_load(from[a] + left + k) + wide_load(from[a] + right + k)) +
                             up * (wide_load(from[a] + at - row) + wide_load(from[a] + at + row)) - middle * wide_load(from[a] + at);
                use(at, sum);
            }
        }
}

// curvature of each star, times what it weighs
template <class T>
void measure_stars(const GridView<T> &g, int first, int last) {
    each_star(g, g.x, first, last, [&](std::ptrdiff_t at, const Wide<T> *sum) {
        const Wide<T> gain = wide_load(g.gain + at);
        for (int a = 0; a < 3; ++a) wide_store(g.moment[a] + at, gain * sum[a]);
    });
}
// x -= w Σ c moment
template <class T>
void bend(const GridView<T> &g, int first, int last) {
    each_star(g, g.moment, first, last, [&](std::ptrdiff_t at, const Wide<T> *sum) {
        const Wide<T> w = wide_load(g.weight + at);
        for (int a = 0; a < 3; ++a) wide_store(g.x[a] + at, wide_load(g.x[a] + at) - w * sum[a]);
    });
}

// two vertices may not be farther apart than `rest`; `share` as in project_pulls
template <class T>
TOILE_INLINE void pull(const GridView<T> &g, std::ptrdiff_t one, std::ptrdiff_t two, const Wide<T> &live, T rest, T share) {
    WidePoint<T> i = read(g, one), j = read(g, two);
    const Wide<T> dx = i.x - j.x, dy = i.y - j.y, dz = i.z - j.z, length2 = dx * dx + dy * dy + dz * dz;
    const Wide<T> longest = wide<T>(rest), tiny = wide<T>(T(1e-12)), none = wide<T>(T(0));
    // lanes beyond the border do not count; most threads are slack most of the time
    if (!any_greater(length2 * live, longest * longest)) return;
    const Wide<T> length = at_least(square_root(length2), tiny);
    const Wide<T> stretch = at_most(at_least(length - longest, none), wide<T>(rest * share)) * live;
    const Wide<T> s = stretch / (at_least(i.w + j.w, tiny) * length), si = s * i.w, sj = s * j.w;
    i.x -= dx * si, i.y -= dy * si, i.z -= dz * si;
    j.x += dx * sj, j.y += dy * sj, j.z += dz * sj;
    write(g, one, i), write(g, two, j);
}
template <class T>
void pull_along(const GridView<T> &g, int row, T share) {
    if (g.reach[0] == T(0)) return;
    // phases 0 and 1 with 2 and 3 of the same four columns, then with those of the four before
    for (int phase = 0; phase < PHASES; ++phase) {
        const std::ptrdiff_t one = g.at(row, phase), two = place(g, row, phase, 2);
        for (int k = 0; k < g.count(phase); k += WIDTH<T>)
            pull(g, one + k, two + k, wide_load(g.after_next + phase * g.pitch + k), g.reach[0], share);
    }
}
template <class T>
void pull_up(const GridView<T> &g, int row, T share) {
    if (g.reach[1] == T(0)) return;
    for (int phase = 0; phase < PHASES; ++phase)
        for (int k = 0; k < g.count(phase); k += WIDTH<T>)
            pull(g, g.at(row, phase) + k, g.at(row + 2, phase) + k, wide<T>(T(1)), g.reach[1], share);
}

// A triangle with its right angle at p, its weft from p to q, its warp from p to r: Fu = (q - p) / width, Fv = (r - p) / height. Their
// signs do not matter.
template <class T>
inline void project_corner(const GridView<T> &g, WidePoint<T> &p, WidePoint<T> &q, WidePoint<T> &r, T inverse_dt2, T compression) {
    const Wide<T> iu = wide<T>(g.per_cell[0]), iv = wide<T>(g.per_cell[1]);
    Threads<T> t;
    t.ux = iu * (q.x - p.x), t.uy = iu * (q.y - p.y), t.uz = iu * (q.z - p.z);
    t.vx = iv * (r.x - p.x), t.vy = iv * (r.y - p.y), t.vz = iv * (r.z - p.z);
    const auto soft = [&](int k) { return wide<T>(g.compliance[k] * inverse_dt2); };
    t.project((p.w + q.w) * (iu * iu), p.w * (iu * iv), (p.w + r.w) * (iv * iv), soft(0), soft(1), soft(2), compression);
    const Wide<T> qu = iu * t.au, qv = iu * t.av, ru = iv * t.bu, rv = iv * t.bv;
    t.move(q, qu, qv), t.move(r, ru, rv), t.move(p, -(qu + ru), -(qv + rv));
}

// both triangles of the cells of one phase of a row
template <class T>
void project_cells(const GridView<T> &g, int row, int phase, T inverse_dt2, T compression) {
    const std::ptrdiff_t left = g.at(row, phase), right = place(g, row, phase, 1), up = PHASES * g.pitch;
    const bool rising = !g.alternate || (row + phase) % 2 == 0;
    for (int k = 0; k < g.count(phase); k += WIDTH<T>) {
        WidePoint<T> a = read(g, left + k), b = read(g, right + k), c = read(g, right + up + k), d = read(g, left + up + k);
        // lanes beyond the border stay where they are
        const Wide<T> live = wide_load(g.next + phase * g.pitch + k);
        a.w *= live, b.w *= live, c.w *= live, d.w *= live;
        if (rising) project_corner(g, b, a, c, inverse_dt2, compression), project_corner(g, d, c, a, inverse_dt2, compression);
        else project_corner(g, a, b, d, inverse_dt2, compression), project_corner(g, c, d, b, inverse_dt2, compression);
        write(g, left + k, a), write(g, right + k, b), write(g, right + up + k, c), write(g, left + up + k, d);
    }
}
// cells between rows first … last; every other row, then those between, so that one does not wait for the other
template <class T>
void project_rows(const GridView<T> &g, int first, int last, T inverse_dt2, T compression) {
    for (int odd = 0; odd < 2; ++odd)
        for (const int phase : {0, 2, 1, 3})
            for (int r = first + odd; r < last; r += 2) project_cells(g, r, phase, inverse_dt2, compression);
}

// what lies within a band of rows; then what joins it to the next
template <class T>
void sweep_band(const GridView<T> &g, int first, int last, T inverse_dt2, T compression, T share) {
    for (int r = first; r < last; ++r) pull_along(g, r, share);
    // rows 0 and 1 with 2 and 3, then 2 and 3 with 4 and 5
    for (const int start : {0, 2})
        for (int four = first + start; four + 2 < last; four += 4)
            for (int r = four; r < four + 2 && r + 2 < last; ++r) pull_up(g, r, share);
    project_rows(g, first, last - 1, inverse_dt2, compression);
}
template <class T>
void join_bands(const GridView<T> &g, int last, T inverse_dt2, T compression, T share) {
    for (int r = last - 2; r < last && r + 2 < g.rows; ++r) pull_up(g, r, share);
    project_rows(g, last - 1, last, inverse_dt2, compression);
}

// bending, long threads and triangles of the whole rectangle
template <class T, class Push>
void sweep_grid(const GridView<T> &g, const Push &push, T *point, T inverse_dt2, T compression, T share_of_rest, int rank, int size, Barrier &barrier) {
    const Share mine = share(g.band_count(), rank, size);
    const auto begin = [&](std::size_t b) { return static_cast<int>(b) * BAND; };
    const auto end = [&](std::size_t b) { return begin(b + 1) < g.rows ? begin(b + 1) : g.rows; };
    const auto each_band = [&](const auto &use) {
        for (std::size_t b = mine.begin; b < mine.end; ++b) use(begin(b), end(b));
        barrier.wait();
    };
    each_band([&](int first, int last) {
        for (int r = first; r < last; ++r) push(static_cast<std::size_t>(r) * g.columns, static_cast<std::size_t>(r + 1) * g.columns), read_rows<T>(g, point, r, r + 1);
    });
    each_band([&](int first, int last) { measure_stars(g, first, last); });
    each_band([&](int first, int last) {
        bend(g, first, last);
        sweep_band(g, first, last, inverse_dt2, compression, share_of_rest);
    });
    each_band([&](int, int last) {
        if (last < g.rows) join_bands(g, last, inverse_dt2, compression, share_of_rest);
    });
    each_band([&](int first, int last) { write_rows(g, point, first, last); });
}
}  // namespace
}  // namespace TOILE_ISA
