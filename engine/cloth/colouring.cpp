#include "cloth/colouring.h"

#include <algorithm>
#include <bit>

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
