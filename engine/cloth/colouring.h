// Greedy colouring of constraints: no two constraints of one colour share a vertex, so that the constraints of a
// colour can be solved in any order or at once. First fit in the given order: deterministic.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

// the colour of each of `count` constraints with `width` vertices each (-1: no vertex)
std::vector<std::int32_t> colour(const std::int32_t *vertex, std::size_t count, std::size_t width, std::size_t vertices);
