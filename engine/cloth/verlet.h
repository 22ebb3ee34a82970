// Verlet steps with relaxed lengths (Rodríguez-Navarro et al. 2005; docs/solver-verlet.md): a grid and any mesh, packed once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cloth/batches.h"
#include "cloth/verlet_view.h"
#include "core/threads.h"
#include "core/vector3.h"
#include "core/views.h"

struct VerletStep {
    double dt, keep;  // [s]; share of the velocity against the air that is left after it
    surface::Vec3 gravity, wind;
    int iterations;    // sweeps, at most
    double threshold;  // a particle that goes farther in a sweep moves [m]; 0: sweeps never end early
    int check_every;    // counted after the first two sweeps and every n-th
    int moving;        // sweeps end when no more particles move
};

// positions are kept relative to the first particle: float32 is exact to 0.1 µm at arm's length
struct VerletOrigin {
    double at[3] = {0, 0, 0};
};

// A grid of particles, row by row.
template <class T>
class VerletGrid {
  public:
    // rest: one length per class and particle [m]; share: part of the error that each end mends, by class, 0 to 0.5
    VerletGrid(int rows, int columns, const double *rest, const double *share);
    std::size_t count() const { return static_cast<std::size_t>(rows_) * columns_; }
    void pin(IndicesView particles);
    // is there a partner for this particle in this class?
    static bool paired(int rows, int columns, int c, std::size_t p);

    // position and velocity (n, 3) are changed in place; returns the number of sweeps
    int advance(const VerletStep &step, double *position, double *velocity);
    // the stages of a step, for each member of a team
    void load(const double *x, const double *v, const VerletStep &step, const VerletOrigin &o, int rank, int team);
    int relax(const VerletStop<T> &stop, int rank, int team, Barrier &barrier);
    void store(const VerletStep &step, const VerletOrigin &o, double *x, double *v, int rank, int team) const;

  private:
    std::size_t stride() const { return static_cast<std::size_t>(12) * lanes_; }
    std::size_t lane(std::size_t p) const {
        const std::size_t column = p % columns_;
        return column % 4 * lanes_ + column / 4;
    }
    std::size_t place(std::size_t p) const { return p / columns_ * stride() + lane(p); }
    std::size_t weight_place(std::size_t p) const { return p / columns_ * 4 * lanes_ + lane(p); }
    void set_rest(const double *rest);
    void set_masks();

    int rows_, columns_, lanes_;
    bool uniform_ = true;
    std::vector<T> point_, before_, weight_, moved_, rest_[GRID_CLASSES];
    std::vector<char> free_;
    T equal_rest_[GRID_CLASSES], share_[GRID_CLASSES], mask_[2 * 4 * 2 * LANES];
};

// Particles joined by pairs.
template <class T>
class VerletMesh {
  public:
    // order: in which particles are kept, so that neighbours are close in memory; between low and high [m] a pair is left alone; share: part of
    // the error that each end mends
    VerletMesh(IndicesView order, PairsView pairs, NumbersView low, NumbersView high, double share);
    std::size_t count() const { return order_.size(); }
    void pin(IndicesView particles);

    int advance(const VerletStep &step, double *position, double *velocity);
    void load(const double *x, const double *v, const VerletStep &step, const VerletOrigin &o, int rank, int team);
    int relax(const VerletStop<T> &stop, int rank, int team, Barrier &barrier);
    void store(const VerletStep &step, const VerletOrigin &o, double *x, double *v, int rank, int team) const;
    // the order in which pairs are visited by one thread, for the reference in the tests
    std::vector<std::int32_t> sequence() const;

  private:
    int chunks_ = 1;
    T share_;
    Packed packed_;
    std::vector<std::int32_t> order_;
    std::vector<T> point_, before_, low_, high_, moved_;
    std::vector<char> free_;
};
