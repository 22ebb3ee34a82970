// How much memory arrays hold, for the account that `toile bench engine` prints.
#pragma once
#include <cstddef>
#include <memory>

// bytes that vectors have reserved, used or not
template <class... Vectors>
std::size_t bytes_of(const Vectors &...list) {
    return (std::size_t{0} + ... + (list.capacity() * sizeof(typename Vectors::value_type)));
}

// gives back what vectors hold, where assigning an empty list would keep the room
template <class... Vectors>
void give_back(Vectors &...list) {
    ((list = Vectors()), ...);
}

// Numbers for a while, not set to anything at first.
template <class T>
class Scratch {
  public:
    using value_type = T;
    void take(std::size_t size) {
        if (size > capacity_) capacity_ = size, numbers_ = std::make_unique_for_overwrite<T[]>(size);
        size_ = size;
    }
    T &operator[](std::size_t i) { return numbers_[i]; }
    const T &operator[](std::size_t i) const { return numbers_[i]; }
    T *data() { return numbers_.get(); }
    const T *data() const { return numbers_.get(); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }

  private:
    std::unique_ptr<T[]> numbers_;
    std::size_t size_ = 0, capacity_ = 0;
};
