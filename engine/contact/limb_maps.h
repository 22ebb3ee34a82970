// Depth, normal and velocity maps of parts of a body, each from the front and from the back of its own frame, and the
// look-up of cloth points in them (Rodríguez-Navarro et al. 2005; Vassilev et al. 2001 with the whole body as one part).
//
// A pixel holds what both cameras see there: 2 × (normal, plane offset, depth, velocity), one cache line. Maps are drawn
// part by part and side by side; points are shared out in ranges. The result is the same for any number of threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "contact/contact_list.h"
#include "contact/map_lookup.h"

// Front and back maps of parts of a body. Not to be posed or drawn while being asked.
class PartMaps {
  public:
    struct Shown {
        TrianglesView triangles;
        IndicesView part;  // of each triangle, which may be given several times: once per part that shows it
    };
    // behind: skin of neighbours, that a part shows where only one of its cameras sees skin of its own
    PartMaps(const Shown &own, const Shown &behind, int part_count, std::size_t vertex_count);
    void set_options(const map_lookup::MapOptions &options) { o_ = options; }

    // frames (parts, 4, 3): x, y, z axes in the world, origin; y is up in the maps, the front camera looks along -z
    void pose(PointsView vertices, PointsView velocity, const double *frames);
    // draws the wanted parts that are not drawn yet for this pose; false, and nothing is drawn: one of them takes more pixels than a map has
    bool draw(FlagsView wanted);

    // parts whose box, widened by reach, holds one of the points (of every n-th)
    std::vector<char> touched(PointsView points, std::size_t every) const;
    // contacts of all points with all drawn parts; particles ascend, then parts. cull: points are tested against boxes in blocks first
    struct Contacts : ContactList {
        std::vector<std::int32_t> part;
    };
    Contacts look_up(PointsView points, bool cull) const;

    // lowest and highest corner in each part's frame, (parts, 2, 3)
    std::vector<double> boxes() const;
    // what was drawn of a part; no pixels: nothing was
    map_lookup::View map(std::size_t part) const;
    bool drawn(std::size_t part) const { return parts_[part].drawn; }
    std::size_t part_count() const { return parts_.size(); }
    std::size_t vertex_count() const { return vertex_.size(); }

  private:
    using Vec3 = surface::Vec3;
    struct Frame {
        Vec3 x, y, z, origin;  // the part's axes in the world
        Vec3 to_part(Vec3 p) const {
            const Vec3 d = p - origin;
            return {dot(x, d), dot(y, d), dot(z, d)};
        }
        Vec3 turned(Vec3 v) const { return {dot(x, v), dot(y, v), dot(z, v)}; }
        Vec3 to_world(Vec3 v) const { return v.x * x + v.y * y + v.z * z; }
    };
    struct Part {
        std::vector<std::int32_t> vertex;    // of the body: the part's own first
        std::size_t own_count = 0;
        std::vector<std::int32_t> triangle, behind;  // (t, 3), into vertex
        std::vector<Vec3> place;             // in the part's frame
        Frame frame{};
        Vec3 low{}, high{};                  // box of the places
        bool drawn = false;
        int width = 0, height = 0;
        double left = 0, top = 0;
        std::vector<float> pixel;            // (height, width, side, kValues)
    };

    void vertex_normals();
    bool fits(const Part &part) const;
    void set_size(Part &part) const;
    // what one camera sees: flags, and (pixel, 9) normal, velocity, x, y, z
    struct Side {
        std::vector<char> seen;
        std::vector<float> values;
    };
    Side draw_side(const Part &part, const std::vector<std::int32_t> &triangles, bool back) const;
    void draw_part(Part &part) const;
    void fill(const Part &part, Side sides[2]) const;
    void grow(const Part &part, Side &side) const;
    void write(Part &part, const Side &side, bool back) const;
    bool near_box(const Part &part, Vec3 centre, Vec3 half) const;
    bool in_box(const Part &part, Vec3 p) const;
    void look_up_block(PointsView points, std::size_t begin, std::size_t end, bool cull, std::vector<const Part *> &near, Contacts &out) const;

    std::vector<Part> parts_;
    std::vector<std::int32_t> body_;  // all triangles once, for the normals
    std::vector<Vec3> vertex_, velocity_, normal_;
    map_lookup::MapOptions o_{0.005, 0, 0.02, 0.005, 1, true};
};

// contacts with one stored map whose frame is the world's
ContactList look_up_map(PointsView points, const map_lookup::View &map, const map_lookup::MapOptions &options);
