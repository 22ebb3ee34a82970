// Which triangle each pixel of a picture sees, and how far away; what its points have there. Indices must be valid.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/views.h"

namespace raster {

// points: x, y in pixels (y down), depth
struct Surface {
    PointsView points;
    TrianglesView triangles;
};

struct Picture {
    int width, height, cull;  // cull: 1 keeps triangles that are counter-clockwise to the viewer, -1 the others, 0 all
    std::int32_t *ids;        // (height, width): triangle, -1 where there is none
    float *depth;             // (height, width)
};

// on the threads of the caller's pool; farthest: the last surface along the line of sight instead of the first
void draw(const Surface &surface, bool farthest, const Picture &out);
// the same by this thread alone, to be called from inside a team of threads
void draw_alone(const Surface &surface, bool farthest, const Picture &out);

// shares of corners 1 and 2 at each covered pixel, (height, width, 2); by this thread alone
void shares_alone(const Surface &surface, const Picture &drawn, float *shares);

// some pixels of a picture (flat indices) and the triangle that each sees
struct Seen {
    int width, height;
    IndicesView pixel, id;
};
// shares of corners 1 and 2 at these pixels (pixel, 2); perspective-correct with 1/w per point, null: seen from infinity
void pixel_weights(const Surface &surface, const Seen &seen, const double *inverse_w, float *weights);

// values of points (n, k) mixed by the shares (pixel, 2) of each pixel's triangle, (pixel, k)
struct Values {
    const float *value;
    std::size_t width;  // k
};
void mix(IndicesView id, const float *weights, TrianglesView triangles, const Values &values, float *out);

struct DepthMap {
    const float *depth;  // (height, width)
    int width, height;
};
// share of the four depths round each point that do not hide it (bilinear), 1 outside the map
void unhidden(const DepthMap &map, PointsView points, double bias, float *out);

}  // namespace raster
