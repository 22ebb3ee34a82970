#include "core/threads.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>
#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

#include "bind.h"

namespace {
std::atomic<int> wanted{0};

inline void pause_cpu() {
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_ia32_pause();
#endif
}

int cores() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1u, std::thread::hardware_concurrency());
}

long long nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// spins briefly (a kernel stage takes microseconds), then sleeps until `value` changes from `old`; how long it slept [ns]
long long wait_while_equal(std::atomic<int> &value, int old) {
    for (int i = 0; i < 12000; ++i) {
        if (value.load(std::memory_order_acquire) != old) return 0;
        pause_cpu();
    }
    const long long start = nanoseconds();
    value.wait(old, std::memory_order_acquire);
    return nanoseconds() - start;
}

// On a busy machine a stage waits for a thread that is not running: one thread alone is then many times faster. Of a call that
// took t, all threads but one sleep for (n - 1) t where nothing was gained at all. After a call with more than this share of it the next calls
// run alone if it happens again before so many others went well, and twice as many each time from then on: a core that is away once, as on virtual
// machines, does not slow down forty calls. The results are the same either way.
constexpr double IN_VAIN = 0.5;
constexpr int CALLS_ALONE = 40, MOST_ALONE = 16 * CALLS_ALONE, WENT_WELL = 200;
std::atomic<int> calls_alone{0};

// sleeping helpers, started on first use and kept for the life of the process
class Pool {
  public:
    // one team at a time; a second caller (another Python thread) waits its turn
    std::mutex busy;

    void run(int size, const std::function<void(int, int, Barrier &)> &work) {
        if (process_ != current_process()) restart();  // after fork only the calling thread exists
        while (static_cast<int>(helpers_.size()) < size - 1) add_helper();
        Barrier barrier(size);
        job_ = &work;
        size_ = size;
        barrier_ = &barrier;
        left_.store(static_cast<int>(helpers_.size()), std::memory_order_relaxed);
        const long long start = nanoseconds();
        ticket_.fetch_add(1, std::memory_order_release);
        ticket_.notify_all();
        work(0, size, barrier);
        for (int left = left_.load(std::memory_order_acquire); left != 0; left = left_.load(std::memory_order_acquire))
            wait_while_equal(left_, left);
        const double took = static_cast<double>(nanoseconds() - start);
        if (static_cast<double>(barrier.slept()) > IN_VAIN * (size - 1) * took) {
            calls_alone.store(alone_, std::memory_order_relaxed);
            alone_ = alone_ ? std::min(2 * alone_, MOST_ALONE) : CALLS_ALONE, well_ = 0;
        } else if (++well_ == WENT_WELL) {
            alone_ = 0;
        }
    }

  private:
    static long current_process() {
#if defined(__linux__) || defined(__APPLE__)
        return static_cast<long>(getpid());
#else
        return 0;
#endif
    }
    void restart() {
        helpers_.clear();  // threads of the parent process: they do not exist here
        process_ = current_process();
    }
    void add_helper() {
        const int rank = static_cast<int>(helpers_.size()) + 1;
        const int seen = ticket_.load();
        auto *helper = new std::thread([this, rank, seen] { serve(rank, seen); });
        helper->detach();
        helpers_.push_back(helper);
    }
    void serve(int rank, int seen) {
        for (;;) {
            wait_while_equal(ticket_, seen);
            seen = ticket_.load(std::memory_order_acquire);
            if (rank < size_) (*job_)(rank, size_, *barrier_);
            // every helper answers, also one that had nothing to do: the next job may not be written before
            left_.fetch_sub(1, std::memory_order_release);
            left_.notify_all();
        }
    }

    int alone_ = 0, well_ = 0;  // calls to run alone the next time; calls that went well since the last time
    std::vector<std::thread *> helpers_;
    long process_ = current_process();
    const std::function<void(int, int, Barrier &)> *job_ = nullptr;
    int size_ = 0;
    Barrier *barrier_ = nullptr;
    std::atomic<int> left_{0};
    std::atomic<int> ticket_{0};
};

Pool &pool() {
    static Pool *p = new Pool;  // never destroyed: detached helpers may outlive static destructors
    return *p;
}
}  // namespace

bool machine_has_avx2() {
#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

bool machine_has_avx512() {
#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

int thread_count() {
    if (const int n = wanted.load()) return n;
    if (const char *text = std::getenv("TOILE_THREADS")) {
        const int n = std::atoi(text);
        if (n > 0) return std::min(n, 64);
    }
    return cores();
}

void set_thread_count(int count) { wanted.store(std::clamp(count, 0, 64)); }

void Barrier::wait() {
    if (count_ == 1) return;
    const int phase = phase_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
        arrived_.store(0, std::memory_order_relaxed);
        phase_.store(phase + 1, std::memory_order_release);
        phase_.notify_all();
    } else {
        if (const long long slept = wait_while_equal(phase_, phase)) slept_.fetch_add(slept, std::memory_order_relaxed);
    }
}

bool Claims::take(std::size_t item, int round) {
    const std::uint32_t bit = std::uint32_t{1} << item;
    if (round % 2) return (taken_.fetch_and(~bit, std::memory_order_relaxed) & bit) != 0;
    return (taken_.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

void run_team(int size, const std::function<void(int, int, Barrier &)> &work) {
    int wait = calls_alone.load(std::memory_order_relaxed);
    if (wait > 0) calls_alone.compare_exchange_strong(wait, wait - 1, std::memory_order_relaxed);
    if (size <= 1 || wait > 0) {
        Barrier alone(1);
        work(0, 1, alone);
        return;
    }
    std::lock_guard<std::mutex> turn(pool().busy);
    pool().run(size, work);
}

void for_ranges(std::size_t count, std::size_t serial_below,
                const std::function<void(std::size_t, std::size_t)> &body) {
    const int size = count < serial_below ? 1 : thread_count();
    run_team(size, [&](int rank, int n, Barrier &) {
        const Share s = share(count, rank, n);
        if (s.begin < s.end) body(s.begin, s.end);
    });
}

void bind_threads(nb::module_ &m) {
    m.def("thread_count", &thread_count, "threads that kernels use");
    m.def("set_thread_count", &set_thread_count, nb::arg("count"), "0: TOILE_THREADS or all cores of this process");
}
