// What a caller must keep to: a wrong number of rows or a wrong index is an error, never a crash.
#pragma once
#include <cstddef>
#include <stdexcept>

namespace detail {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
template <class Error>
[[noreturn]] void refuse(const char *message) {
    throw Error(message);
}
#else
// built without exceptions the program stops: whoever opens files checks them first (frame/scene_arrays.h)
template <class Error>
[[noreturn]] void refuse(const char *) {
    __builtin_trap();
}
#endif
}  // namespace detail

inline void require(bool ok, const char *message) {
    if (!ok) detail::refuse<std::invalid_argument>(message);
}

// every index must name one of count things
template <class Index>
void require_indices(const Index *index, std::size_t size, std::size_t count, const char *message) {
    // without an early exit the loop is vectorised; a negative index is a huge unsigned one
    bool bad = false;
    for (std::size_t i = 0; i < size; ++i) bad |= static_cast<std::size_t>(index[i]) >= count;
    if (bad) detail::refuse<std::out_of_range>(message);
}
