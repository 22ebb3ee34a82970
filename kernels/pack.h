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

struct Packed {
    int arity = 0;                    // particles per constraint
    std::vector<std::int32_t> index;  // (block, arity, lane); padding points to a dummy particle
    std::vector<std::int32_t> source; // (block, lane): which constraint, -1 for padding
    std::vector<std::size_t> begin;   // blocks of group g are begin[g] .. begin[g + 1]
    std::size_t block_count() const { return begin.empty() ? 0 : begin.back(); }
};

// number of chunks for that many particles: a function of the garment, never of the machine
int chunk_count_for(std::size_t particle_count);

int chunk_of(std::size_t particle, std::size_t particle_count, int chunk_count);

// groups: chunk c is c, the border between chunk c and c + 1 is chunk_count + c, those left over are the last
constexpr int group_count(int chunk_count) { return 2 * chunk_count + 1; }

// blocks come in twos of one colour, so that a kernel may work on both at once
constexpr std::size_t BLOCKS_AT_ONCE = 2;

// particles (constraint, arity), -1 where a constraint has fewer; dummy particles are particle_count + group
Packed pack(const std::vector<std::int32_t> &particles, int arity, std::size_t particle_count, int chunk_count);
