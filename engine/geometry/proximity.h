// Which parts of a cloth are near each other: vertex-face and edge-edge pairs closer than a radius, for the constraints
// that keep cloth from passing through cloth.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/memory.h"
#include "geometry/proximity_view.h"

namespace surface {

using Four = std::array<std::int32_t, 4>;

struct Near {
    std::vector<Four> vertex_face;  // particle, then the triangle's three particles
    std::vector<Four> edge_edge;    // two particles of one edge, then two of the other
};

// Everything about a cloth that does not change: patches of about twelve connected triangles, and for each patch the
// vertices and edges that it speaks for, so that each is tested once (Curtis et al. 2008). What a search works out is gone
// after it.
class Patches {
  public:
    // label: particles with the same label are sewn together and count as one (null: each is its own)
    Patches(const std::int32_t *triangles, std::size_t triangle_count, std::size_t particle_count,
            const std::int32_t *label = nullptr);

    // Pairs nearer than radius that share no particle, in an order that does not depend on the thread count. Inside one
    // patch, between patches that touch and between those that are joined by others, nothing is looked for as long as the
    // cloth there is smooth (all normals within 45 degrees of one direction): it cannot come near itself.
    // position: particle i at position + stride * i; single precision by fours is read where it is
    template <class T>
    void find(const T *position, std::size_t stride, double radius, Near &near);

    // The same for cloth in motion: between two patches the radius grows by how far they come towards each other, ahead [s]
    // times the difference of their velocities (given as the position) and half their spread, up to `most`.
    template <class T>
    void find_ahead(const T *position, const T *velocity, std::size_t stride, double radius, double ahead, double most,
                    Near &near);

    // where to work, for so many numbers that nobody else uses during a search; null: a place of its own
    void borrow(float *numbers, std::size_t count);

    // Triangles (numbered as given to the constructor) whose boxes touch, each pair once, lower number first. Smooth cloth
    // is left out as in find, so an exact test of these pairs is a test of the whole cloth.
    void find_touching_boxes(const double *position, std::vector<std::array<std::int32_t, 2>> &pairs);

    // whether AVX2 may be used; the same is found either way
    void set_wide(bool wide) { wide_ = wide; }

    std::size_t bytes() const {
        return bytes_of(patch_, corner_, source_, axes_, own_point_, own_normal_, order_) + particle_.bytes() + touch_.bytes() + label_.bytes() + now_.bytes();
    }
    std::size_t triangle_count() const { return corner_.size() / 3; }
    std::size_t particle_count() const { return particle_count_; }
    std::size_t patch_count() const { return patch_.size() - 1; }
    // which triangle, as given to the constructor, stands at a place patch by patch
    std::int32_t number(std::size_t t) const { return source_[t]; }
    // neither find_touching_boxes nor number will be asked for
    void forget_numbers() { release_memory(source_); }
    // sums of the unit normals of each patch at the last search, (patch, 4); only if they are to be kept
    std::vector<float> take_axes() { return std::move(axes_); }
    void keep_axes() { keep_axes_ = true; }
    // calls use(patch) for those that a patch touches
    template <class Use>
    void each_touching(std::size_t patch, const Use &use) const {
        for (auto k = patch_[patch].touch; k < patch_[patch + 1].touch; ++k) use(static_cast<std::size_t>(touch_[k]));
    }
    PatchView view() const;

  private:
    void grow_patches(const std::vector<std::int32_t> &neighbour);
    void find_touching(const std::vector<std::int32_t> &triangles, const std::vector<std::int32_t> &label);
    void share_out(const std::vector<std::int32_t> &triangles);
    template <class Use>
    void each_vertex(const Use &use) const;
    std::size_t joints(std::int32_t a, std::int32_t b, std::int32_t *between) const;
    template <class T>
    void take(const T *position, std::size_t stride);
    template <class T>
    void update_reach(const T *velocity, std::size_t stride, float radius, float ahead, float most);
    void update_boxes();
    void sort_patches();
    float radius_between(std::int32_t a, std::int32_t b) const;
    template <class Found, class Search>
    void sweep(std::vector<Found> &found, const Search &search) const;
    template <class Meet>
    void each_near_patch(std::size_t sorted, bool joined_rest, const Meet &meet) const;
    bool smooth(std::int32_t a) const;
    bool smooth(std::int32_t a, std::int32_t b, const std::int32_t *first, const std::int32_t *last) const;

    std::vector<Patch> patch_;             // and the end
    std::vector<std::uint8_t> corner_;     // (t, 3), patch by patch: which of its patch's particles
    CompactIndices particle_;                   // of the patches
    CompactIndices touch_;                      // patches that each one touches, ascending
    std::vector<std::int32_t> source_;     // numbers of the triangles as given to the constructor
    std::size_t particle_count_, vertex_count_ = 0;  // vertices: particles that belong to a triangle
    CompactIndices label_;                      // of particles that are sewn together; none: each is its own
    bool wide_ = false, keep_axes_ = false;
    std::vector<std::int32_t> order_;  // patches along the longest axis of the cloth, at the last search
    std::vector<float> axes_;
    std::vector<float> own_point_, own_normal_;
    // during a search
    const float *point_ = nullptr;  // (particle, 4)
    float *normal_ = nullptr;       // (t, 3)
    float slack_ = 0;               // see PatchView
    int axis_[3] = {0, 1, 2};       // the longest of the cloth first
    float radius_ = 0, ahead_ = 0, most_ = 0;
    struct Now {
        std::vector<float> box;       // (patch, 8)
        std::vector<float> axis;      // (patch, 4): sum of unit normals, and the least cosine of one to the sum
        std::vector<float> reach;     // half of the radius, and how far the patch comes towards others
        std::vector<float> velocity;  // (patch, 4): mean against that of the cloth, and spread [m/s]; empty: at rest
        std::vector<float> lo[3], hi[3];  // in the order of patches along the longest axis
        std::size_t bytes() const { return bytes_of(box, axis, reach, velocity, lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]); }
    } now_;
};

}  // namespace surface
