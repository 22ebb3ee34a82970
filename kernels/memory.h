// How much memory arrays hold, for the account that `toile bench engine` prints.
#pragma once
#include <cstddef>

// bytes that vectors have reserved, used or not
template <class... Vectors>
std::size_t bytes_of(const Vectors &...list) {
    return (std::size_t{0} + ... + (list.capacity() * sizeof(typename Vectors::value_type)));
}

// Room for `size` numbers, old ones forgotten: little more than they need where a vector would double, less than before where
// that was twice as much.
template <class Vector>
void refit(Vector &list, std::size_t size) {
    if (size > list.capacity() || 2 * size + 64 < list.capacity()) list = Vector(), list.reserve(size + size / 8);
    list.resize(size);
}
