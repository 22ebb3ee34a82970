// Questions about whole arrays that every call asks before it begins: written with whole numbers, so that any compiler puts them into vectors.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

// are all smaller in size than 1e15? NaN and infinity are not
inline bool all_finite(const double *x, std::size_t count) {
    constexpr auto most = std::bit_cast<std::int64_t>(1e15), size = INT64_MAX;
    std::int64_t beyond = 0;  // negative as soon as one is
    for (std::size_t i = 0; i < count; ++i) beyond |= most - (std::bit_cast<std::int64_t>(x[i]) & size);
    return beyond >= 0;
}

// do all numbers name one of count things, or none (-1)?
inline bool all_name_one_or_none(const std::int32_t *x, std::size_t size, std::size_t count) {
    if (count > INT32_MAX) return false;
    const auto last = static_cast<std::uint32_t>(count) - 1u;
    std::uint32_t beyond = 0;
    // what is less than -1, or more than the last, has the highest bit in one of these
    for (std::size_t i = 0; i < size; ++i) beyond |= (static_cast<std::uint32_t>(x[i]) + 1u) | (last - static_cast<std::uint32_t>(x[i]));
    return size == 0 || beyond >> 31 == 0;
}

// do all numbers name one of count things?
inline bool all_name_one(const std::int32_t *x, std::size_t size, std::size_t count) {
    if (count > INT32_MAX) return false;
    const auto last = static_cast<std::uint32_t>(count) - 1u;
    std::uint32_t beyond = 0;
    for (std::size_t i = 0; i < size; ++i) beyond |= static_cast<std::uint32_t>(x[i]) | (last - static_cast<std::uint32_t>(x[i]));
    return size == 0 || beyond >> 31 == 0;
}
