// Springs in implicit Euler steps, and limits of their elongation (Shi et al. 2010; docs/solver-implicit.md, whose formulas these are).
// One thread, springs in the given order: the paper's cloth has some hundred particles.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/vector3.h"
#include "core/views.h"

struct ImplicitSprings {
    PairsView pairs;
    NumbersView rest, stiffness;  // [m], [N/m]
};
struct ImplicitParticles {
    NumbersView mass, drag;  // [kg], [1/s]
};

class ImplicitCloth {
    using Vec3 = surface::Vec3;

  public:
    // limits: pairs of particles and how far apart they may be [m]
    ImplicitCloth(const ImplicitSprings &springs, const ImplicitParticles &particles, PairsView limited, NumbersView longest);
    void pin(FlagsView pinned) { pinned_.assign(pinned.data(), pinned.data() + pinned.size()); }
    std::size_t particle_count() const { return mass_.size(); }

    struct Step {
        double dt, damping;  // [s]; k_v / k_s [s]
        Vec3 gravity, wind;
        double tolerance;  // of conjugate gradients, a part of the right-hand side
        int iterations;    // at most
    };
    // solves (M - h df/dv - h² df/dx) change = h (f + h df/dx v), zero where pinned; position, velocity and change (n, 3); returns the iterations
    int velocity_change(const Step &step, const double *position, const double *velocity, double *change);

    // limits by positions: what is too long is shortened, `sweeps` times over all
    void shorten(int sweeps, double *position) const;
    // limits by forces: the constraint forces with which nothing is too long after a step of h are refined `sweeps` times, pulling only; velocity
    // (n, 3) is changed in place. Returns the largest force [N].
    double constrain(int sweeps, double h, const double *position, double *velocity);

  private:
    // symmetric: xx, xy, xz, yy, yz, zz
    struct Block {
        double v[6] = {0, 0, 0, 0, 0, 0};
        Vec3 operator*(Vec3 p) const;
    };
    static Block inverse(const Block &b);
    void multiply(const std::vector<Vec3> &p, std::vector<Vec3> &out) const;
    int solve(const Step &step, std::vector<Vec3> &found);
    double weight(std::int32_t p) const { return pinned_[p] ? 0 : 1 / mass_[p]; }

    std::vector<std::int32_t> pair_, limited_;
    std::vector<double> rest_, stiffness_, mass_, drag_, longest_, force_;
    std::vector<char> pinned_;
    std::vector<double> inertia_;
    std::vector<Block> block_, nearly_;
    std::vector<Vec3> right_, residual_, search_, image_, guess_;
};
