#include "contact/limb_maps.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/threads.h"
#include "geometry/raster.h"

using map_lookup::Hit;
using map_lookup::kValues;
using map_lookup::sample;
using map_lookup::MapOptions;
using map_lookup::View;
using surface::cross;
using surface::dot;
using surface::load;
using surface::normalised;
using surface::Vec3;

namespace {
constexpr std::size_t kBlock = 64;  // points that are tested against a part's box at once
constexpr int kLargest = 4096;    // pixels a side
constexpr float kUnseen = std::numeric_limits<float>::infinity();

void bound(const double *points, std::size_t begin, std::size_t end, Vec3 &centre, Vec3 &half) {
    Vec3 low = load(points + 3 * begin), high = low;
    for (std::size_t i = begin + 1; i < end; ++i) {
        const Vec3 p = load(points + 3 * i);
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    centre = 0.5 * (low + high), half = 0.5 * (high - low);
}
}  // namespace

PartMaps::PartMaps(const Shown &own, const Shown &behind, int part_count, std::size_t vertex_count) {
    parts_.resize(part_count);
    std::vector<std::int32_t> place(vertex_count, -1);
    const auto take = [&](Part &part, int k, const Shown &from, std::vector<std::int32_t> &to) {
        for (std::size_t t = 0; t < from.triangles.rows(); ++t) {
            if (from.part[t] != k) continue;
            for (int c = 0; c < 3; ++c) {
                const std::int32_t v = from.triangles[3 * t + c];
                if (place[v] < 0) place[v] = static_cast<std::int32_t>(part.vertex.size()), part.vertex.push_back(v);
                to.push_back(place[v]);
            }
        }
    };
    for (int k = 0; k < part_count; ++k) {
        Part &part = parts_[k];
        std::fill(place.begin(), place.end(), -1);
        take(part, k, own, part.triangle);
        part.own_count = part.vertex.size();
        take(part, k, behind, part.behind);
        for (const std::int32_t v : part.triangle) body_.push_back(part.vertex[v]);
    }
    vertex_.resize(vertex_count), velocity_.resize(vertex_count), normal_.resize(vertex_count);
}

// area-weighted; triangles that several parts show count as often, which does not matter
void PartMaps::vertex_normals() {
    std::fill(normal_.begin(), normal_.end(), Vec3{0, 0, 0});
    for (std::size_t t = 0; t < body_.size(); t += 3) {
        const std::int32_t a = body_[t], b = body_[t + 1], c = body_[t + 2];
        const Vec3 n = cross(vertex_[b] - vertex_[a], vertex_[c] - vertex_[a]);
        normal_[a] = normal_[a] + n, normal_[b] = normal_[b] + n, normal_[c] = normal_[c] + n;
    }
    for (Vec3 &n : normal_) n = normalised(n);
}

void PartMaps::pose(PointsView vertices, PointsView velocity, const double *frames) {
    for (std::size_t v = 0; v < vertex_.size(); ++v)
        vertex_[v] = load(vertices.row(v)), velocity_[v] = load(velocity.row(v));
    vertex_normals();
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        Part &part = parts_[k];
        const double *f = frames + 12 * k;
        part.frame = {load(f), load(f + 3), load(f + 6), load(f + 9)};
        part.drawn = false;
        part.place.resize(part.vertex.size());
        constexpr double inf = std::numeric_limits<double>::infinity();
        part.low = {inf, inf, inf}, part.high = {-inf, -inf, -inf};
        for (std::size_t i = 0; i < part.vertex.size(); ++i) {
            const Vec3 p = part.place[i] = part.frame.to_part(vertex_[part.vertex[i]]);
            if (i >= part.own_count) continue;
            part.low = {std::min(part.low.x, p.x), std::min(part.low.y, p.y), std::min(part.low.z, p.z)};
            part.high = {std::max(part.high.x, p.x), std::max(part.high.y, p.y), std::max(part.high.z, p.z)};
        }
    }
}

// one layer of pixels round what is seen: the mean of the seen neighbours
void PartMaps::grow(const Part &part, Side &side) const {
    const int w = part.width, h = part.height;
    std::vector<std::int32_t> added;
    for (int r = 0; r < h; ++r)
        for (int c = 0; c < w; ++c) {
            const std::size_t i = static_cast<std::size_t>(r) * w + c;
            if (side.seen[i]) continue;
            float total[9] = {};
            int count = 0;
            for (int dr = -1; dr <= 1; ++dr)
                for (int dc = -1; dc <= 1; ++dc) {
                    if (r + dr < 0 || r + dr >= h || c + dc < 0 || c + dc >= w) continue;
                    const std::size_t j = static_cast<std::size_t>(r + dr) * w + c + dc;
                    if (!side.seen[j]) continue;
                    for (int a = 0; a < 9; ++a) total[a] += side.values[9 * j + a];
                    ++count;
                }
            if (!count) continue;
            for (int a = 0; a < 9; ++a) side.values[9 * i + a] = total[a] / static_cast<float>(count);
            added.push_back(static_cast<std::int32_t>(i));
        }
    for (const std::int32_t i : added) side.seen[i] = 1;
}

PartMaps::Side PartMaps::draw_side(const Part &part, const std::vector<std::int32_t> &triangles, bool back) const {
    const int w = part.width, h = part.height;
    const std::size_t pixels = static_cast<std::size_t>(w) * h;
    std::vector<double> point(3 * part.place.size());
    for (std::size_t i = 0; i < part.place.size(); ++i) {
        point[3 * i] = (part.place[i].x - part.left) / o_.pixel;
        point[3 * i + 1] = (part.top - part.place[i].y) / o_.pixel;
        point[3 * i + 2] = part.place[i].z;
    }
    std::vector<std::int32_t> ids(pixels);
    std::vector<float> depth(pixels), shares(2 * pixels);
    const raster::Picture picture{w, h, back ? -1 : 1, ids.data(), depth.data()};
    const raster::Surface surface{{point.data(), part.place.size()}, {triangles.data(), triangles.size() / 3}};
    raster::draw_alone(surface, !back, picture);
    raster::shares_alone(surface, picture, shares.data());
    Side side{std::vector<char>(pixels, 0), std::vector<float>(9 * pixels)};
    for (std::size_t i = 0; i < pixels; ++i) {
        if (ids[i] < 0) continue;
        side.seen[i] = 1;
        const std::int32_t *t = triangles.data() + 3 * static_cast<std::size_t>(ids[i]);
        const std::int32_t a = part.vertex[t[0]], b = part.vertex[t[1]], c = part.vertex[t[2]];
        const double w1 = shares[2 * i], w2 = shares[2 * i + 1], w0 = 1 - w1 - w2;
        const Vec3 n = part.frame.turned(w0 * normal_[a] + w1 * normal_[b] + w2 * normal_[c]);
        const Vec3 v = w0 * velocity_[a] + w1 * velocity_[b] + w2 * velocity_[c];
        const double x = part.left + (static_cast<double>(i % w) + 0.5) * o_.pixel;
        const double y = part.top - (static_cast<double>(i / w) + 0.5) * o_.pixel;
        const double all[9] = {n.x, n.y, n.z, v.x, v.y, v.z, x, y, depth[i]};
        for (int k = 0; k < 9; ++k) side.values[9 * i + k] = static_cast<float>(all[k]);
    }
    return side;
}

// A part is cut off slantwise where it meets its neighbours, so that one camera sees its skin where the other sees none. Without a second
// side there is no inside, and cloth would sink in there: the second side is the neighbour's.
void PartMaps::fill(const Part &part, Side sides[2]) const {
    if (part.behind.empty()) return;
    const Side own[2] = {sides[0], sides[1]};
    for (int back = 0; back < 2; ++back) {
        const Side found = draw_side(part, part.behind, back);
        for (std::size_t i = 0; i < found.seen.size(); ++i) {
            if (own[back].seen[i] || !own[!back].seen[i] || !found.seen[i]) continue;
            const float depth = found.values[9 * i + 8], other = own[!back].values[9 * i + 8];
            if (back ? depth >= other : depth <= other) continue;
            sides[back].seen[i] = 1;
            std::copy_n(found.values.begin() + 9 * i, 9, sides[back].values.begin() + 9 * i);
        }
    }
}

void PartMaps::draw_part(Part &part) const {
    Side sides[2] = {draw_side(part, part.triangle, false), draw_side(part, part.triangle, true)};
    fill(part, sides);
    for (int back = 0; back < 2; ++back) {
        for (int k = 0; k < o_.rim; ++k) grow(part, sides[back]);
        write(part, sides[back], back);
    }
}

void PartMaps::write(Part &part, const Side &side, bool back) const {
    for (std::size_t i = 0; i < side.seen.size(); ++i) {
        float *out = part.pixel.data() + (2 * i + back) * kValues;
        std::fill(out, out + kValues, 0.0f);
        out[4] = back ? kUnseen : -kUnseen;
        if (!side.seen[i]) continue;
        const float *from = side.values.data() + 9 * i;
        const Vec3 n = normalised(load(from)), s = load(from + 6);
        surface::store(out, n);
        out[3] = static_cast<float>(dot(n, s) + o_.tolerance);
        out[4] = static_cast<float>(s.z + (back ? -o_.tolerance : o_.tolerance));
        out[5] = from[3], out[6] = from[4], out[7] = from[5];
    }
}

bool PartMaps::fits(const Part &part) const {
    return part.triangle.empty() || (part.high.x - part.low.x < kLargest * o_.pixel && part.high.y - part.low.y < kLargest * o_.pixel);
}

void PartMaps::set_size(Part &part) const {
    const double margin = (o_.rim + 1) * o_.pixel;
    part.drawn = true;
    part.pixel.clear();
    part.width = part.height = 0;
    if (part.triangle.empty()) return;
    part.width = static_cast<int>(std::ceil((part.high.x - part.low.x + 2 * margin) / o_.pixel));
    part.height = static_cast<int>(std::ceil((part.high.y - part.low.y + 2 * margin) / o_.pixel));
    part.left = 0.5 * (part.low.x + part.high.x) - 0.5 * part.width * o_.pixel;
    part.top = 0.5 * (part.low.y + part.high.y) + 0.5 * part.height * o_.pixel;
    part.pixel.resize(static_cast<std::size_t>(part.width) * part.height * 2 * kValues);
}

bool PartMaps::draw(FlagsView wanted) {
    std::vector<int> todo;
    for (std::size_t k = 0; k < parts_.size(); ++k)
        if (wanted[k] && !parts_[k].drawn && !fits(parts_[k])) return false;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        if (!wanted[k] || parts_[k].drawn) continue;
        set_size(parts_[k]);
        if (!parts_[k].triangle.empty()) todo.push_back(static_cast<int>(k));
    }
    // the largest first: better balance
    std::stable_sort(todo.begin(), todo.end(), [&](int a, int b) { return parts_[a].pixel.size() > parts_[b].pixel.size(); });
    std::atomic<std::size_t> next{0};
    run_team(todo.size() > 1 ? thread_count() : 1, [&](int, int, Barrier &) {
        for (std::size_t i = next++; i < todo.size(); i = next++) draw_part(parts_[todo[i]]);
    });
    return true;
}

bool PartMaps::in_box(const Part &part, Vec3 p) const {
    const double r = o_.reach + o_.tolerance;
    return p.x > part.low.x - r && p.x < part.high.x + r && p.y > part.low.y - r && p.y < part.high.y + r &&
           p.z > part.low.z - r && p.z < part.high.z + r;
}

// can a world-aligned box (centre, half sides) touch the part's own box?
bool PartMaps::near_box(const Part &part, Vec3 centre, Vec3 half) const {
    const Vec3 c = part.frame.to_part(centre);
    const Frame &f = part.frame;
    const auto extent = [&](Vec3 a) { return std::abs(a.x) * half.x + std::abs(a.y) * half.y + std::abs(a.z) * half.z; };
    const double r = o_.reach + o_.tolerance, ex = extent(f.x) + r, ey = extent(f.y) + r, ez = extent(f.z) + r;
    return c.x > part.low.x - ex && c.x < part.high.x + ex && c.y > part.low.y - ey && c.y < part.high.y + ey &&
           c.z > part.low.z - ez && c.z < part.high.z + ez;
}

std::vector<char> PartMaps::touched(PointsView points, std::size_t every) const {
    const std::size_t n = points.rows(), blocks = (n + kBlock - 1) / kBlock;
    std::vector<std::atomic<bool>> found(parts_.size());
    for_ranges(blocks, 256, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            const std::size_t begin = b * kBlock, end = std::min(n, begin + kBlock);
            Vec3 centre, half;
            bound(points.data(), begin, end, centre, half);
            for (std::size_t k = 0; k < parts_.size(); ++k) {
                const Part &part = parts_[k];
                if (found[k].load(std::memory_order_relaxed) || part.triangle.empty() || !near_box(part, centre, half)) continue;
                for (std::size_t i = (begin + every - 1) / every * every; i < end; i += every)
                    if (in_box(part, part.frame.to_part(load(points.row(i))))) {
                        found[k].store(true, std::memory_order_relaxed);
                        break;
                    }
            }
        }
    });
    return std::vector<char>(found.begin(), found.end());
}

void PartMaps::look_up_block(PointsView points, std::size_t begin, std::size_t end, bool cull, std::vector<const Part *> &near, Contacts &out) const {
    Vec3 centre{}, half{};
    if (cull) bound(points.data(), begin, end, centre, half);
    near.clear();
    for (const Part &part : parts_)
        if (part.drawn && part.width && (!cull || near_box(part, centre, half))) near.push_back(&part);
    for (std::size_t i = begin; i < end && !near.empty(); ++i) {
        const Vec3 p = load(points.row(i));
        for (const Part *part : near) {
            Hit hit;
            if (!sample({part->width, part->height, part->left, part->top, part->pixel.data()}, o_, part->frame.to_part(p), hit)) continue;
            out.add(i, hit.gap, part->frame.to_world(hit.normal), hit.velocity);
            out.part.push_back(static_cast<std::int32_t>(part - parts_.data()));
        }
    }
}

PartMaps::Contacts PartMaps::look_up(PointsView points, bool cull) const {
    const std::size_t n = points.rows(), blocks = (n + kBlock - 1) / kBlock;
    const int size = n < 4096 ? 1 : thread_count();
    std::vector<Contacts> found(size);
    run_team(size, [&](int rank, int team, Barrier &) {
        const Share mine = share(blocks, rank, team);
        std::vector<const Part *> near;
        for (std::size_t b = mine.begin; b < mine.end; ++b) look_up_block(points, b * kBlock, std::min(n, (b + 1) * kBlock), cull, near, found[rank]);
    });
    const auto append = [](auto &to, const auto &from) { to.insert(to.end(), from.begin(), from.end()); };
    for (int r = 1; r < size; ++r) {
        append(found[0].particle, found[r].particle), append(found[0].part, found[r].part), append(found[0].gap, found[r].gap);
        append(found[0].normal, found[r].normal), append(found[0].velocity, found[r].velocity);
    }
    return std::move(found[0]);
}

std::vector<double> PartMaps::boxes() const {
    std::vector<double> out;
    for (const Part &p : parts_)
        for (const double a : {p.low.x, p.low.y, p.low.z, p.high.x, p.high.y, p.high.z}) out.push_back(a);
    return out;
}

View PartMaps::map(std::size_t part) const {
    const Part &p = parts_[part];
    return {p.width, p.height, p.left, p.top, p.pixel.data()};
}

ContactList look_up_map(PointsView points, const View &map, const MapOptions &options) {
    const std::size_t n = points.rows();
    std::vector<Hit> hits(n);
    std::vector<char> found(n, 0);
    for_ranges(n, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) found[i] = sample(map, options, load(points.row(i)), hits[i]);
    });
    ContactList list;
    for (std::size_t i = 0; i < n; ++i)
        if (found[i]) list.add(i, hits[i].gap, hits[i].normal, hits[i].velocity);
    return list;
}
