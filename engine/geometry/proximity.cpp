// Near pairs of a cloth: sweep and prune over patches of triangles, boxes of triangles, then distances (proximity_search.h).
#include "geometry/proximity.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/float4.h"
#include "contact/pairs_view.h"
#include "core/threads.h"

namespace surface {
namespace {

constexpr float smooth_cosine = 0.7071f;
constexpr std::size_t most_joints = 32;  // patches between two

bool reaches(const float *lo, const float *hi, const float *patch, float radius) {
    return lo[0] - radius <= patch[4] && patch[0] - radius <= hi[0] && lo[1] - radius <= patch[5] &&
           patch[1] - radius <= hi[1] && lo[2] - radius <= patch[6] && patch[2] - radius <= hi[2];
}

}  // namespace

// Patches that touch both of two, ascending; between: room for most_joints. Two that both have a free edge may be the sides of a
// slit, which slide over each other however smooth the cloth is: nothing joins them.
std::size_t Patches::joints(std::int32_t a, std::int32_t b, std::int32_t *between) const {
    if (patch_[a].rim && patch_[b].rim) return 0;
    const CompactIndicesView touch = touch_.view();
    std::int32_t i = patch_[a].touch, j = patch_[b].touch;
    std::size_t count = 0;
    while (i != patch_[a + 1].touch && j != patch_[b + 1].touch) {
        const std::int32_t p = touch[i], q = touch[j];
        if (p == q) {
            if (count == most_joints) return 0;  // of no ordinary cloth: let them be strangers
            between[count++] = p;
        }
        i += p <= q, j += q <= p;
    }
    return count;
}

// calls use(particle) for all that belong to a triangle
template <class Use>
void Patches::each_vertex(const Use &use) const {
    for (std::size_t p = 0; p < patch_count(); ++p)
        for (int i = 0; i < patch_[p].own; ++i) use(particle_[patch_[p].particle + i]);
}

// boxes of patches and normals of triangles at the current position
void Patches::update_boxes() {
    const std::size_t count = patch_count();
    if (!normal_) own_normal_.resize(3 * triangle_count()), normal_ = own_normal_.data();
    now_.box.resize(8 * count), now_.axis.resize(4 * count);
    for_ranges(count, 200, [&](std::size_t begin, std::size_t end) {
        float point[PATCH_SIDES][4];
        for (std::size_t p = begin; p < end; ++p) {
            Float4 lo(1e30f), hi(-1e30f), axis(0.0f);
            for (auto i = patch_[p].particle; i < patch_[p + 1].particle; ++i) {
                const Float4 x = Float4::load(&point_[4 * std::size_t(particle_[i])]);
                lo = min(lo, x), hi = max(hi, x), x.store(point[i - patch_[p].particle]);
            }
            for (auto t = patch_[p].triangle; t < patch_[p + 1].triangle; ++t) {
                const std::uint8_t *corner = &corner_[3 * std::size_t(t)];
                const float *a = point[corner[0]], *b = point[corner[1]], *c = point[corner[2]];
                const float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2], vx = c[0] - a[0], vy = c[1] - a[1],
                            vz = c[2] - a[2];
                const float x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
                const float size = std::sqrt(x * x + y * y + z * z), s = size > 0 ? 1 / size : 0;
                const float unit[4] = {s * x, s * y, s * z, 0};
                std::copy_n(unit, 3, &normal_[3 * std::size_t(t)]);
                axis = axis + Float4::load(unit);
            }
            lo.store(&now_.box[8 * p]), hi.store(&now_.box[8 * p + 4]), axis.store(&now_.axis[4 * p]);
            float *sum = &now_.axis[4 * p], least = 1, size = 0;
            for (int k = 0; k < 3; ++k) size += sum[k] * sum[k];
            size = std::sqrt(size);
            for (auto t = patch_[p].triangle; t < patch_[p + 1].triangle; ++t) {
                const float *n = &normal_[3 * std::size_t(t)];
                least = std::min(least, (sum[0] * n[0] + sum[1] * n[1] + sum[2] * n[2]) / size);
            }
            sum[3] = size > 0 ? least : -1;
        }
    });
}

// do all normals of a patch lie within 45 degrees of one direction?
bool Patches::smooth(std::int32_t a) const { return now_.axis[4 * std::size_t(a) + 3] >= smooth_cosine; }

// ... of two patches and of those that join them?
bool Patches::smooth(std::int32_t a, std::int32_t b, const std::int32_t *first, const std::int32_t *last) const {
    float axis[3] = {0, 0, 0};
    const auto add = [&](std::int32_t p) {
        const float *own = &now_.axis[4 * std::size_t(p)];
        for (int k = 0; k < 3; ++k) axis[k] += own[k];
        // one of them alone is too curved for any direction: its cone is wider than 90 degrees
        return own[3] >= 0;
    };
    bool fits = add(a) && add(b);
    for (auto p = first; p != last && fits; ++p) fits = add(*p);
    if (!fits) return false;
    const float limit = smooth_cosine * std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const auto within = [&](std::int32_t p) {
        for (auto t = patch_[p].triangle; t < patch_[p + 1].triangle; ++t) {
            const float *n = &normal_[3 * std::size_t(t)];
            if (!(axis[0] * n[0] + axis[1] * n[1] + axis[2] * n[2] >= limit)) return false;
        }
        return true;
    };
    return within(a) && within(b) && std::all_of(first, last, within);
}

PatchView Patches::view() const {
    return {point_, label_.view(), patch_.data(), particle_.view(), corner_.data(), now_.box.data(), slack_};
}

// two patches are near when they can come within the radius of each other
float Patches::radius_between(std::int32_t a, std::int32_t b) const {
    if (now_.velocity.empty()) return radius_;
    const float *u = &now_.velocity[4 * std::size_t(a)], *v = &now_.velocity[4 * std::size_t(b)];
    float speed2 = 0;
    for (int k = 0; k < 3; ++k) speed2 += (u[k] - v[k]) * (u[k] - v[k]);
    return std::min(most_, radius_ + ahead_ * (std::sqrt(speed2) + 0.5f * (u[3] + v[3])));
}

namespace {
// which of all patches the one in turn touches, of the thread that asks
struct Marks {
    std::vector<std::uint64_t> of;  // turn
    std::uint64_t mark = 0;
};

// the two patches that a thread compares; the first is the same for a while
class Opened {
  public:
    Opened(const PatchView &patches, bool wide) : patches_(patches), open_(wide ? avx2::open_patch : plain::open_patch) {}
    std::pair<const OpenPatch &, const OpenPatch &> operator()(std::int32_t a, std::int32_t b) {
        if (first_.number != a) open_(patches_, a, first_);
        if (a == b) return {first_, first_};
        if (second_.number != b) open_(patches_, b, second_);
        return {first_, second_};
    }

  private:
    const PatchView &patches_;
    void (*open_)(const PatchView &, std::int32_t, OpenPatch &);
    OpenPatch first_, second_;
};
}  // namespace

// meet(a, b, related, radius) for one patch with itself and with those that start later along the sweep; joined_rest: patches
// that are joined to it by smooth cloth are left out
template <class Meet>
void Patches::each_near_patch(std::size_t at, bool joined_rest, const Meet &meet) const {
    static thread_local Marks marks;
    const auto a = order_[at];
    if (!smooth(a)) meet(a, a, true, radius_between(a, a));
    if (marks.of.size() < patch_count()) marks.of.resize(patch_count(), 0);
    const auto mark = ++marks.mark;
    for (auto k = patch_[a].touch; k < patch_[a + 1].touch; ++k) marks.of[touch_[k]] = mark;
    std::int32_t between[most_joints] = {};
    const float *box = &now_.box[8 * std::size_t(a)], reach = now_.reach[a];
    Float4 low[3], high[3];
    for (int k = 0; k < 3; ++k) low[k] = Float4(box[axis_[k]] - reach), high[k] = Float4(box[4 + axis_[k]] + reach);
    for (std::size_t j = at + 1; j < order_.size(); j += 4) {
        // sorted by their lower ends along the first axis: none of the rest can reach back
        const int begun = less_equal(Float4::load(&now_.lo[0][j]), high[0]);
        int bits = begun;
        for (int axis = 1; axis < 3 && bits; ++axis)
            bits &= less_equal(low[axis], Float4::load(&now_.hi[axis][j])) &
                    less_equal(Float4::load(&now_.lo[axis][j]), high[axis]);
        for (; bits; bits &= bits - 1) {
            const auto b = order_[j + std::countr_zero(static_cast<unsigned>(bits))];
            const float radius = radius_between(a, b);
            if (!reaches(box, box + 4, &now_.box[8 * std::size_t(b)], radius)) continue;
            const bool related = marks.of[b] == mark;
            const std::size_t joined = related || !joined_rest ? 0 : joints(a, b, between);
            if ((related || joined) && smooth(a, b, between, between + joined)) continue;
            meet(a, b, related, radius);
        }
        if (begun != 15) break;
    }
}

void Patches::borrow(float *numbers, std::size_t count) {
    normal_ = count >= 3 * triangle_count() ? numbers : nullptr;
}

// single-precision points, and the axes of the cloth, the longest first, for the sweep
template <class T>
void Patches::take(const T *position, std::size_t stride) {
    const std::size_t n = particle_count();
    point_ = nullptr;
    if constexpr (std::is_same_v<T, float>)
        if (stride == 4) point_ = position;
    if (!point_) {
        own_point_.resize(4 * n);
        for_ranges(n, 4000, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                for (int k = 0; k < 3; ++k) own_point_[4 * i + k] = static_cast<float>(position[stride * i + k]);
        });
        point_ = own_point_.data();
    }
    Float4 low(1e30f), high(-1e30f);
    each_vertex([&](std::int32_t v) {
        const Float4 p = Float4::load(point_ + 4 * std::size_t(v));
        low = min(low, p), high = max(high, p);
    });
    float lo[4], hi[4], extent[3], farthest = 0;
    low.store(lo), high.store(hi);
    for (int k = 0; k < 3; ++k) extent[k] = hi[k] - lo[k], farthest = std::max({farthest, std::abs(lo[k]), std::abs(hi[k])});
    slack_ = 4 * std::numeric_limits<float>::epsilon() * farthest;
    const int longest = extent[0] >= std::max(extent[1], extent[2]) ? 0 : extent[1] >= extent[2] ? 1 : 2;
    axis_[0] = longest, axis_[1] = longest == 1 ? 0 : 1, axis_[2] = longest == 2 ? 0 : 2;
}

// how far each patch reaches out: half of the radius, and its path against the mean of the cloth
template <class T>
void Patches::update_reach(const T *velocity, std::size_t stride, float radius, float ahead, float most) {
    const std::size_t count = patch_count();
    radius_ = radius, ahead_ = ahead, most_ = most;
    now_.reach.assign(count, 0.5f * radius), now_.velocity.clear();
    if (!velocity) return;
    now_.velocity.resize(4 * count);
    double mean[3] = {0, 0, 0};
    each_vertex([&](std::int32_t v) {
        for (int k = 0; k < 3; ++k) mean[k] += velocity[stride * std::size_t(v) + k];
    });
    for (double &m : mean) m /= static_cast<double>(std::max<std::size_t>(vertex_count_, 1));
    for_ranges(count, 200, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            float *own = &now_.velocity[4 * p], square = 0, speed2 = 0;
            std::fill_n(own, 4, 0.0f);
            const auto first = 3 * std::size_t(patch_[p].triangle), last = 3 * std::size_t(patch_[p + 1].triangle);
            const std::size_t home = patch_[p].particle;
            const float share = 1.0f / static_cast<float>(last - first);
            for (auto i = first; i < last; ++i)
                for (int k = 0; k < 3; ++k) {
                    const float v = static_cast<float>(velocity[stride * std::size_t(particle_[home + corner_[i]]) + k] - mean[k]);
                    own[k] += share * v, square += share * v * v;
                }
            for (int k = 0; k < 3; ++k) speed2 += own[k] * own[k];
            own[3] = std::sqrt(std::max(square - speed2, 0.0f));
            now_.reach[p] = std::min(0.5f * radius + ahead * (std::sqrt(speed2) + 0.5f * own[3]), most);
        }
    });
}

namespace {
// Nearly sorted already: one after the other goes to its place. What takes too long that way is sorted as usual.
template <class T>
void sort_again(std::vector<T> &items) {
    std::size_t patience = 8 * items.size();
    for (std::size_t i = 1; i < items.size(); ++i) {
        const T item = items[i];
        std::size_t at = i;
        for (; at > 0 && item < items[at - 1] && patience; --at, --patience) items[at] = items[at - 1];
        items[at] = item;
        if (!patience) return std::sort(items.begin(), items.end());
    }
}
}  // namespace

void Patches::sort_patches() {
    const std::size_t count = patch_count();
    std::vector<std::pair<float, std::int32_t>> start(count);
    // cloth has moved little since the last search
    if (order_.size() != count) order_.resize(count), std::iota(order_.begin(), order_.end(), 0);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t p = order_[i];
        const float x = now_.box[8 * p + axis_[0]] - now_.reach[p];
        start[i] = {x == x ? x : 1e30f, order_[i]};  // cloth that is lost (NaN) is near nothing
    }
    sort_again(start);
    for (std::size_t i = 0; i < count; ++i) order_[i] = start[i].second;
    for (int k = 0; k < 3; ++k) {
        // what is behind the last is near nothing, not even cloth that is infinitely fast
        now_.lo[k].assign(count + 4, std::numeric_limits<float>::quiet_NaN()), now_.hi[k].assign(count + 4, 0.0f);
        for (std::size_t i = 0; i < count; ++i) {
            const float *box = &now_.box[8 * std::size_t(order_[i])], reach = now_.reach[order_[i]];
            now_.lo[k][i] = box[axis_[k]] - reach, now_.hi[k][i] = box[4 + axis_[k]] + reach;
        }
    }
}

// blocks of patches, taken by whichever thread is free; search(begin, end, found of the block)
template <class Found, class Search>
void Patches::sweep(std::vector<Found> &found, const Search &search) const {
    constexpr std::size_t block = 16;
    const std::size_t count = patch_count(), blocks = (count + block - 1) / block;
    found.resize(blocks);
    std::atomic<std::size_t> next{0};
    run_team(count < 200 ? 1 : thread_count(), [&](int, int, Barrier &) {
        for (std::size_t b; (b = next.fetch_add(1)) < blocks;) search(b * block, std::min(count, (b + 1) * block), found[b]);
    });
}

template <class T>
void Patches::find_ahead(const T *position, const T *velocity, std::size_t stride, double radius, double ahead, double most,
                         Near &near) {
    near.vertex_face.clear(), near.edge_edge.clear();
    if (corner_.empty()) return;
    take(position, stride);
    update_boxes();
    update_reach(velocity, stride, static_cast<float>(radius), static_cast<float>(ahead), static_cast<float>(most));
    sort_patches();
    const PatchView patches = view();
    std::vector<Near> found;
    sweep(found, [&](std::size_t begin, std::size_t end, Near &into) {
        // kept from call to call: what one patch can find is far more than it does
        static thread_local std::vector<Four> faces, edges;
        NearWork work;
        Opened opened(patches, wide_);
        const auto search = [&](std::int32_t a, std::int32_t b, bool related, float r) {
            const std::size_t capacity = NearWork::CAPACITY + NearWork::BATCH;
            if (faces.size() < work.near_faces + capacity) faces.resize(2 * work.near_faces + capacity);
            if (edges.size() < work.near_edges + capacity) edges.resize(2 * work.near_edges + capacity);
            work.near_face = faces[0].data(), work.near_edge = edges[0].data();
            const auto [one, two] = opened(a, b);
            wide_ ? avx2::search_patches(patches, one, two, related, r, work) : plain::search_patches(patches, one, two, related, r, work);
        };
        for (std::size_t i = begin; i < end; ++i) each_near_patch(i, true, search);
        wide_ ? avx2::finish_search(patches, work) : plain::finish_search(patches, work);
        into.vertex_face.assign(faces.begin(), faces.begin() + static_cast<std::ptrdiff_t>(work.near_faces));
        into.edge_edge.assign(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(work.near_edges));
    });
    if (keep_axes_) axes_ = std::move(now_.axis);
    now_ = {};
    // put together in order
    std::size_t faces = 0, edges = 0;
    for (const auto &f : found) faces += f.vertex_face.size(), edges += f.edge_edge.size();
    near.vertex_face.reserve(faces), near.edge_edge.reserve(edges);
    for (const auto &f : found) {
        near.vertex_face.insert(near.vertex_face.end(), f.vertex_face.begin(), f.vertex_face.end());
        near.edge_edge.insert(near.edge_edge.end(), f.edge_edge.begin(), f.edge_edge.end());
    }
}

template <class T>
void Patches::find(const T *position, std::size_t stride, double radius, Near &near) {
    find_ahead<T>(position, nullptr, stride, radius, 0, radius, near);
}

void Patches::find_touching_boxes(const double *position, std::vector<std::array<std::int32_t, 2>> &pairs) {
    pairs.clear();
    if (corner_.empty()) return;
    take(position, 3);
    update_boxes();
    // single precision: boxes that touch by less than rounding
    float extent = 0;
    for (std::size_t i = 0; i < now_.box.size(); ++i)
        if (i % 4 < 3) extent = std::max(extent, std::abs(now_.box[i]));
    update_reach<double>(nullptr, 3, 3e-7f * extent, 0, 0);
    sort_patches();
    const PatchView patches = view();
    std::vector<std::vector<std::array<std::int32_t, 2>>> found;
    sweep(found, [&](std::size_t begin, std::size_t end, std::vector<std::array<std::int32_t, 2>> &into) {
        Opened opened(patches, wide_);
        for (std::size_t i = begin; i < end; ++i)
            each_near_patch(i, false, [&](std::int32_t a, std::int32_t b, bool, float) {
                std::int32_t touching[2 * PATCH_SIZE * PATCH_SIZE];
                const auto [one, two] = opened(a, b);
                const std::size_t count = wide_ ? avx2::touching_boxes(patches, one, two, radius_, touching)
                                                : plain::touching_boxes(patches, one, two, radius_, touching);
                for (std::size_t k = 0; k < 2 * count; k += 2) {
                    const auto s = source_[touching[k]], t = source_[touching[k + 1]];
                    into.push_back({std::min(s, t), std::max(s, t)});
                }
            });
    });
    if (keep_axes_) axes_ = std::move(now_.axis);
    now_ = {};
    for (const auto &f : found) pairs.insert(pairs.end(), f.begin(), f.end());
}

template void Patches::find_ahead(const float *, const float *, std::size_t, double, double, double, Near &);
template void Patches::find_ahead(const double *, const double *, std::size_t, double, double, double, Near &);
template void Patches::find(const float *, std::size_t, double, Near &);
template void Patches::find(const double *, std::size_t, double, Near &);

}  // namespace surface
