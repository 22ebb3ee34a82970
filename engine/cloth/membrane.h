// The triangles of a cloth, packed for the hot loop: how each resists being stretched along its threads and sheared.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cloth/compliance.h"
#include "cloth/constraint_sets.h"
#include "core/require.h"

// of the flat cloth [m²]: the weights (t, 4) of triangles are the inverse of two of their sides
inline double area_of(const double *weight, std::size_t count) {
    double area = 0.0;
    for (const double *w = weight; w < weight + 4 * count; w += 4) area += 0.5 / std::abs(w[0] * w[3] - w[1] * w[2]);
    return area;
}
// what the cloth bears on the mean, by the stiffness of weft, warp, shear (t, 3) [N·m] of its triangles
inline Stiffness fabric_of(const double *stiffness, std::size_t count, double area) {
    Stiffness fabric;
    for (const double *k = stiffness; k < stiffness + 3 * count; k += 3) fabric.threads += 0.5 * (k[0] + k[1]) / area, fabric.bias += k[2] / area;
    return fabric;
}

template <class T>
class Membrane {
  public:
    // corners (t, 3); weight (a1, a2), (b1, b2): Fu = a1 (x1 - x0) + a2 (x2 - x0) [1/m]; stiffness of weft, warp, shear (t, 3) [N·m]
    void set(const std::vector<std::int32_t> &corners, const double *weight, const double *stiffness, std::size_t particle_count, int chunk_count) {
        const Packed packed = pack(corners, 3, particle_count, chunk_count);
        set_.take(packed);
        set_.weight.reserve(4 * packed.source.size()), set_.kind.reserve(packed.block_count() / BLOCKS_AT_ONCE);
        for (std::size_t b = 0; b < packed.block_count(); ++b)
            for (int k = 0; k < 4; ++k)
                for (int lane = 0; lane < LANES; ++lane)
                    set_.weight.push_back(static_cast<T>(weight[4 * static_cast<std::size_t>(packed.source[b * LANES + lane]) + k]));
        for (std::size_t b = 0; b < packed.block_count(); b += BLOCKS_AT_ONCE) add_kind(packed.source.data() + b * LANES, weight, stiffness);
        set_.softness.shrink_to_fit();
    }

    std::size_t block_count() const { return set_.block_count(); }
    Constraints<T> view() const { return set_.view(); }
    std::size_t bytes() const { return set_.bytes(); }

    // elongation of the threads of eight triangles; x (particle, 3) in the caller's order
    template <class I>
    double stretch(std::size_t block, const std::vector<I> &order, const double *x, std::vector<std::uint32_t> &counts) const {
        Elongations found{0.0, counts};
        set_.each(block, [&](std::size_t t, const std::int32_t *corner) {
            const T *weight = set_.weight.data() + block * 4 * LANES + t % LANES;
            const double *p[3];
            for (int k = 0; k < 3; ++k) p[k] = x + 3 * static_cast<std::size_t>(order[corner[k]]);
            for (int thread = 0; thread < 2; ++thread) {
                const double c = weight[2 * thread * LANES], d = weight[(2 * thread + 1) * LANES];
                double square = 0.0;
                for (int a = 0; a < 3; ++a) {
                    const double f = c * (p[1][a] - p[0][a]) + d * (p[2][a] - p[0][a]);
                    square += f * f;
                }
                found.add(square);
            }
        });
        return found.sum;
    }

  private:
    using Softness = std::array<double, 3>;

    // Two blocks of triangles: cloth of one fabric has one kind. Mixed ones, and gathered cloth, have their own.
    void add_kind(const std::int32_t *source, const double *weight, const double *stiffness) {
        constexpr std::size_t lanes = BLOCKS_AT_ONCE * LANES;
        Softness soft[lanes];
        bool uniform = true;
        for (std::size_t i = 0; i < lanes; ++i) {
            soft[i] = softness(weight + 4 * static_cast<std::size_t>(source[i]), stiffness + 3 * static_cast<std::size_t>(source[i]));
            uniform &= same(soft[0], soft[i]);
        }
        const Softness &first = soft[0];
        std::size_t kind = 0;
        if (uniform) {
            while (kind < shared_.size() && !same(shared_[kind].second, first)) ++kind;
            if (kind < shared_.size()) return set_.kind.push_back(shared_[kind].first);
        }
        kind = set_.softness.size() / (3 * lanes);
        if (kind > 65535) detail::refuse<std::invalid_argument>("a cloth has too many kinds of triangles");
        if (uniform && shared_.size() < 64) shared_.push_back({static_cast<std::uint16_t>(kind), first});
        for (std::size_t block = 0; block < lanes; block += LANES)
            for (int k = 0; k < 3; ++k)
                for (std::size_t i = block; i < block + LANES; ++i)
                    set_.softness.push_back(static_cast<T>(uniform ? first[k] : soft[i][k]));
        set_.kind.push_back(static_cast<std::uint16_t>(kind));
    }
    // compliance times area, as the hot loop knows it: half the inverse of the weights' determinant
    static Softness softness(const double *w, const double *stiffness) {
        const double area = 0.5 / std::abs(w[0] * w[3] - w[1] * w[2]);
        return {area / stiffness[0], area / stiffness[1], area / stiffness[2]};
    }
    static bool same(const Softness &a, const Softness &b) {
        constexpr double much = 64 * std::numeric_limits<T>::epsilon();
        for (int k = 0; k < 3; ++k)
            if (!(std::abs(a[k] - b[k]) <= much * a[k])) return false;
        return true;
    }

    ConstraintSet<T> set_;
    std::vector<std::pair<std::uint16_t, Softness>> shared_;  // kinds whose lanes are alike
};
