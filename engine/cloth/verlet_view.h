// Relaxed length constraints (Rodríguez-Navarro et al. 2005, eq. 2) on a grid and on any mesh: raw views only, so that they can
// be compiled once per instruction set (verlet_relax.h).
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/threads.h"

// classes of constraints on a grid; the first particle is (row, column)
enum GridClass { ACROSS, ACROSS2, DOWN, FALLING, RISING, DOWN2, GRID_CLASSES };

// A row of the grid is stored as x, y, z, each as four column phases (column % 4), each of `lanes` numbers, so that the
// particles of a class of constraints that share none lie side by side. Padding lanes are zero.
template <class T>
struct VerletGridView {
    int rows, columns, lanes;   // lanes per phase, a multiple of eight
    std::size_t stride;         // of a row
    T *point;                   // (row, 3, 4, lanes)
    T *before;                  // the same, or null: no adaptive stop
    const T *weight;            // (row, 4, lanes): 0 where pinned; null: nothing is pinned
    const T *rest[GRID_CLASSES];  // (row, 4, lanes) [m]; null: all alike
    T uniform_rest[GRID_CLASSES];
    const T *mask;              // (distance 1 and 2: phase, 16): which of the last sixteen lanes are pairs
    T share[GRID_CLASSES];      // part of the error that each end mends
};

// pairs packed in blocks of eight: the chunks, the borders after each, those left over (batches.h)
template <class T>
struct VerletMeshView {
    std::size_t count;
    int chunks;
    T *point;   // (particle, 4): x, y, z, weight (0 where pinned)
    T *before;  // (particle, 4), or null
    const std::int32_t *index;  // (block, 2, lane)
    const std::size_t *begin;   // (group + 1)
    const T *low, *high;        // (block, lane): between these lengths a pair is left alone [m]
    T share;
};

// when sweeps end: after the most, or when no more than `moving` particles went farther than the threshold in one of them
template <class T>
struct VerletStop {
    int most, check_every, moving;
    T threshold;  // [m]
    // looking costs a third of a sweep
    bool checks(int sweep) const { return sweep <= 2 || sweep % check_every == 0; }
};

// returns the number of sweeps. moved: (bands or chunks + 1) scratch. Every member of the team gets the same answer.
#define TOILE_RELAX(T)                                                                                           \
    int relax_grid(const VerletGridView<T> &, const VerletStop<T> &, T *moved, int rank, int size, Barrier &); \
    int relax_mesh(const VerletMeshView<T> &, const VerletStop<T> &, T *moved, int rank, int size, Barrier &);
namespace plain {
TOILE_RELAX(float)
TOILE_RELAX(double)
}  // namespace plain
namespace avx2 {
TOILE_RELAX(float)
TOILE_RELAX(double)
}  // namespace avx2
#undef TOILE_RELAX

constexpr int BAND_ROWS = 16;
inline int band_count(int rows) { return rows < 2 * BAND_ROWS ? 1 : rows / BAND_ROWS; }
