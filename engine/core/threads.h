// A team of threads for one call: run the same function on each, with barriers between its stages.
// Waiting is passive after a short spin, so that many processes can share a machine.
//
// Threads belong to a pool. Whoever runs several simulations in one process gives each a pool of its own (UsePool); all others share one.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

// threads of the calling thread's pool
int thread_count();

// whether this machine runs the kernels that are built with AVX2, with AVX-512
#if defined(__wasm__)
constexpr bool machine_has_avx2() { return false; }
constexpr bool machine_has_avx512() { return false; }
#else
bool machine_has_avx2();
bool machine_has_avx512();
#endif

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

using TeamWork = std::function<void(int, int, Barrier &)>;

// Sleeping helpers, started on first use and kept. One team at a time: a second caller waits its turn.
class ThreadPool {
  public:
    // threads with the caller's own; 0: TOILE_THREADS, else the cores that this process may use
    explicit ThreadPool(int threads = 0);
    ~ThreadPool();  // nobody may be using it
    int thread_count() const;
    void set_thread_count(int threads);
    void run(int size, const TeamWork &work);

  private:
    struct Helpers;
    std::unique_ptr<Helpers> helpers_;
};

// the pool that calls from this thread use: of the innermost UsePool, else the one that the process shares
ThreadPool &current_pool();
// null: the shared one; returns what was used before (null: the shared one)
ThreadPool *use_pool(ThreadPool *pool);
class UsePool {
  public:
    explicit UsePool(ThreadPool &pool) : before_(use_pool(&pool)) {}
    ~UsePool() { use_pool(before_); }
    UsePool(const UsePool &) = delete;
    UsePool &operator=(const UsePool &) = delete;

  private:
    ThreadPool *before_;
};

// Runs work(rank, size, barrier) on `size` threads and returns when all are done. The calling thread is rank 0.
// Results must not depend on `size`: share out independent items only.
void run_team(int size, const TeamWork &work);

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
