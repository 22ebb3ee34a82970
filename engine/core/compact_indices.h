// Whole numbers, none negative, that stay as they are: 16 bits each where these are enough.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory.h"

// one of the two, or none
struct CompactIndicesView {
    const std::uint16_t *narrow = nullptr;
    const std::int32_t *wide = nullptr;
    explicit operator bool() const { return narrow || wide; }
    std::int32_t operator[](std::size_t i) const { return narrow ? narrow[i] : wide[i]; }
};

class CompactIndices {
  public:
    CompactIndices() = default;
    explicit CompactIndices(const std::vector<std::int32_t> &values) {
        const bool few = values.empty() || *std::max_element(values.begin(), values.end()) <= 65535;
        few ? narrow_.assign(values.begin(), values.end()) : wide_.assign(values.begin(), values.end());
    }
    std::int32_t operator[](std::size_t i) const { return view()[i]; }
    CompactIndicesView view() const { return {narrow_.empty() ? nullptr : narrow_.data(), wide_.empty() ? nullptr : wide_.data()}; }
    std::size_t bytes() const { return bytes_of(narrow_, wide_); }

  private:
    std::vector<std::uint16_t> narrow_;
    std::vector<std::int32_t> wide_;
};
