// Near pairs of a cloth: sweep and prune over patches of triangles, boxes of triangles, then distances (near_search.h).
#include "proximity.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "float4.h"
#include "pairs_view.h"
#include "team.h"

namespace surface {
namespace {

constexpr int patch_size = 12;
constexpr float smooth_cosine = 0.7071f;
constexpr std::size_t most_joints = 32;  // patches between two

constexpr std::size_t block_size = BOX_BLOCK, lanes = BOX_LANES;

// a box into its place among eight
void put_box(const BoxGrid &grid, std::int16_t *blocks, std::size_t index, const float *lo, const float *hi) {
    std::int16_t *block = blocks + index / lanes * block_size + index % lanes;
    for (int k = 0; k < 3; ++k) block[lanes * k] = grid.low(lo[k], k), block[lanes * (3 + k)] = grid.high(hi[k], k);
}

bool reaches(const float *lo, const float *hi, const float *patch, float radius) {
    return lo[0] - radius <= patch[4] && patch[0] - radius <= hi[0] && lo[1] - radius <= patch[5] &&
           patch[1] - radius <= hi[1] && lo[2] - radius <= patch[6] && patch[2] - radius <= hi[2];
}

}  // namespace

Patches::Patches(const std::int32_t *triangles, std::size_t triangle_count, std::size_t particle_count,
                 const std::int32_t *label)
    : triangles_(triangles, triangles + 3 * triangle_count), particle_count_(particle_count) {
    bool sewn = false;
    for (std::size_t p = 0; label && p < particle_count; ++p) sewn |= label[p] != static_cast<std::int32_t>(p);
    if (sewn) label_.assign(label, label + particle_count);
    // triangles across each edge, by sorting the edges
    struct Side {
        std::int32_t low, high, index;
    };
    std::vector<Side> sides(triangles_.size());
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto a = label_of(triangles_[i]), b = label_of(triangles_[i / 3 * 3 + (i + 1) % 3]);
        sides[i] = {std::min(a, b), std::max(a, b), static_cast<std::int32_t>(i)};
    }
    std::sort(sides.begin(), sides.end(), [](const Side &p, const Side &q) {
        return p.low != q.low ? p.low < q.low : p.high != q.high ? p.high < q.high : p.index < q.index;
    });
    std::vector<std::int32_t> neighbour(triangles_.size(), -1);
    for (std::size_t i = 0; i + 1 < sides.size(); ++i)
        if (sides[i].low == sides[i + 1].low && sides[i].high == sides[i + 1].high) {
            neighbour[sides[i].index] = sides[i + 1].index / 3;
            neighbour[sides[i + 1].index] = sides[i].index / 3;
        }
    grow_patches(neighbour);
    find_touching();
    share_out();
    wide_ = machine_has_avx2();
}

// breadth first over shared edges; the next patch starts at the rim of the ones before
void Patches::grow_patches(const std::vector<std::int32_t> &neighbour) {
    const std::size_t count = triangle_count();
    std::vector<std::int32_t> order, rim;
    std::vector<std::uint8_t> taken(count, 0);
    order.reserve(count);
    std::size_t rim_at = 0, next = 0;
    while (order.size() < count) {
        while (rim_at < rim.size() && taken[rim[rim_at]]) ++rim_at;
        while (next < count && taken[next]) ++next;
        const auto seed = rim_at < rim.size() ? rim[rim_at] : static_cast<std::int32_t>(next);
        const std::size_t begin = order.size();
        patch_start_.push_back(static_cast<std::int32_t>(begin));
        taken[seed] = 1;
        order.push_back(seed);
        for (std::size_t at = begin; at < order.size(); ++at)
            for (int k = 0; k < 3; ++k) {
                const auto other = neighbour[3 * std::size_t(order[at]) + k];
                if (other < 0 || taken[other]) continue;
                if (order.size() - begin < patch_size) {
                    taken[other] = 1;
                    order.push_back(other);
                } else {
                    rim.push_back(other);
                }
            }
    }
    patch_start_.push_back(static_cast<std::int32_t>(count));
    std::vector<std::int32_t> sorted(triangles_.size());
    for (std::size_t i = 0; i < count; ++i) std::copy_n(&triangles_[3 * std::size_t(order[i])], 3, &sorted[3 * i]);
    triangles_ = std::move(sorted), source_ = std::move(order);
    rim_.assign(patch_count(), 0);
    for (std::size_t p = 0; p < patch_count(); ++p)
        for (auto t = patch_start_[p]; t < patch_start_[p + 1]; ++t)
            for (int k = 0; k < 3; ++k) rim_[p] |= neighbour[3 * std::size_t(source_[t]) + k] < 0;
}

// patches with a common particle
void Patches::find_touching() {
    std::vector<std::vector<std::int32_t>> at(particle_count()), touch(patch_count());
    for (std::size_t p = 0; p < patch_count(); ++p)
        for (auto i = 3 * patch_start_[p]; i < 3 * patch_start_[p + 1]; ++i) {
            auto &list = at[label_of(triangles_[i])];
            if (list.empty() || list.back() != static_cast<std::int32_t>(p)) list.push_back(static_cast<std::int32_t>(p));
        }
    for (const auto &list : at)
        for (const auto p : list)
            for (const auto q : list)
                if (p != q) touch[p].push_back(q);
    for (auto &list : touch) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    touch_start_.assign(1, 0);
    for (const auto &list : touch) {
        touch_.insert(touch_.end(), list.begin(), list.end());
        touch_start_.push_back(static_cast<std::int32_t>(touch_.size()));
    }
    touch_.shrink_to_fit(), touch_start_.shrink_to_fit();
}

// Patches that touch both of two, ascending; between: room for most_joints. Two that both have a free edge may be the sides of a
// slit, which slide over each other however smooth the cloth is: nothing joins them.
std::size_t Patches::joints(std::int32_t a, std::int32_t b, std::int32_t *between) const {
    if (rim_[a] && rim_[b]) return 0;
    const std::int32_t *p = touch_.data() + touch_start_[a], *q = touch_.data() + touch_start_[b];
    const std::int32_t *const last = touch_.data() + touch_start_[a + 1], *const other = touch_.data() + touch_start_[b + 1];
    std::size_t count = 0;
    while (p != last && q != other) {
        if (*p == *q) {
            if (count == most_joints) return 0;  // of no ordinary cloth: let them be strangers
            between[count++] = *p;
        }
        const bool on = *p <= *q, too = *q <= *p;
        p += on, q += too;
    }
    return count;
}

// the first patch that has a vertex or an edge speaks for it
void Patches::share_out() {
    std::vector<std::uint8_t> seen(particle_count(), 0);
    std::vector<std::array<std::int32_t, 3>> sides(triangles_.size());
    std::vector<std::uint8_t> first(triangles_.size(), 0);
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto a = triangles_[i], b = triangles_[i / 3 * 3 + (i + 1) % 3];
        sides[i] = {std::min(a, b), std::max(a, b), static_cast<std::int32_t>(i)};
    }
    std::sort(sides.begin(), sides.end());
    for (std::size_t i = 0; i < sides.size(); ++i)
        first[sides[i][2]] = i == 0 || sides[i][0] != sides[i - 1][0] || sides[i][1] != sides[i - 1][1];
    std::int32_t face_blocks = 0, edge_blocks = 0;
    for (std::size_t p = 0; p < patch_count(); ++p) {
        vertex_start_.push_back(static_cast<std::int32_t>(vertices_.size()));
        edge_start_.push_back(static_cast<std::int32_t>(edges_.size()));
        face_block_.push_back(face_blocks), edge_block_.push_back(edge_blocks);
        for (auto i = 3 * patch_start_[p]; i < 3 * patch_start_[p + 1]; ++i) {
            const auto corner = static_cast<std::uint8_t>(i - 3 * patch_start_[p]);
            if (!seen[triangles_[i]]) seen[triangles_[i]] = 1, vertices_.push_back(corner);
            if (first[i]) edges_.push_back(corner);
        }
        face_blocks += (patch_start_[p + 1] - patch_start_[p] + BOX_LANES - 1) / BOX_LANES;
        edge_blocks += (static_cast<std::int32_t>(edges_.size()) - edge_start_.back() + BOX_LANES - 1) / BOX_LANES;
    }
    vertex_start_.push_back(static_cast<std::int32_t>(vertices_.size()));
    edge_start_.push_back(static_cast<std::int32_t>(edges_.size()));
    face_block_.push_back(face_blocks), edge_block_.push_back(edge_blocks);
    // places that stay unused hold boxes that touch nothing
    for (auto *boxes : {&face_boxes_, &edge_boxes_}) {
        boxes->resize(block_size * (boxes == &face_boxes_ ? face_blocks : edge_blocks));
        for (std::size_t i = 0; i < boxes->size(); ++i) (*boxes)[i] = i % block_size < block_size / 2 ? BoxGrid::HIGHEST + 1 : BoxGrid::LOWEST - 1;
    }
    for (auto *list : {&vertices_, &edges_}) list->shrink_to_fit();
    for (auto *list : {&vertex_start_, &edge_start_, &face_block_, &edge_block_, &patch_start_}) list->shrink_to_fit();
}

// calls use(particle) for all that belong to a triangle
template <class Use>
void Patches::each_vertex(const Use &use) const {
    for (std::size_t p = 0; p < patch_count(); ++p)
        for (auto i = vertex_start_[p]; i < vertex_start_[p + 1]; ++i) use(triangles_[3 * patch_start_[p] + vertices_[i]]);
}

// boxes and normals of triangles and patches at the current position
void Patches::update_boxes() {
    const std::size_t count = patch_count();
    if (!normal_) own_normal_.resize(3 * triangle_count()), normal_ = own_normal_.data();
    patch_box_.resize(8 * count), patch_axis_.resize(4 * count);
    const PatchView patches = view();
    for_ranges(count, 200, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            Float4 lo(1e30f), hi(-1e30f), axis(0.0f);
            for (auto t = patch_start_[p]; t < patch_start_[p + 1]; ++t) {
                const float *a = &point_[4 * std::size_t(triangles_[3 * t])], *b = &point_[4 * std::size_t(triangles_[3 * t + 1])],
                            *c = &point_[4 * std::size_t(triangles_[3 * t + 2])];
                const Float4 pa = Float4::load(a), pb = Float4::load(b), pc = Float4::load(c);
                const Float4 low = min(min(pa, pb), pc), high = max(max(pa, pb), pc);
                float from[4], to[4];
                low.store(from), high.store(to);
                put_box(grid_, &face_boxes_[block_size * std::size_t(face_block_[p])], t - patch_start_[p], from, to);
                lo = min(lo, low), hi = max(hi, high);
                const float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2], vx = c[0] - a[0], vy = c[1] - a[1],
                            vz = c[2] - a[2];
                const float x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
                const float size = std::sqrt(x * x + y * y + z * z), s = size > 0 ? 1 / size : 0;
                const float unit[4] = {s * x, s * y, s * z, 0};
                std::copy_n(unit, 3, &normal_[3 * std::size_t(t)]);
                axis = axis + Float4::load(unit);
            }
            lo.store(&patch_box_[8 * p]), hi.store(&patch_box_[8 * p + 4]), axis.store(&patch_axis_[4 * p]);
            float *sum = &patch_axis_[4 * p], least = 1, size = 0;
            for (int k = 0; k < 3; ++k) size += sum[k] * sum[k];
            size = std::sqrt(size);
            for (auto t = patch_start_[p]; t < patch_start_[p + 1]; ++t) {
                const float *n = &normal_[3 * std::size_t(t)];
                least = std::min(least, (sum[0] * n[0] + sum[1] * n[1] + sum[2] * n[2]) / size);
            }
            sum[3] = size > 0 ? least : -1;
            for (auto e = edge_start_[p]; e < edge_start_[p + 1]; ++e) {
                std::int32_t i, j;
                patches.edge(static_cast<std::int32_t>(p), e, i, j);
                const Float4 a = Float4::load(&point_[4 * std::size_t(i)]), b = Float4::load(&point_[4 * std::size_t(j)]);
                float from[4], to[4];
                min(a, b).store(from), max(a, b).store(to);
                put_box(grid_, &edge_boxes_[block_size * std::size_t(edge_block_[p])], e - edge_start_[p], from, to);
            }
        }
    });
}

// do all normals of a patch lie within 45 degrees of one direction?
bool Patches::smooth(std::int32_t a) const { return patch_axis_[4 * std::size_t(a) + 3] >= smooth_cosine; }

// ... of two patches and of those that join them?
bool Patches::smooth(std::int32_t a, std::int32_t b, const std::int32_t *first, const std::int32_t *last) const {
    float axis[3] = {0, 0, 0};
    const auto add = [&](std::int32_t p) {
        const float *own = &patch_axis_[4 * std::size_t(p)];
        for (int k = 0; k < 3; ++k) axis[k] += own[k];
        // one of them alone is too curved for any direction: its cone is wider than 90 degrees
        return own[3] >= 0;
    };
    bool fits = add(a) && add(b);
    for (auto p = first; p != last && fits; ++p) fits = add(*p);
    if (!fits) return false;
    const float limit = smooth_cosine * std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const auto within = [&](std::int32_t p) {
        for (auto t = patch_start_[p]; t < patch_start_[p + 1]; ++t) {
            const float *n = &normal_[3 * std::size_t(t)];
            if (!(axis[0] * n[0] + axis[1] * n[1] + axis[2] * n[2] >= limit)) return false;
        }
        return true;
    };
    return within(a) && within(b) && std::all_of(first, last, within);
}

PatchView Patches::view() const {
    return {point_, label_.empty() ? nullptr : label_.data(), triangles_.data(), patch_start_.data(), vertices_.data(),
            edges_.data(), vertex_start_.data(), edge_start_.data(), face_boxes_.data(), edge_boxes_.data(), grid_,
            face_block_.data(), edge_block_.data(), patch_box_.data()};
}

// two patches are near when they can come within the radius of each other
float Patches::radius_between(std::int32_t a, std::int32_t b) const {
    if (patch_velocity_.empty()) return radius_;
    const float *u = &patch_velocity_[4 * std::size_t(a)], *v = &patch_velocity_[4 * std::size_t(b)];
    float speed2 = 0;
    for (int k = 0; k < 3; ++k) speed2 += (u[k] - v[k]) * (u[k] - v[k]);
    return std::min(most_, radius_ + ahead_ * (std::sqrt(speed2) + 0.5f * (u[3] + v[3])));
}

namespace {
// which of all patches the one in turn touches, of the thread that asks
struct Marks {
    std::vector<std::uint64_t> of;  // turn
    std::uint64_t turn = 0;
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
    const auto turn = ++marks.turn;
    for (auto k = touch_start_[a]; k < touch_start_[a + 1]; ++k) marks.of[touch_[k]] = turn;
    const float *box = &patch_box_[8 * std::size_t(a)], reach = patch_reach_[a];
    Float4 low[3], high[3];
    for (int k = 0; k < 3; ++k) low[k] = Float4(box[axis_[k]] - reach), high[k] = Float4(box[4 + axis_[k]] + reach);
    for (std::size_t j = at + 1; j < order_.size(); j += 4) {
        // sorted by their lower ends along the first axis: none of the rest can reach back
        const int begun = less_equal(Float4::load(&sorted_lo_[0][j]), high[0]);
        int bits = begun;
        for (int axis = 1; axis < 3 && bits; ++axis)
            bits &= less_equal(low[axis], Float4::load(&sorted_hi_[axis][j])) &
                    less_equal(Float4::load(&sorted_lo_[axis][j]), high[axis]);
        for (; bits; bits &= bits - 1) {
            const auto b = order_[j + std::countr_zero(static_cast<unsigned>(bits))];
            const float radius = radius_between(a, b);
            if (!reaches(box, box + 4, &patch_box_[8 * std::size_t(b)], radius)) continue;
            const bool related = marks.of[b] == turn;
            std::int32_t between[most_joints];
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
    float lo[4], hi[4], extent[3];
    low.store(lo), high.store(hi);
    for (int k = 0; k < 3; ++k) {
        extent[k] = std::max(hi[k] - lo[k], 1e-6f);
        grid_.origin[k] = lo[k] + 0.5f * extent[k], grid_.scale[k] = 65000.0f / extent[k];
    }
    const int longest = extent[0] >= std::max(extent[1], extent[2]) ? 0 : extent[1] >= extent[2] ? 1 : 2;
    axis_[0] = longest, axis_[1] = longest == 1 ? 0 : 1, axis_[2] = longest == 2 ? 0 : 2;
}

// how far each patch reaches out: half of the radius, and its way against the mean of the cloth
template <class T>
void Patches::update_reach(const T *velocity, std::size_t stride, float radius, float ahead, float most) {
    const std::size_t count = patch_count();
    radius_ = radius, ahead_ = ahead, most_ = most;
    patch_reach_.assign(count, 0.5f * radius), patch_velocity_.clear();
    if (!velocity) return;
    patch_velocity_.resize(4 * count);
    double mean[3] = {0, 0, 0};
    each_vertex([&](std::int32_t v) {
        for (int k = 0; k < 3; ++k) mean[k] += velocity[stride * std::size_t(v) + k];
    });
    for (double &m : mean) m /= static_cast<double>(std::max<std::size_t>(vertices_.size(), 1));
    for_ranges(count, 200, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            float *own = &patch_velocity_[4 * p], square = 0, speed2 = 0;
            std::fill_n(own, 4, 0.0f);
            const auto first = 3 * patch_start_[p], last = 3 * patch_start_[p + 1];
            const float share = 1.0f / static_cast<float>(last - first);
            for (auto i = first; i < last; ++i)
                for (int k = 0; k < 3; ++k) {
                    const float v = static_cast<float>(velocity[stride * std::size_t(triangles_[i]) + k] - mean[k]);
                    own[k] += share * v, square += share * v * v;
                }
            for (int k = 0; k < 3; ++k) speed2 += own[k] * own[k];
            own[3] = std::sqrt(std::max(square - speed2, 0.0f));
            patch_reach_[p] = std::min(0.5f * radius + ahead * (std::sqrt(speed2) + 0.5f * own[3]), most);
        }
    });
}

void Patches::sort_patches() {
    const std::size_t count = patch_count();
    std::vector<std::pair<float, std::int32_t>> start(count);
    for (std::size_t p = 0; p < count; ++p) {
        const float x = patch_box_[8 * p + axis_[0]] - patch_reach_[p];
        start[p] = {x == x ? x : 1e30f, static_cast<std::int32_t>(p)};  // cloth that is lost (NaN) is near nothing
    }
    std::sort(start.begin(), start.end());
    order_.resize(count);
    for (std::size_t i = 0; i < count; ++i) order_[i] = start[i].second;
    for (int k = 0; k < 3; ++k) {
        sorted_lo_[k].assign(count + 4, 1e30f), sorted_hi_[k].assign(count + 4, -1e30f);
        for (std::size_t i = 0; i < count; ++i) {
            const float *box = &patch_box_[8 * std::size_t(order_[i])], reach = patch_reach_[order_[i]];
            sorted_lo_[k][i] = box[axis_[k]] - reach, sorted_hi_[k][i] = box[4 + axis_[k]] + reach;
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
    if (triangles_.empty()) return;
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
        const auto search = [&](std::int32_t a, std::int32_t b, bool related, float r) {
            const std::size_t room = NearWork::ROOM + NearWork::BATCH;
            if (faces.size() < work.near_faces + room) faces.resize(2 * work.near_faces + room);
            if (edges.size() < work.near_edges + room) edges.resize(2 * work.near_edges + room);
            work.near_face = faces[0].data(), work.near_edge = edges[0].data();
            wide_ ? avx2::search_patches(patches, a, b, related, r, work) : plain::search_patches(patches, a, b, related, r, work);
        };
        for (std::size_t i = begin; i < end; ++i) each_near_patch(i, true, search);
        wide_ ? avx2::finish_search(patches, work) : plain::finish_search(patches, work);
        into.vertex_face.assign(faces.begin(), faces.begin() + static_cast<std::ptrdiff_t>(work.near_faces));
        into.edge_edge.assign(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(work.near_edges));
    });
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
    if (triangles_.empty()) return;
    take(position, 3);
    update_boxes();
    // single precision: boxes that touch by less than rounding
    float extent = 0;
    for (std::size_t i = 0; i < patch_box_.size(); ++i)
        if (i % 4 < 3) extent = std::max(extent, std::abs(patch_box_[i]));
    update_reach<double>(nullptr, 3, 3e-7f * extent, 0, 0);
    sort_patches();
    const PatchView patches = view();
    std::vector<std::vector<std::array<std::int32_t, 2>>> found;
    sweep(found, [&](std::size_t begin, std::size_t end, std::vector<std::array<std::int32_t, 2>> &into) {
        for (std::size_t i = begin; i < end; ++i)
            each_near_patch(i, false, [&](std::int32_t a, std::int32_t b, bool, float) {
                std::int32_t touching[2 * patch_size * patch_size];
                const std::size_t count = wide_ ? avx2::touching_boxes(patches, a, b, radius_, touching)
                                                : plain::touching_boxes(patches, a, b, radius_, touching);
                for (std::size_t k = 0; k < 2 * count; k += 2) {
                    const auto s = source_[touching[k]], t = source_[touching[k + 1]];
                    into.push_back({std::min(s, t), std::max(s, t)});
                }
            });
    });
    for (const auto &f : found) pairs.insert(pairs.end(), f.begin(), f.end());
}

template void Patches::find_ahead(const float *, const float *, std::size_t, double, double, double, Near &);
template void Patches::find_ahead(const double *, const double *, std::size_t, double, double, double, Near &);
template void Patches::find(const float *, std::size_t, double, Near &);
template void Patches::find(const double *, std::size_t, double, Near &);

}  // namespace surface
