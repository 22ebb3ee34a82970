// Nearest triangle of a surface, with a sign from angle-weighted pseudonormals (Baerentzen & Aanaes 2005).
#include "bvh.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bvh_foot.h"
#include "bvh_lanes.h"
#include "float4.h"
#include "team.h"

namespace surface {

// A search in two steps: float32 distances collect the triangles that can be nearest, double precision decides among
// them. Ties go to the lowest index, so that the answer depends neither on the hint nor on the order of the search.
struct Tree::Best {
    static constexpr int room = 64;
    Vec3 p;
    float rounded[3];   // p
    double radius2;     // squared [m2]
    float slack;        // rounding of float32 coordinates [m]
    float limit;        // squared distance still worth a look
    int count = 0;
    std::int32_t candidate[room];
    float distance2[room];
    Foot foot;  // decided so far

    Best() = default;
    Best(Vec3 point, double radius, double extent) { start(point, radius, extent); }
    void start(Vec3 point, double radius, double extent) {
        p = point, radius2 = radius * radius, count = 0, foot.triangle = -1;
        store(rounded, p);
        slack = static_cast<float>(1e-6 * std::max({extent, std::abs(p.x), std::abs(p.y), std::abs(p.z)}));
        limit = enlarged(static_cast<float>(std::min(radius2, 1e30)));
    }
    // a triangle that is probably near, or the one beside it that is, bounds the search
    void begin_with(const Tree &tree, std::int32_t hint) {
        const auto at = [&](std::int32_t v) { return tree.vertex(v); };
        const Foot found = tree.walk(p, tree.foot_on(p, hint, at), at);
        if (!(found.distance2 <= radius2)) return;
        foot = found;
        limit = std::min(limit, enlarged(static_cast<float>(found.distance2)));
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
        if (best.candidate[i] == best.foot.triangle) continue;
        const Foot found = foot_on(best.p, best.candidate[i], [this](std::int32_t v) { return vertex(v); });
        if (found.distance2 > best.radius2) continue;
        const Foot &known = best.foot;
        if (known.triangle < 0 || found.distance2 < known.distance2 || (found.distance2 == known.distance2 && found.triangle < known.triangle))
            best.foot = found;
    }
    best.count = 0;
}

namespace {
// chosen once: what this machine runs
struct Lanes {
    decltype(&plain::near_boxes) near_boxes = plain::near_boxes;
    decltype(&plain::leaf_distance2) distance2 = plain::leaf_distance2;
    decltype(&plain::leaf_distances2) distances2 = plain::leaf_distances2;
    Lanes() {
        if (machine_has_avx512()) near_boxes = avx512::near_boxes, distance2 = avx512::leaf_distance2, distances2 = avx512::leaf_distances2;
        else if (machine_has_avx2()) near_boxes = avx2::near_boxes, distance2 = avx2::leaf_distance2, distances2 = avx2::leaf_distances2;
    }
};
const Lanes lanes;
}  // namespace

// keep the triangles of a leaf that can be nearest, by their distances in float32
void Tree::consider(const Leaf &leaf, const float *distance2, Best &best) const {
    for (int k = 0; k < leaf.count; ++k) {
        if (!(distance2[k] <= best.limit)) continue;
        best.limit = std::min(best.limit, best.enlarged(distance2[k]));
        if (best.count == Best::room) decide(best);
        best.candidate[best.count] = leaf.triangle[k];
        best.distance2[best.count++] = distance2[k];
    }
}

void Tree::search_leaf(const Leaf &leaf, Best &best) const {
    float distance2[4];
    lanes.distance2(leaf.corner[0][0], best.rounded, distance2);
    consider(leaf, distance2, best);
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
    return pseudonormal(t, feature, [this](std::int32_t v) { return vertex(v); });
}

bool Tree::fill(Best &best, Hit &hit) const {
    decide(best);
    if (best.foot.triangle < 0) return false;
    hit = hit_at(best.p, best.foot, [this](std::int32_t v) { return vertex(v); });
    return true;
}

namespace {
// NaN, infinity and numbers that float32 cannot hold are near nothing
bool askable(Vec3 p) { return std::abs(p.x) < 1e15 && std::abs(p.y) < 1e15 && std::abs(p.z) < 1e15; }

}  // namespace

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

// Points that search together: their box, and the leaves that are near enough to it to hold the nearest triangle of one.
struct Tree::Packet {
    static constexpr int room = 256;
    alignas(64) float lo[3][room];  // boxes of the leaves
    alignas(64) float hi[3][room];
    std::int32_t leaf[room];
    float low[3], high[3];
    float limit = 0;  // squared distance still worth a look, for any of the points
    int count = 0;

    Packet() { std::fill_n(low, 3, 1e30f), std::fill_n(high, 3, -1e30f); }
    void add(Vec3 p) {
        const float x[3] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
    }
    void add(const Node &node, int place) {
        leaf[count] = ~node.child[place];
        for (int a = 0; a < 3; ++a) lo[a][count] = node.lo[a][place], hi[a][count] = node.hi[a][place];
        ++count;
    }
};

namespace {
// which of four boxes are within the limit of the points' box: the boxes of all points' neighbours are
class NearPoints {
  public:
    NearPoints(const float *low, const float *high, float limit) : limit_(limit) {
        for (int k = 0; k < 3; ++k) low_[k] = Float4(low[k]), high_[k] = Float4(high[k]);
    }
    int operator()(const Node &node) const {
        Float4 distance2(0.0f);
        for (int k = 0; k < 3; ++k) {
            const Float4 d = max(max(Float4::load(node.lo[k]) - high_[k], low_[k] - Float4::load(node.hi[k])), Float4(0.0f));
            distance2 = distance2 + d * d;
        }
        return less_equal(distance2, limit_);
    }

  private:
    Float4 low_[3], high_[3], limit_;
};
}  // namespace

// false: more leaves than there is room for
bool Tree::gather(std::int32_t root, Packet &packet) const {
    std::int32_t open[open_limit];
    int open_count = 0;
    open[open_count++] = root;
    packet.count = 0;
    const NearPoints near_points(packet.low, packet.high, packet.limit);
    while (open_count > 0) {
        const Node &node = nodes_[open[--open_count]];
        for (int near = near_points(node); near; near &= near - 1) {
            const int k = std::countr_zero(static_cast<unsigned>(near));
            if (node.child[k] >= 0) {
                open[open_count++] = node.child[k];
                continue;
            }
            if (packet.count == Packet::room) return false;
            packet.add(node, k);
        }
    }
    for (int i = packet.count; i % BOXES_AT_ONCE; ++i)
        for (int a = 0; a < 3; ++a) packet.lo[a][i] = 1e30f, packet.hi[a][i] = -1e30f;
    return true;
}

// one of the points among the leaves of all
void Tree::search_packet(const Packet &packet, Best &best) const {
    std::int32_t near[Packet::room];
    const int count = lanes.near_boxes({packet.lo[0], packet.hi[0], Packet::room, packet.count}, best.rounded, best.limit, near);
    const auto leaf = [&](int i) -> const Leaf & { return leaves_[packet.leaf[near[i]]]; };
    for (int i = 0; i < count; i += LEAVES_AT_ONCE) {
        if (i + 1 == count) return search_leaf(leaf(i), best);
        const float *corners[LEAVES_AT_ONCE];
        float distance2[4 * LEAVES_AT_ONCE];
        for (int k = 0; k < LEAVES_AT_ONCE; ++k) corners[k] = leaf(std::min(i + k, count - 1)).corner[0][0];
        lanes.distances2(corners, best.rounded, distance2);
        for (int k = 0; k < LEAVES_AT_ONCE && i + k < count; ++k) consider(leaf(i + k), distance2 + 4 * k, best);
    }
}

void Tree::nearest_per_group(const Vec3 *p, int points, double radius, std::int32_t *const *hint, Hit *hits, int *count) const {
    const int groups = group_count();
    Packet packet;
    Best best[packet_size];
    double largest = 0;  // coordinate
    for (int i = 0; i < points; ++i) {
        count[i] = 0;
        if (!askable(p[i])) continue;
        packet.add(p[i]);
        largest = std::max({largest, std::abs(p[i].x), std::abs(p[i].y), std::abs(p[i].z)});
    }
    for (int g = 0; g < groups; ++g) {
        const float most = Best({largest, 0, 0}, std::min(radius, 1e15), extent_).limit;
        const bool reached = roots_[g] >= 0 && NearPoints(packet.low, packet.high, most)(nodes_[roots_[g]]);
        packet.limit = 0;
        for (int i = 0; reached && i < points; ++i) {
            if (!askable(p[i])) continue;
            best[i].start(p[i], std::min(radius, 1e15), extent_);
            const auto known = hint ? hint[i][g] : -1;
            if (known >= 0 && group_of(known) == g) best[i].begin_with(*this, known);
            packet.limit = std::max(packet.limit, best[i].limit);
        }
        const bool gathered = reached && gather(roots_[g], packet);
        for (int i = 0; i < points; ++i) {
            Hit &hit = hits[i * groups + count[i]];
            bool found = false;
            if (reached && askable(p[i]) && !(gathered && !packet.count)) {
                gathered ? search_packet(packet, best[i]) : search(roots_[g], best[i]);
                found = fill(best[i], hit);
            }
            if (hint) hint[i][g] = found ? hit.triangle : -1;
            count[i] += found;
        }
    }
    for (int i = 0; i < points; ++i) count[i] = without_borders(hits + i * groups, count[i]);
}

Hit Tree::follow(Vec3 p, std::int32_t t, const double *velocity, double time) const {
    const auto at = [&](std::int32_t v) { return vertex(v) + time * load(velocity + 3 * std::size_t(v)); };
    const std::int32_t *v = triangle(t);
    const Vec3 corner[3] = {at(v[0]), at(v[1]), at(v[2])};
    const Foot foot = surface::foot_on(p, t, corner);
    return foot.at.feature == FACE ? face_hit(p, foot, corner) : hit_at(p, walk(p, foot, at), at);
}

int Tree::follow(Vec3 p, double radius, const std::int32_t *t, int count, Hit *hits) const {
    const auto at = [this](std::int32_t v) { return vertex(v); };
    int found = 0;
    for (int i = 0; i < count; ++i) {
        const Foot foot = walk(p, foot_on(p, t[i], at), at);
        if (foot.distance2 <= radius * radius) hits[found++] = hit_at(p, foot, at);
    }
    return without_borders(hits, found);
}

}  // namespace surface
