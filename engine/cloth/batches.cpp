#include "cloth/batches.h"

#include <algorithm>

int chunk_count_for(std::size_t particle_count) {
    const auto count = static_cast<int>(std::clamp<std::size_t>(particle_count / 1200, 1, 16));
    return count > 1 ? count + count % 2 : 1;  // two threads get as much each
}

namespace {
// first particle of a chunk; the inverse of chunk_of
std::size_t chunk_begin(std::size_t particle_count, int chunk_count, int chunk) {
    return particle_count * chunk / chunk_count;
}

}  // namespace

int chunk_of(std::size_t particle, std::size_t particle_count, int chunk_count) {
    int c = static_cast<int>(particle * chunk_count / particle_count);
    while (particle < chunk_begin(particle_count, chunk_count, c)) --c;
    while (particle >= chunk_begin(particle_count, chunk_count, c + 1)) ++c;
    return c;
}

namespace {
// the group of a constraint whose particles are lowest .. highest
int group_of(std::size_t lowest, std::size_t highest, std::size_t particle_count, int chunk_count) {
    const int c = chunk_of(lowest, particle_count, chunk_count), d = chunk_of(highest, particle_count, chunk_count);
    if (c == d) return c;
    const auto middle = [&](int k) {
        return (chunk_begin(particle_count, chunk_count, k) + chunk_begin(particle_count, chunk_count, k + 1)) / 2;
    };
    return d == c + 1 && lowest >= middle(c) && highest < middle(d) ? chunk_count + c : 2 * chunk_count;
}

// greedy colours of the given constraints, in their order
std::vector<std::vector<std::int32_t>> colour(const std::vector<std::int32_t> &constraints,
                                              const std::vector<std::int32_t> &particles, int arity,
                                              std::vector<std::uint64_t> &used) {
    std::vector<std::vector<std::int32_t>> classes;
    std::vector<std::int32_t> late;  // those that found no colour among 64
    for (const std::int32_t k : constraints) {
        std::uint64_t taken = 0;
        const std::int32_t *joined = particles.data() + static_cast<std::size_t>(k) * arity;
        for (int a = 0; a < arity; ++a) taken |= used[joined[a]];
        int c = 0;
        while (c < 64 && (taken >> c & 1)) ++c;
        if (c == 64) {
            late.push_back(k);
            continue;
        }
        for (int a = 0; a < arity; ++a) used[joined[a]] |= std::uint64_t{1} << c;
        if (c >= static_cast<int>(classes.size())) classes.resize(c + 1);
        classes[c].push_back(k);
    }
    for (const std::int32_t k : late) classes.push_back({k});
    return classes;
}
}  // namespace

Packed pack(const std::vector<std::int32_t> &particles, int arity, std::size_t particle_count, int chunk_count) {
    Packed packed;
    packed.arity = arity;
    const std::size_t count = arity ? particles.size() / arity : 0;
    const int groups = group_count(chunk_count);
    std::vector<std::vector<std::int32_t>> members(groups);
    for (std::size_t k = 0; k < count; ++k) {
        const auto [lowest, highest] = std::minmax_element(particles.begin() + k * arity, particles.begin() + (k + 1) * arity);
        members[group_of(*lowest, *highest, particle_count, chunk_count)].push_back(static_cast<std::int32_t>(k));
    }
    packed.begin.push_back(0);
    std::vector<std::uint64_t> used(particle_count, 0);
    for (int c = 0; c < groups; ++c) {
        std::fill(used.begin(), used.end(), 0);
        std::size_t blocks = packed.begin.back();
        for (const auto &group : colour(members[c], particles, arity, used)) {
            const std::size_t whole = LANES * BLOCKS_AT_ONCE, size = group.size(), end = (size + whole - 1) / whole * whole;
            for (std::size_t first = 0; first < end; first += LANES, ++blocks) {
                // lanes that are left over repeat the last constraint of their block, blocks that are, the one before (Packed::repeats)
                const std::size_t from = first < size ? first : first - LANES;
                const auto member = [&](std::size_t lane) { return group[std::min(from + lane, size - 1)]; };
                for (int a = 0; a < arity; ++a)
                    for (std::size_t lane = 0; lane < LANES; ++lane) packed.index.push_back(particles[static_cast<std::size_t>(member(lane)) * arity + a]);
                for (std::size_t lane = 0; lane < LANES; ++lane) packed.source.push_back(member(lane));
            }
        }
        packed.begin.push_back(blocks);
    }
    packed.index.shrink_to_fit(), packed.source.shrink_to_fit();
    return packed;
}
