// Patch after patch: leaves of skin that its box touches, for each of its triangles those leaves that touch it, sixteen triangles of skin at a time those
// that its plane does not part from it, and the exact test for what is left. Single precision until then, with room for its rounding.
#include "contact/crossing.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "geometry/bvh_lanes.h"
#include "core/float4.h"
#include "core/threads.h"

namespace surface {
namespace {

constexpr double ROUNDING = 4e-6;  // of the largest coordinate: more than a few operations in single precision are wrong by
constexpr std::size_t BLOCK = 8;   // patches that a thread takes at a time

// what this machine runs
struct Lanes {
    decltype(&plain::touched_boxes) touched_boxes = plain::touched_boxes;
    decltype(&plain::not_parted) not_parted = plain::not_parted;
    explicit Lanes(int widest) {
        if (widest >= 5 && machine_has_avx512()) touched_boxes = avx512::touched_boxes, not_parted = avx512::not_parted;
        else if (widest >= 2 && machine_has_avx2()) touched_boxes = avx2::touched_boxes, not_parted = avx2::not_parted;
    }
};

struct FloatBox {
    float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
    void add(Vec3 p) {
        const float x[3] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
    }
    void grow(float by) {
        for (int k = 0; k < 3; ++k) low[k] -= by, high[k] += by;
    }
    float largest() const {
        float most = 0;
        for (int k = 0; k < 3; ++k) most = std::max({most, std::abs(low[k]), std::abs(high[k])});
        return most;
    }
};

// Some leaves of a body, their boxes side by side.
class NearLeaves {
  public:
    explicit NearLeaves(const Tree &body) : body_(body) {}
    // calls use() with those that touch a box, as many at a time as there is room for
    template <class Use>
    void each(const FloatBox &box, const Use &use) {
        Float4 low[3], high[3];
        for (int k = 0; k < 3; ++k) low[k] = Float4(box.low[k]), high[k] = Float4(box.high[k]);
        for (const auto root : body_.roots()) {
            std::int32_t open[Tree::open_limit];
            int opened = 0;
            if (root >= 0) open[opened++] = root;
            while (opened) {
                const Node &node = body_.nodes()[open[--opened]];
                int bits = less_equal(low[0], Float4::load(node.hi[0])) & less_equal(Float4::load(node.lo[0]), high[0]);
                for (int k = 1; k < 3; ++k) bits &= less_equal(low[k], Float4::load(node.hi[k])) & less_equal(Float4::load(node.lo[k]), high[k]);
                for (; bits; bits &= bits - 1) {
                    const int k = std::countr_zero(static_cast<unsigned>(bits));
                    if (node.child[k] >= 0) open[opened++] = node.child[k];
                    else if (node.child[k] != Tree::unused) add(node, k, use);
                }
            }
        }
        if (count_) hand_over(use);
    }
    const Leaf &leaf(int i) const { return body_.leaves()[leaf_[i]]; }
    // numbers of those that touch a box; how many
    int touched(const FloatBox &box, const Lanes &lanes, std::int32_t *found) const {
        return lanes.touched_boxes({row_[0], row_[3], CAPACITY, count_}, box.low, box.high, found);
    }
    static constexpr int CAPACITY = 128;

  private:
    template <class Use>
    void add(const Node &node, int place, const Use &use) {
        leaf_[count_] = ~node.child[place];
        for (int k = 0; k < 3; ++k) row_[k][count_] = node.lo[k][place], row_[3 + k][count_] = node.hi[k][place];
        if (++count_ == CAPACITY) hand_over(use);
    }
    // what is left of the last sixteen are boxes that nothing touches
    template <class Use>
    void hand_over(const Use &use) {
        for (int i = count_; i % BOXES_AT_ONCE; ++i)
            for (int k = 0; k < 3; ++k) row_[k][i] = 1e30f, row_[3 + k][i] = -1e30f;
        use();
        count_ = 0;
    }

    const Tree &body_;
    int count_ = 0;
    std::int32_t leaf_[CAPACITY];
    alignas(64) float row_[6][CAPACITY];  // low corners axis by axis, then high ones
};

// one thread's search
class Search {
  public:
    Search(const PatchView &patches, const Patches &numbers, const double *position, const Tree &body, int widest)
        : patches_(patches), numbers_(numbers), position_(position), body_(body), leaves_(body), lanes_(widest) {}
    void patch(std::int32_t a, std::vector<TrianglePair> &found) {
        FloatBox box;
        Vec3 place[PATCH_SIDES];
        const auto first = patches_.patch[a].particle, last = patches_.patch[a + 1].particle;
        for (auto i = first; i < last; ++i) {
            place[i - first] = load(position_ + 3 * static_cast<std::size_t>(patches_.particle[i]));
            box.add(place[i - first]);
        }
        slack_ = static_cast<float>(ROUNDING * std::max(body_.extent(), static_cast<double>(box.largest())));
        box.grow(slack_);
        leaves_.each(box, [&] {
            for (int t = 0; t < patches_.triangle_count(a); ++t) {
                const std::uint8_t *which = patches_.corner + 3 * (patches_.patch[a].triangle + t);
                const Vec3 corner[3] = {place[which[0]], place[which[1]], place[which[2]]};
                triangle(numbers_.number(patches_.patch[a].triangle + t), corner, found);
            }
        });
    }

  private:
    void triangle(std::int32_t number, const Vec3 *corner, std::vector<TrianglePair> &found) {
        FloatBox box;
        for (int k = 0; k < 3; ++k) box.add(corner[k]);
        box.grow(slack_);
        std::int32_t near[NearLeaves::CAPACITY];
        const int count = leaves_.touched(box, lanes_, near);
        if (!count) return;
        Blade blade;
        store(blade.origin, corner[0]);
        store(blade.normal, normalised(cross(corner[1] - corner[0], corner[2] - corner[0])));
        std::copy_n(box.low, 3, blade.low), std::copy_n(box.high, 3, blade.high);
        blade.slack = slack_;
        for (int i = 0; i < count; i += LEAVES_AT_ONCE) {
            const float *corners[LEAVES_AT_ONCE];
            for (int k = 0; k < LEAVES_AT_ONCE; ++k) corners[k] = leaves_.leaf(near[std::min(i + k, count - 1)]).corner[0][0];
            for (unsigned bits = lanes_.not_parted(corners, blade); bits; bits &= bits - 1) {
                const int place = std::countr_zero(bits), which = i + place / 4;
                if (which < count) test(number, corner, leaves_.leaf(near[which]), place % 4, found);
            }
        }
    }
    void test(std::int32_t number, const Vec3 *corner, const Leaf &leaf, int k, std::vector<TrianglePair> &found) const {
        if (k >= leaf.count()) return;
        const std::int32_t *v = body_.triangle(leaf.triangle[k]);
        const Vec3 skin[3] = {body_.vertex(v[0]), body_.vertex(v[1]), body_.vertex(v[2])};
        if (triangles_meet(corner, skin)) found.push_back({number, leaf.triangle[k]});
    }

    const PatchView &patches_;
    const Patches &numbers_;
    const double *position_;
    const Tree &body_;
    NearLeaves leaves_;
    const Lanes lanes_;
    float slack_ = 0;
};

}  // namespace

std::vector<TrianglePair> crossing_skin(const Patches &patches, const double *position, const Tree &body, int widest) {
    const PatchView view = patches.view();
    const std::size_t count = patches.triangle_count() ? patches.patch_count() : 0, blocks = (count + BLOCK - 1) / BLOCK;
    std::vector<std::vector<TrianglePair>> found(blocks);
    std::atomic<std::size_t> next{0};
    run_team(count < 100 ? 1 : thread_count(), [&](int, int, Barrier &) {
        Search search(view, patches, position, body, widest);
        for (std::size_t b; (b = next.fetch_add(1)) < blocks;)
            for (std::size_t a = b * BLOCK; a < std::min(count, (b + 1) * BLOCK); ++a) search.patch(static_cast<std::int32_t>(a), found[b]);
    });
    std::vector<TrianglePair> all;
    for (const auto &f : found) all.insert(all.end(), f.begin(), f.end());
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace surface
