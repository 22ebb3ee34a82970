// Arrays by name: what a prepared scene is made of, in memory as the caller has them, or in a file.
//
// The file: 64 bytes (the magic "TOILARRS", version u32, count u32, size of the whole file u64, FNV-1a checksum u64 of all that follows the 64 bytes, the
// rest 0), then `count` entries of 112 bytes (name in 64 bytes filled up with 0, type u32, dimensions u32, four sizes u64 with 1 where there are fewer
// dimensions, offset u64), then the numbers, row by row, little-endian, each array on a multiple of 64 bytes. Nothing in a file is believed before it was
// checked.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

enum class NumberType : std::uint32_t { INT32 = 0, FLOAT64 = 1, FLOAT32 = 2, INT16 = 3, UINT16 = 4, UINT8 = 5 };

struct NamedArray {
    NumberType type = NumberType::FLOAT64;
    std::vector<std::size_t> shape;
    const void *data = nullptr;
    std::size_t size() const {
        std::size_t product = 1;
        for (const std::size_t s : shape) product *= s;
        return product;
    }
    const std::int32_t *ints() const { return static_cast<const std::int32_t *>(data); }
    const double *numbers() const { return static_cast<const double *>(data); }
};

class NamedArrays {
  public:
    // the numbers stay where they are: they must live as long as they are asked for
    void add(std::string name, NamedArray array) { all_.insert_or_assign(std::move(name), std::move(array)); }
    // null: there is none of this name
    const NamedArray *find(std::string_view name) const;
    const std::map<std::string, NamedArray, std::less<>> &all() const { return all_; }

    // Reads a file's bytes, which must live as long as the arrays; narrow numbers are widened to INT32 and FLOAT64. Returns what is wrong, or nothing.
    std::string read(const std::uint8_t *bytes, std::size_t size);

  private:
    void widen(NamedArray &array);
    std::map<std::string, NamedArray, std::less<>> all_;
    std::vector<std::unique_ptr<std::uint64_t[]>> widened_;
};

// as in a file's head
std::uint64_t checksum(const std::uint8_t *bytes, std::size_t size);
