// Shaping and measuring a figure: blending its targets, a tape round a section, volume, and slopes of all these.
// One thread: each of these takes far less than a thread needs to wake. Indices must be valid.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/views.h"

namespace figure {

// displacements of all vertices by each target that a figure is blended from: rows of `width` numbers, three a vertex
struct Targets {
    const std::int16_t *move;
    std::size_t width;
    const std::int16_t *row(std::int32_t target) const { return move + static_cast<std::size_t>(target) * width; }
};

// sum over some rows of share * target, in their order, (width)
std::vector<float> blend(const Targets &targets, IndicesView rows, const float *share);

// forces on some vertices; start[g]..start[g + 1] are those of group g
struct Forces {
    IndicesView vertex;
    PointsView force;
    IndicesView start;
    std::size_t groups() const { return start.rows() - 1; }
};

// work that the forces of each group do when a target is turned on: sum of force . displacement, (groups, rows)
std::vector<double> target_work(const Targets &targets, IndicesView rows, const Forces &forces);

// a skin that hangs on joints, `per_vertex` of them a vertex
struct SkinWeights {
    const std::int32_t *joint;
    const double *weight;
    std::size_t per_vertex;
    RowsView<double, 9> rotation;  // of each joint
};
struct RestForces {
    std::vector<double> force;    // turned back into the rest frame of each vertex (f' = sum_k w_k R_k^T f), (f, 3)
    std::vector<double> carried;  // what each joint carries of each group, (groups, joints, 3)
};
RestForces rest_forces(const Forces &forces, const SkinWeights &skin);

// a region of a skin: some of its vertices, and edges between these (numbers of rows)
struct Region {
    PointsView skin;
    IndicesView rows;
    PairsView edges;
};
struct Tape {
    double length;
    std::vector<std::int32_t> vertex;
    std::vector<double> slope;  // how the length changes with these vertices (v, 3)
    double slide;               // how it changes with the plane's place along its normal
};
// plane (4, 3): origin, normal, two axes in it; reach: how far from the origin skin counts [m]; fan (2, directions): unit vectors in the plane
Tape tape(const Region &region, const double *plane, double reach, const double *fan, std::size_t directions);

// volume inside a closed surface; outward (n, 3): how it changes with each vertex, a third of the area round it
double volume(PointsView skin, TrianglesView triangles, double *outward);

}  // namespace figure
