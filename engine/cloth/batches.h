// Puts constraints into an order that can run in parallel, eight at a time, with the same result for any thread count.
//
// Particles in an order that keeps neighbours close are cut into chunks. Constraints inside one chunk touch nobody
// else's particles, so chunks run side by side without locks. Those between a chunk and the next, if they keep to the
// second half of the one and the first half of the other, form borders that run side by side in turn. The few left over
// run last, alone. Inside a group, greedy colours keep the eight lanes of a block apart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/lanes.h"

struct Packed {
    int arity = 0;                     // particles per constraint
    std::vector<std::int32_t> index;   // (block, arity, lane)
    std::vector<std::int32_t> source;  // (block, lane): which constraint
    std::vector<std::size_t> begin;    // blocks of group g are begin[g] .. begin[g + 1]
    std::size_t block_count() const { return begin.empty() ? 0 : begin.back(); }
    // calls use(constraint) for each, in the order in which they are visited
    template <class Use>
    void each(const Use &use) const {
        for (std::size_t k = 0; k < source.size(); ++k)
            if (!repeats(k, [&](std::size_t lane) { return source[lane]; })) use(source[k]);
    }

    // Whether a lane (block, lane) has nothing of its own to do. Such lanes repeat one of the same two blocks, which share no particle otherwise: read before anything is written
    // both come to the same, and it does not matter which of them is written last. first(lane): the constraint there, or its first particle
    template <class First>
    static bool repeats(std::size_t k, const First &first);
};

// number of chunks for that many particles: a function of the garment, never of the machine
int chunk_count_for(std::size_t particle_count);

int chunk_of(std::size_t particle, std::size_t particle_count, int chunk_count);

// groups: chunk c is c, the border between chunk c and c + 1 is chunk_count + c, those left over are the last
constexpr int group_count(int chunk_count) { return 2 * chunk_count + 1; }

// blocks come in twos of one colour, which a kernel must work on at once
constexpr std::size_t BLOCKS_AT_ONCE = 2;

template <class First>
bool Packed::repeats(std::size_t k, const First &first) {
    const std::size_t lane = k % LANES, second = k / LANES % BLOCKS_AT_ONCE;
    return (lane && first(k) == first(k - 1)) || (second && first(k) == first(k - LANES));
}

// particles (constraint, arity)
Packed pack(const std::vector<std::int32_t> &particles, int arity, std::size_t particle_count, int chunk_count);
