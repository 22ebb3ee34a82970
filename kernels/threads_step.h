// The threads of triangles. With Fu = Σ a_i x_i along the weft and Fv = Σ b_i x_i along the warp, the constraints |Fu| - 1, |Fv| - 1
// and Fu · Fv have the stiffness (area × N/m) of weft, warp and shear. Included by xpbd_step.h and grid_step.h.
#pragma once
#include "wide.h"

namespace TOILE_ISA {
namespace {

// (1 - l²) / (1 + l²): how much a thread of relative length l is too short, 1 - l to second order, without its square root.
// Threads resist being pushed together less than being pulled: cloth finer than the mesh would buckle instead.
template <class T>
inline Wide<T> shortfall(const Wide<T> &length2, const Wide<T> &soft, T compression) {
    const Wide<T> one = wide<T>(T(1)), missing = one - length2;
    return at_most(missing, missing * wide<T>(compression)) / ((one + length2) * soft);
}

template <class T>
struct Threads {
    Wide<T> ux, uy, uz, vx, vy, vz;  // Fu, Fv
    Wide<T> au, av, bu, bv;          // a corner is moved by a (au Fu + av Fv) + b (bu Fu + bv Fv) per inverse mass

    // Weft, warp and shear one after the other: Δλ = -C / (Σ w |∇C|² + α / dt²). Every correction is a combination of Fu and Fv, so it
    // is enough to follow their products Fu², Fv², Fu·Fv. saa, sab, sbb: Σ w a², Σ w a b, Σ w b²; soft: α / dt² of the three.
    inline void project(const Wide<T> &saa, const Wide<T> &sab, const Wide<T> &sbb, const Wide<T> &weft, const Wide<T> &warp,
                        const Wide<T> &shear, T compression) {
        Wide<T> uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz, uv = ux * vx + uy * vy + uz * vz;
        const Wide<T> one = wide<T>(T(1));
        // weft: Fu ← s Fu, Fv ← Fv + t Fu
        const Wide<T> du = shortfall<T>(uu, saa + weft, compression), s = one + saa * du, t = sab * du;
        vv += t * (uv + uv + t * uu), uv = s * (uv + t * uu), uu *= s * s;
        // warp: Fv ← s₂ Fv, Fu ← Fu + t₂ Fv
        const Wide<T> dv = shortfall<T>(vv, sbb + warp, compression), s2 = one + sbb * dv, t2 = sab * dv;
        uu += t2 * (uv + uv + t2 * vv), uv = s2 * (uv + t2 * vv), vv *= s2 * s2;
        const Wide<T> turn = sab * uv, ds = -uv / (saa * vv + turn + turn + sbb * uu + shear);
        // what the weights a and b carry, in terms of the first Fu and Fv
        av = ds * s2, au = du + av * t, bv = dv + ds * t2, bu = ds * s + bv * t;
    }
    // x += w (cu Fu + cv Fv)
    inline void move(WidePoint<T> &x, Wide<T> cu, Wide<T> cv) const {
        cu *= x.w, cv *= x.w;
        x.x += cu * ux + cv * vx, x.y += cu * uy + cv * vy, x.z += cu * uz + cv * vz;
    }
};
}  // namespace
}  // namespace TOILE_ISA
