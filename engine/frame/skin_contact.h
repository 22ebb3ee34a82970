// Contact of cloth with the skin of one body: the nearest triangle of each limb, found in trees that are fitted to each pose.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "contact/contact_source.h"
#include "contact/skin_search.h"
#include "frame/posed_skin.h"
#include "geometry/bvh.h"

namespace frame {

// A surface over the body's vertices as contact sees it.
struct SurfaceModel {
    std::span<const std::int32_t> triangles;  // (t, 3)
    std::span<const std::int32_t> group;      // (t): parts of the body that can press on the same point; empty: one
    std::span<const double> grip;             // (t): share of a fabric's friction; empty: all of it everywhere
};

struct SkinModel {
    std::span<const double> rest;  // (vertex, 3) [m]
    SurfaceModel skin;
    // hands whose fingers do not bend are seen as their hulls; no triangles: there are none
    SurfaceModel hand_proxy;
    std::span<const std::int32_t> watched;  // (pair, 2): fingertips of one hand
    std::span<const double> apart;          // (pair): their distances at rest [m]
    // tips of the skin that are raised to cones
    std::span<const std::int32_t> raised;        // (vertex)
    std::span<const double> rise;                // (vertex, 3): in the axes of its tip [m]
    std::span<const std::int32_t> raised_tip;    // (vertex)
    std::span<const std::int32_t> tip_frame;     // (tip, 3): vertices that turn with it
    double radius = 0.02;  // points farther than this from the skin have no contact [m]
};

// where and when a search that follows earlier contacts searches everywhere all the same
struct Meanwhile {
    double since = 0;  // after all were searched [s]
    std::span<const double> boxes;  // (box, 2, 3) [m]
};

class SkinContact {
  public:
    explicit SkinContact(const SkinModel &model);

    // the tree over the skin in this pose; fitted if it was asked for another one before
    const surface::Tree &tree(const PosedSkin &skin);
    // as it was fitted last
    const surface::Tree &tree() const { return *trees_[gloved_]->tree; }

    // Contacts of points (count, 3) [m]; velocity of the skin's vertices [m/s]. They are valid until the next call.
    const surface::SkinContacts &find(const PosedSkin &skin, const double *velocity, const double *points, std::size_t count);
    // The same since [s] after all were searched: they are followed from there where nothing else can have come near.
    const surface::SkinContacts &follow(const PosedSkin &skin, const double *velocity, const double *points, std::size_t count, const Meanwhile &meanwhile);

    // share of the friction at each of the contacts that were found last; null: all of it
    const double *grip();
    // how these contacts go on while the skin moves
    TrackedContacts tracked(const double *velocity) const;
    double radius() const { return radius_; }
    std::size_t hint_count() const { return hint_.size(); }
    std::size_t vertex_count() const { return rest_.size() / 3; }

  private:
    struct Surface {
        std::unique_ptr<surface::Tree> tree;
        std::vector<double> grip;  // by triangle; empty: alike
    };
    Surface make(const std::vector<std::int32_t> &triangles, const std::vector<std::int32_t> &group, const std::vector<double> &grip) const;
    void fit(const PosedSkin &skin);
    bool fingers_straight(const PosedSkin &skin) const;
    void forget_hints() { known_ = 0; }

    struct Kept {
        std::vector<std::int32_t> triangles, group;
        std::vector<double> grip;
    };
    double radius_;
    std::vector<double> rest_;
    std::array<Kept, 2> kept_;  // the skin, the skin with hand proxies: trees are built when they are first asked for
    std::array<std::optional<Surface>, 2> trees_;
    std::vector<std::int32_t> watched_, raised_, raised_tip_, tip_frame_;
    std::vector<double> apart_, rise_, place_;
    bool has_proxy_ = false;
    std::size_t gloved_ = 0;
    PosedSkin posed_;
    std::size_t known_ = 0;  // points whose hints are known; 0: none
    std::vector<std::int32_t> hint_, order_;
    surface::SkinContacts all_, followed_;  // of the last search of all points, of those that followed
    const surface::SkinContacts *last_ = &all_;
    const surface::Tree *all_of_ = nullptr;  // the tree that was searched
    std::vector<double> asked_;              // where the points were then
    std::vector<double> grip_;
};

// A permutation of points (count, 3) whose packets of so many lie close together: heaps are halved where they are widest, to whole packets.
std::vector<std::int32_t> packet_order(const double *points, std::size_t count, std::size_t packet);

}  // namespace frame
