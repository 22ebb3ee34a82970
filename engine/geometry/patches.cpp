// The patches of a cloth (proximity.h): how its triangles are divided among them.
#include <algorithm>
#include <array>
#include <numeric>

#include "geometry/proximity.h"
#include "core/threads.h"

namespace surface {

namespace {
// the triangle across each side (t, 3), -1 where there is none; particles of one label count as one
std::vector<std::int32_t> triangles_across(const std::int32_t *triangles, std::size_t triangle_count, const std::vector<std::int32_t> &label) {
    struct Side {
        std::int32_t low, high, index;
    };
    std::vector<Side> sides(3 * triangle_count);
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto a = label[triangles[i]], b = label[triangles[i / 3 * 3 + (i + 1) % 3]];
        sides[i] = {std::min(a, b), std::max(a, b), static_cast<std::int32_t>(i)};
    }
    std::sort(sides.begin(), sides.end(), [](const Side &p, const Side &q) {
        return p.low != q.low ? p.low < q.low : p.high != q.high ? p.high < q.high : p.index < q.index;
    });
    std::vector<std::int32_t> across(sides.size(), -1);
    for (std::size_t i = 0; i + 1 < sides.size(); ++i)
        if (sides[i].low == sides[i + 1].low && sides[i].high == sides[i + 1].high) {
            across[sides[i].index] = sides[i + 1].index / 3;
            across[sides[i + 1].index] = sides[i].index / 3;
        }
    return across;
}
}  // namespace

Patches::Patches(const std::int32_t *given, std::size_t triangle_count, std::size_t particle_count, const std::int32_t *label)
    : particle_count_(particle_count) {
    std::vector<std::int32_t> sewn(particle_count);
    std::iota(sewn.begin(), sewn.end(), 0);
    if (label && !std::equal(sewn.begin(), sewn.end(), label)) sewn.assign(label, label + particle_count), label_ = CompactIndices(sewn);
    grow_patches(triangles_across(given, triangle_count, sewn));
    std::vector<std::int32_t> triangles(3 * triangle_count);
    for (std::size_t i = 0; i < triangle_count; ++i) std::copy_n(given + 3 * std::size_t(source_[i]), 3, &triangles[3 * i]);
    find_touching(triangles, sewn);
    share_out(triangles);
    wide_ = machine_has_avx2();
}

// breadth first over shared edges; the next patch starts at the rim of the ones before
void Patches::grow_patches(const std::vector<std::int32_t> &neighbour) {
    const std::size_t count = neighbour.size() / 3;
    std::vector<std::int32_t> rim;
    std::vector<std::uint8_t> taken(count, 0);
    source_.reserve(count);
    std::size_t rim_at = 0, next = 0;
    while (source_.size() < count) {
        while (rim_at < rim.size() && taken[rim[rim_at]]) ++rim_at;
        while (next < count && taken[next]) ++next;
        const auto seed = rim_at < rim.size() ? rim[rim_at] : static_cast<std::int32_t>(next);
        const std::size_t begin = source_.size();
        patch_.emplace_back().triangle = static_cast<std::int32_t>(begin);
        taken[seed] = 1;
        source_.push_back(seed);
        for (std::size_t at = begin; at < source_.size(); ++at)
            for (int k = 0; k < 3; ++k) {
                const auto other = neighbour[3 * std::size_t(source_[at]) + k];
                patch_.back().rim |= other < 0;
                if (other < 0 || taken[other]) continue;
                if (source_.size() - begin < PATCH_SIZE) {
                    taken[other] = 1;
                    source_.push_back(other);
                } else {
                    rim.push_back(other);
                }
            }
    }
    patch_.emplace_back().triangle = static_cast<std::int32_t>(count);
    patch_.shrink_to_fit();
}

// patches with a common particle
void Patches::find_touching(const std::vector<std::int32_t> &triangles, const std::vector<std::int32_t> &label) {
    std::vector<std::vector<std::int32_t>> at(particle_count()), touch(patch_count());
    for (std::size_t p = 0; p < patch_count(); ++p)
        for (auto i = 3 * patch_[p].triangle; i < 3 * patch_[p + 1].triangle; ++i) {
            auto &list = at[label[triangles[i]]];
            if (list.empty() || list.back() != static_cast<std::int32_t>(p)) list.push_back(static_cast<std::int32_t>(p));
        }
    for (const auto &list : at)
        for (const auto p : list)
            for (const auto q : list)
                if (p != q) touch[p].push_back(q);
    std::vector<std::int32_t> all;
    for (std::size_t p = 0; p < patch_count(); ++p) {
        auto &list = touch[p];
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        all.insert(all.end(), list.begin(), list.end());
        patch_[p + 1].touch = static_cast<std::int32_t>(all.size());
    }
    touch_ = CompactIndices(all);
}

// the first patch that has a vertex or an edge speaks for it
void Patches::share_out(const std::vector<std::int32_t> &triangles) {
    std::vector<std::array<std::int32_t, 3>> sides(triangles.size());
    std::vector<std::uint8_t> first(triangles.size(), 0);
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto a = triangles[i], b = triangles[i / 3 * 3 + (i + 1) % 3];
        sides[i] = {std::min(a, b), std::max(a, b), static_cast<std::int32_t>(i)};
    }
    std::sort(sides.begin(), sides.end());
    for (std::size_t i = 0; i < sides.size(); ++i)
        first[sides[i][2]] = i == 0 || sides[i][0] != sides[i - 1][0] || sides[i][1] != sides[i - 1][1];
    // where a particle is in the patch that had it last
    std::vector<std::int32_t> place(particle_count(), -1), all;
    corner_.reserve(triangles.size());
    for (std::size_t p = 0; p < patch_count(); ++p) {
        const std::int32_t begin = 3 * patch_[p].triangle, end = 3 * patch_[p + 1].triangle, home = patch_[p].particle;
        const auto add = [&](bool known) {
            for (auto i = begin; i < end; ++i) {
                auto &at = place[triangles[i]];
                if (at >= home || (at >= 0) != known) continue;
                at = static_cast<std::int32_t>(all.size()), all.push_back(triangles[i]);
            }
        };
        add(false);
        const std::size_t own = all.size() - static_cast<std::size_t>(home);
        patch_[p].own = static_cast<std::uint8_t>(own), vertex_count_ += own;
        add(true);
        for (auto i = begin; i < end; ++i) {
            corner_.push_back(static_cast<std::uint8_t>(place[triangles[i]] - home));
            patch_[p].sides |= static_cast<std::uint64_t>(first[i]) << (i - begin);
        }
        patch_[p + 1].particle = static_cast<std::int32_t>(all.size());
    }
    particle_ = CompactIndices(all);
}

}  // namespace surface
