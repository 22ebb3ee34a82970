// The stages of a substep of a rectangle of equal cells: bending as stencils, long threads, cells, skin, prediction.
#pragma once
#include "cloth/grid_view.h"
#include "cloth/membrane_step.h"
#include "core/wide.h"
#include "cloth/xpbd.h"

namespace TOILE_ISA {
namespace {

template <class T>
inline WidePoint<T> read(T *const *x, const T *weight, std::ptrdiff_t at) {
    return {wide_load(x[0] + at), wide_load(x[1] + at), wide_load(x[2] + at), wide_load(weight + at)};
}
template <class T>
inline void write(T *const *x, std::ptrdiff_t at, const WidePoint<T> &p) {
    wide_store(x[0] + at, p.x), wide_store(x[1] + at, p.y), wide_store(x[2] + at, p.z);
}

// use(place, phase, number) for a row, as many vertices at a time as a register holds
template <class T, class Use>
TOILE_INLINE void each_wide(const GridLayout &layout, int row, const Use &use) {
    for (int phase = 0; phase < PHASES; ++phase)
        for (int k = 0; k < layout.count(phase); k += WIDTH<T>) use(layout.at(row, phase) + k, phase, k);
}

// particles (x, y, z, …) of a row into phases, and back
constexpr std::int32_t EVERY_THIRD[LANES] = {0, 3, 6, 9, 12, 15, 18, 21};
template <class T, class Use>
inline void each_eight(const GridLayout &layout, int row, const Use &use) {
    for (int phase = 0; phase < PHASES; ++phase)
        for (int k = 0; k < layout.count(phase); k += LANES) {
            const int left = layout.count(phase) - k;
            use(static_cast<std::size_t>(row) * layout.columns + phase + PHASES * k, layout.at(row, phase) + k, left < LANES ? left : LANES);
        }
}
template <class T>
void read_row(const GridLayout &layout, const T *particle, T *const *to, int row) {
    each_eight<T>(layout, row, [&](std::size_t p, std::ptrdiff_t at, int lanes) {
        if (lanes == LANES) {
            const Lanes4<T> v = gather(particle + 4 * p, EVERY_THIRD);
            std::memcpy(to[0] + at, &v.x, sizeof v.x), std::memcpy(to[1] + at, &v.y, sizeof v.y), std::memcpy(to[2] + at, &v.z, sizeof v.z);
        } else {
            for (int lane = 0; lane < lanes; ++lane)
                for (int a = 0; a < 3; ++a) to[a][at + lane] = particle[4 * (p + PHASES * lane) + a];
        }
    });
}
// the fourth number of each particle is `weight`
template <class T>
void write_row(const GridLayout &layout, T *const *from, const T *weight, T *particle, int row) {
    each_eight<T>(layout, row, [&](std::size_t p, std::ptrdiff_t at, int lanes) {
        if (lanes == LANES) {
            scatter(particle + 4 * p, EVERY_THIRD, Lanes4<T>{load(from[0] + at), load(from[1] + at), load(from[2] + at), load(weight + at)});
        } else {
            for (int lane = 0; lane < lanes; ++lane)
                for (int a = 0; a < 3; ++a) particle[4 * (p + PHASES * lane) + a] = from[a][at + lane];
        }
    });
}

// cu (left + right) + cv (below + above) - 2 (cu + cv) middle
template <class T>
struct Stencil {
    Wide<T> along, up, middle;
    std::ptrdiff_t row;
    explicit Stencil(const GridView<T> &g)
        : along(wide<T>(g.bend[0])), up(wide<T>(g.bend[1])), middle(wide<T>(T(2) * (g.bend[0] + g.bend[1]))), row(PHASES * g.fine.pitch) {}
    inline Wide<T> sum(const T *from, std::ptrdiff_t left, std::ptrdiff_t at, std::ptrdiff_t right) const {
        return along * (wide_load(from + left) + wide_load(from + right)) + up * (wide_load(from + at - row) + wide_load(from + at + row)) -
               middle * wide_load(from + at);
    }
};

// curvature of each stencil of a row, times what it weighs in a substep (BendingStencils::stiffness)
template <class T>
void measure_row(const GridView<T> &g, int row, T dt2) {
    if (row == 0 || row + 1 >= g.fine.rows) return;  // stencils of the border are others
    const Stencil<T> stencil(g);
    const Wide<T> step2 = wide<T>(dt2);
    const auto measure = [&](const auto &gain) {
        each_wide<T>(g.fine, row, [&](std::ptrdiff_t at, int phase, int k) {
            const std::ptrdiff_t left = g.fine.place(row, phase - 1) + k, right = g.fine.place(row, phase + 1) + k;
            const Wide<T> weighs = gain(at);
            for (int a = 0; a < 3; ++a) wide_store(g.moment[a] + at, weighs * stencil.sum(g.x[a], left, at, right));
        });
    };
    const auto asked = [&](std::ptrdiff_t at) { return wide_load(g.stiffness + at) * step2; };
    // soft cloth never weighs as much as it may
    if (dt2 <= g.soft_dt2) measure(asked);
    else measure([&](std::ptrdiff_t at) { return at_most(asked(at), wide_load(g.most + at)); });
}
template <class T>
void measure_border(const GridView<T> &g, std::size_t first, std::size_t last, T dt2) {
    const BorderStencils<T> &b = g.border;
    for (std::size_t s = first; s < last; ++s) {
        T sum[3] = {};
        for (std::int32_t e = b.begin[s]; e < b.begin[s + 1]; ++e)
            for (int a = 0; a < 3; ++a) sum[a] += b.weight[e] * g.x[a][b.place[e]];
        const T gain = b.stiffness[s] * dt2;
        for (int a = 0; a < 3; ++a) b.moment[4 * s + a] = (gain < b.most[s] ? gain : b.most[s]) * sum[a];
    }
}
// x -= w Σ c moment
template <class T>
void bend_border(const GridView<T> &g, std::size_t band) {
    const BorderStencils<T> &b = g.border;
    for (std::int32_t f = b.band_begin[band]; f < b.band_begin[band + 1]; ++f) {
        T sum[3] = {};
        for (std::int32_t e = b.force_begin[f]; e < b.force_begin[f + 1]; ++e)
            for (int a = 0; a < 3; ++a) sum[a] += b.force_weight[e] * b.moment[4 * static_cast<std::size_t>(b.stencil[e]) + a];
        for (int a = 0; a < 3; ++a) g.x[a][b.to[f]] -= g.weight[b.to[f]] * sum[a];
    }
}

// two points may not be farther apart than `rest`
template <class T>
TOILE_INLINE void pull(T *const *x, const T *weight, std::ptrdiff_t one, std::ptrdiff_t two, const Wide<T> &rest2, Pulls<T> how, const Wide<T> &part) {
    Wide<T> i[3], d[3];
    for (int a = 0; a < 3; ++a) i[a] = wide_load(x[a] + one), d[a] = i[a] - wide_load(x[a] + two);
    const Wide<T> length2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], over = length2 - rest2, none = wide<T>(T(0));
    if (!any_greater(over, none)) return;  // most are slack most of the time
    const Wide<T> wi = wide_load(weight + one), wj = wide_load(weight + two), sum = length2 + rest2;
    const Wide<T> s = pulled<T>(over, sum, how, part) / (sum * at_least(wi + wj, wide<T>(T(1e-12)))), si = s * wi, sj = s * wj;
    // lanes beyond the border may lie over the first ones of `one`, which must have the last word
    for (int a = 0; a < 3; ++a) wide_store(x[a] + two, wide_load(x[a] + two) + d[a] * sj);
    for (int a = 0; a < 3; ++a) wide_store(x[a] + one, i[a] - d[a] * si);
}

// Long threads: two edges of a thread that follow each other may not be longer together than at rest, c + d <= 2 L. The way from end to end would be
// shorter than that in every fold, and the edges alone would bear what pulls at it. (c² d² - L⁴) / ((c² + L²) (d² + L²)) is the mean stretch of both
// to second order, as in `pulled`; ends are moved along their edges, the middle by what both pull at it, which is how tension flattens a fold.
template <class T>
class LongThread {
  public:
    // reach: how long both edges may be together
    LongThread(const GridView<T> &g, T reach, Pulls<T> how, const Wide<T> &part)
        : x_(g.x), weight_(g.weight), how_(how), part_(part), rest2_(wide<T>(T(0.25) * reach * reach)), per_rest2_(wide<T>(T(4) / (reach * reach))) {}
    // live: 0 where there is no second edge
    TOILE_INLINE void pull(std::ptrdiff_t one, std::ptrdiff_t middle, std::ptrdiff_t two, const Wide<T> &live) const {
        Wide<T> c[3], d[3];
        for (int a = 0; a < 3; ++a) {
            const Wide<T> m = wide_load(x_[a] + middle);
            c[a] = m - wide_load(x_[a] + one), d[a] = wide_load(x_[a] + two) - m;
        }
        const Wide<T> cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2], dd = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * live;
        const Wide<T> over = cc * dd - rest2_ * rest2_;
        if (!any_greater(over, wide<T>(T(0)))) return;
        Wide<T> apex[3];
        for (int a = 0; a < 3; ++a) apex[a] = d[a] - c[a];
        const Wide<T> w1 = wide_load(weight_ + one), wm = wide_load(weight_ + middle), w2 = wide_load(weight_ + two);
        const Wide<T> bent = (apex[0] * apex[0] + apex[1] * apex[1] + apex[2] * apex[2]) * per_rest2_;
        const Wide<T> sum = (cc + rest2_) * (dd + rest2_), mobile = at_least(w1 + w2 + wm * bent, wide<T>(T(1e-12)));
        const Wide<T> half = pulled<T>(over, sum, how_, part_) / (sum * mobile), s = half + half;
        // each is read again: lanes beyond the border may lie over the first ones of another
        const auto move = [&](std::ptrdiff_t at, const Wide<T> *delta, const Wide<T> &by) TOILE_HERE {
            for (int a = 0; a < 3; ++a) wide_store(x_[a] + at, wide_load(x_[a] + at) + delta[a] * by);
        };
        move(two, d, -(s * w2)), move(middle, apex, s * wm), move(one, c, s * w1);
    }

  private:
    T *const *x_;
    const T *weight_;
    Pulls<T> how_;
    const Wide<T> &part_;
    Wide<T> rest2_, per_rest2_;
};
// Along rows first … past. One phase of all rows after the other: the next phase of a row reads across what two writes left, which takes long until
// these have reached the cache.
template <class T>
void pull_along(const GridView<T> &g, int first, int past, Pulls<T> how, const Wide<T> &part) {
    if (g.reach[0] == T(0)) return;
    const LongThread<T> thread(g, g.reach[0], how, part);
    for (int phase = 0; phase < PHASES; ++phase)
        for (int r = first; r < past; ++r)
            for (int k = 0; k < g.fine.count(phase); k += WIDTH<T>)
                thread.pull(g.fine.at(r, phase) + k, g.fine.place(r, phase + 1) + k, g.fine.place(r, phase + 2) + k,
                            wide_load(g.after_next + phase * g.fine.pitch + k));
}
// from a row over the next to the next but one
template <class T>
void pull_up(const GridView<T> &g, int row, Pulls<T> how, const Wide<T> &part) {
    if (g.reach[1] == T(0) || row + 2 >= g.fine.rows) return;
    const LongThread<T> thread(g, g.reach[1], how, part);
    const std::ptrdiff_t up = PHASES * g.fine.pitch;
    const Wide<T> all = wide<T>(T(1));
    each_wide<T>(g.fine, row, [&](std::ptrdiff_t at, int, int) { thread.pull(at, at + up, at + 2 * up, all); });
}

// The threads that leave a vertex p along its row, to q, and across, to r: Fu = (q - p) / width, Fv = (r - p) / height. Every thread
// of the rectangle leaves one vertex; cells shear as the angle at p. Each has the stiffness of a cell, half of it where there
// is cloth on one side only; along: 0 where there is no q. The three constraints of Threads (membrane_step.h), all at once: a third less time
// than one after the other. They share p, so where the threads are nearly parallel together they would go too far: the shear then takes
// smaller steps, as if its vertices were lighter, which leaves its stiffness as it is.
template <class T>
TOILE_INLINE void project_corner(const GridView<T> &g, WidePoint<T> &p, WidePoint<T> &q, WidePoint<T> &r, const Wide<T> &weft,
                                 const Wide<T> &warp, const Wide<T> &shear, const Wide<T> &along, T compression) {
    const Wide<T> iu = wide<T>(g.per_cell[0]), iv = wide<T>(g.per_cell[1]), one = wide<T>(T(1));
    const Wide<T> ux = iu * (q.x - p.x), uy = iu * (q.y - p.y), uz = iu * (q.z - p.z);
    const Wide<T> vx = iv * (r.x - p.x), vy = iv * (r.y - p.y), vz = iv * (r.z - p.z);
    const Wide<T> uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz, uv = ux * vx + uy * vy + uz * vz;
    const Wide<T> saa = (p.w + q.w) * (iu * iu), sab = p.w * (iu * iv), sbb = (p.w + r.w) * (iv * iv), apex = sab * uv;
    const Wide<T> open = at_least(one - uv * uv, wide<T>(T(0)));
    const Wide<T> du = shortfall<T>(uu, saa + weft, compression) * along, dv = shortfall<T>(vv, sbb + warp, compression);
    const Wide<T> ds = -uv * open / (saa * vv + apex + apex + sbb * uu + shear * open) * along;
    const auto move = [&](WidePoint<T> &x, Wide<T> cu, Wide<T> cv) {
        cu *= x.w, cv *= x.w;
        x.x += cu * ux + cv * vx, x.y += cu * uy + cv * vy, x.z += cu * uz + cv * vz;
    };
    const Wide<T> qu = iu * du, qv = iu * ds, ru = iv * ds, rv = iv * dv;
    move(q, qu, qv), move(r, ru, rv), move(p, -(qu + ru), -(qv + rv));
}
// of the vertices of one phase of a row
template <class T>
void project_phase(const GridView<T> &g, int row, int phase, T inverse_dt2, T compression) {
    const std::ptrdiff_t at = g.fine.at(row, phase), right = g.fine.place(row, phase + 1), up = PHASES * g.fine.pitch;
    const Wide<T> weft = wide<T>(g.compliance[0] * inverse_dt2 * (row ? T(1) : T(2))), shear = wide<T>(g.compliance[2] * inverse_dt2);
    const Wide<T> warp = wide<T>(g.compliance[1] * inverse_dt2);
    for (int k = 0; k < g.fine.count(phase); k += WIDTH<T>) {
        WidePoint<T> p = read(g.x, g.weight, at + k), q = read(g.x, g.weight, right + k), r = read(g.x, g.weight, at + up + k);
        const std::ptrdiff_t column = phase * g.fine.pitch + k;
        project_corner(g, p, q, r, weft, warp * wide_load(g.half + column), shear, wide_load(g.next + column), compression);
        write(g.x, right + k, q), write(g.x, at + k, p), write(g.x, at + up + k, r);
    }
}
// the last row has a weft only
template <class T>
void project_last(const GridView<T> &g, int phase, T inverse_dt2, T compression) {
    const int row = g.fine.rows - 1;
    const std::ptrdiff_t at = g.fine.at(row, phase), right = g.fine.place(row, phase + 1);
    const Wide<T> iu = wide<T>(g.per_cell[0]), weft = wide<T>(g.compliance[0] * inverse_dt2 * T(2));
    for (int k = 0; k < g.fine.count(phase); k += WIDTH<T>) {
        WidePoint<T> p = read(g.x, g.weight, at + k), q = read(g.x, g.weight, right + k);
        const Wide<T> x = iu * (q.x - p.x), y = iu * (q.y - p.y), z = iu * (q.z - p.z);
        const Wide<T> d = iu * shortfall<T>(x * x + y * y + z * z, (p.w + q.w) * (iu * iu) + weft, compression) * wide_load(g.next + phase * g.fine.pitch + k);
        const Wide<T> dp = d * p.w, dq = d * q.w;
        q.x += dq * x, q.y += dq * y, q.z += dq * z;
        p.x -= dp * x, p.y -= dp * y, p.z -= dp * z;
        write(g.x, right + k, q), write(g.x, at + k, p);
    }
}
// the threads that leave rows first … past; every other row, then those between, so that one does not wait for the other
template <class T>
void project_rows(const GridView<T> &g, int first, int past, T inverse_dt2, T compression) {
    for (int odd = 0; odd < 2; ++odd)
        for (int phase = 0; phase < PHASES; ++phase)
            for (int r = first + odd; r < past; r += 2) {
                if (r + 1 < g.fine.rows) project_phase(g, r, phase, inverse_dt2, compression);
                else project_last(g, phase, inverse_dt2, compression);
            }
}

// what lies within a band of rows; then what joins it to the next
template <class T>
void sweep_band(const GridView<T> &g, std::size_t band, T inverse_dt2, T compression, Pulls<T> how, const Wide<T> &part) {
    const int first = g.bands.begin(band), past = g.bands.end(band);
    pull_along(g, first, past, how, part);
    // rows 0 and 1 with 2 and 3, then 2 and 3 with 4 and 5
    for (const int start : {0, 2})
        for (int four = first + start; four < past; four += 4)
            for (int r = four; r < four + 2 && r + 2 < past; ++r) pull_up(g, r, how, part);
    project_rows(g, first, past < g.fine.rows ? past - 1 : past, inverse_dt2, compression);
}
template <class T>
void join_bands(const GridView<T> &g, std::size_t band, T inverse_dt2, T compression, Pulls<T> how, const Wide<T> &part) {
    const int past = g.bands.end(band);
    for (int r = past - 2; r < past; ++r) pull_up(g, r, how, part);
    project_rows(g, past - 1, past, inverse_dt2, compression);
}

// How far each vertex of a row is to be moved along its threads (StepOptions::evening); kept where moments were, which are used up.
template <class T>
void even_row(const GridView<T> &g, int row, const StepOptions<T> &o) {
    const std::ptrdiff_t up = PHASES * g.fine.pitch, first = g.fine.at(row, 0);
    const Wide<T> evening = wide<T>(o.evening);
    each_wide<T>(g.fine, row, [&](std::ptrdiff_t at, int phase, int k) {
        const WidePoint<T> p = read(g.x, g.weight, at);
        Wide<T> shift[3] = {};
        const auto toward = [&](std::ptrdiff_t other, T per_cell, const Wide<T> &there) {
            const WidePoint<T> q = read(g.x, g.weight, other);
            const Wide<T> d[3] = {q.x - p.x, q.y - p.y, q.z - p.z}, length2 = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * wide<T>(per_cell * per_cell);
            const Wide<T> part = shortfall<T>(length2, at_least(p.w + q.w, wide<T>(T(1e-12))), o.compression) * (p.w * there);
            for (int a = 0; a < 3; ++a) shift[a] -= part * d[a];
        };
        const std::ptrdiff_t left = g.fine.place(row, phase - 1) + k, right = g.fine.place(row, phase + 1) + k;
        toward(left, g.per_cell[0], evening * wide_load(g.next + (left - first))), toward(right, g.per_cell[0], evening * wide_load(g.next + (at - first)));
        if (row > 0) toward(at - up, g.per_cell[1], evening);
        if (row + 1 < g.fine.rows) toward(at + up, g.per_cell[1], evening);
        for (int a = 0; a < 3; ++a) wide_store(g.moment[a] + at, shift[a]);
    });
}
// velocities stay as they are
template <class T>
void settle_row(const GridView<T> &g, int row) {
    each_wide<T>(g.fine, row, [&](std::ptrdiff_t at, int, int) {
        for (int a = 0; a < 3; ++a) {
            const Wide<T> shift = wide_load(g.moment[a] + at);
            wide_store(g.x[a] + at, wide_load(g.x[a] + at) + shift), wide_store(g.before[a] + at, wide_load(g.before[a] + at) + shift);
            wide_store(g.moment[a] + at, wide<T>(T(0)));  // the border's are never measured
        }
    });
}

// a plane of the skin under each of some vertices side by side; numbers are WIDEST apart
template <class T>
struct PackedPlane {
    const T *plane;
    T time;  // since it was found [s]
    inline Wide<T> row(int k) const { return wide_load(plane + k * WIDEST); }
    inline Wide<T> normal(int a) const { return row(a); }
    inline Wide<T> height(const Wide<T> *x) const { return row(0) * x[0] + row(1) * x[1] + row(2) * x[2]; }
    // how deep vertices are under it, and how deep they were a substep ago
    inline Wide<T> depth(const Wide<T> *x) const { return row(3) + row(4) * wide<T>(time) - height(x); }
    inline Wide<T> depth_before(const Wide<T> *old, T dt) const { return row(3) + row(4) * wide<T>(time - dt) - height(old); }
    inline Wide<T> skin(int a) const { return row(5 + a); }
    inline Wide<T> friction() const { return row(8); }
};
// the plane of a ball under each of them
template <class T>
struct BallPlane {
    const GridBall<T> &ball;
    T time;
    Wide<T> n[3], away;
    // delta: from the centre, of a length squared
    inline BallPlane(const GridBall<T> &b, T t, const Wide<T> *delta, const Wide<T> &square) : ball(b), time(t) {
        const Wide<T> least = wide<T>(T(1e-12)), one = wide<T>(T(1)), inverse = one / square_root(at_least(square, least));
        away = square * inverse;
        for (int a = 0; a < 3; ++a) n[a] = delta[a] * inverse;
        // at the centre every way out is as short: take up
        if (any_greater(least, square))
            for (int a = 0; a < 3; ++a) n[a] = choose(square - least, n[a], wide<T>(T(a == 1)));
    }
    static inline T centre(const GridBall<T> &ball, int a, T time) { return ball.centre[a] + time * ball.velocity[a]; }
    inline Wide<T> normal(int a) const { return n[a]; }
    inline Wide<T> depth(const Wide<T> *) const { return wide<T>(ball.radius) - away; }
    inline Wide<T> depth_before(const Wide<T> *old, T dt) const {
        Wide<T> height = wide<T>(T(0));
        for (int a = 0; a < 3; ++a) height += n[a] * (old[a] - wide<T>(centre(ball, a, time - dt)));
        return wide<T>(ball.radius) - height;
    }
    inline Wide<T> skin(int a) const { return wide<T>(ball.velocity[a]); }
    inline Wide<T> friction() const { return wide<T>(ball.friction); }
};

// Vertices are pushed out of the skin, with friction, as in `respond` of xpbd_step.h.
template <class T, class Plane>
TOILE_INLINE void respond(const Plane &plane, const Wide<T> &w, Wide<T> *x, Wide<T> *old, Wide<T> *lost, const StepOptions<T> &o) {
    const Wide<T> depth = plane.depth(x), zero = wide<T>(T(0));
    if (!any_greater(depth, zero)) return;
    // pinned vertices stay
    Wide<T> push = where_positive(w, at_most(at_least(depth, zero), wide<T>(o.push_limit)));
    // the part of the depth that was there before is mended without giving speed, by and by
    const Wide<T> too_near = at_most(at_least(plane.depth_before(old, o.dt), zero), push), late = at_most(too_near, wide<T>(T(OUT_OF_SKIN) * o.dt));
    push -= too_near - late;
    // the slip along the skin, which no push changes
    Wide<T> n[3], s[3];
    for (int a = 0; a < 3; ++a) n[a] = plane.normal(a), s[a] = x[a] - old[a] + (lost[a] - plane.skin(a) * wide<T>(o.dt));
    const Wide<T> along = s[0] * n[0] + s[1] * n[1] + s[2] * n[2];
    for (int a = 0; a < 3; ++a) s[a] -= n[a] * along;
    // all of it while the skin grips, else friction times the push of it; where all of them grip no root is needed
    const Wide<T> grip = plane.friction() * push, slip2 = at_least(s[0] * s[0] + s[1] * s[1] + s[2] * s[2], wide<T>(T(1e-24)));
    Wide<T> share = wide<T>(T(1));
    if (any_greater(slip2, grip * grip)) share = at_most(grip / square_root(slip2), share);
    share = where_positive(push, share);
    for (int a = 0; a < 3; ++a) add_rounded(x[a], n[a] * push - s[a] * share, lost[a]), old[a] += n[a] * late;
}
// time: when the substep ends, since the first began [s]
template <class T>
TOILE_INLINE void meet_ball(const GridBall<T> &ball, const Wide<T> &w, Wide<T> *x, Wide<T> *old, Wide<T> *lost, T time, const StepOptions<T> &o) {
    Wide<T> delta[3];
    for (int a = 0; a < 3; ++a) delta[a] = x[a] - wide<T>(BallPlane<T>::centre(ball, a, time));
    const Wide<T> square = delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2];
    if (any_greater(wide<T>(ball.radius * ball.radius), square)) respond<T>(BallPlane<T>(ball, time, delta, square), w, x, old, lost, o);
}

// What the constraints asked for, before other cloth moves the vertices; kept where moments were, which are used up.
template <class T>
void ask_row(const GridView<T> &g, const Wide<T> &dt, int row) {
    each_wide<T>(g.fine, row, [&](std::ptrdiff_t at, int, int) {
        for (int a = 0; a < 3; ++a) {
            const Wide<T> free = wide_load(g.before[a] + at) + dt * wide_load(g.velocity[a] + at);
            wide_store(g.moment[a] + at, wide_load(g.x[a] + at) - free);
        }
    });
}

// v += dt g, air drag implicitly, x += dt v and a head start, as `predict` in xpbd_step.h
template <class T>
struct RowAir {
    Wide<T> dt, fall[3], blown[3], kept, head_start;
    explicit RowAir(const GridView<T> &g, const StepOptions<T> &o) : dt(wide<T>(o.dt)), kept(wide<T>(g.kept)), head_start(wide<T>(o.head_start)) {
        for (int a = 0; a < 3; ++a) fall[a] = wide<T>(o.gravity[a] * o.dt), blown[a] = wide<T>(o.wind[a] * (T(1) - g.kept * o.rubbed));
    }
    // asked: what constraints asked for
    inline void predict(const GridView<T> &g, std::ptrdiff_t at, int a, const Wide<T> &w, const Wide<T> &x, const Wide<T> &v, const Wide<T> &asked) const {
        const Wide<T> next = choose(w, (v + fall[a]) * kept + blown[a], v);
        wide_store(g.before[a] + at, x), wide_store(g.velocity[a] + at, next);
        wide_store(g.x[a] + at, x + dt * next + where_positive(w, head_start * asked));
    }
};
// the first substep begins: x and before hold positions and velocities
template <class T>
void start_row(const GridView<T> &g, const RowAir<T> &air, int row) {
    each_wide<T>(g.fine, row, [&](std::ptrdiff_t at, int, int) {
        const Wide<T> w = wide_load(g.weight + at), none = wide<T>(T(0));
        for (int a = 0; a < 3; ++a) air.predict(g, at, a, w, wide_load(g.x[a] + at), wide_load(g.before[a] + at), none);
    });
}
// The skin, the end of a substep and the beginning of the next; after the last one `before` holds the velocities. asked: ask_row was
// called, as other cloth has moved the vertices since. time: since the planes of the skin were found [s].
template <class T>
void finish_row(const GridView<T> &g, const StepOptions<T> &o, const RowAir<T> &air, int row, T time, bool asked_before, bool last) {
    const Wide<T> inverse_dt = wide<T>(T(1) / o.dt), most = wide<T>(o.speed_limit * o.speed_limit);
    std::size_t b = g.planes.begin[row];
    const std::size_t past = g.planes.begin[row + 1];
    each_wide<T>(g.fine, row, [&](std::ptrdiff_t at, int, int k) TOILE_HERE {
        const Wide<T> w = wide_load(g.weight + at);
        Wide<T> x[3], old[3], given[3], asked[3], lost[3], v[3];
        for (int a = 0; a < 3; ++a) {
            x[a] = wide_load(g.x[a] + at), old[a] = wide_load(g.before[a] + at), given[a] = wide_load(g.velocity[a] + at);
            // as in `finish_span` of xpbd_step.h
            const Wide<T> delta = air.dt * given[a], free = old[a] + delta;
            lost[a] = delta - (free - old[a]), asked[a] = x[a] - free;
            if (asked_before) asked[a] = wide_load(g.moment[a] + at), wide_store(g.moment[a] + at, wide<T>(T(0)));  // the border's are never measured
        }
        // blocks of planes are as wide as the widest register; several under the same vertices follow each other
        const std::ptrdiff_t within = k % WIDEST;
        std::size_t next = b;
        for (; next < past && g.planes.place[next] == at - within; ++next)
            respond<T>(PackedPlane<T>{g.planes.plane + next * CONTACT_ROWS * WIDEST + within, time}, w, x, old, lost, o);
        if (within + WIDTH<T> == WIDEST) b = next;
        if (g.ball.radius > T(0)) meet_ball(g.ball, w, x, old, lost, time, o);
        for (int a = 0; a < 3; ++a) v[a] = choose(w, (x[a] - old[a] + lost[a]) * inverse_dt, given[a]);
        if (o.gentle()) {
            const Wide<T> jolt = wide<T>(o.jolt), by[3] = {v[0] - given[0], v[1] - given[1], v[2] - given[2]};
            const Wide<T> change2 = by[0] * by[0] + by[1] * by[1] + by[2] * by[2], over = change2 - jolt * jolt;
            if (any_greater(over, wide<T>(T(0))))
                for (int a = 0; a < 3; ++a) v[a] = choose(over, given[a] + by[a] * (jolt / square_root(change2)), v[a]);
        }
        const Wide<T> speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (any_greater(speed2, most))
            for (Wide<T> &part : v) part = choose(speed2 - most, part * (wide<T>(o.speed_limit) / square_root(speed2)), part);
        for (int a = 0; a < 3; ++a) {
            if (last) wide_store(g.x[a] + at, x[a]), wide_store(g.before[a] + at, v[a]);
            else air.predict(g, at, a, w, x[a], v[a], asked[a]);
        }
    });
}
}  // namespace
}  // namespace TOILE_ISA
