// Points that are near each other search the surface together: the leaves that are near enough to one of them are collected once, and what
// is the same for many points and triangles is done side by side (bvh_lanes_step.h). The answers are those of Tree::nearest_in_group.
#include <algorithm>
#include <bit>
#include <cmath>

#include "geometry/bvh.h"
#include "geometry/bvh_closest.h"
#include "core/float4.h"
#include "core/memory.h"
#include "core/threads.h"

namespace surface {
namespace {
// what this machine runs
struct Lanes {
    decltype(&plain::near_triangles) near_triangles = plain::near_triangles;
    decltype(&plain::hint_distances2) hint_distances2 = plain::hint_distances2;
    decltype(&plain::face_feet) face_feet = plain::face_feet;
    explicit Lanes(int widest) {
        if (widest >= 5 && machine_has_avx512())
            near_triangles = avx512::near_triangles, hint_distances2 = avx512::hint_distances2, face_feet = avx512::face_feet;
        else if (widest >= 2 && machine_has_avx2()) near_triangles = avx2::near_triangles, hint_distances2 = avx2::hint_distances2, face_feet = avx2::face_feet;
    }
};

// where the nearest point is inside the face
Hit hit_of(const FaceFeet &f, int k, std::int32_t triangle) {
    return {triangle, FACE, f.gap[k], {f.weight[0][k], f.weight[1][k], f.weight[2][k]}, {f.point[0][k], f.point[1][k], f.point[2][k]},
            {f.normal[0][k], f.normal[1][k], f.normal[2][k]}};
}
void put(double (*to)[FEET_AT_ONCE], int k, Vec3 p) { to[0][k] = p.x, to[1][k] = p.y, to[2][k] = p.z; }

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

struct Tree::Packet {
    const Tree &tree;
    const Lanes lanes;
    const Vec3 *p;
    const int points;
    const double radius;
    int asked = 0, member[packet_size];  // points that can be asked for
    alignas(64) float rounded[3][packet_size];
    float slack[packet_size], limit[packet_size], least[packet_size];
    float low[3], high[3], most = 0;  // box of the points; squared distance that is near for one of them
    Shelf shelf;
    // decided so far: a face's hit is known, others follow from their feet
    ClosestPoint closest[packet_size];
    Hit *hit[packet_size];
    FaceFeet feet;
    int pairs = 0, pair_point[FEET_AT_ONCE];
    std::int32_t pair_triangle[FEET_AT_ONCE];

    Packet(const Tree &t, const Vec3 *place, int count, double r, int widest) : tree(t), lanes(widest), p(place), points(count), radius(std::min(r, 1e15)) {
        std::fill_n(low, 3, 1e30f), std::fill_n(high, 3, -1e30f);
        for (int i = 0; i < points; ++i) {
            if (!askable(p[i])) continue;
            member[asked++] = i;
            const double x[3] = {p[i].x, p[i].y, p[i].z};
            for (int k = 0; k < 3; ++k) {
                rounded[k][i] = static_cast<float>(x[k]);
                low[k] = std::min(low[k], rounded[k][i]), high[k] = std::max(high[k], rounded[k][i]);
            }
            slack[i] = rounding(p[i], tree.extent_);
            most = std::max(most, search_limit(radius, slack[i]));
        }
    }
    bool reaches(int group) const {
        const auto root = tree.roots_[group];
        return asked && root >= 0 && NearPoints(low, high, most)(tree.nodes_[root]);
    }
    // how near triangles must be: those which are probably near bound the search. The farthest of all
    float begin(int group, std::int32_t *const *hint, Hit *hits, const int *count) {
        const bool one = tree.group_.empty() || tree.group_count() == 1;
        int hinted = 0, at[packet_size];
        for (int n = 0; n < asked; ++n) {
            const int i = member[n];
            closest[i].triangle = -1, hit[i] = hits + i * tree.group_count() + count[i], least[i] = 1e30f;
            limit[i] = search_limit(radius, slack[i]);
            if (hint && hint[i][group] >= 0 && (one || tree.group_of(hint[i][group]) == group)) at[hinted++] = i;
        }
        for (int first = 0; first < hinted; first += HINTS_AT_ONCE) {
            const std::int32_t *triangle[HINTS_AT_ONCE];
            alignas(64) float x[3][HINTS_AT_ONCE], distance2[HINTS_AT_ONCE];
            for (int k = 0; k < HINTS_AT_ONCE; ++k) {
                const int i = at[std::min(first + k, hinted - 1)];
                triangle[k] = tree.triangle(hint[i][group]);
                for (int a = 0; a < 3; ++a) x[a][k] = rounded[a][i];
            }
            lanes.hint_distances2(tree.rounded_.data(), triangle, x, distance2);
            for (int k = 0; k < HINTS_AT_ONCE && first + k < hinted; ++k) {
                const int i = at[first + k];
                if (!(distance2[k] <= limit[i])) continue;
                least[i] = distance2[k], limit[i] = std::min(limit[i], enlarged(distance2[k], slack[i]));
            }
        }
        float farthest = 0;
        for (int n = 0; n < asked; ++n) farthest = std::max(farthest, limit[member[n]]);
        return farthest;
    }
    // the leaves within a squared distance of the points' box; false: more than there is room for
    bool gather(std::int32_t root, float within) {
        std::int32_t open[open_limit];
        int open_count = 0;
        open[open_count++] = root;
        shelf.count = 0;
        const NearPoints near_points(low, high, within);
        while (open_count > 0) {
            const Node &node = tree.nodes_[open[--open_count]];
            for (int near = near_points(node); near; near &= near - 1) {
                const int k = std::countr_zero(static_cast<unsigned>(near));
                if (node.child[k] >= 0) {
                    begin_to_read(&tree.nodes_[node.child[k]]);
                    open[open_count++] = node.child[k];
                    continue;
                }
                if (shelf.count == Shelf::capacity) return false;
                begin_to_read(&tree.leaves_[~node.child[k]]);
                shelf.leaf[shelf.count] = &tree.leaves_[~node.child[k]];
                for (int a = 0; a < 3; ++a) shelf.low[a][shelf.count] = node.lo[a][k], shelf.high[a][shelf.count] = node.hi[a][k];
                ++shelf.count;
            }
        }
        for (int i = shelf.count; i % BOXES_AT_ONCE; ++i)
            for (int a = 0; a < 3; ++a) shelf.low[a][i] = 1e30f, shelf.high[a][i] = -1e30f;
        return true;
    }
    // a point and a triangle that can be nearest to it
    void add(int i, std::int32_t t) {
        const std::int32_t *v = tree.triangle(t);
        put(feet.p, pairs, p[i]);
        for (int k = 0; k < 3; ++k) put(feet.corner[k], pairs, tree.vertex(v[k]));
        pair_point[pairs] = i, pair_triangle[pairs++] = t;
        if (pairs == FEET_AT_ONCE) decide();
    }
    void decide() {
        if (pairs) lanes.face_feet(feet);
        for (int k = 0; k < pairs; ++k) {
            const int i = pair_point[k];
            const bool face = feet.inside[k] > 0;
            const ClosestPoint found = face ? ClosestPoint{pair_triangle[k], {{feet.weight[0][k], feet.weight[1][k], feet.weight[2][k]}, FACE}, feet.distance2[k]}
                                    : tree.closest_on(p[i], pair_triangle[k], [this](std::int32_t v) { return tree.vertex(v); });
            if (found.distance2 > radius * radius || !found.beats(closest[i])) continue;
            closest[i] = found;
            if (face) *hit[i] = hit_of(feet, k, found.triangle);
        }
        pairs = 0;
    }
    // the nearest triangles among the leaves on the shelf; those of a point whose candidates have no room are searched for one by one
    void search(int group) {
        Candidates found;
        for (int n = 0; n < asked; ++n) {
            const int i = member[n];
            for (int a = 0; a < 3; ++a) found.p[a] = rounded[a][i];
            found.slack = slack[i], found.limit = limit[i], found.least = least[i], found.count = 0;
            if (!lanes.near_triangles(shelf, found)) {
                search_alone(i, group);
                continue;
            }
            for (int k = 0; k < found.count; ++k)
                if (found.distance2[k] <= found.limit) add(i, found.triangle[k]);
        }
        decide();
        for (int n = 0; n < asked; ++n)
            if (const ClosestPoint &f = closest[member[n]]; f.triangle >= 0 && f.at.feature != FACE)
                *hit[member[n]] = tree.hit_at(p[member[n]], f, [this](std::int32_t v) { return tree.vertex(v); });
    }
    void search_alone(int i, int group) {
        Hit &h = *hit[i];
        if (!tree.nearest_in_group(p[i], group, radius, -1, h)) return;
        // its hit is known, whatever it is
        closest[i].triangle = h.triangle, closest[i].at.feature = FACE;
    }
};

void Tree::nearest_per_group(const Vec3 *p, int points, double radius, std::int32_t *const *hint, Hit *hits, int *count, int widest) const {
    const int groups = group_count();
    Packet packet(*this, p, points, radius, widest);
    std::fill_n(count, points, 0);
    for (int g = 0; g < groups; ++g) {
        const bool reached = packet.reaches(g);
        if (reached) {
            if (packet.gather(roots_[g], packet.begin(g, hint, hits, count))) packet.search(g);
            else for (int n = 0; n < packet.asked; ++n) packet.search_alone(packet.member[n], g);
        }
        for (int i = 0; i < points; ++i)
            if (hint) hint[i][g] = -1;
        for (int n = 0; reached && n < packet.asked; ++n) {
            const int i = packet.member[n];
            if (packet.closest[i].triangle < 0) continue;
            ++count[i];
            if (hint) hint[i][g] = packet.closest[i].triangle;
        }
    }
    for (int i = 0; i < points; ++i) count[i] = without_borders(hits + i * groups, count[i]);
}

void Tree::follow(const Vec3 *p, const std::int32_t *t, int count, const double *velocity, double time, Hit *hits) const {
    static const Lanes lanes(5);
    FaceFeet feet;
    for (int i = 0; i < FEET_AT_ONCE; ++i) {
        const int from = std::min(i, count - 1);
        const std::int32_t *v = triangle(t[from]);
        put(feet.p, i, p[from]);
        for (int k = 0; k < 3; ++k) put(feet.corner[k], i, vertex(v[k]) + time * load(velocity + 3 * std::size_t(v[k])));
    }
    lanes.face_feet(feet);
    for (int i = 0; i < count; ++i) hits[i] = feet.inside[i] > 0 ? hit_of(feet, i, t[i]) : follow(p[i], t[i], velocity, time);
}

}  // namespace surface
