// Constraints swept group by group, eight at a time (batches.h): pairs that may not be farther apart, and triangles. Part of xpbd_step.h.
#pragma once
#include "core/lanes.h"
#include "cloth/batches.h"
#include "cloth/membrane_step.h"
#include "cloth/xpbd.h"

namespace TOILE_ISA {
namespace {

// calls use(numbers, points): those of a group of constraints from its first block on, and where they are counted from in some lists of points
template <class T, class Use, class... Points>
TOILE_INLINE void with_group(const Constraints<T> &set, const ConstraintGroup &g, const Use &use, Points *...points) {
    g.near ? use(set.near + g.entry, points + 4 * static_cast<std::size_t>(g.from)...) : use(set.far + g.entry, points...);
}

// Seams, long threads and limits: two points may not be farther apart than `rest`, and are not pulled by more than a share of the way at once, so
// that cloth caught on the body is not torn through it.
template <class T, class I>
struct PullBlock {
    const I *index;
    Lanes4<T> i, j;
    Lane<T> dx, dy, dz, length2, rest2;

    TOILE_INLINE bool read(const I *points, const T *rest, const T *point, const Lane<T> &ratio) {
        index = points;
        i = gather(point, index), j = gather(point, index + LANES);
        dx = i.x - j.x, dy = i.y - j.y, dz = i.z - j.z;
        length2 = dx * dx + dy * dy + dz * dz;
        rest2 = load(rest) * ratio, rest2 *= rest2;
        return any_greater(length2, rest2);
    }
    TOILE_INLINE void pull(Pulls<T> how, const Lane<T> &part) {
        const Lane<T> tiny = splat<T>(T(1e-30)), sum = length2 + rest2;
        const Lane<T> s = pulled<T>(length2 - rest2, sum, how, part) / at_least(sum * (i.w + j.w), tiny), si = s * i.w, sj = s * j.w;
        i.x -= dx * si, i.y -= dy * si, i.z -= dz * si;
        j.x += dx * sj, j.y += dy * sj, j.z += dz * sj;
    }
    TOILE_INLINE void write(T *point) { scatter(point, index, i), scatter(point, index + LANES, j); }
};

template <class T, class N>
void pull_blocks(const N *index, std::size_t block_count, const T *rest, const T *parts, T *point, T ratio, Pulls<T> how, T part) {
    const Lane<T> scale = splat<T>(ratio);
    const T *const first_rest = rest;
    for (const N *const end = index + 2 * LANES * block_count; index < end; index += 4 * LANES, rest += 2 * LANES) {
        PullBlock<T, N> one, two;
        // most are slack most of the time
        const bool first_pulls = one.read(index, rest, point, scale), second_pulls = two.read(index + 2 * LANES, rest + LANES, point, scale);
        if (!first_pulls && !second_pulls) continue;
        const T *own = parts ? parts + (rest - first_rest) : nullptr;
        one.pull(how, own ? load(own) : splat<T>(part)), two.pull(how, own ? load(own + LANES) : splat<T>(part));
        one.write(point), two.write(point);
    }
}
// a group of them, their rest lengths times `ratio`; part: of each pair, unless the set knows better
template <class T>
void project_pulls(const Constraints<T> &set, std::size_t group, T *point, T ratio, Pulls<T> how, T part) {
    const ConstraintGroup g = set.group[group];
    const T *const rest = set.rest + LANES * g.first, *const parts = set.part ? set.part + LANES * g.first : nullptr;
    with_group(set, g, [&](const auto *index, T *from) { pull_blocks(index, g.last - g.first, rest, parts, from, ratio, how, part); }, point);
}

// triangles: the cloth's own threads, eight at a time (see Threads in membrane_step.h)
template <class T, class N>
struct TriangleBlock {
    static constexpr std::size_t CORNERS = 3 * LANES, WEIGHTS = 4 * LANES, FIGURES = 3 * LANES;  // numbers of a block
    const N *index;
    Lanes4<T> p, q, r;
    Threads<T> threads;
    Lane<T> a1, a2, b1, b2;

    // b: the block's number in the set
    inline void read(const N *corners, const Constraints<T> &set, std::size_t b, const T *point) {
        index = corners;
        const T *weight = set.weight + b * WEIGHTS;
        p = gather(point, index), q = gather(point, index + LANES), r = gather(point, index + 2 * LANES);
        a1 = load(weight), a2 = load(weight + LANES);
        b1 = load(weight + 2 * LANES), b2 = load(weight + 3 * LANES);
        const Lane<T> ex = q.x - p.x, ey = q.y - p.y, ez = q.z - p.z, fx = r.x - p.x, fy = r.y - p.y, fz = r.z - p.z;
        threads.ux = a1 * ex + a2 * fx, threads.uy = a1 * ey + a2 * fy, threads.uz = a1 * ez + a2 * fz;
        threads.vx = b1 * ex + b2 * fx, threads.vy = b1 * ey + b2 * fy, threads.vz = b1 * ez + b2 * fz;
    }
    inline void project(const Constraints<T> &set, std::size_t b, const Lane<T> &stiff, T compression) {
        const T *soft = set.softness + (BLOCKS_AT_ONCE * set.kind[b / BLOCKS_AT_ONCE] + b % BLOCKS_AT_ONCE) * FIGURES;
        // the weights are the inverse of two sides: their determinant is 1 / (2 area)
        const Lane<T> det = a1 * b2 - a2 * b1, per_area = at_least(det + det, -(det + det)) * stiff;
        const auto figure = [&](const T *of, int k) { return load(of + k * LANES); };
        // of the corners' inverse masses w: Σ w a², Σ w a b, Σ w b²
        const Lane<T> a0 = -(a1 + a2), b0 = -(b1 + b2);
        const Lane<T> pa = p.w * a0, qa = q.w * a1, ra = r.w * a2, pb = p.w * b0, qb = q.w * b1, rb = r.w * b2;
        const Lane<T> saa = pa * a0 + qa * a1 + ra * a2, sab = pa * b0 + qa * b1 + ra * b2, sbb = pb * b0 + qb * b1 + rb * b2;
        threads.project(saa, sab, sbb, figure(soft, 0) * per_area, figure(soft, 1) * per_area, figure(soft, 2) * per_area, compression);
    }
    inline void write(T *point) {
        // one corner after the other: fewer registers
        const auto move = [&](int corner, Lanes4<T> &x, const Lane<T> &a, const Lane<T> &b) {
            threads.move(x, x.w * a, x.w * b);
            scatter(point, index + corner * LANES, x);
        };
        move(0, p, -(a1 + a2), -(b1 + b2)), move(1, q, a1, b1), move(2, r, a2, b2);
    }
};

// What evening (StepOptions) asks of the corners of triangles, added up: weft and warp, each by itself. Two triangles share a thread, so each
// asks for half. Where corners are held the others make up for them, but no thread asks as if more than three quarters of it
// were held: one that runs along two held corners would hurl the third one, which takes part in it by a rounding error, across the room.
template <class T, class N>
void even_blocks(const N *index, Constraints<T> set, std::size_t first, std::size_t last, const T *point, T *shift, T evening, T compression) {
    const Lane<T> half = splat<T>(T(0.5) * evening), tiny = splat<T>(T(1e-12)), zero = splat<T>(T(0));
    constexpr std::size_t block = TriangleBlock<T, N>::CORNERS;
    for (std::size_t b = first; b < last; ++b, index += block) {
        if (b % BLOCKS_AT_ONCE && index[0] == *(index - block)) continue;  // it repeats the one before
        TriangleBlock<T, N> t;
        t.read(index, set, b, point);
        const Lane<T> a0 = -(t.a1 + t.a2), b0 = -(t.b1 + t.b2);
        const Lane<T> least = splat<T>(T(0.25)) * at_least(at_least(t.p.w, t.q.w), t.r.w);
        const auto shared = [&](const Lane<T> &k0, const Lane<T> &k1, const Lane<T> &k2) {
            const Lane<T> free = t.p.w * k0 * k0 + t.q.w * k1 * k1 + t.r.w * k2 * k2;
            return at_least(at_least(free, least * (k0 * k0 + k1 * k1 + k2 * k2)), tiny);
        };
        Threads<T> &f = t.threads;
        const Lane<T> du = half * shortfall<T>(f.ux * f.ux + f.uy * f.uy + f.uz * f.uz, shared(a0, t.a1, t.a2), compression);
        const Lane<T> dv = half * shortfall<T>(f.vx * f.vx + f.vy * f.vy + f.vz * f.vz, shared(b0, t.b1, t.b2), compression);
        f.draw(du, dv, zero);
        const auto add = [&](const N *corner, const Lane<T> &w, const Lane<T> &a, const Lane<T> &b) {
            Lanes4<T> s = gather(shift, corner);
            f.move(s, w * a, w * b), s.w = zero;
            scatter(shift, corner, s);
        };
        add(t.index, t.p.w, a0, b0), add(t.index + LANES, t.q.w, t.a1, t.b1), add(t.index + 2 * LANES, t.r.w, t.a2, t.b2);
    }
}

template <class T>
void even_triangles(const Constraints<T> &set, std::size_t group, const T *point, T *shift, T evening, T compression) {
    const ConstraintGroup g = set.group[group];
    with_group(set, g, [&](const auto *index, const T *from, T *to) { even_blocks(index, set, g.first, g.last, from, to, evening, compression); }, point, shift);
}

// Two blocks side by side: each waits long for its quotients. Sixteen in one register would take more shuffles than they save.
template <class T, class N>
void project_blocks(const N *index, Constraints<T> set, std::size_t first, std::size_t last, T *point, T inverse_dt2, T compression) {
    const Lane<T> stiff = splat<T>(inverse_dt2);
    constexpr std::size_t block = TriangleBlock<T, N>::CORNERS;
    for (std::size_t b = first; b < last; b += BLOCKS_AT_ONCE, index += BLOCKS_AT_ONCE * block) {
        TriangleBlock<T, N> one, two;
        one.read(index, set, b, point), two.read(index + block, set, b + 1, point);
        one.project(set, b, stiff, compression), two.project(set, b + 1, stiff, compression);
        one.write(point), two.write(point);
    }
}
template <class T>
void project_triangles(const Constraints<T> &set, std::size_t group, T *point, T inverse_dt2, T compression) {
    const ConstraintGroup g = set.group[group];
    with_group(set, g, [&](const auto *index, T *from) { project_blocks(index, set, g.first, g.last, from, inverse_dt2, compression); }, point);
}
}  // namespace
}  // namespace TOILE_ISA
