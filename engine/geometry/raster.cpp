// Software rasteriser: which triangle does each pixel see, and how far away.
//
// A pixel is covered when its centre lies inside the triangle; coordinates are snapped to 1/256 pixel and edges are
// evaluated in whole numbers with the top-left rule, so that neighbouring triangles neither overlap nor leave gaps.
// Bands of rows are independent, and inside a band triangles come in their given order: on equal depth the first one
// stays. The result is therefore the same for any number of threads.
#include "geometry/raster.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "core/threads.h"

namespace {

constexpr double kSubpixels = 256.0;
constexpr double kLargest = 1 << 20;  // pixels; triangles that reach further are left out: products must fit 64 bits
constexpr int kBandRows = 16;

struct Corner {
    std::int64_t x, y;
};

// a triangle ready to be drawn, turned so that its interior is on the positive side of all edges
struct Setup {
    Corner p[3];
    double z[3];
    std::int64_t area;  // twice, in 1/256 pixels squared
    int row0, row1, column0, column1;
    bool swapped;
};

struct Mesh {
    const double *point;  // (n, 3): x and y in pixels (y down), depth
    const std::int32_t *triangle;
    const Corner *corner;  // (n): points on the grid
};

constexpr std::int64_t kNowhere = std::int64_t{1} << 40;

// nearest whole number, without a library call; the offset makes the cut-off of digits a floor
std::int64_t snap(double pixels) {
    constexpr double offset = 1 << 30;
    return static_cast<std::int64_t>(pixels * kSubpixels + (offset + 0.5)) - (std::int64_t{1} << 30);
}

Corner snapped(const double *v) {
    // the comparison is false for NaN as well
    if (!(std::abs(v[0]) < kLargest && std::abs(v[1]) < kLargest && std::isfinite(v[2]))) return {kNowhere, 0};
    return {snap(v[0]), snap(v[1])};
}

void snap_points(const double *point, std::size_t begin, std::size_t end, Corner *corner) {
    for (std::size_t i = begin; i < end; ++i) corner[i] = snapped(point + 3 * i);
}

std::int64_t cross(const Corner &a, const Corner &b, const Corner &p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// first and last pixel whose centre may lie in [low, high] (in subpixels)
int first_pixel(std::int64_t low) { return static_cast<int>((low + 127) >> 8); }
int last_pixel(std::int64_t high) { return static_cast<int>((high - 128) >> 8); }

// returns false when there is nothing to draw
bool set_up(const Mesh &mesh, std::size_t t, int width, int height, int cull, Setup &s) {
    for (int k = 0; k < 3; ++k) {
        const std::size_t v = static_cast<std::size_t>(mesh.triangle[3 * t + k]);
        s.p[k] = mesh.corner[v];
        s.z[k] = mesh.point[3 * v + 2];
    }
    s.area = 0;
    if (s.p[0].x == kNowhere || s.p[1].x == kNowhere || s.p[2].x == kNowhere) return false;
    // small triangles often lie between pixel centres: look at the box first
    const auto [x0, x1] = std::minmax({s.p[0].x, s.p[1].x, s.p[2].x});
    const auto [y0, y1] = std::minmax({s.p[0].y, s.p[1].y, s.p[2].y});
    s.column0 = std::max(first_pixel(x0), 0);
    s.column1 = std::min(last_pixel(x1), width - 1);
    s.row0 = std::max(first_pixel(y0), 0);
    s.row1 = std::min(last_pixel(y1), height - 1);
    if (s.column0 > s.column1 || s.row0 > s.row1) return false;
    s.area = cross(s.p[0], s.p[1], s.p[2]);
    if (s.area == 0) return false;
    // with y down, a triangle that is counter-clockwise to the viewer has a negative area
    if (cull != 0 && (s.area < 0) != (cull > 0)) return false;
    s.swapped = s.area < 0;
    if (s.swapped) {
        std::swap(s.p[1], s.p[2]);
        std::swap(s.z[1], s.z[2]);
        s.area = -s.area;
    }
    return true;
}

// edge k is opposite corner k: value at a pixel centre and its change per column
struct EdgeLine {
    std::int64_t a, b, c, bias;
    EdgeLine(const Corner &from, const Corner &to) {
        const std::int64_t dx = to.x - from.x, dy = to.y - from.y;
        a = -dy;
        b = dx;
        c = dy * from.x - dx * from.y;
        // top edges run right, left edges run up (y down, interior on the positive side): they own their pixels
        bias = (dy < 0 || (dy == 0 && dx > 0)) ? 0 : -1;
    }
    std::int64_t at(std::int64_t x, std::int64_t y) const { return a * x + b * y + c; }
};

template <bool farthest>
void draw(const Setup &s, std::int32_t id, int row0, int row1, int width, std::int32_t *ids, float *depth) {
    const EdgeLine e0(s.p[1], s.p[2]), e1(s.p[2], s.p[0]), e2(s.p[0], s.p[1]);
    const double scale = 1.0 / static_cast<double>(s.area);
    const double d1 = (s.z[1] - s.z[0]) * scale, d2 = (s.z[2] - s.z[0]) * scale;
    const std::int64_t x = static_cast<std::int64_t>(s.column0) * 256 + 128;
    for (int row = row0; row <= row1; ++row) {
        const std::int64_t y = static_cast<std::int64_t>(row) * 256 + 128;
        std::int64_t w0 = e0.at(x, y) + e0.bias, w1 = e1.at(x, y) + e1.bias, w2 = e2.at(x, y) + e2.bias;
        std::int32_t *id_row = ids + static_cast<std::size_t>(row) * width;
        float *depth_row = depth + static_cast<std::size_t>(row) * width;
        for (int column = s.column0; column <= s.column1; ++column) {
            if ((w0 | w1 | w2) >= 0) {
                const double z = s.z[0] + static_cast<double>(w1 - e1.bias) * d1 + static_cast<double>(w2 - e2.bias) * d2;
                const float zf = static_cast<float>(z);
                if (farthest ? zf > depth_row[column] : zf < depth_row[column]) {
                    depth_row[column] = zf;
                    id_row[column] = id;
                }
            }
            w0 += e0.a * 256;
            w1 += e1.a * 256;
            w2 += e2.a * 256;
        }
    }
}

// which triangles may touch each band of rows, in their order
struct Bands {
    std::vector<std::uint32_t> start, triangle;
};

// first and last band of each triangle (last < first: none) -> lists by band
Bands sort_bands(const std::vector<std::int32_t> &range, int bands) {
    Bands b;
    b.start.assign(static_cast<std::size_t>(bands) + 1, 0);
    const std::size_t count = range.size() / 2;
    for (std::size_t t = 0; t < count; ++t)
        for (std::int32_t k = range[2 * t]; k <= range[2 * t + 1]; ++k) ++b.start[k + 1];
    for (int k = 0; k < bands; ++k) b.start[k + 1] += b.start[k];
    b.triangle.resize(b.start[bands]);
    std::vector<std::uint32_t> next(b.start.begin(), b.start.end() - 1);
    for (std::size_t t = 0; t < count; ++t)
        for (std::int32_t k = range[2 * t]; k <= range[2 * t + 1]; ++k)
            b.triangle[next[k]++] = static_cast<std::uint32_t>(t);
    return b;
}

// bands that a triangle's height may touch; from its corners alone
void band_range(const Mesh &mesh, std::size_t t, int height, std::int32_t *range) {
    const std::int32_t *v = mesh.triangle + 3 * t;
    const Corner &a = mesh.corner[v[0]], &b = mesh.corner[v[1]], &c = mesh.corner[v[2]];
    range[0] = 1;
    range[1] = 0;
    if (a.x == kNowhere || b.x == kNowhere || c.x == kNowhere) return;
    const int row0 = std::max(first_pixel(std::min({a.y, b.y, c.y})), 0);
    const int row1 = std::min(last_pixel(std::max({a.y, b.y, c.y})), height - 1);
    if (row0 > row1) return;
    range[0] = row0 / kBandRows;
    range[1] = row1 / kBandRows;
}

using raster::Picture;
using raster::Surface;

template <bool farthest>
void draw_band(const Mesh &mesh, const Bands &bands, int band, const Picture &out) {
    const int first = band * kBandRows, last = std::min(first + kBandRows, out.height) - 1;
    const float nothing = farthest ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
    const std::size_t begin = static_cast<std::size_t>(first) * out.width;
    const std::size_t end = static_cast<std::size_t>(last + 1) * out.width;
    std::fill(out.ids + begin, out.ids + end, -1);
    std::fill(out.depth + begin, out.depth + end, nothing);
    Setup s;
    for (std::uint32_t i = bands.start[band]; i < bands.start[band + 1]; ++i) {
        const std::uint32_t t = bands.triangle[i];
        if (!set_up(mesh, t, out.width, out.height, out.cull, s)) continue;
        draw<farthest>(s, static_cast<std::int32_t>(t), std::max(s.row0, first), std::min(s.row1, last), out.width,
                       out.ids, out.depth);
    }
}

void see(const Surface &surface, bool farthest, const Picture &out, int size) {
    const std::size_t point_count = surface.points.rows(), count = surface.triangles.rows();
    std::vector<std::int32_t> range(2 * count);
    std::vector<Corner> corners(point_count);
    const Mesh mesh{surface.points.data(), surface.triangles.data(), corners.data()};
    const int band_count = (out.height + kBandRows - 1) / kBandRows;
    Bands bands;
    std::atomic<int> next{0};
    run_team(size, [&](int rank, int n, Barrier &barrier) {
        const Share some = share(point_count, rank, n);
        snap_points(mesh.point, some.begin, some.end, corners.data());
        barrier.wait();
        const Share part = share(count, rank, n);
        for (std::size_t t = part.begin; t < part.end; ++t) band_range(mesh, t, out.height, &range[2 * t]);
        barrier.wait();
        if (rank == 0) bands = sort_bands(range, band_count);
        barrier.wait();
        // bands are independent: whoever is free takes the next one
        for (int band = next++; band < band_count; band = next++)
            farthest ? draw_band<true>(mesh, bands, band, out) : draw_band<false>(mesh, bands, band, out);
    });
}

// shares of corners 1 and 2 at a pixel centre, as they are on the screen
void screen_weights(const Setup &s, int column, int row, double &w1, double &w2) {
    const Corner p{static_cast<std::int64_t>(column) * 256 + 128, static_cast<std::int64_t>(row) * 256 + 128};
    const double scale = 1.0 / static_cast<double>(s.area);
    w1 = static_cast<double>(cross(s.p[2], s.p[0], p)) * scale;
    w2 = static_cast<double>(cross(s.p[0], s.p[1], p)) * scale;
    if (s.swapped) std::swap(w1, w2);
}

}  // namespace

void raster::draw(const Surface &surface, bool farthest, const Picture &out) {
    see(surface, farthest, out, surface.triangles.rows() < 256 && out.height * out.width < 65536 ? 1 : thread_count());
}

void raster::draw_alone(const Surface &surface, bool farthest, const Picture &out) { see(surface, farthest, out, 1); }

void raster::shares_alone(const Surface &surface, const Picture &drawn, float *shares) {
    std::vector<Corner> corners(surface.points.rows());
    snap_points(surface.points.data(), 0, corners.size(), corners.data());
    const Mesh mesh{surface.points.data(), surface.triangles.data(), corners.data()};
    Setup s{};
    std::int32_t current = -1;
    std::size_t i = 0;
    for (int row = 0; row < drawn.height; ++row)
        for (int column = 0; column < drawn.width; ++column, ++i) {
            const std::int32_t t = drawn.ids[i];
            if (t < 0) continue;
            if (t != current) set_up(mesh, t, drawn.width, drawn.height, 0, s);
            current = t;
            double w1 = 0, w2 = 0;
            if (s.area != 0) screen_weights(s, column, row, w1, w2);
            shares[2 * i] = static_cast<float>(w1);
            shares[2 * i + 1] = static_cast<float>(w2);
        }
}

void raster::pixel_weights(const Surface &surface, const Seen &seen, const double *iw, float *weights) {
    std::vector<Corner> corners(surface.points.rows());
    snap_points(surface.points.data(), 0, corners.size(), corners.data());
    const Mesh mesh{surface.points.data(), surface.triangles.data(), corners.data()};
    const auto weigh = [&](std::size_t begin, std::size_t end) {
        Setup s{};
        std::int32_t current = -1;
        for (std::size_t i = begin; i < end; ++i) {
            const std::int32_t t = seen.id[i];
            if (t != current) set_up(mesh, t, seen.width, seen.height, 0, s);
            current = t;
            if (s.area == 0) continue;
            double w1, w2;
            screen_weights(s, seen.pixel[i] % seen.width, seen.pixel[i] / seen.width, w1, w2);
            if (iw) {
                const std::int32_t *v = mesh.triangle + 3 * static_cast<std::size_t>(t);
                const double a = (1.0 - w1 - w2) * iw[v[0]], b = w1 * iw[v[1]], c = w2 * iw[v[2]];
                const double sum = a + b + c;
                w1 = b / sum;
                w2 = c / sum;
            }
            weights[2 * i] = static_cast<float>(w1);
            weights[2 * i + 1] = static_cast<float>(w2);
        }
    };
    for_ranges(seen.pixel.rows(), 4096, weigh);
}

void raster::mix(IndicesView id, const float *weights, TrianglesView triangles, const Values &values, float *out) {
    const std::size_t k = values.width;
    const float *v = values.value;
    for_ranges(id.rows(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::int32_t *corner = triangles.row(static_cast<std::size_t>(id[i]));
            const float w1 = weights[2 * i], w2 = weights[2 * i + 1], w0 = 1.0f - w1 - w2;
            const float *a = v + corner[0] * k, *b = v + corner[1] * k, *c = v + corner[2] * k;
            for (std::size_t j = 0; j < k; ++j) out[i * k + j] = w0 * a[j] + w1 * b[j] + w2 * c[j];
        }
    });
}

void raster::unhidden(const DepthMap &map, PointsView points, double bias, float *out) {
    for_ranges(points.rows(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double *p = points.row(i);
            const double x = p[0] - 0.5, y = p[1] - 0.5;
            out[i] = 1.0f;
            if (!(x >= 0 && y >= 0 && x < map.width - 1 && y < map.height - 1)) continue;
            const int c = static_cast<int>(x), r = static_cast<int>(y);
            const float *at = map.depth + static_cast<std::size_t>(r) * map.width + c;
            const double limit = p[2] - bias, fx = x - c, fy = y - r;
            const double top = (at[0] >= limit) * (1 - fx) + (at[1] >= limit) * fx;
            const double low = (at[map.width] >= limit) * (1 - fx) + (at[map.width + 1] >= limit) * fx;
            out[i] = static_cast<float>(top * (1 - fy) + low * fy);
        }
    });
}
