// The last correction of a frame: cloth that crosses the body or other cloth is moved apart, a little at a time, until the
// exact test finds nothing or patience ends. Sides that are far too long are drawn in besides.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/bvh.h"
#include "contact/pairs.h"
#include "geometry/proximity.h"
#include "geometry/triangle_pairs.h"

namespace surface {

struct UntangleOptions {
    int rounds = 12;
    double step = 0.001;   // farthest that a particle moves in the first round [m]; three times that from the sixth on
    double reach = 0.015;  // farthest that it moves in all [m]
};

struct UntangleReport {
    int rounds = 0;
    std::size_t body_before = 0, cloth_before = 0, body_after = 0, cloth_after = 0;  // crossing pairs
    double moved = 0;  // farthest that a particle was moved [m]
    std::vector<TrianglePair> left;  // pairs of cloth triangles that still cross; one that crosses the skin is its own pair
};

// an edge as the side of a triangle (3 t + k) of one surface, and the triangle of another, or of the same, that it pierces
struct Crossing {
    std::int32_t side, triangle;
    friend bool operator<(Crossing p, Crossing q) { return p.side != q.side ? p.side < q.side : p.triangle < q.triangle; }
};

class Untangler {
  public:
    // layer: of each triangle, higher lies outside (null: one layer); label: sewn particles (see meeting_pairs_self); rest: lengths of the
    // sides of triangles (triangle, 3) [m], from which cloth is not torn (null: it may be)
    Untangler(const std::int32_t *triangles, std::size_t triangle_count, const double *position, std::size_t particle_count,
              const std::int32_t *layer = nullptr, const std::int32_t *label = nullptr, const double *rest = nullptr);

    // Moves particles in place [m]. inverse_mass: 0 stays where it is (null: all alike). body may be null. Keeps the best
    // state that it saw, so that it never makes things worse, and never moves a particle farther than reach.
    UntangleReport run(double *position, const double *inverse_mass, const Tree *body, const UntangleOptions &options);

    std::size_t particle_count() const { return cloth_.vertex_count(); }

  private:
    // what is wrong
    struct Found {
        std::vector<TrianglePair> skin, cloth;
        std::vector<std::int32_t> torn;
        std::size_t crossings() const { return skin.size() + cloth.size(); }
    };
    const std::int32_t *label() const { return label_.empty() ? nullptr : label_.data(); }
    std::int32_t layer_of(std::int32_t t) const { return layer_.empty() ? 0 : layer_[t]; }
    double mean_edge() const;
    Vec3 out_of(std::int32_t t) const;
    void wish(std::int32_t particle, Vec3 displacement);
    void push_off_body(const Tree &body, const std::vector<TrianglePair> &pairs, double step);
    void part_layers(const std::vector<TrianglePair> &pairs, double step);
    void shrink_contours(const std::vector<TrianglePair> &pairs, bool layers, double step);
    void shrink_contours_on(const Tree &body, const std::vector<TrianglePair> &pairs, double step);
    void shorten(const Tree &one, const Tree &other, std::vector<Crossing> &list, double step);
    void apply(double *position, const double *start, const double *inverse_mass, double step, double reach);
    std::vector<std::int32_t> changed() const;
    bool is_torn(const double *position, std::size_t t) const;
    std::vector<std::int32_t> torn(const double *position) const;
    bool draw_along(double *position, const double *start, const double *inverse_mass, double reach, const std::vector<std::int32_t> &triangles);
    void move(double *position, const double *start, const double *inverse_mass, const Tree *body, const UntangleOptions &options, int round, Found &found);

    Tree cloth_;
    Patches patches_;
    Facing facing_;  // where there is more than one layer
    std::vector<std::int32_t> layer_, label_;
    std::vector<Vec3> wished_;
    std::vector<double> wishes_, rest_;
    double longest_ = 0;  // times its rest length that a side may be, whatever it was before
    std::vector<std::uint8_t> moved_;
};

}  // namespace surface
