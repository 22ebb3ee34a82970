// The object-space baseline of Vassilev et al. 2001: per part of the body a quad tree of axis-parallel boxes whose leaves are
// single faces. Built once, refitted per pose; a point walks down every box that holds it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "bind.h"
#include "core/vector3.h"
#include "core/threads.h"

namespace {

using surface::cross;
using surface::dot;
using surface::load;
using surface::nearest_on_triangle;
using surface::normalised;
using surface::TrianglePoint;
using surface::Vec3;

struct Box {
    Vec3 low, high;
    bool holds(Vec3 p, double reach) const {
        return p.x >= low.x - reach && p.x <= high.x + reach && p.y >= low.y - reach && p.y <= high.y + reach &&
               p.z >= low.z - reach && p.z <= high.z + reach;
    }
};

Vec3 lower(Vec3 a, Vec3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3 higher(Vec3 a, Vec3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

// children come after their parent; a leaf has a face instead
struct Node {
    Box box;
    std::array<std::int32_t, 4> child{-1, -1, -1, -1};
    std::int32_t face = -1;
};

struct Nearest {
    double distance2 = std::numeric_limits<double>::infinity(), facing = 0;
    std::int32_t face = -1;
    TrianglePoint at{};
};

using Groups = In<std::int32_t, -1>;

class BoxTrees {
  public:
    BoxTrees(Triangles triangles, Points vertices, Groups group, int group_count);
    void refit(Points vertices);
    nb::tuple contacts(Points points, double reach) const;

  private:
    std::int32_t build(std::vector<std::int32_t> &faces, std::size_t begin, std::size_t end, const std::vector<Vec3> &middle);
    void load_vertices(Points vertices);
    void fit();
    void visit(std::int32_t node, Vec3 p, double reach, Nearest &best) const;
    void test_face(std::int32_t face, Vec3 p, Nearest &best) const;
    Vec3 corner(std::int32_t face, int k) const { return vertex_[triangle_[3 * static_cast<std::size_t>(face) + k]]; }

    std::vector<std::int32_t> triangle_, root_;
    std::vector<Vec3> vertex_, normal_;
    std::vector<Node> node_;
};

double along(Vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// the longest axis of the middles, halved at the median
std::size_t halve(std::vector<std::int32_t> &faces, std::size_t begin, std::size_t end, const std::vector<Vec3> &middle) {
    Vec3 low = middle[faces[begin]], high = low;
    for (std::size_t i = begin; i < end; ++i) low = lower(low, middle[faces[i]]), high = higher(high, middle[faces[i]]);
    const Vec3 size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const std::size_t cut = begin + (end - begin + 1) / 2;
    std::sort(faces.begin() + begin, faces.begin() + end, [&](std::int32_t a, std::int32_t b) {
        const double x = along(middle[a], axis), y = along(middle[b], axis);
        return x < y || (x == y && a < b);
    });
    return cut;
}

std::int32_t BoxTrees::build(std::vector<std::int32_t> &faces, std::size_t begin, std::size_t end, const std::vector<Vec3> &middle) {
    const auto id = static_cast<std::int32_t>(node_.size());
    node_.emplace_back();
    if (end - begin == 1) {
        node_[id].face = faces[begin];
        return id;
    }
    const std::size_t half = halve(faces, begin, end, middle);
    const std::size_t first = half - begin > 1 ? halve(faces, begin, half, middle) : half;
    const std::size_t second = end - half > 1 ? halve(faces, half, end, middle) : end;
    const std::size_t cut[5] = {begin, first, half, second, end};
    for (int k = 0; k < 4; ++k) {
        const std::int32_t child = cut[k] < cut[k + 1] ? build(faces, cut[k], cut[k + 1], middle) : -1;
        node_[id].child[k] = child;
    }
    return id;
}

BoxTrees::BoxTrees(Triangles triangles, Points vertices, Groups group, int group_count) {
    require(triangles.shape(0) > 0, "a surface has at least one triangle");
    require(group.shape(0) == triangles.shape(0), "one group per triangle");
    require(group_count > 0, "at least one group");
    require_indices(triangles, vertices.shape(0), "a triangle names a vertex that does not exist");
    require_indices(group, group_count, "a triangle names a group that does not exist");
    triangle_.assign(triangles.data(), triangles.data() + triangles.size());
    vertex_.resize(vertices.shape(0));
    load_vertices(vertices);
    const std::size_t count = triangles.shape(0);
    std::vector<Vec3> middle(count);
    for (std::size_t t = 0; t < count; ++t) {
        const auto f = static_cast<std::int32_t>(t);
        middle[t] = (1.0 / 3) * (corner(f, 0) + corner(f, 1) + corner(f, 2));
    }
    for (int g = 0; g < group_count; ++g) {
        std::vector<std::int32_t> faces;
        for (std::size_t t = 0; t < count; ++t)
            if (group.data()[t] == g) faces.push_back(static_cast<std::int32_t>(t));
        root_.push_back(faces.empty() ? -1 : build(faces, 0, faces.size(), middle));
    }
    fit();
}

void BoxTrees::load_vertices(Points vertices) {
    for (std::size_t v = 0; v < vertex_.size(); ++v) {
        vertex_[v] = load(vertices.data() + 3 * v);
        require(std::isfinite(dot(vertex_[v], vertex_[v])), "vertices must be finite");
    }
}

void BoxTrees::fit() {
    normal_.resize(triangle_.size() / 3);
    for (std::size_t i = node_.size(); i-- > 0;) {
        Node &node = node_[i];
        if (node.face >= 0) {
            const Vec3 a = corner(node.face, 0), b = corner(node.face, 1), c = corner(node.face, 2);
            node.box = {lower(lower(a, b), c), higher(higher(a, b), c)};
            normal_[node.face] = normalised(cross(b - a, c - a));
            continue;
        }
        bool first = true;
        for (const std::int32_t child : node.child) {
            if (child < 0) continue;
            const Box &box = node_[child].box;
            node.box = first ? box : Box{lower(node.box.low, box.low), higher(node.box.high, box.high)};
            first = false;
        }
    }
}

void BoxTrees::refit(Points vertices) {
    require(vertices.shape(0) == vertex_.size(), "wrong number of vertices");
    nb::gil_scoped_release free_python;
    load_vertices(vertices);
    fit();
}

// where two faces are equally near (an edge, a corner), the one that faces the point most tells inside from outside
void BoxTrees::test_face(std::int32_t face, Vec3 p, Nearest &best) const {
    const Vec3 a = corner(face, 0), b = corner(face, 1), c = corner(face, 2);
    const TrianglePoint at = nearest_on_triangle(p, a, b, c);
    const Vec3 d = p - (at.weight[0] * a + at.weight[1] * b + at.weight[2] * c);
    const double d2 = dot(d, d), facing = std::abs(dot(normal_[face], d)), slack = 1e-9 * (best.distance2 + 1e-12);
    const bool nearer = d2 < best.distance2 - slack;
    const bool equal = !nearer && d2 <= best.distance2 + slack;
    if (nearer || (equal && (facing > best.facing || (facing == best.facing && face < best.face)))) best = {d2, facing, face, at};
}

void BoxTrees::visit(std::int32_t id, Vec3 p, double reach, Nearest &best) const {
    const Node &node = node_[id];
    // nothing farther than the nearest face so far is of interest; equally near ones are
    if (!node.box.holds(p, std::min(reach, 1.000001 * std::sqrt(best.distance2) + 1e-9))) return;
    if (node.face >= 0) return test_face(node.face, p, best);
    for (const std::int32_t child : node.child)
        if (child >= 0) visit(child, p, reach, best);
}

nb::tuple BoxTrees::contacts(Points points, double reach) const {
    require(reach > 0 && std::isfinite(reach), "reach must be positive");
    const std::size_t n = points.shape(0), groups = root_.size();
    std::vector<Nearest> nearest(n * groups);
    std::vector<std::int32_t> particle, face;
    std::vector<double> gap, normal, weight;
    {
        nb::gil_scoped_release free_python;
        for_ranges(n, 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t g = 0; g < groups; ++g)
                    if (root_[g] >= 0) visit(root_[g], load(points.data() + 3 * i), reach, nearest[i * groups + g]);
        });
        for (std::size_t i = 0; i < n * groups; ++i) {
            const Nearest &found = nearest[i];
            if (found.face < 0 || found.distance2 > reach * reach) continue;
            const Vec3 p = load(points.data() + 3 * (i / groups)), own_normal = normal_[found.face];
            Vec3 s{0, 0, 0};
            for (int k = 0; k < 3; ++k) s = s + found.at.weight[k] * corner(found.face, k);
            const double distance = std::sqrt(found.distance2), sign = dot(own_normal, p - s) < 0 ? -1 : 1;
            const Vec3 out = distance > 1e-9 ? (sign / distance) * (p - s) : own_normal;
            particle.push_back(static_cast<std::int32_t>(i / groups)), face.push_back(found.face);
            gap.push_back(sign * distance);
            for (const double a : {out.x, out.y, out.z}) normal.push_back(a);
            for (const double a : found.at.weight) weight.push_back(a);
        }
    }
    const std::size_t c = particle.size();
    return nb::make_tuple(own(std::move(particle), {c}), own(std::move(gap), {c}), own(std::move(normal), {c, 3}),
                          own(std::move(face), {c}), own(std::move(weight), {c, 3}));
}

}  // namespace

void bind_boxes(nb::module_ &m) {
    nb::class_<BoxTrees>(m, "BoxTrees", "One quad tree of boxes over the faces of each group. Not to be refitted while being asked.")
        .def(nb::init<Triangles, Points, Groups, int>(), nb::arg("triangles"), nb::arg("vertices"), nb::arg("group"),
             nb::arg("group_count"))
        .def("refit", &BoxTrees::refit, nb::arg("vertices"))
        .def("contacts", &BoxTrees::contacts, nb::arg("points"), nb::arg("reach"),
             "-> particle (c,), gap (c,), normal (c, 3), face (c,), weight (c, 3): the nearest face of each group in reach");
}
