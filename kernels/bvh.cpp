// Nearest triangle of a surface, with a sign from angle-weighted pseudonormals (Baerentzen & Aanaes 2005), and its binding.
#include "bvh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bind.h"
#include "team.h"

namespace surface {

// the nearest triangle so far; ties go to the lowest index, so that the answer does not depend on the search order
struct Tree::Best {
    double distance2;
    double slack;       // rounding of float32 boxes and points [m]
    float limit;        // squared distance of boxes still worth opening
    std::int32_t triangle = -1;
    TrianglePoint at{};

    Best(double radius, double slack_) : distance2(radius * radius), slack(slack_) { tighten(); }
    void tighten() {
        const double d = std::sqrt(distance2) + slack;
        limit = static_cast<float>(d * d * 1.000001);
    }
};

void Tree::try_triangle(std::int32_t t, Vec3 p, Best &best) const {
    const std::int32_t *v = triangle(t);
    const Vec3 a = vertex(v[0]), b = vertex(v[1]), c = vertex(v[2]);
    const TrianglePoint at = nearest_on_triangle(p, a, b, c);
    const Vec3 d = p - (at.weight[0] * a + at.weight[1] * b + at.weight[2] * c);
    const double d2 = dot(d, d);
    if (d2 < best.distance2 || (d2 == best.distance2 && (best.triangle < 0 || t < best.triangle))) {
        best.distance2 = d2;
        best.triangle = t;
        best.at = at;
        best.tighten();
    }
}

void Tree::search(std::int32_t root, Vec3 p, Best &best) const {
    struct Open {
        std::int32_t node;
        float distance2;
    };
    Open open[128];
    int count = 0;
    open[count++] = {root, 0};
    const float x = static_cast<float>(p.x), y = static_cast<float>(p.y), z = static_cast<float>(p.z);
    while (count > 0) {
        const Open top = open[--count];
        if (top.distance2 > best.limit) continue;
        const Node &node = nodes_[top.node];
        float d2[4];
        for (int k = 0; k < 4; ++k) {
            const float dx = std::max(std::max(node.lo[0][k] - x, x - node.hi[0][k]), 0.0f);
            const float dy = std::max(std::max(node.lo[1][k] - y, y - node.hi[1][k]), 0.0f);
            const float dz = std::max(std::max(node.lo[2][k] - z, z - node.hi[2][k]), 0.0f);
            d2[k] = dx * dx + dy * dy + dz * dz;
        }
        const int first = count;
        for (int k = 0; k < 4; ++k) {
            if (!(d2[k] <= best.limit) || node.child[k] == unused) continue;
            if (node.child[k] < 0) {
                try_triangle(~node.child[k], p, best);
            } else if (count < 128) {
                // keep the new ones sorted, the nearest last
                int at = count++;
                for (; at > first && open[at - 1].distance2 < d2[k]; --at) open[at] = open[at - 1];
                open[at] = {node.child[k], d2[k]};
            }
        }
    }
}

Vec3 Tree::pseudonormal(std::int32_t t, Feature feature) const {
    const auto face = [&](std::int32_t i) {
        const std::int32_t *v = triangle(i);
        const Vec3 a = vertex(v[0]);
        return normalised(cross(vertex(v[1]) - a, vertex(v[2]) - a));
    };
    if (feature == FACE) return face(t);
    if (feature < CORNER0) {
        const auto other = neighbour_[3 * std::size_t(t) + (feature - EDGE0)];
        return other < 0 ? face(t) : face(t) + face(other);
    }
    const auto v = triangle(t)[feature - CORNER0];
    Vec3 sum{0, 0, 0};
    for (auto f = fan_start_[v]; f < fan_start_[v + 1]; ++f) {
        const std::int32_t *corner = triangle(fan_[f]);
        const int k = corner[0] == v ? 0 : corner[1] == v ? 1 : 2;
        const Vec3 e = vertex(corner[(k + 1) % 3]) - vertex(v), g = vertex(corner[(k + 2) % 3]) - vertex(v);
        const Vec3 n = cross(e, g);
        sum = sum + std::atan2(length(n), dot(e, g)) * normalised(n);
    }
    return sum;
}

void Tree::fill(Vec3 p, const Best &best, Hit &hit) const {
    const std::int32_t *v = triangle(best.triangle);
    const double *w = best.at.weight;
    hit.triangle = best.triangle;
    hit.feature = best.at.feature;
    std::copy_n(w, 3, hit.weight);
    hit.point = w[0] * vertex(v[0]) + w[1] * vertex(v[1]) + w[2] * vertex(v[2]);
    const Vec3 away = p - hit.point, pseudo = pseudonormal(best.triangle, best.at.feature);
    const double distance = std::sqrt(best.distance2), sign = dot(away, pseudo) < 0 ? -1 : 1;
    hit.gap = sign * distance;
    // on the surface itself the difference has no direction; inside a face the face knows it best
    const bool blurred = hit.feature == FACE || distance < 1e-12 + 1e-9 * extent_;
    hit.normal = blurred ? normalised(pseudo) : (sign / distance) * away;
}

namespace {
double slack_of(Vec3 p, double extent) {
    return 5e-7 * std::max({extent, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
}
}  // namespace

bool Tree::nearest(Vec3 p, double radius, std::int32_t hint, Hit &hit) const {
    Best best(std::min(radius, 1e15), slack_of(p, extent_));
    if (hint >= 0) try_triangle(hint, p, best);
    for (const auto root : roots_)
        if (root >= 0) search(root, p, best);
    if (best.triangle < 0) return false;
    fill(p, best, hit);
    return true;
}

bool Tree::nearest_in_group(Vec3 p, int group, double radius, std::int32_t hint, Hit &hit) const {
    if (roots_[group] < 0) return false;
    Best best(std::min(radius, 1e15), slack_of(p, extent_));
    if (hint >= 0 && group_of(hint) == group) try_triangle(hint, p, best);
    search(roots_[group], p, best);
    if (best.triangle < 0) return false;
    fill(p, best, hit);
    return true;
}

// does the nearest feature also belong to a triangle of another group?
bool Tree::touches_other_group(const Hit &hit) const {
    const int group = group_of(hit.triangle);
    if (hit.feature == FACE) return false;
    if (hit.feature < CORNER0) {
        const auto other = neighbour_[3 * std::size_t(hit.triangle) + (hit.feature - EDGE0)];
        return other >= 0 && group_of(other) != group;
    }
    const auto v = triangle(hit.triangle)[hit.feature - CORNER0];
    for (auto f = fan_start_[v]; f < fan_start_[v + 1]; ++f)
        if (group_of(fan_[f]) != group) return true;
    return false;
}

int Tree::nearest_per_group(Vec3 p, double radius, std::int32_t *hint, Hit *hits) const {
    int count = 0;
    for (int g = 0; g < group_count(); ++g) {
        const bool found = nearest_in_group(p, g, radius, hint ? hint[g] : -1, hits[count]);
        if (hint) hint[g] = found ? hits[count].triangle : -1;
        count += found;
    }
    // A patch of skin ends where the next limb's begins. A nearest point on that border says nothing about inside and
    // outside unless it is the nearest point of all: the neighbour has the true contact.
    bool keep[max_groups];
    for (int i = 0; i < count; ++i) {
        keep[i] = true;
        if (!touches_other_group(hits[i])) continue;
        for (int j = 0; j < count; ++j) {
            const double a = std::abs(hits[i].gap), b = std::abs(hits[j].gap);
            if (j != i && (b < a || (b == a && j < i))) keep[i] = false;
        }
    }
    int kept = 0;
    for (int i = 0; i < count; ++i)
        if (keep[i]) {
            if (kept != i) hits[kept] = hits[i];
            ++kept;
        }
    return kept;
}

}  // namespace surface

namespace {
using namespace surface;
using Hints = std::optional<In<std::int32_t, -1>>;
using GroupHints = std::optional<In<std::int32_t, -1, -1>>;

void require_radius(double radius) { require(radius >= 0, "radius must not be negative or NaN"); }

template <class Array>
void require_hints(const Array &hint, std::size_t triangle_count) {
    const auto *p = hint.data();
    for (std::size_t i = 0; i < hint.size(); ++i)
        if (p[i] < -1 || (p[i] >= 0 && static_cast<std::size_t>(p[i]) >= triangle_count))
            throw std::out_of_range("a hint names a triangle that does not exist");
}

void require_finite(const Points &points, const char *message) {
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!std::isfinite(points.data()[i])) throw std::invalid_argument(message);
}

Tree *make_tree(Tree *where, Triangles triangles, Points vertices, std::optional<In<std::int32_t, -1>> group) {
    require_indices(triangles, vertices.shape(0), "a triangle names a vertex that does not exist");
    require_finite(vertices, "surface vertices hold NaN or infinite numbers");
    if (group) {
        require(group->shape(0) == triangles.shape(0), "group must have one value per triangle");
        require_indices(*group, Tree::max_groups, "groups are numbered from 0 to 31");
    }
    return new (where) Tree(triangles.data(), triangles.shape(0), vertices.data(), vertices.shape(0),
                            group ? group->data() : nullptr);
}

void refit(Tree &tree, Points vertices) {
    require(vertices.shape(0) == tree.vertex_count(), "refit needs as many vertices as the tree was built with");
    require_finite(vertices, "surface vertices hold NaN or infinite numbers");
    nb::gil_scoped_release release;
    tree.refit(vertices.data());
}

auto nearest(const Tree &tree, Points points, double radius, Hints hint) {
    require_radius(radius);
    const std::size_t n = points.shape(0);
    if (hint) {
        require(hint->shape(0) == n, "hint must have one value per point");
        require_hints(*hint, tree.triangle_count());
    }
    std::vector<std::int32_t> triangle(n, -1);
    std::vector<double> gap(n, std::numeric_limits<double>::infinity()), point(3 * n), normal(3 * n), weight(3 * n);
    {
        nb::gil_scoped_release release;
        for_ranges(n, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                Hit hit;
                if (!tree.nearest(load(points.data() + 3 * i), radius, hint ? hint->data()[i] : -1, hit)) continue;
                triangle[i] = hit.triangle;
                gap[i] = hit.gap;
                store(&point[3 * i], hit.point);
                store(&normal[3 * i], hit.normal);
                std::copy_n(hit.weight, 3, &weight[3 * i]);
            }
        });
    }
    return nb::make_tuple(own(std::move(triangle), {n}), own(std::move(gap), {n}), own(std::move(point), {n, 3}),
                          own(std::move(normal), {n, 3}), own(std::move(weight), {n, 3}));
}

auto nearest_per_group(const Tree &tree, Points points, double radius, GroupHints hint) {
    require_radius(radius);
    const std::size_t n = points.shape(0), groups = tree.group_count();
    std::vector<std::int32_t> hints(n * groups, -1);
    if (hint) {
        require(hint->shape(0) == n && hint->shape(1) == groups, "hint must have the shape (points, groups)");
        require_hints(*hint, tree.triangle_count());
        std::copy_n(hint->data(), hints.size(), hints.data());
    }
    std::vector<Hit> found(n * groups);
    std::vector<std::int32_t> count(n);
    std::vector<std::size_t> start(n + 1, 0);
    {
        nb::gil_scoped_release release;
        for_ranges(n, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                count[i] = tree.nearest_per_group(load(points.data() + 3 * i), radius, &hints[i * groups],
                                                  &found[i * groups]);
        });
    }
    for (std::size_t i = 0; i < n; ++i) start[i + 1] = start[i] + count[i];
    const std::size_t total = start[n];
    std::vector<std::int32_t> particle(total), triangle(total);
    std::vector<double> gap(total), point(3 * total), normal(3 * total), weight(3 * total);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = start[i]; c < start[i + 1]; ++c) {
            const Hit &hit = found[i * groups + (c - start[i])];
            particle[c] = static_cast<std::int32_t>(i);
            triangle[c] = hit.triangle;
            gap[c] = hit.gap;
            store(&point[3 * c], hit.point);
            store(&normal[3 * c], hit.normal);
            std::copy_n(hit.weight, 3, &weight[3 * c]);
        }
    return nb::make_tuple(own(std::move(particle), {total}), own(std::move(gap), {total}),
                          own(std::move(normal), {total, 3}), own(std::move(point), {total, 3}),
                          own(std::move(triangle), {total}), own(std::move(weight), {total, 3}),
                          own(std::move(hints), {n, groups}));
}
}  // namespace

void bind_bvh(nb::module_ &m) {
    nb::class_<Tree>(m, "SurfaceTree", "Tree of boxes over a triangle surface. Not to be refitted while being asked.")
        .def("__init__", [](Tree *where, Triangles t, Points v, std::optional<In<std::int32_t, -1>> g) {
                make_tree(where, t, v, g);
            }, nb::arg("triangles"), nb::arg("vertices"), nb::arg("group").none() = nb::none())
        .def("refit", &refit, nb::arg("vertices"))
        .def("nearest", &nearest, nb::arg("points"), nb::arg("radius"), nb::arg("hint").none() = nb::none(),
             "-> triangle (n,), gap (n,), point (n, 3), normal (n, 3), weight (n, 3); triangle -1 and gap inf beyond radius")
        .def("nearest_per_group", &nearest_per_group, nb::arg("points"), nb::arg("radius"),
             nb::arg("hint").none() = nb::none(),
             "-> particle (c,), gap (c,), normal (c, 3), point (c, 3), triangle (c,), weight (c, 3), hint (n, groups)")
        .def_prop_ro("triangle_count", &Tree::triangle_count)
        .def_prop_ro("vertex_count", &Tree::vertex_count)
        .def_prop_ro("group_count", &Tree::group_count);
}
