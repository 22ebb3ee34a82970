#include "body/figure.h"

#include <algorithm>
#include <cmath>

namespace {

// what is summed at a time stays in the first cache
constexpr std::size_t BLOCK = 2048;

// sum of force . displacement over vertices that follow one another, eight sums at a time: what is added to what is
// fixed, so that the compiler may use its vectors
double sweep_run(const double *force, const std::int16_t *move, std::size_t length) {
    double sum[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= length; i += 8)
        for (int lane = 0; lane < 8; ++lane) sum[lane] += force[i + lane] * static_cast<double>(move[i + lane]);
    for (; i < length; ++i) sum[0] += force[i] * static_cast<double>(move[i]);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// the same over vertices anywhere
double sweep_some(const double *force, const std::int16_t *target, const std::int32_t *vertex, std::size_t count) {
    double x = 0.0, y = 0.0, z = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int16_t *move = target + 3 * static_cast<std::size_t>(vertex[i]);
        x += force[3 * i] * move[0];
        y += force[3 * i + 1] * move[1];
        z += force[3 * i + 2] * move[2];
    }
    return x + y + z;
}

bool is_run(const std::int32_t *vertex, std::size_t count) {
    for (std::size_t i = 1; i < count; ++i)
        if (vertex[i] != vertex[i - 1] + 1) return false;
    return count > 0;
}

// where a plane cuts edges, in space and in the plane
struct Cut {
    std::vector<std::int32_t> start, end;  // vertices
    std::vector<double> share, across, along;
};

struct Plane {
    double origin[3], normal[3], axes[6];
};

inline double along_axis(const double *p, const double *origin, const double *axis) {
    return (p[0] - origin[0]) * axis[0] + (p[1] - origin[1]) * axis[1] + (p[2] - origin[2]) * axis[2];
}

Cut cut(const figure::Region &region, const Plane &plane, double reach) {
    const double *skin = region.skin.data();
    const IndicesView rows = region.rows;
    const PairsView edges = region.edges;
    std::vector<double> height(rows.rows());
    for (std::size_t i = 0; i < height.size(); ++i)
        height[i] = along_axis(skin + 3 * static_cast<std::size_t>(rows[i]), plane.origin, plane.normal);
    Cut found;
    for (std::size_t e = 0; e < edges.rows(); ++e) {
        const std::int32_t a = edges[2 * e], b = edges[2 * e + 1];
        if ((height[a] > 0.0) == (height[b] > 0.0)) continue;
        const std::size_t i = rows[a], j = rows[b];
        const double share = height[a] / (height[a] - height[b]);
        double p[3], away = 0.0;
        for (int c = 0; c < 3; ++c) {
            p[c] = skin[3 * i + c] + share * (skin[3 * j + c] - skin[3 * i + c]);
            away += (p[c] - plane.origin[c]) * (p[c] - plane.origin[c]);
        }
        if (!(away < reach * reach)) continue;
        found.start.push_back(rows[a]);
        found.end.push_back(rows[b]);
        found.share.push_back(share);
        found.across.push_back(along_axis(p, plane.origin, plane.axes));
        found.along.push_back(along_axis(p, plane.origin, plane.axes + 3));
    }
    return found;
}

// length by Cauchy's formula (section.tape); force: how the length changes with the points that hold it, (points, 2)
double wind(const Cut &points, const double *fan, std::size_t directions, std::vector<double> &force) {
    const std::size_t count = points.across.size();
    const double piece = 2.0 * 3.14159265358979323846 / static_cast<double>(directions);
    double length = 0.0;
    for (std::size_t d = 0; d < directions; ++d) {
        const double x = fan[d], y = fan[directions + d];
        std::size_t holding = 0;
        double most = points.across[0] * x + points.along[0] * y;
        for (std::size_t i = 1; i < count; ++i) {
            const double here = points.across[i] * x + points.along[i] * y;
            if (here > most) most = here, holding = i;
        }
        length += most * piece;
        force[2 * holding] += x * piece;
        force[2 * holding + 1] += y * piece;
    }
    return length;
}

}  // namespace

namespace figure {

std::vector<float> blend(const Targets &targets, IndicesView rows, const float *share) {
    const std::size_t width = targets.width, count = rows.rows();
    std::vector<float> sum(width, 0.0f);
    for (std::size_t begin = 0; begin < width; begin += BLOCK) {
        const std::size_t length = std::min(BLOCK, width - begin);
        float *out = sum.data() + begin;
        for (std::size_t r = 0; r < count; ++r) {
            const std::int16_t *t = targets.row(rows[r]) + begin;
            const float s = share[r];
            for (std::size_t i = 0; i < length; ++i) out[i] += s * static_cast<float>(t[i]);
        }
    }
    return sum;
}

std::vector<double> target_work(const Targets &targets, IndicesView rows, const Forces &forces) {
    const std::size_t count = rows.rows(), groups = forces.groups();
    std::vector<double> work(groups * count);
    for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t first = forces.start[g], held = forces.start[g + 1] - first;
        const std::int32_t *at = forces.vertex.data() + first;
        const double *f = forces.force.row(first);
        const bool run = is_run(at, held);
        for (std::size_t r = 0; r < count; ++r) {
            const std::int16_t *t = targets.row(rows[r]);
            work[g * count + r] =
                run ? sweep_run(f, t + 3 * static_cast<std::size_t>(at[0]), 3 * held) : sweep_some(f, t, at, held);
        }
    }
    return work;
}

RestForces rest_forces(const Forces &forces, const SkinWeights &skin) {
    const std::size_t count = forces.vertex.rows(), k = skin.per_vertex, joints = skin.rotation.rows(), groups = forces.groups();
    RestForces found{std::vector<double>(3 * count, 0.0), std::vector<double>(groups * joints * 3, 0.0)};
    for (std::size_t g = 0; g < groups; ++g)
        for (std::int32_t i = forces.start[g]; i < forces.start[g + 1]; ++i) {
            const std::size_t v = forces.vertex[i];
            const double *f = forces.force.row(static_cast<std::size_t>(i));
            double *b = found.force.data() + 3 * static_cast<std::size_t>(i);
            for (std::size_t s = 0; s < k; ++s) {
                const double w = skin.weight[v * k + s];
                if (w == 0.0) continue;
                const std::size_t j = skin.joint[v * k + s];
                const double *m = skin.rotation.row(j);
                double *c = &found.carried[3 * (g * joints + j)];
                for (int a = 0; a < 3; ++a) {
                    b[a] += w * (m[a] * f[0] + m[3 + a] * f[1] + m[6 + a] * f[2]);
                    c[a] += w * f[a];
                }
            }
        }
    return found;
}

// A section point slides along its edge e when the skin moves by v and the plane by w: dp = v - e (n . (v - w)) / (n . e).
Tape tape(const Region &region, const double *plane, double reach, const double *fan, std::size_t directions) {
    Plane flat;
    std::copy_n(plane, 3, flat.origin);
    std::copy_n(plane + 3, 3, flat.normal);
    std::copy_n(plane + 6, 6, flat.axes);
    const Cut points = cut(region, flat, reach);
    const std::size_t count = points.share.size();
    std::vector<double> force(2 * count, 0.0), slope;
    std::vector<std::int32_t> vertex;
    const double length = count < 3 ? 0.0 : wind(points, fan, directions, force);
    double slide = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double u = force[2 * i], v = force[2 * i + 1];
        if (u == 0.0 && v == 0.0) continue;
        const double *a = region.skin.row(static_cast<std::size_t>(points.start[i]));
        const double *b = region.skin.row(static_cast<std::size_t>(points.end[i]));
        double pull[3], work = 0.0, rise = 0.0;
        for (int c = 0; c < 3; ++c) {
            pull[c] = u * flat.axes[c] + v * flat.axes[3 + c];
            work += pull[c] * (b[c] - a[c]);
            rise += flat.normal[c] * (b[c] - a[c]);
        }
        const double ratio = work / rise;
        slide += ratio;
        vertex.insert(vertex.end(), {points.start[i], points.end[i]});
        for (const double part : {1.0 - points.share[i], points.share[i]})
            for (int c = 0; c < 3; ++c) slope.push_back(part * (pull[c] - ratio * flat.normal[c]));
    }
    return {length, std::move(vertex), std::move(slope), slide};
}

double volume(PointsView skin, TrianglesView triangles, double *outward) {
    const std::size_t n = skin.rows(), t = triangles.rows();
    std::fill_n(outward, 3 * n, 0.0);
    double inside = 0.0;
    for (std::size_t i = 0; i < t; ++i) {
        const std::int32_t *corner = triangles.row(i);
        const double *a = skin.row(static_cast<std::size_t>(corner[0]));
        const double *b = skin.row(static_cast<std::size_t>(corner[1]));
        const double *c = skin.row(static_cast<std::size_t>(corner[2]));
        const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const double area[3] = {(u[1] * v[2] - u[2] * v[1]) / 6.0, (u[2] * v[0] - u[0] * v[2]) / 6.0,
                                (u[0] * v[1] - u[1] * v[0]) / 6.0};
        // a . (b x c) = a . ((b - a) x (c - a))
        inside += a[0] * area[0] + a[1] * area[1] + a[2] * area[2];
        for (int k = 0; k < 3; ++k)
            for (int r = 0; r < 3; ++r) outward[3 * static_cast<std::size_t>(corner[k]) + r] += area[r];
    }
    return inside;
}

}  // namespace figure
