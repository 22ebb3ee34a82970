// The rasteriser for other kernels: serial, to be called from inside a team of threads.
#pragma once
#include <cstddef>
#include <cstdint>

namespace raster {

struct Picture {
    int width, height, cull;  // cull: 1 keeps triangles that are counter-clockwise to the viewer, -1 the others, 0 all
    std::int32_t *ids;        // (height, width): triangle, -1 where there is none
    float *depth;             // (height, width)
};

// points: x, y in pixels (y down), depth; indices must be valid
void draw_alone(const double *points, std::size_t point_count, const std::int32_t *triangles, std::size_t count,
                bool farthest, const Picture &out);

// shares of corners 1 and 2 at each covered pixel, (height, width, 2)
void shares_alone(const double *points, std::size_t point_count, const std::int32_t *triangles, const Picture &drawn,
                  float *shares);

}  // namespace raster
