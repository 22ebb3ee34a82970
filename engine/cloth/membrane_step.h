// What threads are pulled by. Of triangles: with Fu = Σ a_i x_i along the weft and Fv = Σ b_i x_i along the warp, the constraints |Fu| - 1, |Fv| - 1
// and Fu · Fv have the stiffness (area × N/m) of weft, warp and shear. Included by xpbd_step.h and grid_step.h.
#pragma once
#include "core/wide.h"
#include "cloth/xpbd.h"

namespace TOILE_ISA {
namespace {

// (1 - l²) / (1 + l²): how much a thread of relative length l is too short, 1 - l to second order, without its square root.
// Threads resist being pushed together less than being pulled: cloth finer than the mesh would buckle instead.
template <class T, class V>
TOILE_INLINE V shortfall(const V &length2, const V &soft, T compression) {
    const V one = filled<V>(T(1)), missing = one - length2;
    return at_most(missing, missing * filled<V>(compression)) / ((one + length2) * soft);
}

// Pairs that may not be farther apart than `rest`: (l² - rest²) / (l² + rest²) of the way, 1 - rest / l to first order, without the square root.
// over: l² - rest², sum: l² + rest²; part: what is done of a stretch of up to Pulls::soft_stretch (compliance.h). Returns how much of the way it is, times `sum`.
template <class T, class V>
TOILE_INLINE V pulled(const V &over, const V &sum, Pulls<T> how, const V &part) {
    const V none = filled<V>(T(0)), all = at_most(at_least(over, none), filled<V>(how.share) * sum), hard = at_least(all - filled<V>(how.soft_stretch) * sum, none);
    return hard + part * (all - hard);
}

template <class T>
struct Threads {
    Lane<T> ux, uy, uz, vx, vy, vz;  // Fu, Fv
    Lane<T> ax, ay, az, bx, by, bz;  // what a corner with the weights a or b is moved by per inverse mass

    // Δλ = -C / (Σ w |∇C|² + α / dt²). Weft and warp from the same positions, as they hardly know of each other, then the shear that is left by them,
    // to first order: so nothing waits for more than two quotients. saa, sab, sbb: Σ w a², Σ w a b, Σ w b²; the softness of the three is α / dt².
    TOILE_INLINE void project(const Lane<T> &saa, const Lane<T> &sab, const Lane<T> &sbb, const Lane<T> &weft, const Lane<T> &warp,
                              const Lane<T> &shear, T compression) {
        const Lane<T> uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz, uv = ux * vx + uy * vy + uz * vz;
        const Lane<T> one = splat<T>(T(1)), cross = sab * uv;
        const Lane<T> du = shortfall<T>(uu, saa + weft, compression), dv = shortfall<T>(vv, sbb + warp, compression);
        const Lane<T> step = one / (saa * vv + cross + cross + sbb * uu + shear);
        draw(du, dv, -(uv * (one + (saa * du + sbb * dv)) + sab * (du * uu + dv * vv)) * step);
    }
    // Δλ of weft, warp and shear
    TOILE_INLINE void draw(const Lane<T> &du, const Lane<T> &dv, const Lane<T> &ds) {
        ax = du * ux + ds * vx, ay = du * uy + ds * vy, az = du * uz + ds * vz;
        bx = ds * ux + dv * vx, by = ds * uy + dv * vy, bz = ds * uz + dv * vz;
    }
    // a corner by its weights a and b times its inverse mass
    TOILE_INLINE void move(Lanes4<T> &x, const Lane<T> &wa, const Lane<T> &wb) const {
        x.x += wa * ax + wb * bx, x.y += wa * ay + wb * by, x.z += wa * az + wb * bz;
    }
};
}  // namespace
}  // namespace TOILE_ISA
