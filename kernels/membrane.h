// The triangles of a cloth, packed for the hot loop: how each resists being stretched along its threads and sheared.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "xpbd_sets.h"

template <class T, class I>
class Membrane {
  public:
    // corners (t, 3); weight (a1, a2), (b1, b2): Fu = a1 (x1 - x0) + a2 (x2 - x0) [1/m]; compliance of weft, warp, shear (t, 3)
    void set(const std::vector<std::int32_t> &corners, const double *weight, const std::vector<T> &compliance, std::size_t particle_count,
             int chunk_count) {
        const Packed packed = pack(corners, 3, particle_count, chunk_count);
        particle_count_ = particle_count;
        set_.take(packed);
        set_.weight.reserve(4 * packed.source.size()), set_.compliance.reserve(3 * packed.source.size());
        for (std::size_t b = 0; b < packed.block_count(); ++b) {
            const std::int32_t *from = packed.source.data() + b * LANES;
            const auto number = [&](int lane, int width, int k) { return static_cast<std::size_t>(width) * static_cast<std::size_t>(from[lane]) + k; };
            for (int k = 0; k < 4; ++k)
                for (int lane = 0; lane < LANES; ++lane)
                    set_.weight.push_back(from[lane] < 0 ? T(0) : static_cast<T>(weight[number(lane, 4, k)]));
            for (int k = 0; k < 3; ++k)
                for (int lane = 0; lane < LANES; ++lane) set_.compliance.push_back(from[lane] < 0 ? T(1) : compliance[number(lane, 3, k)]);
        }
    }

    // of each triangle, with its corners' inverse masses w: Σ w a², Σ w a b, Σ w b²
    template <class Weight>
    void set_gram(const Weight &inverse_mass) {
        set_.gram.assign(3 * LANES * block_count(), T(0));
        for (std::size_t b = 0; b < block_count(); ++b)
            for (int lane = 0; lane < LANES; ++lane) {
                const I *corner = set_.index.data() + b * 3 * LANES + lane;
                if (padding(corner)) continue;
                const T *weight = set_.weight.data() + b * 4 * LANES + lane;
                const T a[3] = {-(weight[0] + weight[LANES]), weight[0], weight[LANES]};
                const T d[3] = {-(weight[2 * LANES] + weight[3 * LANES]), weight[2 * LANES], weight[3 * LANES]};
                T *gram = set_.gram.data() + b * 3 * LANES + lane;
                for (int k = 0; k < 3; ++k) {
                    const T w = inverse_mass(corner[k * LANES]);
                    gram[0] += w * a[k] * a[k], gram[LANES] += w * a[k] * d[k], gram[2 * LANES] += w * d[k] * d[k];
                }
            }
    }

    std::size_t block_count() const { return set_.block_count(); }
    Constraints<T, I> view() const { return set_.view(); }
    std::size_t bytes() const { return set_.bytes(); }

    // elongation of the threads of eight triangles; x (particle, 3) in the caller's order
    double stretch(std::size_t block, const std::vector<std::int32_t> &order, const double *x, std::vector<std::uint32_t> &counts) const {
        Elongations found{0.0, counts};
        for (int lane = 0; lane < LANES; ++lane) {
            const I *corner = set_.index.data() + block * 3 * LANES + lane;
            if (padding(corner)) continue;
            const T *weight = set_.weight.data() + block * 4 * LANES + lane;
            const double *p[3];
            for (int k = 0; k < 3; ++k) p[k] = x + 3 * static_cast<std::size_t>(order[corner[k * LANES]]);
            for (int thread = 0; thread < 2; ++thread) {
                const double c = weight[2 * thread * LANES], d = weight[(2 * thread + 1) * LANES];
                double square = 0.0;
                for (int a = 0; a < 3; ++a) {
                    const double f = c * (p[1][a] - p[0][a]) + d * (p[2][a] - p[0][a]);
                    square += f * f;
                }
                found.add(square);
            }
        }
        return found.sum;
    }

  private:
    bool padding(const I *corner) const { return static_cast<std::size_t>(*corner) >= particle_count_; }
    std::size_t particle_count_ = 0;
    ConstraintSet<T, I> set_;
};
