// A team of threads for one kernel call: run the same function on each, with barriers between its stages.
// Waiting is passive after a short spin, so that many processes can share a machine.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

// threads wanted: set_thread_count, else TOILE_THREADS, else the cores that this process may use
int thread_count();
void set_thread_count(int count);

// whether this machine runs the kernels that are built with AVX2, with AVX-512
bool machine_has_avx2();
bool machine_has_avx512();

// Up to 32 items of a stage that whichever thread comes first may take. After a round all are taken; in the next one they are given back, one by one,
// which is as good: nobody has to clear them.
class Claims {
  public:
    // whether the item was still there; round: of all items, counted from 0
    bool take(std::size_t item, int round);

  private:
    std::atomic<std::uint32_t> taken_{0};
};

class Barrier {
  public:
    explicit Barrier(int count) : count_(count) {}
    void wait();
    Claims claims[4];  // of the stages between
    // how long threads slept here, added up [ns]: long means that others want the cores too
    long long slept() const { return slept_.load(std::memory_order_relaxed); }

  private:
    const int count_;
    std::atomic<int> arrived_{0};
    std::atomic<int> phase_{0};
    std::atomic<long long> slept_{0};
};

// Runs work(rank, size, barrier) on `size` threads and returns when all are done. The calling thread is rank 0.
// Results must not depend on `size`: share out independent items only.
void run_team(int size, const std::function<void(int, int, Barrier &)> &work);

// the rank's share [begin, end) of count items in blocks of `grain`
struct Share {
    std::size_t begin, end;
};
inline Share share(std::size_t count, int rank, int size, std::size_t grain = 1) {
    const std::size_t blocks = (count + grain - 1) / grain;
    const std::size_t b = blocks * rank / size * grain, e = blocks * (rank + 1) / size * grain;
    return {std::min(b, count), std::min(e, count)};
}

// particles; below, waiting for a second thread costs more than it gives
constexpr std::size_t SERIAL_BELOW = 2400;

// one independent item after the other, shared out in contiguous ranges: body(begin, end)
void for_ranges(std::size_t count, std::size_t serial_below, const std::function<void(std::size_t, std::size_t)> &body);
