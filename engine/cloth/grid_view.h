// A rectangle of equal cells as raw views, so that its substeps (grid_run.h) can be compiled once per instruction set.
//
// Vertices are stored as structures of arrays, each row as three phases (column % 3): neighbours, and neighbours but one, of
// consecutive numbers of a phase are consecutive numbers of another, and so are the coarse points, one to three by three
// vertices. Nothing is gathered, no index is read.
#pragma once
#include <cstddef>
#include <cstdint>

constexpr int PHASES = 3;
constexpr std::ptrdiff_t WIDEST = 16;  // lanes of any machine; rows are padded to it

// where vertices, or coarse points, are
struct GridLayout {
    int rows = 0, columns = 0;
    std::ptrdiff_t pitch = 0;  // numbers of one phase of a row, at least one of them unused

    GridLayout() = default;
    GridLayout(int r, int c) : rows(r), columns(c), pitch((count(0) + WIDEST) / WIDEST * WIDEST) {}
    std::ptrdiff_t at(int row, int phase) const { return (static_cast<std::ptrdiff_t>(row) * PHASES + phase) * pitch; }
    // of a column, which may lie up to three before the first or after the last
    std::ptrdiff_t place(int row, int column) const {
        const int c = column + PHASES;
        return at(row, c % PHASES) + c / PHASES - 1;
    }
    // vertices of a phase of a row
    int count(int phase) const { return (columns - phase + PHASES - 1) / PHASES; }
};

// rows that are swept together: `count` bands that begin with a multiple of `step` rows, as equal as may be
struct Bands {
    int rows = 0, count = 0, step = 1;
    // an even number, so that two threads have the same work, of at least `least` steps each
    static Bands of(int rows, int step, int least) {
        const int steps = (rows + step - 1) / step, pairs = steps / (2 * least);
        return {rows, pairs ? 2 * pairs : 1, step};
    }
    int begin(std::size_t band) const {
        const std::size_t steps = (rows + step - 1) / step, row = step * (steps * band / count);
        return row < static_cast<std::size_t>(rows) ? static_cast<int>(row) : rows;
    }
    int end(std::size_t band) const { return begin(band + 1); }
};

// limits of a coarse point: rows and columns to the other one
struct CoarseOffset {
    int rows, columns;
};
constexpr int COARSE_OFFSET_COUNT = 10, COARSE_OFFSETS_TWICE = 4;  // the first ones are swept twice
constexpr CoarseOffset COARSE_OFFSETS[COARSE_OFFSET_COUNT] = {{0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, -1}, {2, 0}, {1, 2}, {1, -2}, {2, 1}, {2, -1}};

// planes of the skin, sixteen consecutive places of a phase side by side; those of vertices without skin are never reached
template <class T>
struct GridPlanes {
    const std::size_t *begin = nullptr;    // (row + 1): blocks
    const std::int32_t *place = nullptr;   // (block)
    const T *plane = nullptr;              // (block, CONTACT_ROWS, WIDEST)
};

// a ball that vertices meet where they are, without planes
template <class T>
struct GridBall {
    T radius = T(0);  // the distance that is kept included [m]; 0: there is none
    T centre[3] = {}, velocity[3] = {};  // when the first substep begins [m], [m/s]
    T friction = T(0);
};

// stencils at the border, of which none is like the other
template <class T>
struct BorderStencils {
    std::size_t count = 0;
    const std::int32_t *begin = nullptr, *place = nullptr;  // (stencil + 1), (entry): vertices
    const T *weight = nullptr;                              // (entry)
    const T *stiffness = nullptr, *most = nullptr;          // (stencil): as in Bending
    T *moment = nullptr;                                    // (stencil, 4)
    const std::int32_t *band_begin = nullptr;               // (band + 1): forces
    const std::int32_t *to = nullptr, *force_begin = nullptr, *stencil = nullptr;  // (force): vertex, (force + 1), (entry)
    const T *force_weight = nullptr;                        // (entry)
};

// How far coarse points of a rectangle were moved [m], row by row from column -1 on: finer points, three by three of them to a coarse
// one, follow linearly from one to the next.
template <class T>
struct GridPush {
    int rows = 0, columns = 0;
    std::ptrdiff_t pitch = 0;
    T *push[3] = {};        // (row, pitch)
    T *between = nullptr;   // (band of finer rows, 3, pitch): the same between two rows
};

template <class T>
struct GridView {
    GridLayout fine, coarse;
    Bands bands, coarse_bands;
    T *x[3] = {}, *before[3] = {};  // now and when the substep began [m]
    T *velocity[3] = {};            // as in ClothView [m/s]
    T *moment[3] = {};              // of stencils, gain (Σ c x)
    const T *stiffness = nullptr;   // of stencils, as in Bending; 0 where a vertex has no stencil of its own
    const T *most = nullptr;        // what they may weigh
    T soft_dt2 = T(0);              // no stencil asks for more than that in substeps up to this [s²]
    const T *weight = nullptr;      // inverse mass [1/kg], 0 beyond the last column
    const T *share = nullptr;       // of a vertex in the average that is its coarse point
    const T *next = nullptr, *after_next = nullptr;  // (phase, pitch): 1 where there is a column 1, 2 farther on
    const T *half = nullptr;        // (phase, pitch): 2 in the first and last column, whose warp has cloth on one side only; else 1
    T per_cell[2] = {};             // 1 / width, 1 / height of a cell [1/m]
    T compliance[3] = {};           // of a cell: weft, warp, shear
    T bend[2] = {};                 // weight of a stencil's neighbours along weft and warp
    T reach[2] = {};                // how long two edges of a thread may be together, along weft and warp [m]; 0: as they like
    T kept = T(1);                  // what the air leaves of a velocity in a substep
    BorderStencils<T> border;
    GridPlanes<T> planes;
    GridBall<T> ball;
    T *coarse_x[3] = {};                  // as x, of coarse points
    T *average[3] = {};                   // the same before any limit
    const T *coarse_share = nullptr;      // as share, of coarse points in the averages that are the next coarser ones
    const T *coarse_weight = nullptr;
    const T *coarse_rest2[COARSE_OFFSET_COUNT] = {};  // squares of rest lengths [m²]; far where there is no limit
    const T *coarse_part[COARSE_OFFSET_COUNT] = {};   // how much of what they ask for limits do (compliance.h)
    GridPush<T> push, coarser_push;       // of coarse points, and of the next coarser ones
};
