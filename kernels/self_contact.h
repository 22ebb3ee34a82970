// Cloth keeps off cloth: after a step of the solver, near pairs that came too close or passed through each other are put
// back on the side where they were before the step.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proximity.h"
#include "surface_math.h"

namespace surface {

struct SelfContactOptions {
    double thickness = 0.002;  // distance kept between two sheets [m]
    double radius = 0.006;     // pairs farther apart than this before the step are not looked at [m]
    double friction = 0.3;     // Coulomb coefficient
    int sweeps = 4;
};

class SelfContact {
  public:
    // layer: of each particle, higher lies outside (null: one layer), where triangles face outward; label: sewn particles
    SelfContact(const std::int32_t *triangles, std::size_t triangle_count, std::size_t particle_count,
                const std::int32_t *layer = nullptr, const std::int32_t *label = nullptr);

    // before: positions at the start of the step [m]. Changes position [m] and velocity [m/s] in place; inverse_mass 0 stays.
    // Returns how many pairs were too close. Pairs that were farther apart than radius and meet within one step are missed.
    std::size_t resolve(const double *before, double *position, double *velocity, const double *inverse_mass,
                        const SelfContactOptions &options);

    std::size_t particle_count() const { return patches_.particle_count(); }
    std::size_t candidate_count() const { return pairs_.size(); }

  private:
    // the constraint n . (sum of weight_k x_k) >= thickness, where the weights of the first body sum to 1, of the other to -1
    struct Pair {
        Four particle;
        bool edges;   // edge-edge, else vertex-face
        double side;  // 1 or -1: which side of the face, or which way round the edges' common normal
    };
    struct Contact {
        Vec3 normal;
        double weight[4];
        double gap;
    };
    bool contact(const Pair &pair, const double *x, Contact &c) const;
    void find_normals(const double *x);
    void collect(const double *before, const SelfContactOptions &options);
    bool push(const Pair &pair, const double *before, double *x, const double *inverse_mass, const SelfContactOptions &options) const;
    void slow(const Pair &pair, const double *x, double *v, const double *inverse_mass, const SelfContactOptions &options) const;

    Patches patches_;
    std::vector<std::int32_t> layer_, triangles_;
    std::vector<Vec3> normal_;
    Near near_;
    std::vector<Pair> pairs_;
};

}  // namespace surface
