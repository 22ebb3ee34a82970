// Small vector algebra in double precision and the nearest point of a triangle, shared by the collision kernels.
#pragma once
#include <cmath>

namespace surface {

struct Vec3 {
    double x, y, z;
};
inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double length(Vec3 a) { return std::sqrt(dot(a, a)); }
// the zero vector stays zero
inline Vec3 normalised(Vec3 a) {
    const double l = length(a);
    return l > 0 ? (1 / l) * a : a;
}
template <class T>
inline Vec3 load(const T *p) {
    return {double(p[0]), double(p[1]), double(p[2])};
}
template <class T>
inline void store(T *p, Vec3 v) {
    p[0] = T(v.x), p[1] = T(v.y), p[2] = T(v.z);
}

// which part of a triangle is nearest: its inside, edge i (from corner i to i + 1), corner i
enum Feature : int { FACE = 0, EDGE0 = 1, EDGE1 = 2, EDGE2 = 3, CORNER0 = 4, CORNER1 = 5, CORNER2 = 6 };

struct TrianglePoint {
    double weight[3];  // barycentric
    Feature feature;
};

// nearest point of a triangle without area: the nearest of its three edges
inline TrianglePoint nearest_on_outline(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 corner[3] = {a, b, c};
    TrianglePoint best{{1, 0, 0}, CORNER0};
    double least = dot(p - a, p - a);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const Vec3 e = corner[j] - corner[i];
        const double ee = dot(e, e), t = ee > 0 ? dot(p - corner[i], e) / ee : 0;
        const double s = t < 0 ? 0 : t > 1 ? 1 : t;
        const Vec3 d = p - (corner[i] + s * e);
        if (!(dot(d, d) < least)) continue;
        least = dot(d, d);
        best = {{0, 0, 0}, static_cast<Feature>(s <= 0 ? CORNER0 + i : s >= 1 ? CORNER0 + j : EDGE0 + i)};
        best.weight[i] = 1 - s, best.weight[j] = s;
    }
    return best;
}

// nearest point of triangle abc to p, by Voronoi regions (Ericson 2004, section 5.1.5)
inline TrianglePoint nearest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return {{1, 0, 0}, CORNER0};
    const Vec3 bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return {{0, 1, 0}, CORNER1};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        const double t = d1 / (d1 - d3);
        return {{1 - t, t, 0}, EDGE0};
    }
    const Vec3 cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return {{0, 0, 1}, CORNER2};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        const double t = d2 / (d2 - d6);
        return {{1 - t, 0, t}, EDGE2};
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {{0, 1 - t, t}, EDGE1};
    }
    if (!(va > 0 && vb > 0 && vc > 0)) return nearest_on_outline(p, a, b, c);
    const double s = 1 / (va + vb + vc), v = vb * s, w = vc * s;
    return {{1 - v - w, v, w}, FACE};
}

}  // namespace surface
