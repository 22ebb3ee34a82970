// Nearest triangle of a surface, with a sign from angle-weighted pseudonormals (Baerentzen & Aanaes 2005), and its binding.
#include "bvh.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "bind.h"
#include "float4.h"
#include "team.h"

namespace surface {

// A search in two steps: float32 distances collect the triangles that can be nearest, double precision decides among
// them. Ties go to the lowest index, so that the answer depends neither on the hint nor on the order of the search.
struct Tree::Best {
    static constexpr int room = 64;
    Vec3 p;
    double radius2;     // squared [m2]
    float slack;        // rounding of float32 coordinates [m]
    float limit;        // squared distance still worth a look
    int count = 0;
    std::int32_t candidate[room];
    float distance2[room];
    std::int32_t triangle = -1;  // decided so far
    double least = 0;
    TrianglePoint at{};

    Best(Vec3 point, double radius, double extent) : p(point), radius2(radius * radius) {
        slack = static_cast<float>(1e-6 * std::max({extent, std::abs(p.x), std::abs(p.y), std::abs(p.z)}));
        limit = enlarged(static_cast<float>(std::min(radius2, 1e30)));
    }
    // float32 distances may be wrong by slack either way
    float enlarged(float d2) const {
        const float d = std::sqrt(d2) + slack;
        return d * d * 1.000001f;
    }
};

// decide among the candidates and forget them
void Tree::decide(Best &best) const {
    for (int i = 0; i < best.count; ++i) {
        if (!(best.distance2[i] <= best.limit)) continue;
        const std::int32_t t = best.candidate[i], *v = triangle(t);
        const Vec3 a = vertex(v[0]), b = vertex(v[1]), c = vertex(v[2]);
        const TrianglePoint at = nearest_on_triangle(best.p, a, b, c);
        const Vec3 d = best.p - (at.weight[0] * a + at.weight[1] * b + at.weight[2] * c);
        const double d2 = dot(d, d);
        if (d2 > best.radius2) continue;
        if (best.triangle < 0 || d2 < best.least || (d2 == best.least && t < best.triangle))
            best.least = d2, best.triangle = t, best.at = at;
    }
    best.count = 0;
}

namespace {

struct Vec4 {
    Float4 x, y, z;
};
inline Vec4 operator-(const Vec4 &a, const Vec4 &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Float4 dot(const Vec4 &a, const Vec4 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec4 along(const Vec4 &a, Float4 t, const Vec4 &e) { return {a.x + t * e.x, a.y + t * e.y, a.z + t * e.z}; }

// squared distance of the origin to the segment from a along e; points count as segments (0/0 becomes 0)
inline Float4 segment_distance2(const Vec4 &a, const Vec4 &e, Float4 ee, Float4 towards) {
    const Float4 t = min(max(towards / ee, Float4(0.0f)), Float4(1.0f));
    const Vec4 d = along(a, t, e);
    return dot(d, d);
}

}  // namespace

void Tree::search_leaf(const Leaf &leaf, Best &best) const {
    const Float4 x(static_cast<float>(best.p.x)), y(static_cast<float>(best.p.y)), z(static_cast<float>(best.p.z));
    const auto corner = [&](int i) -> Vec4 {
        const auto &c = leaf.corner[i];
        return {Float4::load(c[0]) - x, Float4::load(c[1]) - y, Float4::load(c[2]) - z};
    };
    const Vec4 a = corner(0), b = corner(1), c = corner(2), ab = b - a, ac = c - a, bc = c - b;
    const Float4 zero(0.0f), abab = dot(ab, ab), abac = dot(ab, ac), acac = dot(ac, ac), bcbc = dot(bc, bc);
    const Float4 d1 = zero - dot(ab, a), d2 = zero - dot(ac, a);
    Float4 near = segment_distance2(a, ab, abab, d1);
    near = min(segment_distance2(a, ac, acac, d2), near);
    near = min(segment_distance2(b, bc, bcbc, zero - dot(bc, b)), near);
    // inside the face: all three barycentric coordinates positive
    const Float4 d3 = d1 - abab, d4 = d2 - abac, d5 = d1 - abac, d6 = d2 - acac;
    const Float4 va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const Float4 whole = va + vb + vc;
    const Vec4 foot = along(along(a, vb / whole, ab), vc / whole, ac);
    near = where_positive(va, vb, vc, min(dot(foot, foot), near), near);

    int mask = less_equal(near, Float4(best.limit)) & ((1 << leaf.count) - 1);
    if (!mask) return;
    float distance2[4];
    near.store(distance2);
    for (; mask; mask &= mask - 1) {
        const int k = std::countr_zero(static_cast<unsigned>(mask));
        if (!(distance2[k] <= best.limit)) continue;
        best.limit = std::min(best.limit, best.enlarged(distance2[k]));
        if (best.count == Best::room) decide(best);
        best.candidate[best.count] = leaf.triangle[k];
        best.distance2[best.count++] = distance2[k];
    }
}

void Tree::search(std::int32_t root, Best &best) const {
    struct Open {
        std::int32_t node;
        float distance2;
    };
    Open open[open_limit];
    int count = 0;
    open[count++] = {root, 0};
    const Float4 x(static_cast<float>(best.p.x)), y(static_cast<float>(best.p.y)), z(static_cast<float>(best.p.z));
    const Float4 zero(0.0f);
    while (count > 0) {
        const Open top = open[--count];
        if (top.distance2 > best.limit) continue;
        if (top.node < 0) {
            search_leaf(leaves_[~top.node], best);
            continue;
        }
        const Node &node = nodes_[top.node];
        const Float4 dx = max(max(Float4::load(node.lo[0]) - x, x - Float4::load(node.hi[0])), zero);
        const Float4 dy = max(max(Float4::load(node.lo[1]) - y, y - Float4::load(node.hi[1])), zero);
        const Float4 dz = max(max(Float4::load(node.lo[2]) - z, z - Float4::load(node.hi[2])), zero);
        const Float4 distance2 = dx * dx + dy * dy + dz * dz;
        float d2[4];
        distance2.store(d2);
        const int first = count;
        for (int near = less_equal(distance2, Float4(best.limit)); near; near &= near - 1) {
            const int k = std::countr_zero(static_cast<unsigned>(near));
            // keep the new ones sorted, the nearest last
            int at = count++;
            for (; at > first && open[at - 1].distance2 < d2[k]; --at) open[at] = open[at - 1];
            open[at] = {node.child[k], d2[k]};
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

bool Tree::fill(Best &best, Hit &hit) const {
    decide(best);
    if (best.triangle < 0) return false;
    const std::int32_t *v = triangle(best.triangle);
    const double *w = best.at.weight;
    hit.triangle = best.triangle;
    hit.feature = best.at.feature;
    std::copy_n(w, 3, hit.weight);
    hit.point = w[0] * vertex(v[0]) + w[1] * vertex(v[1]) + w[2] * vertex(v[2]);
    const Vec3 away = best.p - hit.point, pseudo = pseudonormal(best.triangle, best.at.feature);
    const double distance = std::sqrt(best.least), sign = dot(away, pseudo) < 0 ? -1 : 1;
    hit.gap = sign * distance;
    // on the surface itself the difference has no direction; inside a face the face knows it best
    const bool blurred = hit.feature == FACE || distance < 1e-12 + 1e-9 * extent_;
    hit.normal = blurred ? normalised(pseudo) : (sign / distance) * away;
    return true;
}

namespace {
// NaN, infinity and numbers that float32 cannot hold are near nothing
bool askable(Vec3 p) { return std::abs(p.x) < 1e15 && std::abs(p.y) < 1e15 && std::abs(p.z) < 1e15; }

// a probably near triangle bounds the search
double bounded(const Tree &tree, Vec3 p, double radius, std::int32_t hint) {
    if (hint < 0) return std::min(radius, 1e15);
    const std::int32_t *v = tree.triangle(hint);
    const Vec3 a = tree.vertex(v[0]), b = tree.vertex(v[1]), c = tree.vertex(v[2]);
    const TrianglePoint at = nearest_on_triangle(p, a, b, c);
    const Vec3 d = p - (at.weight[0] * a + at.weight[1] * b + at.weight[2] * c);
    return std::min(radius, length(d) * (1 + 1e-12));
}
}  // namespace

bool Tree::nearest(Vec3 p, double radius, std::int32_t hint, Hit &hit) const {
    if (!askable(p)) return false;
    Best best(p, bounded(*this, p, radius, hint), extent_);
    for (const auto root : roots_)
        if (root >= 0) search(root, best);
    return fill(best, hit);
}

// is a point farther than the radius from all boxes of a group? most points are, from most groups
bool Tree::beyond(Vec3 p, int group, double radius) const {
    const Node &node = nodes_[roots_[group]];
    const Float4 x(static_cast<float>(p.x)), y(static_cast<float>(p.y)), z(static_cast<float>(p.z)), zero(0.0f);
    const Float4 dx = max(max(Float4::load(node.lo[0]) - x, x - Float4::load(node.hi[0])), zero);
    const Float4 dy = max(max(Float4::load(node.lo[1]) - y, y - Float4::load(node.hi[1])), zero);
    const Float4 dz = max(max(Float4::load(node.lo[2]) - z, z - Float4::load(node.hi[2])), zero);
    // float32 rounds coordinates by less than this
    const auto limit = static_cast<float>(radius + 1e-6 * std::max({extent_, std::abs(p.x), std::abs(p.y), std::abs(p.z)}));
    return !less_equal(dx * dx + dy * dy + dz * dz, Float4(limit * limit));
}

bool Tree::nearest_in_group(Vec3 p, int group, double radius, std::int32_t hint, Hit &hit) const {
    if (roots_[group] < 0 || !askable(p) || beyond(p, group, radius)) return false;
    Best best(p, bounded(*this, p, radius, hint >= 0 && group_of(hint) == group ? hint : -1), extent_);
    search(roots_[group], best);
    return fill(best, hit);
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
        if (!(std::abs(points.data()[i]) < 1e15)) throw std::invalid_argument(message);
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

// One hit for each point and group within radius, in blocks of points that threads work on; hints are read and updated.
struct Grouped {
    static constexpr std::size_t block = 64;
    std::vector<std::int32_t> hint;
    std::vector<std::vector<std::pair<std::int32_t, Hit>>> found;  // (point, hit) of each block
    std::vector<std::size_t> start;                                // first contact of each block, and the end

    Grouped(const Tree &tree, const Points &points, double radius, const GroupHints &given) {
        nb::gil_scoped_release release;
        const std::size_t n = points.shape(0), groups = tree.group_count(), blocks = (n + block - 1) / block;
        hint.assign(n * groups, -1);
        if (given) std::copy_n(given->data(), hint.size(), hint.data());
        found.resize(blocks), start.assign(blocks + 1, 0);
        std::atomic<std::size_t> next{0};
        run_team(n < 256 ? 1 : thread_count(), [&](int, int, Barrier &) {
            Hit hits[Tree::max_groups];
            for (std::size_t b; (b = next.fetch_add(1)) < blocks;)
                for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
                    const int count = tree.nearest_per_group(load(points.data() + 3 * i), radius, &hint[i * groups], hits);
                    for (int k = 0; k < count; ++k) found[b].emplace_back(static_cast<std::int32_t>(i), hits[k]);
                }
        });
        for (std::size_t b = 0; b < blocks; ++b) start[b + 1] = start[b] + found[b].size();
    }
    std::size_t total() const { return start.back(); }
    // use(contact, point, hit)
    template <class Use>
    void each(const Use &use) const {
        nb::gil_scoped_release release;
        for_ranges(found.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b)
                for (std::size_t k = 0; k < found[b].size(); ++k) use(start[b] + k, found[b][k].first, found[b][k].second);
        });
    }
};

void require_group_hints(const Tree &tree, const Points &points, const GroupHints &hint) {
    if (!hint) return;
    require(hint->shape(0) == points.shape(0) && hint->shape(1) == static_cast<std::size_t>(tree.group_count()),
            "hint must have the shape (points, groups)");
    require_hints(*hint, tree.triangle_count());
}

auto nearest_per_group(const Tree &tree, Points points, double radius, GroupHints hint) {
    require_radius(radius);
    require_group_hints(tree, points, hint);
    Grouped all(tree, points, radius, hint);
    const std::size_t total = all.total(), n = points.shape(0);
    std::vector<std::int32_t> particle(total), triangle(total);
    std::vector<double> gap(total), point(3 * total), normal(3 * total), weight(3 * total);
    all.each([&](std::size_t c, std::int32_t i, const Hit &hit) {
        particle[c] = i;
        triangle[c] = hit.triangle;
        gap[c] = hit.gap;
        store(&point[3 * c], hit.point);
        store(&normal[3 * c], hit.normal);
        std::copy_n(hit.weight, 3, &weight[3 * c]);
    });
    return nb::make_tuple(own(std::move(particle), {total}), own(std::move(gap), {total}),
                          own(std::move(normal), {total, 3}), own(std::move(point), {total, 3}),
                          own(std::move(triangle), {total}), own(std::move(weight), {total, 3}),
                          own(std::move(all.hint), {n, static_cast<std::size_t>(tree.group_count())}));
}

// the same with the surface's velocity at each contact instead of the place
auto contacts(const Tree &tree, Points points, double radius, Points velocity, GroupHints hint) {
    require_radius(radius);
    require_group_hints(tree, points, hint);
    require(velocity.shape(0) == tree.vertex_count(), "velocity must have one row per vertex");
    Grouped all(tree, points, radius, hint);
    const std::size_t total = all.total(), n = points.shape(0);
    std::vector<std::int32_t> particle(total);
    std::vector<double> gap(total), normal(3 * total), speed(3 * total);
    all.each([&](std::size_t c, std::int32_t i, const Hit &hit) {
        particle[c] = i;
        gap[c] = hit.gap;
        store(&normal[3 * c], hit.normal);
        const std::int32_t *v = tree.triangle(hit.triangle);
        Vec3 sum{0, 0, 0};
        for (int k = 0; k < 3; ++k) sum = sum + hit.weight[k] * load(velocity.data() + 3 * std::size_t(v[k]));
        store(&speed[3 * c], sum);
    });
    return nb::make_tuple(own(std::move(particle), {total}), own(std::move(gap), {total}), own(std::move(normal), {total, 3}),
                          own(std::move(speed), {total, 3}),
                          own(std::move(all.hint), {n, static_cast<std::size_t>(tree.group_count())}));
}

auto winding(const Tree &tree, Points points) {
    const std::size_t n = points.shape(0);
    std::vector<std::int32_t> number(n);
    {
        nb::gil_scoped_release release;
        for_ranges(n, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) number[i] = tree.winding(load(points.data() + 3 * i));
        });
    }
    return own(std::move(number), {n});
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
        .def("contacts", &contacts, nb::arg("points"), nb::arg("radius"), nb::arg("velocity"), nb::arg("hint").none() = nb::none(),
             "-> particle (c,), gap (c,), normal (c, 3), velocity of the surface there (c, 3), hint (n, groups)")
        .def("winding", &winding, nb::arg("points"),
             "-> how often the surface encloses each point (n,): 0 outside, 1 inside, 2 where two limbs overlap")
        .def_prop_ro("triangle_count", &Tree::triangle_count)
        .def_prop_ro("vertex_count", &Tree::vertex_count)
        .def_prop_ro("group_count", &Tree::group_count);
}
