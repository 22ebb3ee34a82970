// Memory: how much of it arrays hold (the account that `toile bench engine` prints), arrays for a while, aligned arrays, reading ahead.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

// bytes that vectors have reserved, used or not
template <class... Vectors>
std::size_t bytes_of(const Vectors &...list) {
    return (std::size_t{0} + ... + (list.capacity() * sizeof(typename Vectors::value_type)));
}

// gives back what vectors hold, where assigning an empty list would keep the room
template <class... Vectors>
void release_memory(Vectors &...list) {
    ((list = Vectors()), ...);
}

// begins to read what is used soon, all lines of the cache that it may lie on
template <class T>
void begin_to_read(const T *soon) {
#if defined(__GNUC__)
    for (std::size_t at = 0; at < sizeof(T); at += 64) __builtin_prefetch(reinterpret_cast<const char *>(soon) + at);
#else
    static_cast<void>(soon);
#endif
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
    // hands the numbers over
    std::unique_ptr<T[]> release() {
        size_ = capacity_ = 0;
        return std::move(numbers_);
    }

  private:
    std::unique_ptr<T[]> numbers_;
    std::size_t size_ = 0, capacity_ = 0;
};

// Numbers that begin with a line of the cache: vectors of sixteen floats that lie across two lines take twice as long to read.
template <class T>
struct AlignedAllocator {
    using value_type = T;
    static constexpr std::align_val_t LINE{64};
    AlignedAllocator() = default;
    template <class Other>
    AlignedAllocator(const AlignedAllocator<Other> &) {}
    T *allocate(std::size_t count) { return static_cast<T *>(::operator new(count * sizeof(T), LINE)); }
    void deallocate(T *p, std::size_t) { ::operator delete(p, LINE); }
    bool operator==(const AlignedAllocator &) const = default;
};
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;
