// Signs of determinants that are never wrong: double precision with an error bound, exact arithmetic when that is not
// enough (Shewchuk 1997). Correct as long as products of three coordinates neither overflow nor underflow.
#pragma once
#include <cmath>

#include "core/vector3.h"

namespace surface {

int orient3d_exact(Vec3 a, Vec3 b, Vec3 c, Vec3 d);
int orient2d_exact(double ax, double ay, double bx, double by, double cx, double cy);

// 1 when d lies below the plane through a, b, c (which appear counter-clockwise from above), -1 above, 0 in the plane
inline int orient3d(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    const Vec3 u = a - d, v = b - d, w = c - d;
    const double vxwy = v.x * w.y, wxvy = w.x * v.y, wxuy = w.x * u.y, uxwy = u.x * w.y, uxvy = u.x * v.y,
                 vxuy = v.x * u.y;
    const double det = u.z * (vxwy - wxvy) + v.z * (wxuy - uxwy) + w.z * (uxvy - vxuy);
    const double size = (std::abs(vxwy) + std::abs(wxvy)) * std::abs(u.z) +
                        (std::abs(wxuy) + std::abs(uxwy)) * std::abs(v.z) +
                        (std::abs(uxvy) + std::abs(vxuy)) * std::abs(w.z);
    const double bound = 7.7715611723761027e-16 * size;
    if (det > bound) return 1;
    if (-det > bound) return -1;
    return orient3d_exact(a, b, c, d);
}

// 1 when a, b, c turn counter-clockwise, -1 clockwise, 0 on one line
inline int orient2d(double ax, double ay, double bx, double by, double cx, double cy) {
    const double left = (ax - cx) * (by - cy), right = (ay - cy) * (bx - cx), det = left - right;
    const double bound = 3.3306690738754716e-16 * (std::abs(left) + std::abs(right));
    if (det > bound) return 1;
    if (-det > bound) return -1;
    return orient2d_exact(ax, ay, bx, by, cx, cy);
}

}  // namespace surface
