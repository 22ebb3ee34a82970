// Greedy colouring of constraints: no two constraints of one colour share a vertex, so that the constraints of a
// colour can be solved in any order or at once. First fit in the given order: deterministic.
#include <algorithm>
#include <bit>
#include <vector>

#include "bind.h"

namespace {

// returns the colour of each of `count` constraints with `width` vertices each (-1: no vertex)
std::vector<std::int32_t> colour(const std::int32_t *vertex, std::size_t count, std::size_t width, std::size_t vertices) {
    std::vector<std::int32_t> result(count);
    // one bit a colour, 64 colours at a time; constraints that find no free bit wait for the next round
    std::vector<std::uint64_t> used(vertices);
    std::vector<std::size_t> waiting(count), next;
    for (std::size_t i = 0; i < count; ++i) waiting[i] = i;
    for (std::int32_t base = 0; !waiting.empty(); base += 64) {
        std::fill(used.begin(), used.end(), 0);
        next.clear();
        for (const std::size_t i : waiting) {
            std::uint64_t taken = 0;
            for (std::size_t k = 0; k < width; ++k)
                if (vertex[i * width + k] >= 0) taken |= used[vertex[i * width + k]];
            if (!~taken) {
                next.push_back(i);
                continue;
            }
            const int bit = std::countr_one(taken);
            result[i] = base + bit;
            for (std::size_t k = 0; k < width; ++k)
                if (vertex[i * width + k] >= 0) used[vertex[i * width + k]] |= std::uint64_t{1} << bit;
        }
        waiting.swap(next);
    }
    return result;
}

}  // namespace

void bind_colouring(nb::module_ &m) {
    m.def(
        "colour",
        [](In<std::int32_t, -1, -1> constraints, std::size_t vertex_count) {
            const std::size_t count = constraints.shape(0), width = constraints.shape(1);
            for (std::size_t i = 0; i < constraints.size(); ++i)
                if (constraints.data()[i] < -1 || constraints.data()[i] >= static_cast<std::int64_t>(vertex_count))
                    throw std::out_of_range("a constraint names a vertex that does not exist");
            return own(colour(constraints.data(), count, width, vertex_count), {count});
        },
        nb::arg("constraints"), nb::arg("vertex_count"),
        "Return a colour per constraint (c, k); constraints of one colour share no vertex. -1: no vertex.");
}
