// How much memory arrays hold, for the account that `toile bench engine` prints.
#pragma once
#include <cstddef>

// bytes that vectors have reserved, used or not
template <class... Vectors>
std::size_t bytes_of(const Vectors &...list) {
    return (std::size_t{0} + ... + (list.capacity() * sizeof(typename Vectors::value_type)));
}
