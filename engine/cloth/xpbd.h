// The default engine's step: raw views only, so that it can be compiled once per instruction set (xpbd_step.h).
#pragma once
#include <cstddef>
#include <cstdint>

#include "cloth/grid_view.h"
#include "contact/pairs_view.h"
#include "core/threads.h"

// I: what counts particles; 16 bits where there are few enough
using CoarseNumber = std::uint16_t;  // what counts coarse points: see MOST_COARSE

// packed constraints (batches.h): blocks of eight, group by group, each group counting particles by 16 bits from its first one, by 32 where that is too few
struct ConstraintGroup {
    std::size_t first, last;  // blocks
    std::size_t entry;        // of the first one
    std::int32_t from;        // what near numbers are counted from
    bool near;
};
template <class T>
struct Constraints {
    const ConstraintGroup *group = nullptr;  // the chunks, the borders after each, those left over; null: there are none
    const std::uint16_t *near = nullptr;     // (block, arity, lane)
    const std::int32_t *far = nullptr;
    const T *rest = nullptr;              // (block, lane): rest length [m] (seams, limits)
    const T *part = nullptr;              // (block, lane): how much of what they ask for limits do (compliance.h); null: all of it
    const T *softness = nullptr;          // (kind, two blocks, 3, lane): compliance of triangles times their area, by kind of blocks
    const std::uint16_t *kind = nullptr;  // (two blocks)
    const T *weight = nullptr;            // (block, 4, lane): coefficients of triangles
};

// sparse rows, sum_r = Σ weight · source[at], sorted by length inside each chunk: loops of known length run without
// mispredicted branches
struct RowRun {
    std::int32_t length;
    std::int32_t from;        // what numbers in the run are counted from
    std::size_t first, last;  // rows
    std::size_t entry;        // of the first row
};
template <class T, class N>
struct RowList {
    const std::size_t *run_begin = nullptr;  // (chunk + 1)
    const RowRun *run = nullptr;
    const N *target = nullptr;  // (row): what the row is of
    const N *at = nullptr;      // (entry): the source's index
    const T *weight = nullptr;  // (entry)
};
// 16 bits are enough within a run, but for rows of large cloth that join particles and stencils along its free edges; in small cloth all are counted from 0
template <class T, class I>
struct SparseRows {
    static constexpr bool SMALL = sizeof(I) == 2;
    RowList<T, std::uint16_t> near;
    RowList<T, std::int32_t> far;
};

// Moments m = G C x of cloth that is too stiff for its substep are smoothed, m + h Λ h m / G with h² = G ω / Σ|c| and Λ the matrix of the stencils
// themselves, next to a Laplacian: long folds keep their stiffness, and only those of an edge or two, which would swing up, lose it. Λ along a
// free edge is that of a chain. G ω is symmetric, so forces still come from an energy, which is never negative as ω ≤ 1.
// Modes of a share l of the largest eigenvalue of Λ, l² of that of bending, keep 1 - ω l of their stiffness. With r times what a stencil may weigh, r l² (1 - ω l)
// is at most 4 r / (27 ω²), at l = 2 / (3 ω): 1 for ω = √(4 r / 27). A stencil of stiffness k asks for r ~ k dt² until ω is 1, and for no more beyond. So with s⁴ = dt², bounded
// there, G = k s⁴ and h ~ s³.
template <class T, class I>
struct Smoothing {
    T from_dt2 = T(0);             // in substeps that ask for more [s²]
    const T *full = nullptr;       // (stencil): the largest s, where ω is 1 [√s]
    const T *rate = nullptr;       // (stencil): h / s³
    T *source = nullptr;           // (stencil, 4): h C x, h; 0 where a particle has no stencil
    std::size_t particle_count = 0;
    std::size_t edge_count = 0;
    const I *edge = nullptr;       // (edge, 3): stencils along free edges, those before and after
    inline bool wanted(T dt2) const { return source != nullptr && dt2 > from_dt2; }
};

// bending: moment_s = gain_s (Σ c_sk x_k - rest_s) of each stencil, then x_k -= w_k Σ c_sk moment_s: two sparse products
template <class T, class I>
struct Bending {
    SparseRows<T, I> curvature, force;
    // gain_s = dt² / α, less where that were unstable; see BendingStencils::stiffness
    const T *stiffness = nullptr, *most = nullptr;  // (stencil)
    T *moment = nullptr;      // (stencil, 4), and room for all particles with those that nobody reads
    const T *rest = nullptr;  // (stencil, 4): what Σ c_sk x_k is at rest, for creases and pleats; null: flat everywhere
    Smoothing<T, I> smoothing;
};

constexpr int LEVEL_LIMIT = 8;
constexpr int FINEST_SWEEPS = 3;  // over the finest limits: they are few, and what they leave the threads must bear

// one level of coarse points (hierarchy.h)
template <class T, class I>
struct LevelView {
    std::size_t count = 0;
    int chunk_count = 0;
    T *point = nullptr;   // (count, 4): x, y, z, inverse mass
    T *start = nullptr;   // (count, 4): the averages before any limit
    const std::int32_t *average_begin = nullptr;
    const I *average_point = nullptr;
    const T *average_weight = nullptr;
    const CoarseNumber *spread_point = nullptr;  // (finer, 4)
    const T *spread_weight = nullptr;            // (finer, 4)
    Constraints<T> limits;
};

// Planes of the skin, eight side by side: normal · x >= offset + speed · t, with skin that moves past. Spans of consecutive
// particles, so few that they stay in the nearest cache; in each, the first planes of all its particles come first, then the
// second ones: no two lanes of a block are of one particle.
constexpr std::size_t CONTACT_SPAN = 256;
constexpr int CONTACT_ROWS = 9;  // normal x y z, offset [m] (thickness included), speed = normal · velocity [m/s], velocity x y z, friction
template <class T>
struct ContactView {
    const std::size_t *begin = nullptr;      // (span + 1): blocks
    const std::int32_t *particle = nullptr;  // (block, lane)
    const T *plane = nullptr;                // (block, CONTACT_ROWS, lane)
};

template <class T, class I>
struct ClothView {
    std::size_t particle_count;
    int chunk_count;
    T *point;           // (particle, and some that nobody reads, 4): x, y, z [m], inverse mass [1/kg]
    T *before;          // (as many, 4): position at the start of the substep
    // (particle, 4) [m/s]; while the substeps run, without what constraints do in this one
    T *velocity;
    const T *kept;      // (particle), or four of all: 1 / (rubbed + dt d), what is left of a velocity in a substep; d [1/s] is the air's drag
    std::size_t kept_stride;  // 1; 0: all are alike
    Constraints<T> triangles, seams, long_threads;
    Bending<T, I> bending;
    int level_count;
    LevelView<T, I> level[LEVEL_LIMIT];
    PairView<T> pairs;  // cloth near cloth (pairs.h)
    ContactView<T> contacts;
    GridView<T> grid;   // a rectangle of equal cells has its triangles, long threads and most stencils here
};

// Pairs that may not be farther apart than their rest length: one is shortened by at most a share of it in one substep, and of what stretches it by up to `soft_stretch` a
// part only is done (compliance.h); 0: all of it.
template <class T>
struct Pulls {
    T share, soft_stretch;
};

// How fast cloth is moved out of skin where it was too near before a substep [m/s]. That gives it no speed, but it stretches the cloth round it, whose speed it
// becomes: at one go, cloth in a closing fold of the skin was shot out, the faster the shorter the substeps.
constexpr double OUT_OF_SKIN = 0.5;

template <class T>
struct StepOptions {
    T dt;              // of one substep [s]
    int substep_count;
    T gravity[3];      // [m/s²]
    T wind[3];         // [m/s]
    T rubbed;          // 1 + dt r: threads that rub on each other slow down at the rate r [1/s], in whatever wind
    T seam_from, seam_to;  // fraction of each seam's starting gap at the start and end of the step
    T speed_limit;     // [m/s]
    T jolt;            // the most by which skin and constraints change a velocity in one substep [m/s]; the rest of a way gives no speed
    T apart;           // how fast cloth is moved away from cloth where it was too near before [m/s]
    Pulls<T> pulls;    // of limits and long threads
    T thread_part;     // how much of what they ask for long threads do (compliance.h)
    T head_start;      // share of the last substep's corrections that the next prediction begins with
    T compression;     // share of their stiffness with which threads resist being pushed together
    // One sweep leaves edges stretched and slack in turn: the one swept last is as long as it should be. After the last substep particles are moved along
    // their threads so that neighbouring edges share the stretch: weighted Jacobi, which takes away what changes from edge to edge
    // and leaves the rest. 2/3 to 3/4 of what an edge misses serve patterns of two and three edges best; 0: none.
    T evening;
    T push_limit;      // largest way out of the skin in one substep [m]

    bool gentle() const { return jolt <= speed_limit; }  // whether `jolt` bounds anything

    // Square of the time in which constraints do what they have to do in a substep [s²]. Forces add up from substep to substep, Σ βⁿ = 1 / (1 - β) of
    // what is asked for in one; the first has no head start, and does all of it.
    T asked_dt2(bool first) const { return first ? dt * dt : dt * dt * (T(1) - head_start); }
};

#define TOILE_STEP                                                                                                            \
    void step(const ClothView<float, std::uint16_t> &, const StepOptions<float> &, int rank, int size, Barrier &);           \
    void step(const ClothView<float, std::int32_t> &, const StepOptions<float> &, int rank, int size, Barrier &);            \
    void step(const ClothView<double, std::int32_t> &, const StepOptions<double> &, int rank, int size, Barrier &);
namespace plain {
TOILE_STEP
}  // namespace plain
namespace avx2 {
TOILE_STEP
}  // namespace avx2
namespace avx512 {
TOILE_STEP
}  // namespace avx512
#undef TOILE_STEP
