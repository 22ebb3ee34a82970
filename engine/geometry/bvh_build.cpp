// Building and refitting the box tree. Splits minimise the surface area heuristic (MacDonald & Booth 1990), in bins for
// many triangles (Wald 2007) and exactly for few; binary splits are gathered into nodes of four.
#include <algorithm>
#include <functional>
#include <array>
#include <limits>
#include <numeric>

#include "geometry/bvh.h"
#include "core/float4.h"
#include "core/threads.h"

namespace surface {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

// the fourth lane is not used
struct Box {
    Float4 lo{inf}, hi{-inf};
    void add(const Box &b) { lo = min(lo, b.lo), hi = max(hi, b.hi); }
    float area() const {
        float d[4];
        (hi - lo).store(d);
        return d[0] < 0 ? 0 : d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
    }
};

// Bounds of coordinates that were rounded to float32, large enough for the unrounded ones.
Box padded(Float4 lo, Float4 hi) {
    const Float4 zero(0.0f), share(1.2e-7f), tiny(1e-37f);
    return {lo - (max(lo, zero - lo) * share + tiny), hi + (max(hi, zero - hi) * share + tiny)};
}

void put_box(Node &node, int place, const Box &box) {
    float lo[4], hi[4];
    box.lo.store(lo), box.hi.store(hi);
    for (int axis = 0; axis < 3; ++axis) node.lo[axis][place] = lo[axis], node.hi[axis][place] = hi[axis];
}

struct Range {
    std::int32_t begin, end;
    Box box;
    std::int32_t count() const { return end - begin; }
};

class Builder {
  public:
    Builder(std::vector<Box> boxes, std::vector<Node> &nodes, std::vector<Leaf> &leaves, std::vector<std::int32_t> &ends)
        : boxes_(std::move(boxes)), nodes_(nodes), leaves_(leaves), ends_(ends), centre_(boxes_.size()) {
        for (std::size_t t = 0; t < boxes_.size(); ++t)
            (Float4(0.5f) * (boxes_[t].lo + boxes_[t].hi)).store(centre_[t].data());
    }

    // a subtree over the triangles of `order`; returns its root
    std::int32_t build(std::vector<std::int32_t> order) {
        order_ = std::move(order);
        return add_node(whole(0, static_cast<std::int32_t>(order_.size())), 0);
    }

  private:
    static constexpr int bin_count = 16, small = 16;

    Range whole(std::int32_t begin, std::int32_t end) const {
        Range r{begin, end, {}};
        for (auto i = begin; i < end; ++i) r.box.add(boxes_[order_[i]]);
        return r;
    }

    std::int32_t add_leaf(const Range &range) {
        Leaf leaf{};
        for (int k = 0; k < 4; ++k) leaf.triangle[k] = order_[std::min(range.begin + k, range.end - 1)];
        leaves_.push_back(leaf);
        return ~static_cast<std::int32_t>(leaves_.size() - 1);
    }

    std::int32_t add_node(const Range &range, int depth) {
        const auto index = static_cast<std::int32_t>(nodes_.size());
        nodes_.emplace_back();
        ends_.push_back(0);
        std::fill_n(nodes_[index].child, 4, Tree::unused);
        for (int k = 0; k < 4; ++k) put_box(nodes_[index], k, {});
        Range part[4] = {range};
        const int parts = split_in_four(part, depth);
        for (int k = 0; k < parts; ++k) {
            const std::int32_t child = part[k].count() <= 4 ? add_leaf(part[k]) : add_node(part[k], depth + 1);
            nodes_[index].child[k] = child;
        }
        ends_[index] = static_cast<std::int32_t>(nodes_.size());
        return index;
    }

    // halve the part with the largest cost until there are four
    int split_in_four(Range *part, int depth) {
        int parts = 1;
        while (parts < 4) {
            int worst = -1;
            float cost = -1;
            for (int k = 0; k < parts; ++k)
                if (part[k].count() > 4 && part[k].box.area() * part[k].count() > cost)
                    worst = k, cost = part[k].box.area() * part[k].count();
            if (worst < 0) break;
            const auto middle = split(part[worst], depth);
            part[parts++] = whole(middle, part[worst].end);
            part[worst] = whole(part[worst].begin, middle);
        }
        return parts;
    }

    // a freak distribution that splits off crumbs is halved instead, so that the depth stays bounded
    std::int32_t split(const Range &r, int depth) {
        if (r.count() <= small) return split_small(r);
        return depth < Tree::max_depth / 2 ? split_bins(r) : r.begin + r.count() / 2;
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
        Float4 low(inf), high(-inf);
        for (auto i = r.begin; i < r.end; ++i) {
            const Float4 c = Float4::load(centre_[order_[i]].data());
            low = min(low, c), high = max(high, c);
        }
        float lo[4], hi[4];
        low.store(lo), high.store(hi);
        float least = inf;
        int best_axis = -1, best_bin = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const float width = hi[axis] - lo[axis];
            if (!(width > 0)) continue;
            const auto [bin, cost] = best_plane(r, axis, lo[axis], bin_count * 0.9999f / width);
            if (cost < least) least = cost, best_axis = axis, best_bin = bin;
        }
        const auto half = r.begin + r.count() / 2;
        if (best_axis < 0) return half;  // all centres in one place
        const float from = lo[best_axis], scale = bin_count * 0.9999f / (hi[best_axis] - from);
        const auto middle = std::stable_partition(
            order_.begin() + r.begin, order_.begin() + r.end,
            [&](std::int32_t t) { return bin_of(t, best_axis, from, scale) <= best_bin; });
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
    std::vector<Leaf> &leaves_;
    std::vector<std::int32_t> &ends_;
    std::vector<std::array<float, 4>> centre_;
    std::vector<std::int32_t> order_;
};

Box triangle_box(const double *vertices, const std::int32_t *t) {
    Float4 lo(inf), hi(-inf);
    for (int k = 0; k < 3; ++k) {
        const double *v = vertices + 3 * std::size_t(t[k]);
        const float rounded[4] = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2]), 0};
        const Float4 p = Float4::load(rounded);
        lo = min(lo, p), hi = max(hi, p);
    }
    return padded(lo, hi);
}

// new corners of a leaf; returns its box
Box fitted(Leaf &leaf, const float *points, const std::int32_t *vertex) {
    Float4 lo(inf), hi(-inf);
    for (int i = 0; i < 3; ++i) {
        Float4 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = Float4::load(points + 4 * std::size_t(vertex[4 * i + k]));
            lo = min(lo, p[k]), hi = max(hi, p[k]);
        }
        transpose(p[0], p[1], p[2], p[3]);
        for (int axis = 0; axis < 3; ++axis) p[axis].store(leaf.corner[i][axis]);
    }
    return padded(lo, hi);
}

// the box round four
Box around(const Node &node) {
    Float4 lo[4], hi[4];
    for (int axis = 0; axis < 3; ++axis) lo[axis] = Float4::load(node.lo[axis]), hi[axis] = Float4::load(node.hi[axis]);
    lo[3] = hi[3] = Float4(0.0f);
    transpose(lo[0], lo[1], lo[2], lo[3]), transpose(hi[0], hi[1], hi[2], hi[3]);
    return {min(min(lo[0], lo[1]), min(lo[2], lo[3])), max(max(hi[0], hi[1]), max(hi[2], hi[3]))};
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
    nodes_.reserve(triangle_count / 4 + 8);
    leaves_.reserve(triangle_count / 3 + 8);
    Builder builder(std::move(boxes), nodes_, leaves_, subtree_end_);
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

// where each node, leaf and triangle is, and subtrees of moderate size that threads refit on their own
void Tree::plan_refit() {
    parent_.assign(nodes_.size(), -1), leaf_home_.assign(leaves_.size(), -1), leaf_of_.assign(triangle_count(), -1);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        for (int k = 0; k < 4; ++k) {
            const auto child = nodes_[i].child[k], here = static_cast<std::int32_t>(i);
            if (child >= 0) parent_[child] = here;
            else if (child != unused) leaf_home_[~child] = 4 * here + k;
        }
    leaf_vertex_.resize(leaves_.size()), rounded_.assign(4 * vertex_count(), 0.0f);
    for (std::size_t l = 0; l < leaves_.size(); ++l) {
        for (const auto t : leaves_[l].triangle) leaf_of_[t] = static_cast<std::int32_t>(l);
        for (int i = 0; i < 12; ++i) leaf_vertex_[l][i] = triangle(leaves_[l].triangle[i % 4])[i / 4];
    }
    const auto limit = std::max<std::size_t>(64, nodes_.size() / 32);
    std::vector<std::int32_t> open(roots_.rbegin(), roots_.rend());
    while (!open.empty()) {
        const auto i = open.back();
        open.pop_back();
        if (i < 0) continue;
        if (static_cast<std::size_t>(subtree_end_[i] - i) <= limit) {
            add_task(i);
            continue;
        }
        top_.push_back(i);
        for (int k = 3; k >= 0; --k)
            if (nodes_[i].child[k] >= 0) open.push_back(nodes_[i].child[k]);
    }
}

// the leaves of a subtree follow each other, as its nodes do
void Tree::add_task(std::int32_t root) {
    Task task{root, subtree_end_[root], static_cast<std::int32_t>(leaves_.size()), 0};
    for (auto n = task.begin; n < task.end; ++n)
        for (const auto child : nodes_[n].child)
            if (child < 0 && child != unused) task.first_leaf = std::min(task.first_leaf, ~child), task.last_leaf = std::max(task.last_leaf, ~child);
    tasks_.push_back(task);
}

void Tree::refit_leaf(std::int32_t leaf) {
    put_box(nodes_[leaf_home_[leaf] / 4], leaf_home_[leaf] % 4, fitted(leaves_[leaf], rounded_.data(), leaf_vertex_[leaf].data()));
}

// the boxes of its nodes, and those of its leaves
void Tree::refit_node(std::int32_t index, bool leaves) {
    Node &node = nodes_[index];
    for (int k = 0; k < 4; ++k) {
        const auto child = node.child[k];
        if (child >= 0) put_box(node, k, around(nodes_[child]));
        else if (child != unused && leaves) refit_leaf(~child);
    }
}

void Tree::round_vertices(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
        for (std::size_t k = 0; k < 3; ++k) rounded_[4 * i + k] = static_cast<float>(vertices_[3 * i + k]);
}

void Tree::refit(const double *vertices, const Raised &raised) {
    run_team(nodes_.size() < 1000 ? 1 : thread_count(), [&](int rank, int size, Barrier &barrier) {
        const Share points = share(vertex_count(), rank, size), mine = share(tasks_.size(), rank, size);
        if (vertices != vertices_.data())
            std::copy_n(vertices + 3 * points.begin, 3 * (points.end - points.begin), vertices_.data() + 3 * points.begin);
        for (std::size_t i = 0; i < raised.count; ++i)
            if (const auto v = static_cast<std::size_t>(raised.vertex[i]); v >= points.begin && v < points.end)
                std::copy_n(raised.place + 3 * i, 3, &vertices_[3 * v]);
        round_vertices(points.begin, points.end);
        barrier.wait();
        for (std::size_t i = mine.begin; i < mine.end; ++i) {
            // forwards: memory is read ahead, and leaves are most of it
            for (auto leaf = tasks_[i].first_leaf; leaf <= tasks_[i].last_leaf; ++leaf) refit_leaf(leaf);
            // children come after their parents: backwards is bottom-up
            for (auto n = tasks_[i].end; n-- > tasks_[i].begin;) refit_node(n, false);
        }
    });
    for (auto n = top_.rbegin(); n != top_.rend(); ++n) refit_node(*n, true);
    set_extent();
}

void Tree::place(const double *vertices) { std::copy_n(vertices, vertices_.size(), vertices_.data()); }

void Tree::refit_part(const double *vertices, const std::vector<std::int32_t> &triangles) {
    std::vector<std::int32_t> changed;
    for (const auto t : triangles) {
        for (int k = 0; k < 3; ++k) {
            const std::size_t v = 3 * std::size_t(triangle(t)[k]);
            std::copy_n(vertices + v, 3, &vertices_[v]);
            round_vertices(v / 3, v / 3 + 1);
        }
        for (auto n = leaf_home_[leaf_of_[t]] / 4; n >= 0; n = parent_[n]) changed.push_back(n);
    }
    // children come after their parents: backwards is bottom-up
    std::sort(changed.begin(), changed.end(), std::greater<>());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const auto n : changed) refit_node(n, true);
    set_extent();
}

void Tree::set_extent() {
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
