#include "pairs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace {
struct V3 {
    double x, y, z;
};
V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V3 operator*(V3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
double dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
constexpr double BESIDE = 0.003;  // [m]
constexpr double ALIKE = 0.7;     // cosine: the skin is below when its normal is that of the pair
constexpr double RISE = 0.0015;   // a stacked plane rises at most so far in one go [m]
constexpr int LAYERS = 3;

double clamp01(double v) { return v < 0 ? 0 : v > 1 ? 1 : v; }

template <class T>
V3 at(const T *point, std::int32_t p) {
    return {static_cast<double>(point[4 * p]), static_cast<double>(point[4 * p + 1]), static_cast<double>(point[4 * p + 2])};
}

// barycentric coordinates of the point of triangle abc nearest to p (Ericson 2004, regions of Voronoi features)
void nearest_on_triangle(V3 p, V3 a, V3 b, V3 c, double w[3]) {
    const V3 ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return void((w[0] = 1, w[1] = 0, w[2] = 0));
    const V3 bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return void((w[0] = 0, w[1] = 1, w[2] = 0));
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        const double v = d1 / (d1 - d3);
        return void((w[0] = 1 - v, w[1] = v, w[2] = 0));
    }
    const V3 cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return void((w[0] = 0, w[1] = 0, w[2] = 1));
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        const double v = d2 / (d2 - d6);
        return void((w[0] = 1 - v, w[1] = 0, w[2] = v));
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double v = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return void((w[0] = 0, w[1] = 1 - v, w[2] = v));
    }
    const double s = 1 / (va + vb + vc);
    w[1] = vb * s, w[2] = vc * s, w[0] = 1 - w[1] - w[2];
}

// parameters of the nearest points of segments pq and rs
void nearest_on_segments(V3 p, V3 q, V3 r, V3 s, double &u, double &v) {
    const V3 d1 = q - p, d2 = s - r, o = p - r;
    const double a = dot(d1, d1), e = dot(d2, d2), f = dot(d2, o), c = dot(d1, o), b = dot(d1, d2), d = a * e - b * b;
    u = d > 1e-12 * a * e ? clamp01((b * f - c * e) / d) : 0.5;
    v = e > 0 ? (b * u + f) / e : 0;
    if (v < 0) v = 0, u = a > 0 ? clamp01(-c / a) : 0;
    if (v > 1) v = 1, u = a > 0 ? clamp01((b - c) / a) : 0;
}

// Direction from the second primitive (weights < 0) to the first. Where the layers differ it is out of the inner
// garment, whichever side the cloth is on now; a pair that is not one above the other is somebody else's business.
bool direction(V3 apart, V3 across, std::int32_t upper, std::int32_t lower, V3 outward, V3 &n) {
    const double distance = std::sqrt(dot(apart, apart)), area = std::sqrt(dot(across, across));
    n = distance > 1e-6 ? apart * (1 / distance) : area > 0 ? across * (1 / area) : V3{0, 0, 0};
    if (upper != lower) {
        const double length = std::sqrt(dot(outward, outward));
        if (length <= 0) return false;
        const V3 out = outward * ((upper > lower ? 1 : -1) / length);
        const V3 aside = apart - out * dot(apart, out);
        if (dot(n, out) < 0.3) {
            if (dot(aside, aside) > BESIDE * BESIDE) return false;
            n = out;
        }
    }
    return dot(n, n) > 0.5;
}
}  // namespace

template <class T>
std::vector<double> facing_of(const std::vector<std::int32_t> &triangles, const T *point, std::size_t particle_count) {
    std::vector<double> facing(3 * particle_count, 0.0);
    for (std::size_t t = 0; t < triangles.size(); t += 3) {
        const V3 a = at(point, triangles[t]), b = at(point, triangles[t + 1]), c = at(point, triangles[t + 2]);
        const V3 n = cross(b - a, c - a);
        for (int k = 0; k < 3; ++k) {
            double *f = facing.data() + 3 * static_cast<std::size_t>(triangles[t + k]);
            f[0] += n.x, f[1] += n.y, f[2] += n.z;
        }
    }
    return facing;
}
template std::vector<double> facing_of(const std::vector<std::int32_t> &, const float *, std::size_t);
template std::vector<double> facing_of(const std::vector<std::int32_t> &, const double *, std::size_t);

template <class T>
void Pairs<T>::set(const surface::Near &near, const T *point, std::size_t particle_count, const std::int32_t *layer,
                   const std::vector<double> &facing) {
    const auto face = [&](std::int32_t p) { return V3{facing[3 * p], facing[3 * p + 1], facing[3 * p + 2]}; };
    particle.clear(), weight.clear(), normal.clear();
    const auto add = [&](const surface::Four &four, const double c[4], V3 n) {
        for (int k = 0; k < 4; ++k) particle.push_back(four[k]), weight.push_back(static_cast<T>(c[k]));
        normal.push_back(static_cast<T>(n.x)), normal.push_back(static_cast<T>(n.y)), normal.push_back(static_cast<T>(n.z));
    };
    for (const surface::Four &f : near.vertex_face) {
        const V3 p = at(point, f[0]), a = at(point, f[1]), b = at(point, f[2]), c = at(point, f[3]);
        double w[3];
        nearest_on_triangle(p, a, b, c, w);
        const V3 across = cross(b - a, c - a), q = a * w[0] + b * w[1] + c * w[2];
        V3 n;
        const double weights[4] = {1, -w[0], -w[1], -w[2]};
        if (direction(p - q, across, layer[f[0]], layer[f[1]], across, n)) add(f, weights, n);
    }
    for (const surface::Four &f : near.edge_edge) {
        const V3 p = at(point, f[0]), q = at(point, f[1]), r = at(point, f[2]), s = at(point, f[3]);
        double u, v;
        nearest_on_segments(p, q, r, s, u, v);
        const V3 apart = (p * (1 - u) + q * u) - (r * (1 - v) + s * v);
        V3 n;
        const double weights[4] = {1 - u, u, v - 1, -v};
        const bool second_inside = layer[f[2]] < layer[f[0]];
        const V3 outward = second_inside ? face(f[2]) + face(f[3]) : face(f[0]) + face(f[1]);
        if (direction(apart, cross(q - p, s - r), layer[f[0]], layer[f[2]], outward, n)) add(f, weights, n);
    }
    push.assign(4 * count(), T(0));
    use_begin.assign(particle_count + 1, 0);
    for (const std::int32_t p : particle) ++use_begin[p + 1];
    for (std::size_t i = 0; i < particle_count; ++i) use_begin[i + 1] += use_begin[i];
    use.resize(particle.size());
    std::vector<std::size_t> next(use_begin.begin(), use_begin.end() - 1);
    for (std::size_t i = 0; i < particle.size(); ++i) use[next[particle[i]]++] = static_cast<std::int32_t>(i);
}

template <class T>
std::vector<T> Pairs<T>::stack(const T *point, const std::vector<std::size_t> &begin, const std::vector<T> &plane_normal,
                               const std::vector<T> &plane_offset, const std::vector<T> &thickness, T cloth_thickness) const {
    std::vector<std::uint8_t> level(plane_offset.size(), 0);
    const auto plane_towards = [&](std::int32_t p, const T *n, T sign) {
        for (std::size_t c = begin[p]; c < begin[p + 1]; ++c)
            if (sign * (plane_normal[3 * c] * n[0] + plane_normal[3 * c + 1] * n[1] + plane_normal[3 * c + 2] * n[2]) > T(ALIKE))
                return static_cast<std::ptrdiff_t>(c);
        return std::ptrdiff_t(-1);
    };
    // a pass per layer of cloth
    for (int pass = 0; pass < LAYERS; ++pass) {
        bool changed = false;
        for (std::size_t k = 0; k < count(); ++k) {
            const std::int32_t *four = &particle[4 * k];
            const T *c = &weight[4 * k], *n = &normal[3 * k];
            T gap = T(0);
            for (int i = 0; i < 4; ++i)
                for (int a = 0; a < 3; ++a) gap += c[i] * point[4 * four[i] + a] * n[a];
            if (gap > T(2) * cloth_thickness) continue;
            for (const T sign : {T(1), T(-1)}) {
                // those on this side of the pair lie upon the others, if the skin is on the others' side
                int below = -1;
                for (int i = 0; i < 4; ++i) {
                    if (sign * c[i] >= T(0)) continue;
                    const auto plane = plane_towards(four[i], n, sign);
                    if (plane >= 0) below = std::max<int>(below, level[plane]);
                }
                if (below < pass) continue;
                for (int i = 0; i < 4; ++i) {
                    if (sign * c[i] < T(0.2)) continue;
                    const auto plane = plane_towards(four[i], n, sign);
                    if (plane < 0 || level[plane] > below) continue;
                    level[plane] = static_cast<std::uint8_t>(below + 1), changed = true;
                }
            }
        }
        if (!changed) break;
    }
    std::vector<T> rise(level.size(), T(0));
    for (std::size_t p = 0; p + 1 < begin.size(); ++p)
        for (std::size_t c = begin[p]; c < begin[p + 1]; ++c) {
            if (!level[c]) continue;
            T gap = -plane_offset[c];
            for (int a = 0; a < 3; ++a) gap += plane_normal[3 * c + a] * point[4 * p + a];
            const T wanted = level[c] * cloth_thickness, now = gap - thickness[p];
            // gently where it is not there yet
            rise[c] = std::min(wanted, std::max(now, T(0)) + T(RISE));
        }
    return rise;
}

template struct Pairs<float>;
template struct Pairs<double>;
