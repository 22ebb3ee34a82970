// A rectangle of equal cells as raw views, so that its sweep (grid_step.h) can be compiled once per instruction set.
//
// Vertices are stored as structures of arrays, each row as four phases (column % 4): neighbours, and neighbours but one, of
// consecutive numbers of a phase are consecutive numbers of another. Nothing is gathered, no index is read.
#pragma once
#include <cstddef>
#include <cstdint>

constexpr int PHASES = 4;
constexpr int BAND = 8;  // rows that stay in the nearest cache together; a multiple of four

template <class T>
struct GridView {
    int rows = 0, columns = 0;  // of vertices
    std::ptrdiff_t pitch = 0;   // numbers of one phase of a row, at least one of them unused
    T *x[3] = {};               // (row, phase, pitch) [m]
    T *moment[3] = {};          // of stars, gain (Σ c x)
    const T *gain = nullptr;    // 0 where a vertex has no star of its own
    const T *weight = nullptr;  // inverse mass [1/kg], 0 beyond the last column
    const T *next = nullptr, *after_next = nullptr;  // (phase, pitch): 1 where there is a column 1, 2 farther on
    T per_cell[2] = {};         // 1 / width, 1 / height of a cell [1/m]
    T compliance[3] = {};       // of a triangle: weft, warp, shear
    T bend[2] = {};             // weight of a star's neighbours along weft and warp
    T reach[2] = {};            // rest length of long threads along weft and warp [m]; 0: none
    bool alternate = false;     // every second cell is cut along the other diagonal

    std::ptrdiff_t at(int row, int phase) const { return (static_cast<std::ptrdiff_t>(row) * PHASES + phase) * pitch; }
    // vertices of a phase of a row
    int count(int phase) const { return (columns - phase + PHASES - 1) / PHASES; }
    int band_count() const { return (rows + BAND - 1) / BAND; }
};
