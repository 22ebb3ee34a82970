// A tree of boxes over the triangles of a surface (the skin): built once, refitted for each pose, asked many times.
// Queries are const, allocate nothing and may run on many threads at once; their answers do not depend on hints.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/bvh_lanes.h"
#include "core/vector3.h"

namespace surface {

struct Hit {
    std::int32_t triangle = -1;
    Feature feature = FACE;
    double gap = 0;       // distance [m], negative inside
    double weight[3];     // barycentric coordinates of `point` in the triangle
    Vec3 point, normal;   // nearest point; unit vector out of the surface, from or to the asked point
};

// a triangle and its point nearest to another point
struct ClosestPoint {
    std::int32_t triangle = -1;
    TrianglePoint at{};
    double distance2 = 0;  // [m2]
    // Ties go to the lowest triangle: the answer depends neither on a hint nor on the order of the search.
    bool beats(const ClosestPoint &known) const {
        return known.triangle < 0 || distance2 < known.distance2 || (distance2 == known.distance2 && triangle < known.triangle);
    }
};

// four boxes side by side; float32 bounds are rounded outward, so they always contain their triangles
struct alignas(16) Node {
    float lo[3][4], hi[3][4];
    std::int32_t child[4];  // node index, or ~leaf index; unused places have an empty box
};

class Tree {
  public:
    static constexpr int max_groups = 32;
    // open nodes of a search: three per level; the build limits the depth
    static constexpr int max_depth = 60, open_limit = 3 * max_depth + 4;
    static constexpr std::int32_t unused = INT32_MIN;

    // group: small integer per triangle (a limb), or null for one group. Indices must have been checked.
    Tree(const std::int32_t *triangles, std::size_t triangle_count, const double *vertices, std::size_t vertex_count,
         const std::int32_t *group = nullptr);

    // same triangles, new vertex positions [m], (vertex_count, 3), but for those that are raised; boxes are updated on the thread team
    struct Raised {
        std::size_t count = 0;
        const std::int32_t *vertex = nullptr;
        const double *place = nullptr;  // (count, 3)
    };
    void refit(const double *vertices, const Raised &raised);
    void refit(const double *vertices) { refit(vertices, {}); }
    // new places of the vertices for vertex() alone: nothing may be searched before the next refit
    void place(const double *vertices);
    // the same where only the vertices of some triangles have moved, for a few of them
    void refit_part(const double *vertices, const std::vector<std::int32_t> &triangles);

    // nearest triangle within radius [m]; hint: a triangle that is probably near (or -1)
    bool nearest(Vec3 p, double radius, std::int32_t hint, Hit &hit) const;
    // the same among the triangles of one group
    bool nearest_in_group(Vec3 p, int group, double radius, std::int32_t hint, Hit &hit) const;
    // One hit for each group within radius, ascending by group; returns how many. hint (group_count values, or null)
    // is read and then updated. A hit on the border between two groups is reported once, for the nearer group.
    int nearest_per_group(Vec3 p, double radius, std::int32_t *hint, Hit *hits) const;
    // The same for a packet of points that are near each other, which search the tree together. hint: of each point, or null;
    // hits: group_count for each point; count: how many of them it has.
    static constexpr int packet_size = 32;
    // widest: 5 AVX-512 where the machine has it, 2 at most AVX2, 0 neither; the answers are the same.
    void nearest_per_group(const Vec3 *p, int points, double radius, std::int32_t *const *hint, Hit *hits, int *count, int widest = 5) const;
    // A contact that was found a moment ago on triangle t, now that the vertices have moved on by time [s] with a velocity
    // (vertex_count, 3) [m/s]: where it is on the surface round there. The tree stays as it is.
    Hit follow(Vec3 p, std::int32_t t, const double *velocity, double time) const;
    // … of up to FEET_AT_ONCE points, with a triangle each
    void follow(const Vec3 *p, const std::int32_t *t, int count, const double *velocity, double time, Hit *hits) const;
    // The same on the surface as it is now, for contacts with the triangles t, one of each group at most, ascending by group; returns how many are
    // within radius. A hit on the border between two groups is reported once. Boxes are not asked.
    int follow(Vec3 p, double radius, const std::int32_t *t, int count, Hit *hits) const;
    // All places of the surface within radius that are nearer to p than the surface round them, and that p is outside of: what faces p in a
    // crease. They are added to found, ascending by triangle.
    void sides(Vec3 p, double radius, std::vector<Hit> &found) const;
    // signed number of times that the surface encloses p: exact for a closed surface, also where it crosses itself
    int winding(Vec3 p) const;

    std::size_t triangle_count() const { return triangles_.size() / 3; }
    std::size_t vertex_count() const { return vertices_.size() / 3; }
    int group_count() const { return static_cast<int>(roots_.size()); }
    const std::int32_t *triangle(std::size_t t) const { return &triangles_[3 * t]; }
    int group_of(std::size_t t) const { return group_.empty() ? 0 : group_[t]; }
    Vec3 vertex(std::int32_t v) const { return load(&vertices_[3 * std::size_t(v)]); }
    const std::vector<Node> &nodes() const { return nodes_; }
    const std::vector<Leaf> &leaves() const { return leaves_; }
    // first node of each group; -1 for a group without triangles
    const std::vector<std::int32_t> &roots() const { return roots_; }
    // largest absolute coordinate, for rounding bounds
    double extent() const { return extent_; }
    // triangle across edge i (from corner i to i + 1) of triangle t, -1 at a border
    std::int32_t across(std::size_t t, int edge) const { return neighbour_[3 * t + edge]; }
    // angle-weighted pseudonormal of a feature, not normalised
    Vec3 pseudonormal(std::int32_t triangle, Feature feature) const;
    // the rest is in bvh_closest.h; at(v): place of a vertex
    template <class At>
    Vec3 pseudonormal(std::int32_t triangle, Feature feature, const At &at) const;

  private:
    static constexpr int longest_walk = 32;  // triangles
    template <class At>
    ClosestPoint closest_on(Vec3 p, std::int32_t t, const At &at) const;
    template <class At>
    ClosestPoint walk(Vec3 p, ClosestPoint closest, const At &at) const;
    template <class At>
    Hit hit_at(Vec3 p, const ClosestPoint &closest, const At &at) const;
    // use(triangle) for those that touch an edge or a corner of triangle t
    template <class Use>
    void each_beside(std::int32_t t, Feature feature, const Use &use) const;
    bool nearer_than_beside(Vec3 p, const ClosestPoint &closest) const;
    // use(leaf) for those whose boxes are within a squared distance of p, which may shrink meanwhile; nearest boxes first
    template <class Use>
    void each_leaf(std::int32_t root, Vec3 p, const float &limit, const Use &use) const;

    struct Best;
    struct Packet;
    struct Task {
        std::int32_t begin, end, first_leaf, last_leaf;
    };
    void connect(std::size_t vertex_count);
    void plan_refit();
    void add_task(std::int32_t root);
    void refit_leaf(std::int32_t leaf);
    void refit_node(std::int32_t index, bool leaves);
    void round_vertices(std::size_t begin, std::size_t end);
    void set_extent();
    bool beyond(Vec3 p, int group, double radius) const;
    void search(std::int32_t root, Best &best) const;
    void search_leaf(const Leaf &leaf, Best &best) const;
    void decide(Best &best) const;
    bool fill(Best &best, Hit &hit) const;
    bool touches_other_group(const Hit &hit) const;
    int without_borders(Hit *hits, int count) const;
    int ray_winding(Vec3 p, int axis) const;

    std::vector<std::int32_t> triangles_;  // (t, 3)
    std::vector<double> vertices_;         // (n, 3)
    std::vector<float> rounded_;           // (n, 4): the same in float32
    std::vector<std::array<std::int32_t, 12>> leaf_vertex_;  // of each leaf: corner, place
    std::vector<std::int32_t> group_;      // (t,)
    std::vector<std::int32_t> neighbour_;  // (t, 3): triangle across edge i, -1 at a border
    std::vector<std::int32_t> fan_start_, fan_;  // triangles round each vertex
    std::vector<Node> nodes_;              // parents before children, each subtree in one piece
    std::vector<Leaf> leaves_;
    std::vector<std::int32_t> roots_;
    std::vector<std::int32_t> subtree_end_;
    std::vector<std::int32_t> parent_;       // of each node, -1: a root
    std::vector<std::int32_t> leaf_home_;    // of each leaf: 4 · its node + its place there
    std::vector<std::int32_t> leaf_of_;      // of each triangle
    std::vector<Task> tasks_;              // subtrees to refit in parallel
    std::vector<std::int32_t> top_;        // the nodes above them
    double extent_ = 0;
};

}  // namespace surface
