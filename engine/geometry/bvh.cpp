// Nearest triangle of a surface, with a sign from angle-weighted pseudonormals (Baerentzen & Aanaes 2005).
#include "geometry/bvh.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "geometry/bvh_closest.h"
#include "geometry/bvh_lanes.h"
#include "core/float4.h"
#include "core/threads.h"

namespace surface {

// A search in two steps: float32 distances collect the triangles that can be nearest, double precision decides among them.
struct Tree::Best {
    static constexpr int capacity = 64;
    Vec3 p;
    float rounded[3];   // p
    double radius2;     // squared [m2]
    float slack;        // rounding of float32 coordinates [m]
    float limit;        // squared distance still worth a look
    int count = 0;
    std::int32_t candidate[capacity];
    float distance2[capacity];
    ClosestPoint closest;  // decided so far

    Best(Vec3 point, double radius, double extent) : p(point), radius2(radius * radius), slack(rounding(point, extent)) {
        store(rounded, p);
        limit = search_limit(radius, slack);
    }
    // a triangle that is probably near, or the one beside it that is, bounds the search
    void begin_with(const Tree &tree, std::int32_t hint) {
        const auto at = [&](std::int32_t v) { return tree.vertex(v); };
        const ClosestPoint found = tree.walk(p, tree.closest_on(p, hint, at), at);
        if (!(found.distance2 <= radius2)) return;
        closest = found;
        limit = std::min(limit, enlarged(static_cast<float>(found.distance2), slack));
    }
};

// decide among the candidates and forget them
void Tree::decide(Best &best) const {
    for (int i = 0; i < best.count; ++i) {
        if (!(best.distance2[i] <= best.limit)) continue;
        if (best.candidate[i] == best.closest.triangle) continue;
        const ClosestPoint found = closest_on(best.p, best.candidate[i], [this](std::int32_t v) { return vertex(v); });
        if (found.distance2 <= best.radius2 && found.beats(best.closest)) best.closest = found;
    }
    best.count = 0;
}

namespace {
// chosen once: what this machine runs
const auto leaf_distance2 = machine_has_avx512() ? avx512::leaf_distance2 : machine_has_avx2() ? avx2::leaf_distance2 : plain::leaf_distance2;
}  // namespace

// keep the triangles of a leaf that can be nearest, by their distances in float32
void Tree::search_leaf(const Leaf &leaf, Best &best) const {
    float distance2[4];
    leaf_distance2(leaf.corner[0][0], best.rounded, distance2);
    for (int k = 0; k < leaf.count(); ++k) {
        if (!(distance2[k] <= best.limit)) continue;
        best.limit = std::min(best.limit, enlarged(distance2[k], best.slack));
        if (best.count == Best::capacity) decide(best);
        best.candidate[best.count] = leaf.triangle[k];
        best.distance2[best.count++] = distance2[k];
    }
}

template <class Use>
void Tree::each_leaf(std::int32_t root, Vec3 p, const float &limit, const Use &use) const {
    struct Open {
        std::int32_t node;
        float distance2;
    };
    Open open[open_limit];
    int count = 0;
    open[count++] = {root, 0};
    const Float4 x(static_cast<float>(p.x)), y(static_cast<float>(p.y)), z(static_cast<float>(p.z));
    const Float4 zero(0.0f);
    while (count > 0) {
        const Open top = open[--count];
        if (top.distance2 > limit) continue;
        if (top.node < 0) {
            use(leaves_[~top.node]);
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
        for (int near = less_equal(distance2, Float4(limit)); near; near &= near - 1) {
            const int k = std::countr_zero(static_cast<unsigned>(near));
            // keep the new ones sorted, the nearest last
            int at = count++;
            for (; at > first && open[at - 1].distance2 < d2[k]; --at) open[at] = open[at - 1];
            open[at] = {node.child[k], d2[k]};
        }
    }
}

void Tree::search(std::int32_t root, Best &best) const {
    each_leaf(root, best.p, best.limit, [&](const Leaf &leaf) { search_leaf(leaf, best); });
}

// Whether no triangle that shares the closest point's edge or corner is nearer, or, being as near, has the lower number: then that point is theirs too.
bool Tree::nearer_than_beside(Vec3 p, const ClosestPoint &closest) const {
    constexpr double TIE = 1e-9;  // rounding of squared distances, as a share of them
    bool nearer = true;
    each_beside(closest.triangle, closest.at.feature, [&](std::int32_t t) {
        if (!nearer) return;
        const double other = closest_on(p, t, [this](std::int32_t v) { return vertex(v); }).distance2;
        nearer = other >= (t < closest.triangle ? 1 + TIE : 1 - TIE) * closest.distance2;
    });
    return nearer;
}

void Tree::sides(Vec3 p, double radius, std::vector<Hit> &found) const {
    if (!askable(p)) return;
    const auto at = [this](std::int32_t v) { return vertex(v); };
    const auto first = static_cast<std::ptrdiff_t>(found.size());
    const float limit = search_limit(std::min(radius, 1e15), rounding(p, extent_));
    float rounded[3];
    store(rounded, p);
    const auto visit = [&](const Leaf &leaf) {
        float distance2[4];
        leaf_distance2(leaf.corner[0][0], rounded, distance2);
        for (int k = 0; k < leaf.count(); ++k) {
            if (!(distance2[k] <= limit)) continue;
            const ClosestPoint closest = closest_on(p, leaf.triangle[k], at);
            if (!(closest.distance2 <= radius * radius) || !nearer_than_beside(p, closest)) continue;
            if (const Hit hit = hit_at(p, closest, at); hit.gap > 0) found.push_back(hit);
        }
    };
    for (const auto root : roots_)
        if (root >= 0) each_leaf(root, p, limit, visit);
    std::sort(found.begin() + first, found.end(), [](const Hit &a, const Hit &b) { return a.triangle < b.triangle; });
}

Vec3 Tree::pseudonormal(std::int32_t t, Feature feature) const {
    return pseudonormal(t, feature, [this](std::int32_t v) { return vertex(v); });
}

bool Tree::fill(Best &best, Hit &hit) const {
    decide(best);
    if (best.closest.triangle < 0) return false;
    hit = hit_at(best.p, best.closest, [this](std::int32_t v) { return vertex(v); });
    return true;
}

bool Tree::nearest(Vec3 p, double radius, std::int32_t hint, Hit &hit) const {
    if (!askable(p)) return false;
    Best best(p, std::min(radius, 1e15), extent_);
    if (hint >= 0) best.begin_with(*this, hint);
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
    Best best(p, std::min(radius, 1e15), extent_);
    if (hint >= 0 && group_of(hint) == group) best.begin_with(*this, hint);
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

// A patch of skin ends where the next limb's begins. A nearest point on that border says nothing about inside and
// outside unless it is the nearest point of all: the neighbour has the true contact.
int Tree::without_borders(Hit *hits, int count) const {
    bool keep[max_groups];
    for (int i = 0; i < count; ++i) {
        keep[i] = true;
        if (count == 1 || !touches_other_group(hits[i])) continue;
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

int Tree::nearest_per_group(Vec3 p, double radius, std::int32_t *hint, Hit *hits) const {
    int count = 0;
    for (int g = 0; g < group_count(); ++g) {
        const bool found = nearest_in_group(p, g, radius, hint ? hint[g] : -1, hits[count]);
        if (hint) hint[g] = found ? hits[count].triangle : -1;
        count += found;
    }
    return without_borders(hits, count);
}

Hit Tree::follow(Vec3 p, std::int32_t t, const double *velocity, double time) const {
    const auto at = [&](std::int32_t v) { return vertex(v) + time * load(velocity + 3 * std::size_t(v)); };
    const std::int32_t *v = triangle(t);
    const Vec3 corner[3] = {at(v[0]), at(v[1]), at(v[2])};
    const ClosestPoint closest = surface::closest_on(p, t, corner);
    return closest.at.feature == FACE ? face_hit(p, closest, corner) : hit_at(p, walk(p, closest, at), at);
}

int Tree::follow(Vec3 p, double radius, const std::int32_t *t, int count, Hit *hits) const {
    const auto at = [this](std::int32_t v) { return vertex(v); };
    int found = 0;
    for (int i = 0; i < count; ++i) {
        const ClosestPoint closest = walk(p, closest_on(p, t[i], at), at);
        if (closest.distance2 <= radius * radius) hits[found++] = hit_at(p, closest, at);
    }
    return without_borders(hits, found);
}

}  // namespace surface
