// Shaping and measuring a figure: blending its targets, a tape round a section, volume, and slopes of all these.
// One thread: each of these takes far less than a thread needs to wake.
#include <algorithm>
#include <cmath>

#include "bind.h"

namespace {

using Targets = In<std::int16_t, -1, -1>;
using Chosen = In<std::int32_t, -1>;

// what is summed at a time stays in the first cache
constexpr std::size_t BLOCK = 2048;

// sum over rows of share * target, in the order of the rows
auto blend(Targets targets, Chosen rows, In<float, -1> share) {
    const std::size_t width = targets.shape(1), count = rows.shape(0);
    require(share.shape(0) == count, "blend: one share per row");
    require_indices(rows, targets.shape(0), "blend: a row names a target that does not exist");
    std::vector<float> sum(width, 0.0f);
    for (std::size_t begin = 0; begin < width; begin += BLOCK) {
        const std::size_t length = std::min(BLOCK, width - begin);
        float *out = sum.data() + begin;
        for (std::size_t r = 0; r < count; ++r) {
            const std::int16_t *t = targets.data() + static_cast<std::size_t>(rows.data()[r]) * width + begin;
            const float s = share.data()[r];
            for (std::size_t i = 0; i < length; ++i) out[i] += s * static_cast<float>(t[i]);
        }
    }
    return own(std::move(sum), {width});
}

// start[g]..start[g + 1] are the entries of group g
void check_groups(const Chosen &start, std::size_t entries) {
    require(start.shape(0) > 0 && start.data()[0] == 0, "groups: the first starts at 0");
    for (std::size_t g = 0; g + 1 < start.shape(0); ++g)
        require(start.data()[g] <= start.data()[g + 1], "groups: starts must ascend");
    require(static_cast<std::size_t>(start.data()[start.shape(0) - 1]) == entries, "groups: the last must end");
}

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

// work that the forces of each group do when a target is turned on: sum of force . displacement, (groups, rows)
auto sweep(Targets targets, Chosen rows, Chosen vertex, Points force, Chosen start) {
    const std::size_t width = targets.shape(1), count = rows.shape(0), groups = start.shape(0) - 1;
    require(force.shape(0) == vertex.shape(0), "sweep: one force per vertex");
    check_groups(start, vertex.shape(0));
    require_indices(rows, targets.shape(0), "sweep: a row names a target that does not exist");
    require_indices(vertex, width / 3, "sweep: a force names a vertex that does not exist");
    std::vector<double> work(groups * count);
    for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t first = start.data()[g], held = start.data()[g + 1] - first;
        const std::int32_t *at = vertex.data() + first;
        const double *f = force.data() + 3 * first;
        const bool run = is_run(at, held);
        for (std::size_t r = 0; r < count; ++r) {
            const std::int16_t *t = targets.data() + static_cast<std::size_t>(rows.data()[r]) * width;
            work[g * count + r] =
                run ? sweep_run(f, t + 3 * static_cast<std::size_t>(at[0]), 3 * held) : sweep_some(f, t, at, held);
        }
    }
    return own(std::move(work), {groups, count});
}

// forces on a skin that hangs on joints: turned back into the rest frame of each vertex (f' = sum_k w_k R_k^T f), and
// what each joint carries of them in each group
auto hang(Chosen vertex, Points force, Chosen start, In<std::int32_t, -1, -1> joint, In<double, -1, -1> weight,
          In<double, -1, 9> rotation) {
    const std::size_t count = vertex.shape(0), k = joint.shape(1), joints = rotation.shape(0);
    const std::size_t groups = start.shape(0) - 1;
    require(force.shape(0) == count, "hang: one force per vertex");
    require(joint.shape(0) == weight.shape(0) && weight.shape(1) == k, "hang: as many joints as weights per vertex");
    check_groups(start, count);
    require_indices(vertex, joint.shape(0), "hang: a force names a vertex that does not exist");
    require_indices(joint, joints, "hang: a weight names a joint that does not exist");
    std::vector<double> back(3 * count, 0.0), carried(groups * joints * 3, 0.0);
    for (std::size_t g = 0; g < groups; ++g)
        for (std::int32_t i = start.data()[g]; i < start.data()[g + 1]; ++i) {
            const std::size_t v = vertex.data()[i];
            const double *f = force.data() + 3 * static_cast<std::size_t>(i);
            double *b = back.data() + 3 * static_cast<std::size_t>(i);
            for (std::size_t s = 0; s < k; ++s) {
                const double w = weight.data()[v * k + s];
                if (w == 0.0) continue;
                const std::size_t j = joint.data()[v * k + s];
                const double *m = rotation.data() + 9 * j;
                double *c = &carried[3 * (g * joints + j)];
                for (int a = 0; a < 3; ++a) {
                    b[a] += w * (m[a] * f[0] + m[3 + a] * f[1] + m[6 + a] * f[2]);
                    c[a] += w * f[a];
                }
            }
        }
    return std::make_tuple(own(std::move(back), {count, 3}), own(std::move(carried), {groups, joints, 3}));
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

Cut cut(const double *skin, const Chosen &rows, const In<std::int32_t, -1, 2> &edges, const Plane &plane, double reach) {
    std::vector<double> height(rows.shape(0));
    for (std::size_t i = 0; i < height.size(); ++i)
        height[i] = along_axis(skin + 3 * static_cast<std::size_t>(rows.data()[i]), plane.origin, plane.normal);
    Cut found;
    for (std::size_t e = 0; e < edges.shape(0); ++e) {
        const std::int32_t a = edges.data()[2 * e], b = edges.data()[2 * e + 1];
        if ((height[a] > 0.0) == (height[b] > 0.0)) continue;
        const std::size_t i = rows.data()[a], j = rows.data()[b];
        const double share = height[a] / (height[a] - height[b]);
        double p[3], away = 0.0;
        for (int c = 0; c < 3; ++c) {
            p[c] = skin[3 * i + c] + share * (skin[3 * j + c] - skin[3 * i + c]);
            away += (p[c] - plane.origin[c]) * (p[c] - plane.origin[c]);
        }
        if (!(away < reach * reach)) continue;
        found.start.push_back(rows.data()[a]);
        found.end.push_back(rows.data()[b]);
        found.share.push_back(share);
        found.across.push_back(along_axis(p, plane.origin, plane.axes));
        found.along.push_back(along_axis(p, plane.origin, plane.axes + 3));
    }
    return found;
}

// length by Cauchy's formula (section.tape); force: how the length changes with the points that hold it, (points, 2)
double wind(const Cut &points, const In<double, 2, -1> &fan, std::vector<double> &force) {
    const std::size_t directions = fan.shape(1), count = points.across.size();
    const double piece = 2.0 * 3.14159265358979323846 / static_cast<double>(directions);
    double length = 0.0;
    for (std::size_t d = 0; d < directions; ++d) {
        const double x = fan.data()[d], y = fan.data()[directions + d];
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

// A tape round the section of a plane: its length; how that changes with skin vertices (vertex, slope) and with the
// plane's place along its normal. A section point slides along its edge e when the skin moves by v and the plane by w:
// dp = v - e (n . (v - w)) / (n . e).
auto tape(Points skin, Chosen rows, In<std::int32_t, -1, 2> edges, In<double, 4, 3> plane, double reach,
          In<double, 2, -1> fan) {
    require_indices(rows, skin.shape(0), "tape: a region names a vertex that does not exist");
    require_indices(edges, rows.shape(0), "tape: an edge names a row that does not exist");
    Plane flat;
    std::copy_n(plane.data(), 3, flat.origin);
    std::copy_n(plane.data() + 3, 3, flat.normal);
    std::copy_n(plane.data() + 6, 6, flat.axes);
    const Cut points = cut(skin.data(), rows, edges, flat, reach);
    const std::size_t count = points.share.size();
    std::vector<double> force(2 * count, 0.0), slope;
    std::vector<std::int32_t> vertex;
    const double length = count < 3 ? 0.0 : wind(points, fan, force);
    double slide = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double u = force[2 * i], v = force[2 * i + 1];
        if (u == 0.0 && v == 0.0) continue;
        const double *a = skin.data() + 3 * static_cast<std::size_t>(points.start[i]);
        const double *b = skin.data() + 3 * static_cast<std::size_t>(points.end[i]);
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
    const std::size_t held = vertex.size();
    return std::make_tuple(length, own(std::move(vertex), {held}), own(std::move(slope), {held, 3}), slide);
}

// volume inside a closed surface, and how it changes with each vertex: a third of the area round it, outward
auto volume(Points skin, Triangles triangles) {
    const std::size_t n = skin.shape(0), t = triangles.shape(0);
    require_indices(triangles, n, "volume: a triangle names a vertex that does not exist");
    std::vector<double> outward(3 * n, 0.0);
    double inside = 0.0;
    for (std::size_t i = 0; i < t; ++i) {
        const std::int32_t *corner = triangles.data() + 3 * i;
        const double *a = skin.data() + 3 * static_cast<std::size_t>(corner[0]);
        const double *b = skin.data() + 3 * static_cast<std::size_t>(corner[1]);
        const double *c = skin.data() + 3 * static_cast<std::size_t>(corner[2]);
        const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const double area[3] = {(u[1] * v[2] - u[2] * v[1]) / 6.0, (u[2] * v[0] - u[0] * v[2]) / 6.0,
                                (u[0] * v[1] - u[1] * v[0]) / 6.0};
        // a . (b x c) = a . ((b - a) x (c - a))
        inside += a[0] * area[0] + a[1] * area[1] + a[2] * area[2];
        for (int k = 0; k < 3; ++k)
            for (int r = 0; r < 3; ++r) outward[3 * static_cast<std::size_t>(corner[k]) + r] += area[r];
    }
    return std::make_tuple(inside, own(std::move(outward), {n, 3}));
}

}  // namespace

void bind_figure(nb::module_ &m) {
    using namespace nb::literals;
    m.def("blend", &blend, "targets"_a, "rows"_a, "share"_a, "Sum of share * target over the rows, in their order.");
    m.def("sweep", &sweep, "targets"_a, "rows"_a, "vertex"_a, "force"_a, "start"_a,
          "Work of each group of forces when a target is turned on, (groups, rows).");
    m.def("hang", &hang, "vertex"_a, "force"_a, "start"_a, "joint"_a, "weight"_a, "rotation"_a,
          "Forces on a posed skin, turned back to the rest pose, and what each joint carries of each group.");
    m.def("tape", &tape, "skin"_a, "rows"_a, "edges"_a, "plane"_a, "reach"_a, "fan"_a,
          "Length of a tape round a section; vertices and slopes; slope along the normal. plane: origin, normal, axes.");
    m.def("volume", &volume, "skin"_a, "triangles"_a, "Volume inside a closed surface and its slopes by vertex.");
}
