// Puts constraints into an order that can run in parallel, eight at a time, with the same result for any thread count.
//
// Particles in an order that keeps neighbours close are cut into chunks. Constraints inside one chunk touch nobody else's particles, so chunks
// run side by side without locks; the few that cross chunks (the interface) run afterwards, alone. Inside a chunk,
// greedy colours keep the eight lanes of a block apart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

struct Packed {
    int arity = 0;                    // particles per constraint
    std::vector<std::int32_t> index;  // (block, arity, lane); padding points to a dummy particle
    std::vector<std::int32_t> source; // (block, lane): which constraint, -1 for padding
    std::vector<std::size_t> begin;   // blocks of chunk c are begin[c] .. begin[c + 1]; the interface is the last chunk
    std::size_t block_count() const { return begin.empty() ? 0 : begin.back(); }
};

// number of chunks for that many particles: a function of the garment, never of the machine
int chunk_count_for(std::size_t particle_count);

// particles (constraint, arity), -1 where a constraint has fewer; dummy particles are particle_count + chunk
Packed pack(const std::vector<std::int32_t> &particles, int arity, std::size_t particle_count, int chunk_count);
