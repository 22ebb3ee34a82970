// Building and refitting the box tree. Splits minimise the surface area heuristic (MacDonald & Booth 1990), in bins for
// many triangles (Wald 2007) and exactly for few; binary splits are gathered into nodes of four.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "bvh.h"
#include "team.h"

namespace surface {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

struct Box {
    float lo[3] = {inf, inf, inf}, hi[3] = {-inf, -inf, -inf};
    void add(const Box &b) {
        for (int k = 0; k < 3; ++k) lo[k] = std::min(lo[k], b.lo[k]), hi[k] = std::max(hi[k], b.hi[k]);
    }
    float area() const {
        const float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
        return x < 0 ? 0 : x * y + y * z + z * x;
    }
};

// float32 on the safe side of a double
float below(double v) {
    const float f = static_cast<float>(v);
    return f > v ? std::nextafterf(f, -inf) : f;
}
float above(double v) {
    const float f = static_cast<float>(v);
    return f < v ? std::nextafterf(f, inf) : f;
}

struct Range {
    std::int32_t begin, end;
    Box box;
    std::int32_t count() const { return end - begin; }
};

class Builder {
  public:
    Builder(std::vector<Box> boxes, std::vector<Node> &nodes, std::vector<std::int32_t> &ends)
        : boxes_(std::move(boxes)), nodes_(nodes), ends_(ends), centre_(boxes_.size()) {
        for (std::size_t t = 0; t < boxes_.size(); ++t)
            for (int k = 0; k < 3; ++k) centre_[t][k] = 0.5f * (boxes_[t].lo[k] + boxes_[t].hi[k]);
    }

    // a subtree over the triangles of `order`; returns its root
    std::int32_t build(std::vector<std::int32_t> order) {
        order_ = std::move(order);
        return add_node(whole(0, static_cast<std::int32_t>(order_.size())));
    }

  private:
    static constexpr int bin_count = 16, small = 16;

    Range whole(std::int32_t begin, std::int32_t end) const {
        Range r{begin, end, {}};
        for (auto i = begin; i < end; ++i) r.box.add(boxes_[order_[i]]);
        return r;
    }

    std::int32_t add_node(const Range &range) {
        const auto index = static_cast<std::int32_t>(nodes_.size());
        nodes_.emplace_back();
        ends_.push_back(0);
        std::fill_n(nodes_[index].child, 4, Tree::unused);
        if (range.count() <= 4) {
            for (int k = 0; k < range.count(); ++k) nodes_[index].child[k] = ~order_[range.begin + k];
        } else {
            Range part[4] = {range};
            const int parts = split_in_four(part);
            for (int k = 0; k < parts; ++k) {
                const std::int32_t child = add_node(part[k]);
                nodes_[index].child[k] = child;
            }
        }
        ends_[index] = static_cast<std::int32_t>(nodes_.size());
        return index;
    }

    // halve the part with the largest cost until there are four
    int split_in_four(Range *part) {
        int parts = 1;
        while (parts < 4) {
            int worst = -1;
            float cost = -1;
            for (int k = 0; k < parts; ++k)
                if (part[k].count() > 4 && part[k].box.area() * part[k].count() > cost)
                    worst = k, cost = part[k].box.area() * part[k].count();
            if (worst < 0) break;
            const auto middle = part[worst].count() <= small ? split_small(part[worst]) : split_bins(part[worst]);
            part[parts++] = whole(middle, part[worst].end);
            part[worst] = whole(part[worst].begin, middle);
        }
        return parts;
    }

    void sort_along(const Range &r, int axis) {
        std::sort(order_.begin() + r.begin, order_.begin() + r.end, [&](std::int32_t a, std::int32_t b) {
            return centre_[a][axis] != centre_[b][axis] ? centre_[a][axis] < centre_[b][axis] : a < b;
        });
    }

    // few triangles: every split that leaves whole groups of four on the left, so that the last nodes are full
    std::int32_t split_small(const Range &r) {
        float least = inf;
        int best_axis = 0;
        std::int32_t best = r.begin + 4;
        for (int axis = 0; axis < 3; ++axis) {
            sort_along(r, axis);
            for (auto middle = r.begin + 4; middle < r.end; middle += 4) {
                const Range a = whole(r.begin, middle), b = whole(middle, r.end);
                const float cost = a.box.area() * a.count() + b.box.area() * b.count();
                if (cost < least) least = cost, best = middle, best_axis = axis;
            }
        }
        if (best_axis != 2) sort_along(r, best_axis);
        return best;
    }

    // many triangles: the best of bin_count - 1 planes on each axis
    std::int32_t split_bins(const Range &r) {
        Box centres;
        for (auto i = r.begin; i < r.end; ++i)
            for (int k = 0; k < 3; ++k) {
                centres.lo[k] = std::min(centres.lo[k], centre_[order_[i]][k]);
                centres.hi[k] = std::max(centres.hi[k], centre_[order_[i]][k]);
            }
        float least = inf;
        int best_axis = -1, best_bin = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const float width = centres.hi[axis] - centres.lo[axis];
            if (!(width > 0)) continue;
            const float scale = bin_count * 0.9999f / width;
            const auto [bin, cost] = best_plane(r, axis, centres.lo[axis], scale);
            if (cost < least) least = cost, best_axis = axis, best_bin = bin;
        }
        const auto half = r.begin + r.count() / 2;
        if (best_axis < 0) return half;  // all centres in one place
        const float lo = centres.lo[best_axis], scale = bin_count * 0.9999f / (centres.hi[best_axis] - lo);
        const auto middle = std::stable_partition(
            order_.begin() + r.begin, order_.begin() + r.end,
            [&](std::int32_t t) { return bin_of(t, best_axis, lo, scale) <= best_bin; });
        const auto at = static_cast<std::int32_t>(middle - order_.begin());
        return at > r.begin && at < r.end ? at : half;
    }

    int bin_of(std::int32_t t, int axis, float lo, float scale) const {
        return std::clamp(static_cast<int>((centre_[t][axis] - lo) * scale), 0, bin_count - 1);
    }

    std::pair<int, float> best_plane(const Range &r, int axis, float lo, float scale) const {
        std::array<Box, bin_count> box;
        std::array<int, bin_count> count{};
        for (auto i = r.begin; i < r.end; ++i) {
            const int b = bin_of(order_[i], axis, lo, scale);
            box[b].add(boxes_[order_[i]]);
            ++count[b];
        }
        std::array<float, bin_count> right{};
        Box swept;
        int seen = 0;
        for (int b = bin_count - 1; b > 0; --b) {
            swept.add(box[b]);
            right[b - 1] = swept.area() * (seen += count[b]);
        }
        swept = {};
        seen = 0;
        std::pair<int, float> best{0, inf};
        for (int b = 0; b + 1 < bin_count; ++b) {
            swept.add(box[b]);
            seen += count[b];
            const float cost = swept.area() * seen + right[b];
            if (seen > 0 && seen < r.count() && cost < best.second) best = {b, cost};
        }
        return best;
    }

    std::vector<Box> boxes_;
    std::vector<Node> &nodes_;
    std::vector<std::int32_t> &ends_;
    std::vector<std::array<float, 3>> centre_;
    std::vector<std::int32_t> order_;
};

Box triangle_box(const double *vertices, const std::int32_t *t) {
    const double *a = vertices + 3 * std::size_t(t[0]), *b = vertices + 3 * std::size_t(t[1]),
                 *c = vertices + 3 * std::size_t(t[2]);
    Box box;
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = below(std::min({a[k], b[k], c[k]}));
        box.hi[k] = above(std::max({a[k], b[k], c[k]}));
    }
    return box;
}

}  // namespace

Tree::Tree(const std::int32_t *triangles, std::size_t triangle_count, const double *vertices, std::size_t vertex_count,
           const std::int32_t *group)
    : triangles_(triangles, triangles + 3 * triangle_count), vertices_(vertices, vertices + 3 * vertex_count) {
    if (group) group_.assign(group, group + triangle_count);
    connect(vertex_count);
    std::vector<Box> boxes(triangle_count);
    for (std::size_t t = 0; t < triangle_count; ++t) boxes[t] = triangle_box(vertices, triangles + 3 * t);
    std::vector<std::vector<std::int32_t>> members(1);
    for (std::size_t t = 0; t < triangle_count; ++t) {
        const auto g = static_cast<std::size_t>(group_of(t));
        if (g >= members.size()) members.resize(g + 1);
        members[g].push_back(static_cast<std::int32_t>(t));
    }
    nodes_.reserve(triangle_count / 2 + 8);
    Builder builder(std::move(boxes), nodes_, subtree_end_);
    for (auto &m : members) roots_.push_back(m.empty() ? -1 : builder.build(std::move(m)));
    plan_refit();
    refit(vertices);
}

// triangles round each vertex and across each edge, for pseudonormals
void Tree::connect(std::size_t vertex_count) {
    fan_start_.assign(vertex_count + 1, 0);
    for (const auto v : triangles_) ++fan_start_[v + 1];
    std::partial_sum(fan_start_.begin(), fan_start_.end(), fan_start_.begin());
    fan_.resize(triangles_.size());
    auto next = fan_start_;
    for (std::size_t i = 0; i < triangles_.size(); ++i) fan_[next[triangles_[i]]++] = static_cast<std::int32_t>(i / 3);
    neighbour_.assign(triangles_.size(), -1);
    for (std::size_t i = 0; i < triangles_.size(); ++i) {
        const auto t = static_cast<std::int32_t>(i / 3);
        const auto a = triangles_[i], b = triangles_[3 * std::size_t(t) + (i + 1) % 3];
        for (auto f = fan_start_[a]; f < fan_start_[a + 1] && neighbour_[i] < 0; ++f) {
            const std::int32_t *other = triangle(fan_[f]);
            if (fan_[f] != t && (other[0] == b || other[1] == b || other[2] == b)) neighbour_[i] = fan_[f];
        }
    }
}

// cut the tree into subtrees of moderate size that threads refit on their own
void Tree::plan_refit() {
    const auto limit = std::max<std::size_t>(64, nodes_.size() / 32);
    std::vector<std::int32_t> open(roots_.rbegin(), roots_.rend());
    while (!open.empty()) {
        const auto i = open.back();
        open.pop_back();
        if (i < 0) continue;
        if (static_cast<std::size_t>(subtree_end_[i] - i) <= limit) {
            tasks_.push_back({i, subtree_end_[i]});
            continue;
        }
        top_.push_back(i);
        for (int k = 3; k >= 0; --k)
            if (nodes_[i].child[k] >= 0) open.push_back(nodes_[i].child[k]);
    }
}

void Tree::refit_node(std::int32_t index) {
    Node &node = nodes_[index];
    for (int k = 0; k < 4; ++k) {
        Box box;
        const auto child = node.child[k];
        if (child >= 0) {
            const Node &below_it = nodes_[child];
            for (int axis = 0; axis < 3; ++axis)
                for (int j = 0; j < 4; ++j) {
                    box.lo[axis] = std::min(box.lo[axis], below_it.lo[axis][j]);
                    box.hi[axis] = std::max(box.hi[axis], below_it.hi[axis][j]);
                }
        } else if (child != unused) {
            box = triangle_box(vertices_.data(), triangle(~child));
        }
        for (int axis = 0; axis < 3; ++axis) node.lo[axis][k] = box.lo[axis], node.hi[axis][k] = box.hi[axis];
    }
}

void Tree::refit(const double *vertices) {
    if (vertices != vertices_.data()) std::copy_n(vertices, vertices_.size(), vertices_.data());
    // children come after their parents: backwards is bottom-up
    for_ranges(tasks_.size(), nodes_.size() < 1000 ? tasks_.size() + 1 : 2, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (auto n = tasks_[i].end; n-- > tasks_[i].begin;) refit_node(n);
    });
    for (auto n = top_.rbegin(); n != top_.rend(); ++n) refit_node(*n);
    extent_ = 0;
    for (const auto root : roots_) {
        if (root < 0) continue;
        for (int axis = 0; axis < 3; ++axis)
            for (int k = 0; k < 4; ++k)
                if (nodes_[root].child[k] != unused)
                    extent_ = std::max({extent_, std::abs(double(nodes_[root].lo[axis][k])),
                                        std::abs(double(nodes_[root].hi[axis][k]))});
    }
}

}  // namespace surface
