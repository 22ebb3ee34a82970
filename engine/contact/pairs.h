// Contact of cloth with cloth: near vertex-face and edge-edge pairs (proximity.h) turned into planes that hold for a few
// substeps. Each pair is a weighted sum of four particles that must stay on its side of a plane through the origin:
//   normal · Σ c_k x_k >= thickness
// Between garments the side follows from the order in which they are worn; inside one garment it is where the cloth is.
// Pairs are searched for once a frame (watch) and tested more often (search).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/uniform_or_each.h"
#include "core/memory.h"
#include "contact/pairs_view.h"
#include "geometry/proximity.h"

// how far cloth can come in one contact update beyond its speed now, as a part of the way that speed takes it
constexpr double HURRY = 1.5;

// Which way cloth faces, for the order of garments. Few particles are asked for.
class Facing {
  public:
    Facing() = default;
    // edge: of a mean triangle [m]. The patches must outlive it, and keep their axes from now on.
    Facing(surface::Patches &patches, double edge);
    std::size_t bytes() const { return bytes_of(smoothed_, folded_) + home_.bytes(); }
    // after a search
    void smooth();
    // … where it found a garment near to itself; layer of each particle
    void find_folds(const surface::Near &near, const UniformOrEach<std::int32_t> &layer);
    // nobody will ask before the next search
    void forget() { release_memory(smoothed_, folded_); }
    // whether the garment lies on itself here: what faces out of one of its sheets may face into the next
    bool folded(std::int32_t particle) const { return folded_[static_cast<std::size_t>(home_[particle])]; }
    // mean over the cloth as far as folds are wide, not normalised: where a fold has tipped over, its own normal is against it
    std::array<double, 3> smoothed(std::int32_t particle) const {
        const float *n = &smoothed_[4 * static_cast<std::size_t>(home_[particle])];
        return {n[0], n[1], n[2]};
    }
    // Whether cloth that faces outward at a particle (not normalised) stands up or has tipped over: the cloth round it faces elsewhere.
    bool tipped(std::int32_t particle, const std::array<double, 3> &outward) const;
    // normal of a particle, not normalised: the sum of the area vectors of those of its triangles that are in one patch
    // point: (particle, 4)
    template <class T>
    std::array<double, 3> at(const T *point, std::int32_t particle) const;

  private:
    surface::Patches *patches_ = nullptr;
    CompactIndices home_;               // the patch that has most of a particle's triangles
    std::vector<float> smoothed_;  // (patch, 4)
    std::vector<std::uint8_t> folded_;  // (patch)
    int rounds_ = 0;
};

// what the particles of a cloth are like; arrays of one value per particle
template <class T>
struct ClothSides {
    std::size_t count = 0;
    const T *point = nullptr;                // (particle, 4) [m]
    const T *velocity = nullptr;             // (particle, 4) [m/s]
    const UniformOrEach<std::int32_t> &layer;        // a higher one lies outside
    const UniformOrEach<T> &thickness;               // distance kept from cloth [m]; a pair keeps the mean of both sides
    const UniformOrEach<T> &friction;                // Coulomb coefficient against cloth; as thickness
    const Facing *facing = nullptr;          // where there is more than one layer
};

template <class T>
class Pairs {
  public:
    // pairs to test from now on, of a cloth with so many particles
    void watch(const surface::Near &near, std::size_t particle_count);
    // Planes for the dt seconds [s] to come, of watched pairs that can come too near by then and are nearer than far [m].
    void search(const ClothSides<T> &cloth, T dt, T far, bool wide);
    void clear();
    // after the substeps: the next contact update makes its own planes
    void release_memory();
    // no contact update will come before the next search
    void forget();

    std::size_t count() const { return count_ - padding(); }
    PairView<T> view();
    std::size_t bytes() const;

    // How far contact planes of the skin are to be raised [m], because other cloth lies under them: cloth upon cloth upon
    // skin keeps its order, as skin is the last word in a substep. Planes by particle (begin: particle + 1).
    std::vector<T> stack(const T *point, const std::vector<std::uint32_t> &begin, const T *plane_normal, const T *plane_offset,
                         const UniformOrEach<T> &thickness) const;

  private:
    struct Plane {
        std::int32_t particle[4];
        T weight[4], normal[3], gap, thickness, friction;
        bool soon;  // can come too near before the next contact update; the others are there for stacks
    };
    using Found = std::vector<std::vector<Plane>>;  // by chunk
    void search_chunk(const ClothSides<T> &cloth, T dt, T far, bool wide, std::size_t chunk, std::vector<Plane> &found) const;
    bool keep(const ClothSides<T> &cloth, T dt, const NearLanes<T> &at, int lane, bool edges, Plane &plane) const;
    void put(const Plane &plane, std::size_t i);
    Plane plane(std::size_t i) const;
    void pack(const Found &found);
    void list_uses();
    std::size_t padding() const { return (packed_ + PAIR_LANES - 1) / PAIR_LANES * PAIR_LANES - packed_; }

    // four particles each, faces first; in one of the two lists: 16 bits where they count the particles
    Scratch<std::array<std::uint16_t, 4>> watched_small_;
    Scratch<surface::Four> watched_;
    std::size_t faces_ = 0, edges_ = 0;
    std::size_t particle_count_ = 0, packed_ = 0, count_ = 0;
    // Planes side by side, see PairView: packed_ of them for the substeps, after the padding of their last block the others up to count_.
    // Before the substeps `depth` holds the gap.
    Scratch<std::int32_t> particle, use;
    Scratch<T> weight, normal, thickness_, friction_, push, depth;
    std::vector<std::int32_t> use_begin;
    std::vector<unsigned char> pushed;
};

extern template class Pairs<float>;
extern template class Pairs<double>;
