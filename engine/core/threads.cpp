#include "core/threads.h"

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

namespace {
constexpr int MOST_THREADS = 64;

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

int threads_by_default() {
    if (const char *text = std::getenv("TOILE_THREADS")) {
        const int n = std::atoi(text);
        if (n > 0) return std::min(n, MOST_THREADS);
    }
    return std::min(cores(), MOST_THREADS);
}

long current_process() {
#if defined(__linux__) || defined(__APPLE__)
    return static_cast<long>(getpid());
#else
    return 0;
#endif
}

// On a busy machine a stage waits for a thread that is not running: one thread alone is then many times faster. Of a call that
// took t, all threads but one sleep for (n - 1) t where nothing was gained at all. After a call with more than this share of it the next calls
// run alone if it happens again before so many others went well, and twice as many each time from then on: a core that is away once, as on virtual
// machines, does not slow down forty calls. The results are the same either way.
constexpr double IN_VAIN = 0.5;
constexpr int CALLS_ALONE = 40, MOST_ALONE = 16 * CALLS_ALONE, WENT_WELL = 200;

thread_local ThreadPool *used = nullptr;

ThreadPool &shared_pool() {
    static ThreadPool *pool = new ThreadPool;  // never destroyed: its helpers may outlive static destructors
    return *pool;
}
}  // namespace

struct ThreadPool::Helpers {
    std::atomic<int> wanted{0};  // threads; 0: by default
    std::mutex busy;             // one team at a time

    ~Helpers() {
        if (process_ != current_process()) {  // after fork they exist in the parent only
            for (auto &thread : threads_) static_cast<void>(thread.release());
            return;
        }
        job_ = nullptr;
        ticket_.fetch_add(1, std::memory_order_release);
        ticket_.notify_all();
        for (auto &thread : threads_) thread->join();
    }

    // whether the next call should run alone
    bool takes_turn_alone() {
        int wait = calls_alone_.load(std::memory_order_relaxed);
        if (wait > 0) calls_alone_.compare_exchange_strong(wait, wait - 1, std::memory_order_relaxed);
        return wait > 0;
    }

    void run(int size, const TeamWork &work) {
        if (process_ != current_process()) restart();
        while (static_cast<int>(threads_.size()) < size - 1) add();
        Barrier barrier(size);
        job_ = &work;
        size_ = size;
        barrier_ = &barrier;
        left_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
        const long long start = nanoseconds();
        ticket_.fetch_add(1, std::memory_order_release);
        ticket_.notify_all();
        work(0, size, barrier);
        for (int left = left_.load(std::memory_order_acquire); left != 0; left = left_.load(std::memory_order_acquire))
            wait_while_equal(left_, left);
        judge(static_cast<double>(barrier.slept()), (size - 1) * static_cast<double>(nanoseconds() - start));
    }

  private:
    // was it worth while? slept and most that it can be [ns]
    void judge(double slept, double most) {
        if (slept > IN_VAIN * most) {
            calls_alone_.store(alone_, std::memory_order_relaxed);
            alone_ = alone_ ? std::min(2 * alone_, MOST_ALONE) : CALLS_ALONE, well_ = 0;
        } else if (++well_ == WENT_WELL) {
            alone_ = 0;
        }
    }
    void restart() {
        for (auto &thread : threads_) static_cast<void>(thread.release());  // threads of the parent process: they do not exist here
        threads_.clear();
        process_ = current_process();
    }
    void add() {
        const int rank = static_cast<int>(threads_.size()) + 1;
        const int seen = ticket_.load();
        threads_.push_back(std::make_unique<std::thread>([this, rank, seen] { serve(rank, seen); }));
    }
    void serve(int rank, int seen) {
        for (;;) {
            wait_while_equal(ticket_, seen);
            seen = ticket_.load(std::memory_order_acquire);
            if (!job_) return;
            if (rank < size_) (*job_)(rank, size_, *barrier_);
            // every helper answers, also one that had nothing to do: the next job may not be written before
            left_.fetch_sub(1, std::memory_order_release);
            left_.notify_all();
        }
    }

    std::atomic<int> calls_alone_{0};
    int alone_ = 0, well_ = 0;  // calls to run alone the next time; calls that went well since the last time
    std::vector<std::unique_ptr<std::thread>> threads_;
    long process_ = current_process();
    const TeamWork *job_ = nullptr;  // null when there will be no more
    int size_ = 0;
    Barrier *barrier_ = nullptr;
    std::atomic<int> left_{0};
    std::atomic<int> ticket_{0};
};

ThreadPool::ThreadPool(int threads) : helpers_(std::make_unique<Helpers>()) { set_thread_count(threads); }
ThreadPool::~ThreadPool() = default;

int ThreadPool::thread_count() const {
    const int n = helpers_->wanted.load();
    return n ? n : threads_by_default();
}

void ThreadPool::set_thread_count(int threads) { helpers_->wanted.store(std::clamp(threads, 0, MOST_THREADS)); }

void ThreadPool::run(int size, const TeamWork &work) {
    const bool alone = helpers_->takes_turn_alone();
    if (size <= 1 || alone) {
        Barrier barrier(1);
        work(0, 1, barrier);
        return;
    }
    std::lock_guard<std::mutex> lock(helpers_->busy);
    helpers_->run(size, work);
}

ThreadPool *use_pool(ThreadPool *pool) { return std::exchange(used, pool); }
ThreadPool &current_pool() { return used ? *used : shared_pool(); }

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

int thread_count() { return current_pool().thread_count(); }

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

void run_team(int size, const TeamWork &work) { current_pool().run(size, work); }

void for_ranges(std::size_t count, std::size_t serial_below,
                const std::function<void(std::size_t, std::size_t)> &body) {
    const int size = count < serial_below ? 1 : thread_count();
    run_team(size, [&](int rank, int n, Barrier &) {
        const Share s = share(count, rank, n);
        if (s.begin < s.end) body(s.begin, s.end);
    });
}
