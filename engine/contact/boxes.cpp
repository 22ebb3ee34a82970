#include "contact/boxes.h"

#include <algorithm>
#include <cmath>

#include "core/threads.h"

using surface::cross;
using surface::dot;
using surface::load;
using surface::nearest_on_triangle;
using surface::normalised;
using surface::TrianglePoint;
using surface::Vec3;

namespace {
Vec3 lower(Vec3 a, Vec3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3 higher(Vec3 a, Vec3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

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

}  // namespace

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

BoxTrees::BoxTrees(TrianglesView triangles, PointsView vertices, IndicesView group, int group_count) {
    triangle_.assign(triangles.data(), triangles.data() + triangles.size());
    vertex_.resize(vertices.rows());
    load_vertices(vertices);
    const std::size_t count = triangles.rows();
    std::vector<Vec3> middle(count);
    for (std::size_t t = 0; t < count; ++t) {
        const auto f = static_cast<std::int32_t>(t);
        middle[t] = (1.0 / 3) * (corner(f, 0) + corner(f, 1) + corner(f, 2));
    }
    for (int g = 0; g < group_count; ++g) {
        std::vector<std::int32_t> faces;
        for (std::size_t t = 0; t < count; ++t)
            if (group[t] == g) faces.push_back(static_cast<std::int32_t>(t));
        root_.push_back(faces.empty() ? -1 : build(faces, 0, faces.size(), middle));
    }
    fit();
}

void BoxTrees::load_vertices(PointsView vertices) {
    for (std::size_t v = 0; v < vertex_.size(); ++v) vertex_[v] = load(vertices.row(v));
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

void BoxTrees::refit(PointsView vertices) {
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

BoxTrees::Contacts BoxTrees::contacts(PointsView points, double reach) const {
    const std::size_t n = points.rows(), groups = root_.size();
    std::vector<Nearest> nearest(n * groups);
    for_ranges(n, 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t g = 0; g < groups; ++g)
                if (root_[g] >= 0) visit(root_[g], load(points.row(i)), reach, nearest[i * groups + g]);
    });
    Contacts list;
    for (std::size_t i = 0; i < n * groups; ++i) {
        const Nearest &found = nearest[i];
        if (found.face < 0 || found.distance2 > reach * reach) continue;
        const Vec3 p = load(points.row(i / groups)), own_normal = normal_[found.face];
        Vec3 s{0, 0, 0};
        for (int k = 0; k < 3; ++k) s = s + found.at.weight[k] * corner(found.face, k);
        const double distance = std::sqrt(found.distance2), sign = dot(own_normal, p - s) < 0 ? -1 : 1;
        const Vec3 out = distance > 1e-9 ? (sign / distance) * (p - s) : own_normal;
        list.particle.push_back(static_cast<std::int32_t>(i / groups)), list.face.push_back(found.face);
        list.gap.push_back(sign * distance);
        for (const double a : {out.x, out.y, out.z}) list.normal.push_back(a);
        for (const double a : found.at.weight) list.weight.push_back(a);
    }
    return list;
}
