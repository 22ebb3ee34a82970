#include "contact/pairs.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "core/float4.h"
#include "core/threads.h"

using surface::Float4;

namespace {
struct V3 {
    double x, y, z;
};
V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V3 operator*(V3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
double dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
constexpr double BESIDE = 0.003;  // [m]
constexpr double LEAST_COSINE = 0.6, SAME = 0.8;  // cosines: the skin is below when its normal is that of the pair, more and more from one to the other
constexpr double PRESSED = 0.9;   // thicknesses: cloth that merely lies on cloth is not nearer
constexpr double CROSSING = 0.2;  // sine: edges at a smaller angle run side by side
constexpr double SOON = 1.5;      // thicknesses: nearer cloth is held apart before the next contact update even if it does not move
constexpr double RISE = 0.0015;   // a stacked plane rises at most so far in one go [m]
constexpr int LAYERS = 3;
constexpr double FOLD = 0.08;     // folds that tip over are no wider [m]
constexpr double EVEN = 0.5;      // cosine: cloth that faces otherwise than the cloth round it stands, or has tipped over
constexpr int MOST_ROUNDS = 8;    // of smoothing, each as wide as a patch
constexpr std::size_t CHUNK = 512;  // pairs that one thread tests in one go

template <class T>
V3 at_point(const T *point, std::int32_t p) {
    return {static_cast<double>(point[4 * p]), static_cast<double>(point[4 * p + 1]), static_cast<double>(point[4 * p + 2])};
}

// Direction from the second primitive (weights < 0) to the first. Where the layers differ it is out of the inner
// garment, whichever side the cloth is on now; a pair that is not one above the other is left to the other tests. Where a fold
// of that garment has tipped over, or stands up, out of it may be the way into the fold: the cloth stays where it is.
bool direction(V3 apart, V3 across, std::int32_t upper, std::int32_t lower, V3 outward, bool tipped, V3 &n) {
    const double distance = std::sqrt(dot(apart, apart)), area = std::sqrt(dot(across, across));
    n = distance > 1e-6 ? apart * (1 / distance) : area > 0 ? across * (1 / area) : V3{0, 0, 0};
    if (upper != lower) {
        const double length = std::sqrt(dot(outward, outward));
        if (length <= 0) return false;
        const V3 out = outward * ((upper > lower ? 1 : -1) / length);
        const V3 aside = apart - out * dot(apart, out);
        if (dot(n, out) < 0.3 && !tipped) {
            if (dot(aside, aside) > BESIDE * BESIDE) return false;
            n = out;
        }
    }
    return dot(n, n) > 0.5;
}

// Of the directions along which a vertex and a face are so far apart (and they are), the nearest to the face's normal; says whether
// it is a ramp, the vertex being too low for the normal itself. Across the way between them, the plane of a face beside would stand
// in the way of cloth that slides.
bool upright(V3 apart, V3 across, double far, V3 &n) {
    const double square = dot(apart, apart), area = std::sqrt(dot(across, across));
    if (!(area > 0)) {
        n = apart * (1 / std::sqrt(square));
        return false;
    }
    n = across * ((dot(apart, across) < 0 ? -1 : 1) / area);
    const double height = dot(apart, n);
    if (height >= far) return false;
    const V3 aside = apart - n * height;
    const double width = std::sqrt(dot(aside, aside)), rest = std::sqrt(square - far * far);
    n = (n * (height * far + width * rest) + aside * (far - height * rest / width)) * (1 / square);
    return true;
}

// Edges that lie side by side, or are nearest at an end (a weight of zero), do not cross: the way between them leads along the
// cloth, and the vertex at that end has a face as near.
template <class T>
bool cross_each_other(V3 one, V3 two, V3 across, const T (&weight)[4][PAIR_LANES], int lane) {
    return dot(across, across) > CROSSING * CROSSING * dot(one, one) * dot(two, two) &&
           std::none_of(weight, weight + 4, [&](const T (&of)[PAIR_LANES]) { return of[lane] == T(0); });
}
}  // namespace

Facing::Facing(surface::Patches &patches, double edge) : patches_(&patches) {
    const PatchView view = patches.view();
    std::vector<std::int32_t> home(patches.particle_count(), 0), most(home);
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(patches.patch_count()); ++a) {
        std::array<int, PATCH_SIDES> uses{};
        for (int k = 0; k < 3 * view.triangle_count(a); ++k) {
            const std::int32_t p = view.at(a, k), count = ++uses[view.corner_at(a, k)];
            if (count > most[p]) most[p] = count, home[p] = a;
        }
    }
    home_ = CompactIndices(home);
    // a patch is about two edges wide
    rounds_ = std::clamp(static_cast<int>(std::lround(FOLD / std::max(2 * edge, 1e-3))), 1, MOST_ROUNDS);
    patches.keep_axes();
}

void Facing::smooth() {
    if (!patches_) return;
    smoothed_ = patches_->take_axes();
    std::vector<float> before(smoothed_.size());
    for (int round = 0; round < rounds_; ++round) {
        before.swap(smoothed_);
        for_ranges(before.size() / 4, 1000, [&](std::size_t first, std::size_t last) {
            for (std::size_t a = first; a < last; ++a) {
                Float4 sum = Float4::load(&before[4 * a]);
                patches_->each_touching(a, [&](std::size_t b) { sum = sum + Float4::load(&before[4 * b]); });
                sum.store(&smoothed_[4 * a]);
            }
        });
    }
}

void Facing::find_folds(const surface::Near &near, const UniformOrEach<std::int32_t> &layer) {
    if (!patches_) return;
    folded_.assign(patches_->patch_count(), 0);
    for (const auto *pairs : {&near.vertex_face, &near.edge_edge})
        for (const surface::Four &four : *pairs)
            if (layer[four[0]] == layer[four[3]])
                for (const std::int32_t p : four) folded_[home_[p]] = 1;
}

bool Facing::tipped(std::int32_t particle, const std::array<double, 3> &outward) const {
    const std::array<double, 3> even = smoothed(particle);
    const auto times = [](const std::array<double, 3> &a, const std::array<double, 3> &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
    return times(outward, even) < EVEN * std::sqrt(times(outward, outward) * times(even, even));
}

template <class T>
std::array<double, 3> Facing::at(const T *point, std::int32_t particle) const {
    const PatchView view = patches_->view();
    const std::int32_t home = home_[particle], first = view.patch[home].particle, last = view.patch[home + 1].particle;
    int place = 0;
    while (first + place < last && view.particle[first + place] != particle) ++place;
    const std::uint8_t *corner = view.corner + 3 * view.patch[home].triangle, *const end = corner + 3 * view.triangle_count(home);
    const V3 x = at_point(point, particle);
    const auto side = [&](std::uint8_t k) { return at_point(point, view.particle[first + k]) - x; };
    V3 sum{0, 0, 0};
    for (; corner != end; corner += 3)
        for (int k = 0; k < 3; ++k)
            if (corner[k] == place) sum = sum + cross(side(corner[k == 2 ? 0 : k + 1]), side(corner[k == 0 ? 2 : k - 1]));
    return {sum.x, sum.y, sum.z};
}

template <class T>
void Pairs<T>::clear() {
    packed_ = count_ = 0;
    forget();
}

template <class T>
void Pairs<T>::forget() {
    faces_ = edges_ = 0;
    ::release_memory(watched_small_, watched_);
}

template <class T>
void Pairs<T>::release_memory() {
    ::release_memory(particle, use, use_begin, pushed, weight, normal, thickness_, friction_, push, depth);
}

template <class T>
void Pairs<T>::watch(const surface::Near &near, std::size_t particle_count) {
    forget();
    faces_ = near.vertex_face.size(), edges_ = near.edge_edge.size();
    const auto take = [&](auto &list) {
        list.take(faces_ + edges_);
        for (std::size_t i = 0; i < faces_ + edges_; ++i)
            std::copy_n((i < faces_ ? near.vertex_face[i] : near.edge_edge[i - faces_]).begin(), 4, list[i].begin());
    };
    particle_count <= 65536 ? take(watched_small_) : take(watched_);
}

// one watched pair: is it worth a plane, and which one?
template <class T>
bool Pairs<T>::keep(const ClothSides<T> &cloth, T dt, const NearLanes<T> &at, int lane, bool edges, Plane &plane) const {
    const std::int32_t *p = plane.particle;
    const std::int32_t other = p[edges ? 2 : 1];
    const T thick = (cloth.thickness[p[0]] + cloth.thickness[other]) / 2;
    // planes of cloth within twice the thickness are wanted for stacks
    const T path = T(HURRY) * dt * std::sqrt(at.speed2[lane]), reach = 2 * thick + path, soon = T(SOON) * thick + path;
    if (at.distance2[lane] > reach * reach) return false;
    plane.soon = at.distance2[lane] <= soon * soon;
    const V3 apart{at.apart[0][lane], at.apart[1][lane], at.apart[2][lane]};
    const auto point = [&](int k) { return at_point(cloth.point, p[k]); };
    const V3 one = edges ? point(1) - point(0) : point(2) - point(1), two = edges ? point(3) - point(2) : point(3) - point(1);
    const V3 across = cross(one, two);
    // what is pressed together is pushed the shortest way, other cloth must be free to slide
    const T pressed = T(PRESSED) * thick;
    const bool beside = edges && !cross_each_other(one, two, across, at.weight, lane);
    if (beside && at.distance2[lane] > pressed * pressed) return false;
    const std::int32_t upper = cloth.layer[p[0]], lower = cloth.layer[other];
    V3 outward = across, n;
    bool tipped = false;
    if (upper != lower) {
        const auto vector = [](const std::array<double, 3> &v) { return V3{v[0], v[1], v[2]}; };
        const auto facing = [&](int k) { return vector(cloth.facing->at(cloth.point, p[k])); };
        // Of the inner garment always: a sleeve of it lies outside the front of the garment above, though it lies inside that
        // garment's own sleeve.
        const int inside = upper < lower ? 0 : edges ? 2 : 1;
        if (edges) outward = facing(inside) + facing(inside + 1);
        else if (inside == 0) outward = facing(0);
        tipped = cloth.facing->folded(p[inside]) || cloth.facing->tipped(p[inside], {outward.x, outward.y, outward.z});
    }
    if (!direction(apart, across, upper, lower, outward, tipped, n)) return false;
    plane.gap = static_cast<T>(dot(n, apart)), plane.thickness = beside ? pressed : thick;
    // a ramp is there to be run into, not to push
    if (!edges && plane.gap > pressed && upright(apart, across, pressed, n)) plane.thickness = pressed;
    plane.friction = (cloth.friction[p[0]] + cloth.friction[other]) / 2;
    for (int k = 0; k < 4; ++k) plane.weight[k] = at.weight[k][lane];
    plane.normal[0] = static_cast<T>(n.x), plane.normal[1] = static_cast<T>(n.y), plane.normal[2] = static_cast<T>(n.z);
    return true;
}

// a chunk of the watched pairs, faces first
template <class T>
void Pairs<T>::search_chunk(const ClothSides<T> &cloth, T dt, T far, bool wide, std::size_t chunk, std::vector<Plane> &found) const {
    const std::size_t face_chunks = (faces_ + CHUNK - 1) / CHUNK;
    const bool edges = chunk >= face_chunks;
    const std::size_t begin = edges ? faces_ + CHUNK * (chunk - face_chunks) : CHUNK * chunk;
    const std::size_t count = std::min(CHUNK, (edges ? faces_ + edges_ : faces_) - begin);
    std::int32_t wide_numbers[4 * CHUNK];
    const std::int32_t *first = wide_numbers;
    if (!watched_.size()) std::copy_n(watched_small_[begin].data(), 4 * count, wide_numbers);
    else first = watched_[begin].data();
    NearLanes<T> at[CHUNK / PAIR_LANES];
    const NearCloth<T> now{cloth.point, cloth.velocity, far};
    if (edges)
        wide ? avx2::measure_edges(now, first, count, at) : plain::measure_edges(now, first, count, at);
    else
        wide ? avx2::measure_faces(now, first, count, at) : plain::measure_faces(now, first, count, at);
    Plane plane;
    for (std::size_t i = 0; i < count; ++i) {
        const int lane = static_cast<int>(i % PAIR_LANES);
        if (!(at[i / PAIR_LANES].distance2[lane] <= far * far)) continue;
        std::copy_n(first + 4 * i, 4, plane.particle);
        if (keep(cloth, dt, at[i / PAIR_LANES], lane, edges, plane)) found.push_back(plane);
    }
}

template <class T>
void Pairs<T>::search(const ClothSides<T> &cloth, T dt, T far, bool wide) {
    particle_count_ = cloth.count;
    const std::size_t chunks = (faces_ + CHUNK - 1) / CHUNK + (edges_ + CHUNK - 1) / CHUNK;
    Found found(chunks);
    std::atomic<std::size_t> next{0};
    run_team(chunks < 4 ? 1 : thread_count(), [&](int, int, Barrier &) {
        for (std::size_t k; (k = next.fetch_add(1)) < chunks;) search_chunk(cloth, dt, far, wide, k, found[k]);
    });
    pack(found);
}

// one plane into its place among those that the substeps read
template <class T>
void Pairs<T>::put(const Plane &plane, std::size_t i) {
    const std::size_t lanes = PAIR_LANES, b = i / lanes, lane = i % lanes;
    for (std::size_t k = 0; k < 4; ++k) {
        particle[(4 * b + k) * lanes + lane] = plane.particle[k];
        weight[(4 * b + k) * lanes + lane] = plane.weight[k];
    }
    for (std::size_t k = 0; k < 3; ++k) normal[(3 * b + k) * lanes + lane] = plane.normal[k];
    thickness_[i] = plane.thickness, friction_[i] = plane.friction, depth[i] = plane.gap;
}

template <class T>
typename Pairs<T>::Plane Pairs<T>::plane(std::size_t i) const {
    const std::size_t lanes = PAIR_LANES, b = i / lanes, lane = i % lanes;
    Plane plane;
    for (std::size_t k = 0; k < 4; ++k)
        plane.particle[k] = particle[(4 * b + k) * lanes + lane], plane.weight[k] = weight[(4 * b + k) * lanes + lane];
    for (std::size_t k = 0; k < 3; ++k) plane.normal[k] = normal[(3 * b + k) * lanes + lane];
    plane.gap = depth[i], plane.thickness = thickness_[i], plane.friction = friction_[i], plane.soon = i < packed_;
    return plane;
}

// what was found in each chunk, one after the other: first the planes that matter soon, for the substeps, then the others, for
// stacks
template <class T>
void Pairs<T>::pack(const Found &found) {
    const std::size_t chunks = found.size(), lanes = PAIR_LANES;
    std::vector<std::size_t> soon(chunks + 1, 0), later(chunks + 1, 0);
    for (std::size_t k = 0; k < chunks; ++k) {
        const auto matter = std::count_if(found[k].begin(), found[k].end(), [](const Plane &plane) { return plane.soon; });
        soon[k + 1] = soon[k] + static_cast<std::size_t>(matter), later[k + 1] = later[k] + found[k].size() - static_cast<std::size_t>(matter);
    }
    packed_ = soon[chunks];
    const std::size_t first = packed_ + padding();  // of the others
    count_ = first + later[chunks];
    const std::size_t padded = (count_ + lanes - 1) / lanes * lanes;
    for (auto *list : {&thickness_, &friction_, &depth}) list->take(padded);
    particle.take(4 * padded), weight.take(4 * padded), normal.take(3 * padded), push.take(4 * first);
    const Plane none{{0, 0, 0, 0}, {}, {}, T(0), T(-1), T(0), false};
    for (std::size_t i = packed_; i < first; ++i) put(none, i);
    for_ranges(chunks, 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            std::size_t i = soon[k], j = first + later[k];
            for (const Plane &plane : found[k]) put(plane, plane.soon ? i++ : j++);
        }
    });
    list_uses();
}

// which planes each particle takes part in
template <class T>
void Pairs<T>::list_uses() {
    if (!packed_) return;
    const std::size_t lanes = PAIR_LANES;
    const auto each_use = [&](const auto &take) {
        for (std::size_t i = 0; i < packed_; ++i)
            for (std::size_t k = 0; k < 4; ++k) take((4 * (i / lanes) + k) * lanes + i % lanes);
    };
    use_begin.assign(particle_count_ + 1, 0);
    each_use([&](std::size_t at) { ++use_begin[particle[at] + 1]; });
    for (std::size_t p = 0; p < particle_count_; ++p) use_begin[p + 1] += use_begin[p];
    use.take(4 * packed_);
    pushed.assign(particle_count_, 0);
    std::vector<std::int32_t> next(use_begin.begin(), use_begin.end() - 1);
    each_use([&](std::size_t at) { use[next[particle[at]]++] = static_cast<std::int32_t>(at); });
}
template <class T>
std::size_t Pairs<T>::bytes() const {
    return bytes_of(watched_small_, watched_, particle, use, weight, normal, thickness_, friction_, push, depth, pushed, use_begin);
}

template <class T>
PairView<T> Pairs<T>::view() {
    return {(packed_ + PAIR_LANES - 1) / PAIR_LANES, particle.data(), weight.data(), normal.data(), thickness_.data(),
            friction_.data(), push.data(), depth.data(), pushed.data(), use_begin.data(), use.data()};
}

template <class T>
std::vector<T> Pairs<T>::stack(const T *point, const std::vector<std::uint32_t> &begin, const T *plane_normal, const T *plane_offset,
                               const UniformOrEach<T> &thickness) const {
    const auto plane_towards = [&](std::int32_t p, const T *n, T sign) {
        for (std::size_t c = begin[p]; c < begin[p + 1]; ++c)
            if (sign * (plane_normal[3 * c] * n[0] + plane_normal[3 * c + 1] * n[1] + plane_normal[3 * c + 2] * n[2]) > T(LEAST_COSINE))
                return static_cast<std::int32_t>(c);
        return std::int32_t(-1);
    };
    // how high each particle is above its lowest place on its planes
    std::vector<T> risen(begin.back(), T(0));
    for_ranges(begin.size() - 1, 4000, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p)
            for (std::size_t c = begin[p]; c < begin[p + 1]; ++c) {
                T gap = -plane_offset[c];
                for (int a = 0; a < 3; ++a) gap += plane_normal[3 * c + a] * point[4 * p + a];
                risen[c] = std::max(gap - thickness[p], T(0));
            }
    });
    struct Raised {
        std::int32_t plane;
        T height;
    };
    const int size = count_ < 2000 ? 1 : thread_count();
    std::vector<std::vector<Raised>> found(size);
    run_team(size, [&](int rank, int team, Barrier &) {
        const Share mine = share(count_, rank, team);
        for (std::size_t k = mine.begin; k < mine.end; ++k) {
            const Plane pair = plane(k);
            if (pair.gap > T(2) * pair.thickness) continue;
            for (const T sign : {T(1), T(-1)}) {
                std::int32_t above[3];
                int lower = 0, upper = 0;
                // without skin below, most of them, nobody asks what is above
                for (int i = 0; i < 4; ++i) lower += sign * pair.weight[i] < T(0) && plane_towards(pair.particle[i], pair.normal, sign) >= 0;
                for (int i = 0; lower && i < 4; ++i)
                    if (sign * pair.weight[i] >= T(0.2))
                        if (const auto plane = plane_towards(pair.particle[i], pair.normal, sign); plane >= 0) above[upper++] = plane;
                // The upper piece has skin below it, and so has the lower one. It rises by what the pair lacks, from where
                // it is now: a steep edge is high enough where it crosses, though its end lies deep, and two sheets of a fold that slants
                // are far enough apart though less so along the skin's normal. Gently where it is not there yet.
                for (int i = 0; i < upper; ++i) {
                    const T *n = plane_normal + 3 * std::size_t(above[i]);
                    const T cosine = sign * (n[0] * pair.normal[0] + n[1] * pair.normal[1] + n[2] * pair.normal[2]);
                    const T below = std::min((cosine - T(LEAST_COSINE)) / T(SAME - LEAST_COSINE), T(1));
                    const T height = below * (risen[above[i]] + std::min(pair.thickness - pair.gap, T(RISE)));
                    if (height > T(0)) found[rank].push_back({above[i], std::min(height, T(LAYERS) * pair.thickness)});
                }
            }
        }
    });
    std::vector<T> wanted(begin.back(), T(0));
    for (const auto &list : found)
        for (const auto &[plane, height] : list) wanted[plane] = std::max(wanted[plane], height);
    return wanted;
}

template class Pairs<float>;
template class Pairs<double>;
