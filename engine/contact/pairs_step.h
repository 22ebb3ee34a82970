// Cloth against cloth in one substep, part of xpbd_step.h.
#pragma once
#include <cmath>

#include "core/lanes.h"
#include "contact/pairs_view.h"
#include "cloth/xpbd.h"

namespace TOILE_ISA {
namespace {
static_assert(LANES == PAIR_LANES);

// several threads may mark one particle, all with the same
template <class T>
inline void mark_pushed(const PairView<T> &pairs, std::int32_t particle) {
#if TOILE_VECTOR
    __atomic_store_n(pairs.pushed + particle, 1, __ATOMIC_RELAXED);
#else
    *static_cast<volatile unsigned char *>(pairs.pushed + particle) = 1;
#endif
}

// How each pair of near cloth must be pushed apart, normal · Σ c_k x_k >= thickness; friction on the motion of one against
// the other. Blocks in which nothing is too near, most of them, cost four gathers.
template <class T>
void measure_pairs(const PairView<T> &pairs, const T *point, const T *before, const StepOptions<T> &o, std::size_t first, std::size_t last) {
    const Lane<T> zero = splat(T(0)), limit = splat(o.push_limit);
    const T mend = o.apart * o.dt;
    for (std::size_t b = first; b < last; ++b) {
        const std::int32_t *index = pairs.particle + 4 * LANES * b;
        const T *n = pairs.normal + 3 * LANES * b, *c = pairs.weight + 4 * LANES * b;
        const Lane<T> nx = load(n), ny = load(n + LANES), nz = load(n + 2 * LANES), thick = load(pairs.thickness + LANES * b);
        Lanes4<T> x[4];
        Lane<T> gap = zero, sum = zero, weight[4];
        for (int k = 0; k < 4; ++k) {
            x[k] = gather(point, index + LANES * k);
            weight[k] = load(c + LANES * k);
            gap += weight[k] * (x[k].x * nx + x[k].y * ny + x[k].z * nz);
            sum += weight[k] * weight[k] * x[k].w;
        }
        Lane<T> depth = thick - gap;
        T *kept = pairs.depth + LANES * b;
        if (!any_greater(depth, zero)) {
            std::memset(kept, 0, LANES * sizeof(T));
            continue;
        }
        depth = at_most(at_least(depth, zero), limit);
        Lane<T> gap_before = zero, sx = zero, sy = zero, sz = zero;
        for (int k = 0; k < 4; ++k) {
            const Lanes4<T> old = gather(before, index + LANES * k);
            gap_before += weight[k] * (old.x * nx + old.y * ny + old.z * nz);
            sx += weight[k] * (x[k].x - old.x), sy += weight[k] * (x[k].y - old.y), sz += weight[k] * (x[k].z - old.z);
        }
        // what was too near before is mended without giving speed, by and by
        const Lane<T> was = at_most(at_least(thick - gap_before, zero), depth), late = at_most(was, splat(mend));
        depth -= was - late;
        const Lane<T> along = sx * nx + sy * ny + sz * nz;
        sx -= nx * along, sy -= ny * along, sz -= nz * along;
        const Lane<T> slip = square_root(sx * sx + sy * sy + sz * sz), grip = load(pairs.friction + LANES * b) * depth;
        // all of the slip while the surfaces grip, else friction times the push of it; 0 / 0 counts as gripping
        const Lane<T> held = at_most(grip / at_least(slip, splat(T(1e-12))), splat(T(1)));
        // What was too near before is mended without force, so it does not press on cloth that slides: that was braked by a third too
        // much. Cloth that is held stays held.
        const Lane<T> share = held - held * (splat(T(1)) - held) * late / at_least(depth, splat(T(1e-12)));
        const Lane<T> inverse = splat(T(1)) / at_least(sum, splat(T(1e-12)));
        T *push = pairs.push + 4 * LANES * b;
        const Lane<T> out[4] = {(nx * depth - sx * share) * inverse, (ny * depth - sy * share) * inverse,
                                (nz * depth - sz * share) * inverse, late * inverse};
        for (int k = 0; k < 4; ++k) std::memcpy(push + LANES * k, &out[k], sizeof out[k]);
        for (int i = 0; i < LANES; ++i) {
            kept[i] = sum[i] > T(0) ? depth[i] : T(0);
            if (kept[i] > T(0))
                for (int k = 0; k < 4; ++k) mark_pushed(pairs, index[LANES * k + i]);
        }
    }
}

// The mean of what all pairs of a particle that are too near ask for, the nearest counting most: the plain mean would leave
// one bad pair to its many harmless neighbours. Independent of their order and of the threads.
template <class T>
inline void apply_pairs(const PairView<T> &pairs, std::size_t p, T *x, T *old) {
    if (!pairs.pushed[p]) return;  // most: none of its pairs is too near
    pairs.pushed[p] = 0;
    T move[3] = {T(0), T(0), T(0)}, back[3] = {T(0), T(0), T(0)}, total = T(0);
    for (std::int32_t u = pairs.use_begin[p]; u < pairs.use_begin[p + 1]; ++u) {
        const auto use = static_cast<std::size_t>(pairs.use[u]), block = use / (4 * LANES), lane = use % LANES;
        const T depth = pairs.depth[block * LANES + lane];
        if (depth == T(0)) continue;
        const T *push = pairs.push + 4 * LANES * block + lane, *n = pairs.normal + 3 * LANES * block + lane;
        const T w = pairs.weight[use] * x[3] * depth;
        total += depth;
        for (int a = 0; a < 3; ++a) {
            move[a] += w * push[LANES * a];
            back[a] += w * push[LANES * 3] * n[LANES * a];
        }
    }
    if (total == T(0)) return;
    const T mean = T(1) / total;
    for (int a = 0; a < 3; ++a) {
        x[a] += move[a] * mean;
        old[a] += back[a] * mean;
    }
}
}  // namespace
}  // namespace TOILE_ISA
