// Exact intersection of triangles and of whole surfaces. Two triangles have a common point exactly when an edge of one
// meets the other; each such question is answered by signs of determinants (as in Guigue & Devillers 2003).
#include "geometry/triangle_pairs.h"

#include <algorithm>
#include <array>

#include "core/float4.h"
#include "geometry/predicates.h"
#include "core/threads.h"

namespace surface {
namespace {

struct Flat {
    double x, y;
};
// drop one coordinate, keeping the orientation
Flat project(Vec3 p, int axis) { return axis == 0 ? Flat{p.y, p.z} : axis == 1 ? Flat{p.z, p.x} : Flat{p.x, p.y}; }
int orientation(Flat a, Flat b, Flat c) { return orient2d(a.x, a.y, b.x, b.y, c.x, c.y); }

bool overlap(double a, double b, double c, double d) {
    return std::max(std::min(a, b), std::min(c, d)) <= std::min(std::max(a, b), std::max(c, d));
}

// closed segments in a plane
bool segments_meet(Flat p, Flat q, Flat a, Flat b) {
    if (orientation(p, q, a) * orientation(p, q, b) > 0 || orientation(a, b, p) * orientation(a, b, q) > 0) return false;
    return overlap(p.x, q.x, a.x, b.x) && overlap(p.y, q.y, a.y, b.y);
}

// closed segments in space
bool segments_meet(Vec3 p, Vec3 q, Vec3 a, Vec3 b) {
    if (!overlap(p.x, q.x, a.x, b.x) || !overlap(p.y, q.y, a.y, b.y) || !overlap(p.z, q.z, a.z, b.z)) return false;
    if (orient3d(p, q, a, b) != 0) return false;
    // in one plane: they meet when they meet in every projection
    for (int axis = 0; axis < 3; ++axis)
        if (!segments_meet(project(p, axis), project(q, axis), project(a, axis), project(b, axis))) return false;
    return true;
}

bool in_triangle(Flat p, Flat a, Flat b, Flat c, int side) {
    return orientation(a, b, p) * side >= 0 && orientation(b, c, p) * side >= 0 && orientation(c, a, p) * side >= 0;
}

// the segment lies in the triangle's plane, or the triangle has no area
bool flat_segment_meets_triangle(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    for (int axis = 0; axis < 3; ++axis) {
        const Flat s = project(a, axis), t = project(b, axis), u = project(c, axis);
        const int side = orientation(s, t, u);
        if (side == 0) continue;
        const Flat e = project(p, axis), f = project(q, axis);
        return in_triangle(e, s, t, u, side) || in_triangle(f, s, t, u, side) || segments_meet(e, f, s, t) ||
               segments_meet(e, f, t, u) || segments_meet(e, f, u, s);
    }
    return segments_meet(p, q, a, b) || segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
}

// p and q lie on the sides sp and sq of the triangle's plane
bool segment_meets(Vec3 p, Vec3 q, int sp, int sq, Vec3 a, Vec3 b, Vec3 c) {
    if (sp * sq > 0) return false;
    if (sp == 0 && sq == 0) return flat_segment_meets_triangle(p, q, a, b, c);
    const int u = orient3d(p, q, a, b), v = orient3d(p, q, b, c);
    if (u * v < 0) return false;
    const int w = orient3d(p, q, c, a);
    return u * w >= 0 && v * w >= 0;
}

}  // namespace

bool segment_meets_triangle(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    return segment_meets(p, q, orient3d(a, b, c, p), orient3d(a, b, c, q), a, b, c);
}

bool triangles_meet(const Vec3 *s, const Vec3 *t) {
    int side_s[3], side_t[3];
    for (int k = 0; k < 3; ++k) side_s[k] = orient3d(t[0], t[1], t[2], s[k]);
    if (side_s[0] == side_s[1] && side_s[1] == side_s[2] && side_s[0] != 0) return false;
    for (int k = 0; k < 3; ++k) side_t[k] = orient3d(s[0], s[1], s[2], t[k]);
    if (side_t[0] == side_t[1] && side_t[1] == side_t[2] && side_t[0] != 0) return false;
    for (int k = 0; k < 3; ++k) {
        const int n = (k + 1) % 3;
        if (segment_meets(s[k], s[n], side_s[k], side_s[n], t[0], t[1], t[2])) return true;
        if (segment_meets(t[k], t[n], side_t[k], side_t[n], s[0], s[1], s[2])) return true;
    }
    return false;
}

namespace {

std::array<Vec3, 3> corners(const Tree &tree, std::int32_t t) {
    const std::int32_t *v = tree.triangle(t);
    return {tree.vertex(v[0]), tree.vertex(v[1]), tree.vertex(v[2])};
}

struct Strangers {
    bool operator()(const Tree &a, std::int32_t i, const Tree &b, std::int32_t j) const {
        return triangles_meet(corners(a, i).data(), corners(b, j).data());
    }
};

// Are some points all on one side of a plane through the origin of e, f and them, with certainty? The sums below are wrong by less than a hundred
// roundings of their largest part.
template <std::size_t N>
bool on_one_side(Vec3 e, Vec3 f, const std::array<Vec3, N> &points) {
    const auto largest = [](Vec3 v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); };
    const Vec3 n = cross(e, f);
    const double unsure = 1e-13 * largest(e) * largest(f);
    int above = 0, below = 0;
    for (const Vec3 &p : points) {
        const double height = dot(n, p), limit = unsure * largest(p) + 1e-280;
        above += height > limit, below += height < -limit;
    }
    return above == N || below == N;
}

// triangles of one surface, which may share corners
struct Relatives {
    const std::int32_t *label;

    std::int32_t name(std::int32_t v) const { return label ? label[v] : v; }

    bool operator()(const Tree &tree, std::int32_t i, const Tree &, std::int32_t j) const {
        const std::int32_t *s = tree.triangle(i), *t = tree.triangle(j);
        const std::int32_t of_s[3] = {name(s[0]), name(s[1]), name(s[2])}, of_t[3] = {name(t[0]), name(t[1]), name(t[2])};
        int shared = 0, in_s = 0, in_t = 0;
        for (int k = 0; k < 3; ++k)
            for (int n = 0; n < 3; ++n) {
                const int same = of_s[k] == of_t[n];
                shared += same, in_s |= same << k, in_t |= same << n;
            }
        const auto p = corners(tree, i), q = corners(tree, j);
        if (shared == 0) {
            if (on_one_side<3>(p[1] - p[0], p[2] - p[0], {q[0] - p[0], q[1] - p[0], q[2] - p[0]})) return false;
            return triangles_meet(p.data(), q.data());
        }
        if (shared == 1) {
            const int k = in_s >> 1, n = in_t >> 1;  // bit 1, 2, 4 -> corner 0, 1, 2
            const Vec3 c = q[(n + 1) % 3], d = q[(n + 2) % 3];
            // then they meet at the common corner only
            if (s[k] == t[n]) {
                const Vec3 a = p[(k + 1) % 3] - p[k], b = p[(k + 2) % 3] - p[k], e = c - p[k], f = d - p[k];
                if (on_one_side<2>(a, b, {e, f}) || on_one_side<2>(e, f, {a, b})) return false;
            }
            const int side_c = orient3d(p[0], p[1], p[2], c), side_d = orient3d(p[0], p[1], p[2], d);
            // with both on one side of its plane the two meet at the common corner only (unless that is a sewn one, apart)
            if (side_c * side_d > 0 && s[k] == t[n]) return false;
            return segment_meets(c, d, side_c, side_d, p[0], p[1], p[2]) ||
                   segment_meets_triangle(p[(k + 1) % 3], p[(k + 2) % 3], q[0], q[1], q[2]);
        }
        return shared == 2 && folded(p, q, in_s, in_t);
    }

    // two triangles on one edge: in one plane, on the same side of the edge
    static bool folded(const std::array<Vec3, 3> &p, const std::array<Vec3, 3> &q, int in_s, int in_t) {
        const auto apart = [](int bits) { return bits == 6 ? 0 : bits == 5 ? 1 : bits == 3 ? 2 : -1; };
        const int k = apart(in_s), n = apart(in_t);
        if (k < 0 || n < 0) return false;
        const Vec3 a = p[(k + 1) % 3], b = p[(k + 2) % 3], e = b - a;
        // open by more than a right angle: no need to look closer
        const Vec3 u = cross(e, p[k] - a), v = cross(e, q[n] - a);
        if (dot(u, v) < 0 && dot(u, v) * dot(u, v) > 1e-8 * dot(u, u) * dot(v, v)) return false;
        if (orient3d(p[0], p[1], p[2], q[n]) != 0) return false;
        for (int axis = 0; axis < 3; ++axis) {
            const int side = orientation(project(a, axis), project(b, axis), project(p[k], axis));
            if (side) return side * orientation(project(a, axis), project(b, axis), project(q[n], axis)) > 0;
        }
        return false;
    }
};

struct Boxes {
    Float4 lo[3], hi[3];
};

Boxes boxes_of(const Node &node) {
    Boxes r;
    for (int axis = 0; axis < 3; ++axis) r.lo[axis] = Float4::load(node.lo[axis]), r.hi[axis] = Float4::load(node.hi[axis]);
    return r;
}

// boxes of a leaf's triangles, enlarged for the rounding of their corners
Boxes boxes_of(const Leaf &leaf, float slack) {
    Boxes r;
    for (int axis = 0; axis < 3; ++axis) {
        const Float4 a = Float4::load(leaf.corner[0][axis]), b = Float4::load(leaf.corner[1][axis]),
                     c = Float4::load(leaf.corner[2][axis]);
        r.lo[axis] = min(min(a, b), c) - Float4(slack);
        r.hi[axis] = max(max(a, b), c) + Float4(slack);
    }
    return r;
}

// a box as six numbers
struct Box1 {
    float lo[3], hi[3];
};
Box1 lane(const Node &node, int k) {
    return {{node.lo[0][k], node.lo[1][k], node.lo[2][k]}, {node.hi[0][k], node.hi[1][k], node.hi[2][k]}};
}
Box1 lane(const Leaf &leaf, int k, float slack) {
    Box1 r;
    for (int axis = 0; axis < 3; ++axis) {
        const float a = leaf.corner[0][axis][k], b = leaf.corner[1][axis][k], c = leaf.corner[2][axis][k];
        r.lo[axis] = std::min(std::min(a, b), c) - slack, r.hi[axis] = std::max(std::max(a, b), c) + slack;
    }
    return r;
}

int touching(const Box1 &a, const Boxes &b) {
    int bits = 15;
    for (int axis = 0; axis < 3; ++axis)
        bits &= less_equal(Float4(a.lo[axis]), b.hi[axis]) & less_equal(b.lo[axis], Float4(a.hi[axis]));
    return bits;
}

// walks two trees at once; a child is a node (>= 0) or a leaf (~index)
template <class Test>
class Walk {
  public:
    Walk(const Tree &a, const Tree &b, bool self, Test test)
        : a_(a), b_(b), self_(self), test_(test), slack_a_(slack(a)), slack_b_(slack(b)) {}

    std::vector<TrianglePair> run() {
        for (const auto i : a_.roots())
            for (const auto j : b_.roots())
                if (i >= 0 && j >= 0 && (!self_ || i <= j)) tasks_.push_back({i, j});
        // open the top of the trees until there is enough to share out
        for (std::size_t at = 0; at < tasks_.size() && tasks_.size() - at < 512; ++at) {
            const TrianglePair task = tasks_[at];
            if (task.a < 0 && task.b < 0) continue;
            open(task, [&](TrianglePair t) { tasks_.push_back(t); });
            tasks_[at] = {0, INT32_MIN};  // done
        }
        std::vector<std::vector<TrianglePair>> found(tasks_.size());
        for_ranges(tasks_.size(), 64, [&](std::size_t begin, std::size_t end) {
            std::vector<TrianglePair> stack;
            for (std::size_t i = begin; i < end; ++i) {
                if (tasks_[i].b == INT32_MIN) continue;
                stack.assign(1, tasks_[i]);
                while (!stack.empty()) {
                    const TrianglePair t = stack.back();
                    stack.pop_back();
                    if (t.a < 0 && t.b < 0)
                        test_leaves(t, found[i]);
                    else
                        open(t, [&](TrianglePair next) { stack.push_back(next); });
                }
            }
        });
        std::vector<TrianglePair> all;
        for (const auto &f : found) all.insert(all.end(), f.begin(), f.end());
        std::sort(all.begin(), all.end());
        return all;
    }

  private:
    static float slack(const Tree &tree) { return static_cast<float>(1.5e-7 * tree.extent()); }

    template <class Push>
    void open(TrianglePair t, Push push) const {
        if (t.a >= 0 && t.b >= 0) {
            const Node &m = a_.nodes()[t.a], &n = b_.nodes()[t.b];
            const Boxes boxes = boxes_of(n);
            for (int k = 0; k < 4; ++k) {
                if (m.child[k] == Tree::unused) continue;
                int bits = touching(lane(m, k), boxes);
                if (self_ && t.a == t.b) bits &= 15 << k;  // each pair of children once
                for (int j = 0; j < 4; ++j)
                    if ((bits >> j & 1) && n.child[j] != Tree::unused) push({m.child[k], n.child[j]});
            }
        } else if (t.a >= 0) {
            open_against(a_.nodes()[t.a], box_of_leaf(b_.leaves()[~t.b], slack_b_),
                         [&](std::int32_t child) { push({child, t.b}); });
        } else {
            open_against(b_.nodes()[t.b], box_of_leaf(a_.leaves()[~t.a], slack_a_),
                         [&](std::int32_t child) { push({t.a, child}); });
        }
    }

    template <class Push>
    static void open_against(const Node &node, const Box1 &box, Push push) {
        const int bits = touching(box, boxes_of(node));
        for (int k = 0; k < 4; ++k)
            if ((bits >> k & 1) && node.child[k] != Tree::unused) push(node.child[k]);
    }

    static Box1 box_of_leaf(const Leaf &leaf, float slack) {
        Box1 box = lane(leaf, 0, slack);
        for (int k = 1; k < leaf.count(); ++k) {
            const Box1 other = lane(leaf, k, slack);
            for (int axis = 0; axis < 3; ++axis) {
                box.lo[axis] = std::min(box.lo[axis], other.lo[axis]);
                box.hi[axis] = std::max(box.hi[axis], other.hi[axis]);
            }
        }
        return box;
    }

    void test_leaves(TrianglePair t, std::vector<TrianglePair> &found) const {
        const Leaf &m = a_.leaves()[~t.a], &n = b_.leaves()[~t.b];
        const Boxes boxes = boxes_of(n, slack_b_);
        const bool same = self_ && t.a == t.b;
        for (int k = 0; k < m.count(); ++k) {
            const int bits = touching(lane(m, k, slack_a_), boxes);
            for (int j = same ? k + 1 : 0; j < n.count(); ++j) {
                if (!(bits >> j & 1)) continue;
                std::int32_t p = m.triangle[k], q = n.triangle[j];
                if (self_ && p > q) std::swap(p, q);
                if (test_(a_, p, b_, q)) found.push_back({p, q});
            }
        }
    }

    const Tree &a_, &b_;
    const bool self_;
    const Test test_;
    const float slack_a_, slack_b_;
    std::vector<TrianglePair> tasks_;
};

// each chosen triangle of a against the whole of b
template <class Test>
std::vector<TrianglePair> walk_chosen(const std::vector<std::int32_t> &chosen, const Tree &a, const Tree &b, bool self,
                                      Test test) {
    const float slack = static_cast<float>(3e-7 * std::max(a.extent(), b.extent()));
    std::vector<std::vector<TrianglePair>> found(chosen.size());
    for_ranges(chosen.size(), 32, [&](std::size_t begin, std::size_t end) {
        std::vector<std::int32_t> open;
        for (std::size_t i = begin; i < end; ++i) {
            const auto s = chosen[i];
            Box1 box;
            const auto p = corners(a, s);
            const auto bound = [&](int axis, double x, double y, double z) {
                box.lo[axis] = static_cast<float>(std::min({x, y, z})) - slack;
                box.hi[axis] = static_cast<float>(std::max({x, y, z})) + slack;
            };
            bound(0, p[0].x, p[1].x, p[2].x), bound(1, p[0].y, p[1].y, p[2].y), bound(2, p[0].z, p[1].z, p[2].z);
            for (const auto root : b.roots())
                if (root >= 0) open.push_back(root);
            while (!open.empty()) {
                const auto top = open.back();
                open.pop_back();
                if (top >= 0) {
                    const Node &node = b.nodes()[top];
                    const int bits = touching(box, boxes_of(node));
                    for (int k = 0; k < 4; ++k)
                        if ((bits >> k & 1) && node.child[k] != Tree::unused) open.push_back(node.child[k]);
                    continue;
                }
                const Leaf &leaf = b.leaves()[~top];
                const int bits = touching(box, boxes_of(leaf, slack));
                for (int k = 0; k < leaf.count(); ++k) {
                    const auto t = leaf.triangle[k];
                    if (!(bits >> k & 1) || (self && s == t)) continue;
                    // a pair of two chosen triangles is found by the lower one
                    if (self && t < s && std::binary_search(chosen.begin(), chosen.end(), t)) continue;
                    const auto low = self ? std::min(s, t) : s, high = self ? std::max(s, t) : t;
                    if (test(a, low, b, high)) found[i].push_back({low, high});
                }
            }
        }
    });
    std::vector<TrianglePair> all;
    for (const auto &f : found) all.insert(all.end(), f.begin(), f.end());
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

std::vector<TrianglePair> meeting_pairs_of(const std::vector<std::int32_t> &chosen, const Tree &a, const Tree &b) {
    return walk_chosen(chosen, a, b, false, Strangers{});
}

std::vector<TrianglePair> meeting_pairs_self_of(const std::vector<std::int32_t> &chosen, const Tree &a,
                                                const std::int32_t *label) {
    return walk_chosen(chosen, a, a, true, Relatives{label});
}

std::vector<TrianglePair> meeting_among(const std::vector<std::array<std::int32_t, 2>> &pairs, const Tree &a,
                                        const std::int32_t *label) {
    const Relatives test{label};
    std::vector<std::uint8_t> meets(pairs.size(), 0);
    for_ranges(pairs.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) meets[i] = test(a, pairs[i][0], a, pairs[i][1]);
    });
    std::vector<TrianglePair> all;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        if (meets[i]) all.push_back({pairs[i][0], pairs[i][1]});
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<TrianglePair> meeting_pairs(const Tree &a, const Tree &b) { return Walk(a, b, false, Strangers{}).run(); }

std::vector<TrianglePair> meeting_pairs_self(const Tree &a, const std::int32_t *label) {
    return Walk(a, a, true, Relatives{label}).run();
}

}  // namespace surface
