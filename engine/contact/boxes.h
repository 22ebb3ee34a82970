// The object-space baseline of Vassilev et al. 2001: per part of the body a quad tree of axis-parallel boxes whose leaves are
// single faces. Built once, refitted per pose; a point walks down every box that holds it.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/vector3.h"
#include "core/views.h"

// One quad tree of boxes over the faces of each group. Not to be refitted while being asked.
class BoxTrees {
  public:
    BoxTrees(TrianglesView triangles, PointsView vertices, IndicesView group, int group_count);
    void refit(PointsView vertices);

    // the nearest face of each group in reach [m]
    struct Contacts {
        std::vector<std::int32_t> particle, face;
        std::vector<double> gap, normal, weight;  // (c), (c, 3), (c, 3): of the face's corners
    };
    Contacts contacts(PointsView points, double reach) const;
    std::size_t vertex_count() const { return vertex_.size(); }

  private:
    using Vec3 = surface::Vec3;
    struct Box {
        Vec3 low, high;
        bool holds(Vec3 p, double reach) const {
            return p.x >= low.x - reach && p.x <= high.x + reach && p.y >= low.y - reach && p.y <= high.y + reach &&
                   p.z >= low.z - reach && p.z <= high.z + reach;
        }
    };
    // children come after their parent; a leaf has a face instead
    struct Node {
        Box box;
        std::array<std::int32_t, 4> child{-1, -1, -1, -1};
        std::int32_t face = -1;
    };
    struct Nearest {
        double distance2 = std::numeric_limits<double>::infinity(), facing = 0;
        std::int32_t face = -1;
        surface::TrianglePoint at{};
    };

    std::int32_t build(std::vector<std::int32_t> &faces, std::size_t begin, std::size_t end, const std::vector<Vec3> &middle);
    void load_vertices(PointsView vertices);
    void fit();
    void visit(std::int32_t node, Vec3 p, double reach, Nearest &best) const;
    void test_face(std::int32_t face, Vec3 p, Nearest &best) const;
    Vec3 corner(std::int32_t face, int k) const { return vertex_[triangle_[3 * static_cast<std::size_t>(face) + k]]; }

    std::vector<std::int32_t> triangle_, root_;
    std::vector<Vec3> vertex_, normal_;
    std::vector<Node> node_;
};
