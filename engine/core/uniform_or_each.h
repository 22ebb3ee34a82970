// One number per particle of which most are alike, a fabric's figure: each is kept once.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/memory.h"

template <class T>
class UniformOrEach {
  public:
    UniformOrEach() = default;
    explicit UniformOrEach(std::vector<T> values) : size_(values.size()) {
        std::vector<std::uint8_t> number(size_);
        std::size_t last = 0;
        for (std::size_t p = 0; p < size_; ++p) {
            if (value_.empty() || value_[last] != values[p]) last = find(values[p]);
            if (value_.size() > MOST) {  // few are: all are kept
                value_ = std::move(values), each_ = true;
                return;
            }
            number[p] = static_cast<std::uint8_t>(last);
        }
        if (value_.size() > 1) number_ = std::move(number);
        value_.shrink_to_fit();
    }
    T operator[](std::size_t p) const { return value_[each_ ? p : number_.empty() ? 0 : number_[p]]; }
    // f of every number, worked out once where they are alike
    template <class F>
    void map(const F &f, T *to) const {
        if (!size_) return;
        std::vector<T> found(value_.size());
        std::transform(value_.begin(), value_.end(), found.begin(), f);
        if (each_) std::copy(found.begin(), found.end(), to);
        else if (number_.empty()) std::fill_n(to, size_, found[0]);
        else for (std::size_t p = 0; p < size_; ++p) to[p] = found[number_[p]];
    }
    std::size_t size() const { return size_; }
    bool uniform() const { return value_.size() < 2; }
    // every number that occurs
    const std::vector<T> &values() const { return value_; }
    std::size_t bytes() const { return bytes_of(value_, number_); }

  private:
    static constexpr std::size_t MOST = 64;  // where two fabrics meet there are means of them
    std::size_t find(T value) {
        const auto found = std::find(value_.begin(), value_.end(), value);
        const auto place = static_cast<std::size_t>(found - value_.begin());
        if (found == value_.end()) value_.push_back(value);
        return place;
    }
    std::size_t size_ = 0;
    bool each_ = false;
    std::vector<T> value_;
    std::vector<std::uint8_t> number_;
};
