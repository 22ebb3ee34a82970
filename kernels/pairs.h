// Contact of cloth with cloth: near vertex-face and edge-edge pairs (proximity.h) turned into planes that hold for a few
// substeps. Each pair is a weighted sum of four particles that must stay on its side of a plane through the origin:
//   normal · Σ c_k x_k >= thickness
// Between garments the side follows from the order in which they are worn; inside one garment it is where the cloth is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proximity.h"

template <class T>
struct Pairs {
    std::vector<std::int32_t> particle;  // (pair, 4)
    std::vector<T> weight;               // (pair, 4): c_k
    std::vector<T> normal;               // (pair, 3)
    std::vector<T> push;                 // (pair, 4): correction and the part of it that gives no speed
    std::vector<std::size_t> use_begin;  // (particle + 1)
    std::vector<std::int32_t> use;       // pair * 4 + place of the particle in it
    std::size_t count() const { return normal.size() / 3; }

    // point: (particle, 4); layer: (particle); facing: unit normals of the particles, (particle, 3)
    void set(const surface::Near &near, const T *point, std::size_t particle_count, const std::int32_t *layer,
             const std::vector<double> &facing);

    // How far contact planes of the skin are to be raised [m], because other cloth lies under them: cloth upon cloth upon
    // skin keeps its order, as skin is the last word in a substep. Planes by particle (begin: particle + 1).
    std::vector<T> stack(const T *point, const std::vector<std::size_t> &begin, const std::vector<T> &plane_normal,
                         const std::vector<T> &plane_offset, const std::vector<T> &thickness, T cloth_thickness) const;
};

// normals of the particles, not normalised: sums of the triangles' area vectors, (particle, 3)
template <class T>
std::vector<double> facing_of(const std::vector<std::int32_t> &triangles, const T *point, std::size_t particle_count);

extern template struct Pairs<float>;
extern template struct Pairs<double>;
