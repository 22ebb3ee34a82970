// Depth, normal and velocity maps of parts of a body, each from the front and from the back of its own frame, and the
// look-up of cloth points in them (Rodríguez-Navarro et al. 2005; Vassilev et al. 2001 with the whole body as one part).
//
// A pixel holds what both cameras see there: 2 × (normal, plane offset, depth, velocity), one cache line. Maps are drawn
// part by part and side by side; points are shared out in ranges. The result is the same for any number of threads.
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "bind.h"
#include "contact/map_lookup.h"
#include "geometry/raster.h"
#include "core/vector3.h"
#include "core/threads.h"

namespace {

using surface::cross;
using surface::dot;
using surface::load;
using surface::normalised;
using surface::Vec3;
using map_lookup::Hit;
using map_lookup::kValues;
using map_lookup::look;
using map_lookup::MapOptions;
using map_lookup::View;

constexpr std::size_t kBlock = 64;  // points that are tested against a part's box at once
constexpr int kLargest = 4096;    // pixels a side
constexpr float kUnseen = std::numeric_limits<float>::infinity();

// frame: rows are the part's axes in the world, then its origin
struct Frame {
    Vec3 x, y, z, origin;
    Vec3 to_part(Vec3 p) const {
        const Vec3 d = p - origin;
        return {dot(x, d), dot(y, d), dot(z, d)};
    }
    Vec3 turned(Vec3 v) const { return {dot(x, v), dot(y, v), dot(z, v)}; }
    Vec3 to_world(Vec3 v) const { return v.x * x + v.y * y + v.z * z; }
};

struct Part {
    std::vector<std::int32_t> vertex;    // of the body
    std::vector<std::int32_t> triangle;  // (t, 3), into vertex
    std::vector<Vec3> place;             // in the part's frame
    Frame frame{};
    Vec3 low{}, high{};                  // box of the places
    bool drawn = false;
    int width = 0, height = 0;
    double left = 0, top = 0;
    std::vector<float> pixel;            // (height, width, side, kValues)
};

class PartMaps {
  public:
    PartMaps(Triangles triangles, In<std::int32_t, -1> triangle_part, int part_count, std::size_t vertex_count);
    void pose(Points vertices, Points velocity, In<double, -1, 4, 3> frames);
    void draw(In<bool, -1> wanted);
    nb::ndarray<nb::numpy, bool> touched(Points points, std::size_t every) const;
    nb::tuple look_up(Points points, bool cull) const;
    nb::ndarray<nb::numpy, double> boxes() const;
    nb::tuple texels(int part) const;
    void set_options(double pixel, double tolerance, double reach, double silhouette, int rim, bool refine);
    std::size_t part_count() const { return parts_.size(); }

  private:
    void vertex_normals();
    void draw_side(Part &part, bool back) const;
    void grow(const Part &part, std::vector<char> &seen, std::vector<float> &values) const;
    bool near_box(const Part &part, Vec3 centre, Vec3 half) const;
    bool in_box(const Part &part, Vec3 p) const;

    std::vector<Part> parts_;
    std::vector<std::int32_t> body_;  // all triangles once, for the normals
    std::vector<Vec3> vertex_, velocity_, normal_;
    MapOptions o_{0.005, 0, 0.02, 0.005, 1, true};
};

// a triangle may be given several times, once per part that shows it
PartMaps::PartMaps(Triangles triangles, In<std::int32_t, -1> triangle_part, int part_count, std::size_t vertex_count) {
    require(part_count > 0 && part_count <= 256, "1 to 256 parts");
    require(triangle_part.shape(0) == triangles.shape(0), "one part per triangle");
    require(vertex_count < (std::size_t{1} << 31), "too many vertices");
    require_indices(triangles, vertex_count, "a triangle names a vertex that does not exist");
    require_indices(triangle_part, part_count, "a triangle names a part that does not exist");
    parts_.resize(part_count);
    std::vector<std::int32_t> place(vertex_count, -1);
    for (int k = 0; k < part_count; ++k) {
        Part &part = parts_[k];
        std::fill(place.begin(), place.end(), -1);
        for (std::size_t t = 0; t < triangles.shape(0); ++t) {
            if (triangle_part.data()[t] != k) continue;
            for (int c = 0; c < 3; ++c) {
                const std::int32_t v = triangles.data()[3 * t + c];
                if (place[v] < 0) place[v] = static_cast<std::int32_t>(part.vertex.size()), part.vertex.push_back(v);
                part.triangle.push_back(place[v]);
                body_.push_back(v);
            }
        }
    }
    vertex_.resize(vertex_count), velocity_.resize(vertex_count), normal_.resize(vertex_count);
}

void PartMaps::set_options(double pixel, double tolerance, double reach, double silhouette, int rim, bool refine) {
    require(pixel > 1e-5 && pixel < 1, "a pixel has a side between 0.01 mm and 1 m");
    require(reach > 0 && reach < 1 && tolerance >= 0 && tolerance < 1 && silhouette >= 0 && silhouette < 1,
            "reach, tolerance and silhouette are lengths below 1 m");
    require(rim >= 0 && rim <= 16, "0 to 16 pixels of rim");
    o_ = {pixel, tolerance, reach, silhouette, rim, refine};
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

void PartMaps::pose(Points vertices, Points velocity, In<double, -1, 4, 3> frames) {
    require(vertices.shape(0) == vertex_.size() && velocity.shape(0) == vertex_.size(), "wrong number of vertices");
    require(frames.shape(0) == parts_.size(), "one frame per part");
    nb::gil_scoped_release free_python;
    for (std::size_t v = 0; v < vertex_.size(); ++v)
        vertex_[v] = load(vertices.data() + 3 * v), velocity_[v] = load(velocity.data() + 3 * v);
    vertex_normals();
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        Part &part = parts_[k];
        const double *f = frames.data() + 12 * k;
        part.frame = {load(f), load(f + 3), load(f + 6), load(f + 9)};
        part.drawn = false;
        part.place.resize(part.vertex.size());
        constexpr double inf = std::numeric_limits<double>::infinity();
        part.low = {inf, inf, inf}, part.high = {-inf, -inf, -inf};
        for (std::size_t i = 0; i < part.vertex.size(); ++i) {
            const Vec3 p = part.place[i] = part.frame.to_part(vertex_[part.vertex[i]]);
            part.low = {std::min(part.low.x, p.x), std::min(part.low.y, p.y), std::min(part.low.z, p.z)};
            part.high = {std::max(part.high.x, p.x), std::max(part.high.y, p.y), std::max(part.high.z, p.z)};
        }
    }
}

// one layer of pixels round what is seen: the mean of the seen neighbours. values: (pixel, 9) normal, velocity, x, y, z
void PartMaps::grow(const Part &part, std::vector<char> &seen, std::vector<float> &values) const {
    const int w = part.width, h = part.height;
    std::vector<std::int32_t> added;
    for (int r = 0; r < h; ++r)
        for (int c = 0; c < w; ++c) {
            const std::size_t i = static_cast<std::size_t>(r) * w + c;
            if (seen[i]) continue;
            float total[9] = {};
            int count = 0;
            for (int dr = -1; dr <= 1; ++dr)
                for (int dc = -1; dc <= 1; ++dc) {
                    if (r + dr < 0 || r + dr >= h || c + dc < 0 || c + dc >= w) continue;
                    const std::size_t j = static_cast<std::size_t>(r + dr) * w + c + dc;
                    if (!seen[j]) continue;
                    for (int a = 0; a < 9; ++a) total[a] += values[9 * j + a];
                    ++count;
                }
            if (!count) continue;
            for (int a = 0; a < 9; ++a) values[9 * i + a] = total[a] / static_cast<float>(count);
            added.push_back(static_cast<std::int32_t>(i));
        }
    for (const std::int32_t i : added) seen[i] = 1;
}

void PartMaps::draw_side(Part &part, bool back) const {
    const int w = part.width, h = part.height;
    const std::size_t pixels = static_cast<std::size_t>(w) * h;
    std::vector<double> point(3 * part.place.size());
    for (std::size_t i = 0; i < part.place.size(); ++i) {
        point[3 * i] = (part.place[i].x - part.left) / o_.pixel;
        point[3 * i + 1] = (part.top - part.place[i].y) / o_.pixel;
        point[3 * i + 2] = part.place[i].z;
    }
    std::vector<std::int32_t> ids(pixels);
    std::vector<float> depth(pixels), shares(2 * pixels), place(9 * pixels);
    const raster::Picture picture{w, h, back ? -1 : 1, ids.data(), depth.data()};
    raster::draw_alone(point.data(), part.place.size(), part.triangle.data(), part.triangle.size() / 3, !back, picture);
    raster::shares_alone(point.data(), part.place.size(), part.triangle.data(), picture, shares.data());
    std::vector<char> seen(pixels, 0);
    for (std::size_t i = 0; i < pixels; ++i) {
        if (ids[i] < 0) continue;
        seen[i] = 1;
        const std::int32_t *t = part.triangle.data() + 3 * static_cast<std::size_t>(ids[i]);
        const std::int32_t a = part.vertex[t[0]], b = part.vertex[t[1]], c = part.vertex[t[2]];
        const double w1 = shares[2 * i], w2 = shares[2 * i + 1], w0 = 1 - w1 - w2;
        const Vec3 n = part.frame.turned(w0 * normal_[a] + w1 * normal_[b] + w2 * normal_[c]);
        const Vec3 v = w0 * velocity_[a] + w1 * velocity_[b] + w2 * velocity_[c];
        const double x = part.left + (static_cast<double>(i % w) + 0.5) * o_.pixel;
        const double y = part.top - (static_cast<double>(i / w) + 0.5) * o_.pixel;
        const double all[9] = {n.x, n.y, n.z, v.x, v.y, v.z, x, y, depth[i]};
        for (int k = 0; k < 9; ++k) place[9 * i + k] = static_cast<float>(all[k]);
    }
    for (int k = 0; k < o_.rim; ++k) grow(part, seen, place);
    for (std::size_t i = 0; i < pixels; ++i) {
        float *out = part.pixel.data() + (2 * i + back) * kValues;
        std::fill(out, out + kValues, 0.0f);
        out[4] = back ? kUnseen : -kUnseen;
        if (!seen[i]) continue;
        const float *from = place.data() + 9 * i;
        const Vec3 n = normalised(load(from)), s = load(from + 6);
        surface::store(out, n);
        out[3] = static_cast<float>(dot(n, s) + o_.tolerance);
        out[4] = static_cast<float>(s.z + (back ? -o_.tolerance : o_.tolerance));
        out[5] = from[3], out[6] = from[4], out[7] = from[5];
    }
}

void PartMaps::draw(In<bool, -1> wanted) {
    require(wanted.shape(0) == parts_.size(), "one flag per part");
    std::vector<int> todo;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        Part &part = parts_[k];
        if (!wanted.data()[k] || part.drawn) continue;
        const double margin = (o_.rim + 1) * o_.pixel;
        part.drawn = true;
        part.pixel.clear();
        part.width = part.height = 0;
        if (part.triangle.empty() || !(part.high.x - part.low.x < kLargest * o_.pixel && part.high.y - part.low.y < kLargest * o_.pixel))
            require(part.triangle.empty(), "a part needs more than 4096 pixels a side: choose larger pixels");
        if (part.triangle.empty()) continue;
        part.width = static_cast<int>(std::ceil((part.high.x - part.low.x + 2 * margin) / o_.pixel));
        part.height = static_cast<int>(std::ceil((part.high.y - part.low.y + 2 * margin) / o_.pixel));
        part.left = 0.5 * (part.low.x + part.high.x) - 0.5 * part.width * o_.pixel;
        part.top = 0.5 * (part.low.y + part.high.y) + 0.5 * part.height * o_.pixel;
        part.pixel.resize(static_cast<std::size_t>(part.width) * part.height * 2 * kValues);
        todo.push_back(static_cast<int>(2 * k)), todo.push_back(static_cast<int>(2 * k + 1));
    }
    nb::gil_scoped_release free_python;
    // the largest first: better balance
    std::stable_sort(todo.begin(), todo.end(), [&](int a, int b) { return parts_[a / 2].pixel.size() > parts_[b / 2].pixel.size(); });
    std::atomic<std::size_t> next{0};
    run_team(todo.size() > 1 ? thread_count() : 1, [&](int, int, Barrier &) {
        for (std::size_t i = next++; i < todo.size(); i = next++) draw_side(parts_[todo[i] / 2], todo[i] % 2);
    });
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

void bound(const double *points, std::size_t begin, std::size_t end, Vec3 &centre, Vec3 &half) {
    Vec3 low = load(points + 3 * begin), high = low;
    for (std::size_t i = begin + 1; i < end; ++i) {
        const Vec3 p = load(points + 3 * i);
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    centre = 0.5 * (low + high), half = 0.5 * (high - low);
}

// parts whose box holds one of the points (of every n-th point)
nb::ndarray<nb::numpy, bool> PartMaps::touched(Points points, std::size_t every) const {
    require(every > 0, "every must be at least 1");
    const std::size_t n = points.shape(0), blocks = (n + kBlock - 1) / kBlock;
    bool *found = new bool[parts_.size()]();
    nb::capsule owner(found, [](void *p) noexcept { delete[] static_cast<bool *>(p); });
    std::vector<std::atomic<bool>> touched(parts_.size());
    {
        nb::gil_scoped_release free_python;
        for_ranges(blocks, 256, [&](std::size_t first, std::size_t last) {
            for (std::size_t b = first; b < last; ++b) {
                const std::size_t begin = b * kBlock, end = std::min(n, begin + kBlock);
                Vec3 centre, half;
                bound(points.data(), begin, end, centre, half);
                for (std::size_t k = 0; k < parts_.size(); ++k) {
                    const Part &part = parts_[k];
                    if (touched[k].load(std::memory_order_relaxed) || part.triangle.empty() || !near_box(part, centre, half)) continue;
                    for (std::size_t i = (begin + every - 1) / every * every; i < end; i += every)
                        if (in_box(part, part.frame.to_part(load(points.data() + 3 * i)))) {
                            touched[k].store(true, std::memory_order_relaxed);
                            break;
                        }
                }
            }
        });
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) found[k] = touched[k].load();
    return nb::ndarray<nb::numpy, bool>(found, {parts_.size()}, owner);
}

struct Found {
    std::vector<std::int32_t> particle, part;
    std::vector<double> gap, normal, velocity;
};

// contacts of all points with all drawn parts; cull: points are tested against boxes in blocks first
nb::tuple PartMaps::look_up(Points points, bool cull) const {
    const std::size_t n = points.shape(0), blocks = (n + kBlock - 1) / kBlock;
    const int size = n < 4096 ? 1 : thread_count();
    std::vector<Found> found(size);
    {
        nb::gil_scoped_release free_python;
        run_team(size, [&](int rank, int team, Barrier &) {
            Found &out = found[rank];
            const Share mine = share(blocks, rank, team);
            std::vector<const Part *> near;
            for (std::size_t b = mine.begin; b < mine.end; ++b) {
                const std::size_t begin = b * kBlock, end = std::min(n, begin + kBlock);
                Vec3 centre{}, half{};
                if (cull) bound(points.data(), begin, end, centre, half);
                near.clear();
                for (const Part &part : parts_)
                    if (part.drawn && part.width && (!cull || near_box(part, centre, half))) near.push_back(&part);
                for (std::size_t i = begin; i < end && !near.empty(); ++i) {
                    const Vec3 p = load(points.data() + 3 * i);
                    for (const Part *part : near) {
                        Hit hit;
                        if (!look({part->width, part->height, part->left, part->top, part->pixel.data()}, o_, part->frame.to_part(p), hit)) continue;
                        out.particle.push_back(static_cast<std::int32_t>(i));
                        out.part.push_back(static_cast<std::int32_t>(part - parts_.data()));
                        out.gap.push_back(hit.gap);
                        const Vec3 normal = part->frame.to_world(hit.normal);
                        for (const double a : {normal.x, normal.y, normal.z}) out.normal.push_back(a);
                        for (const double a : {hit.velocity.x, hit.velocity.y, hit.velocity.z}) out.velocity.push_back(a);
                    }
                }
            }
        });
        for (int r = 1; r < size; ++r) {
            found[0].particle.insert(found[0].particle.end(), found[r].particle.begin(), found[r].particle.end());
            found[0].part.insert(found[0].part.end(), found[r].part.begin(), found[r].part.end());
            found[0].gap.insert(found[0].gap.end(), found[r].gap.begin(), found[r].gap.end());
            found[0].normal.insert(found[0].normal.end(), found[r].normal.begin(), found[r].normal.end());
            found[0].velocity.insert(found[0].velocity.end(), found[r].velocity.begin(), found[r].velocity.end());
        }
    }
    const std::size_t c = found[0].particle.size();
    return nb::make_tuple(own(std::move(found[0].particle), {c}), own(std::move(found[0].gap), {c}),
                          own(std::move(found[0].normal), {c, 3}), own(std::move(found[0].velocity), {c, 3}),
                          own(std::move(found[0].part), {c}));
}

nb::ndarray<nb::numpy, double> PartMaps::boxes() const {
    std::vector<double> out;
    for (const Part &p : parts_)
        for (const double a : {p.low.x, p.low.y, p.low.z, p.high.x, p.high.y, p.high.z}) out.push_back(a);
    return own(std::move(out), {parts_.size(), 2, 3});
}

nb::tuple PartMaps::texels(int part) const {
    require(part >= 0 && part < static_cast<int>(parts_.size()), "no such part");
    const Part &p = parts_[part];
    require(p.drawn, "the part has not been drawn");
    std::vector<float> copy = p.pixel;
    return nb::make_tuple(p.left, p.top, own(std::move(copy), {std::size_t(p.height), std::size_t(p.width), 2, std::size_t(kValues)}));
}

// contacts with one stored map whose frame is the world's
nb::tuple look_up_map(Points points, In<float, -1, -1, 2, kValues> texels, double left, double top, double pixel, double reach,
                      double silhouette, bool refine) {
    require(pixel > 0 && reach > 0, "pixel and reach must be positive");
    const std::size_t n = points.shape(0);
    const View map{static_cast<int>(texels.shape(1)), static_cast<int>(texels.shape(0)), left, top, texels.data()};
    const MapOptions o{pixel, 0, reach, silhouette, 0, refine};
    std::vector<Hit> hits(n);
    std::vector<char> found(n, 0);
    std::vector<std::int32_t> particle;
    std::vector<double> gap, normal, velocity;
    {
        nb::gil_scoped_release free_python;
        for_ranges(n, 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) found[i] = look(map, o, load(points.data() + 3 * i), hits[i]);
        });
        for (std::size_t i = 0; i < n; ++i) {
            if (!found[i]) continue;
            particle.push_back(static_cast<std::int32_t>(i));
            gap.push_back(hits[i].gap);
            for (const double a : {hits[i].normal.x, hits[i].normal.y, hits[i].normal.z}) normal.push_back(a);
            for (const double a : {hits[i].velocity.x, hits[i].velocity.y, hits[i].velocity.z}) velocity.push_back(a);
        }
    }
    const std::size_t c = particle.size();
    return nb::make_tuple(own(std::move(particle), {c}), own(std::move(gap), {c}), own(std::move(normal), {c, 3}), own(std::move(velocity), {c, 3}));
}

}  // namespace

void bind_limb_maps(nb::module_ &m) {
    nb::class_<PartMaps>(m, "PartMaps", "Front and back maps of parts of a body. Not to be posed or drawn while being asked.")
        .def(nb::init<Triangles, In<std::int32_t, -1>, int, std::size_t>(), nb::arg("triangles"), nb::arg("triangle_part"),
             nb::arg("part_count"), nb::arg("vertex_count"))
        .def("set_options", &PartMaps::set_options, nb::arg("pixel"), nb::arg("tolerance"), nb::arg("reach"),
             nb::arg("silhouette"), nb::arg("rim"), nb::arg("refine"))
        .def("pose", &PartMaps::pose, nb::arg("vertices"), nb::arg("velocity"), nb::arg("frames"),
             "frames (parts, 4, 3): x, y, z axes in the world, origin; y is up in the maps, the front camera looks along -z")
        .def("draw", &PartMaps::draw, nb::arg("wanted"), "draws the wanted parts that are not drawn yet for this pose")
        .def("touched", &PartMaps::touched, nb::arg("points"), nb::arg("every") = 1,
             "parts whose box, widened by reach, holds one of the points (of every n-th)")
        .def("look_up", &PartMaps::look_up, nb::arg("points"), nb::arg("cull") = true,
             "-> particle (c,), gap (c,), normal (c, 3), velocity (c, 3), part (c,); particles ascend, then parts")
        .def("boxes", &PartMaps::boxes, "lowest and highest corner in each part's frame, (parts, 2, 3)")
        .def("texels", &PartMaps::texels, nb::arg("part"),
             "-> left [m], top [m], (h, w, side, 8): normal, offset, depth (infinite: unseen), velocity; side 0 is the front")
        .def_prop_ro("part_count", &PartMaps::part_count);
    m.def("look_up_map", &look_up_map, nb::arg("points"), nb::arg("texels"), nb::arg("left"), nb::arg("top"), nb::arg("pixel"), nb::arg("reach"),
          nb::arg("silhouette"), nb::arg("refine"), "-> particle (c,), gap (c,), normal (c, 3), velocity (c, 3) from a map that texels() returned");
}
