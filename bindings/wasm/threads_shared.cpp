// core/threads.h for pages whose workers share memory: each helper is a worker that sits in toile_serve() on the same memory.
#include "core/threads.h"

#include <cstdlib>
#include <new>

#include "toile.h"

namespace {
constexpr int PATIENCE = 40'000;  // looks at a number that another thread will change before sleeping: stages take microseconds
std::atomic<int> wanted{1}, serving{0}, asleep{0};

// the scene's own thread and helpers wait here; never called by the page's main thread, which may not sleep
void wait_while_equal(std::atomic<int> &value, int old) {
    for (int i = 0; i < PATIENCE; ++i)
        if (value.load(std::memory_order_acquire) != old) return;
    asleep.fetch_add(1);
    while (value.load() == old) __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int *>(&value), old, -1);
    asleep.fetch_sub(1);
}
// a call into the browser, which takes many times as long as a stage: only where somebody sleeps
void wake(std::atomic<int> &value) {
    if (asleep.load()) __builtin_wasm_memory_atomic_notify(reinterpret_cast<int *>(&value), 0x7fffffffU);
}

const std::function<void(int, int, Barrier &)> *job = nullptr;
int job_size = 0;
Barrier *job_barrier = nullptr;
std::atomic<int> left{0}, ticket{0};
bool busy = false;
}  // namespace

// the page has one pool, of the workers that serve
struct ThreadPool::Helpers {};
ThreadPool::ThreadPool(int) {}
ThreadPool::~ThreadPool() = default;
int ThreadPool::thread_count() const { return std::min(wanted.load(), serving.load() + 1); }
void ThreadPool::set_thread_count(int count) { wanted.store(std::clamp(count, 1, 64)); }
ThreadPool &current_pool() {
    static ThreadPool pool;
    return pool;
}
int thread_count() { return current_pool().thread_count(); }

void Barrier::wait() {
    if (count_ == 1) return;
    const int phase = phase_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < count_) return wait_while_equal(phase_, phase);
    arrived_.store(0, std::memory_order_relaxed);
    phase_.store(phase + 1);
    wake(phase_);
}

bool Claims::take(std::size_t item, int round) {
    const std::uint32_t bit = std::uint32_t{1} << item;
    if (round % 2) return (taken_.fetch_and(~bit, std::memory_order_relaxed) & bit) != 0;
    return (taken_.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

void ThreadPool::run(int size, const TeamWork &work) {
    if (size <= 1 || busy) {
        Barrier alone(1);
        return work(0, 1, alone);
    }
    busy = true;
    Barrier barrier(size);
    job = &work, job_size = size, job_barrier = &barrier;
    left.store(serving.load());
    ticket.fetch_add(1);
    wake(ticket);
    work(0, size, barrier);
    for (int l = left.load(std::memory_order_acquire); l; l = left.load(std::memory_order_acquire)) wait_while_equal(left, l);
    busy = false;
}

void run_team(int size, const TeamWork &work) { current_pool().run(size, work); }

void for_ranges(std::size_t count, std::size_t serial_below, const std::function<void(std::size_t, std::size_t)> &body) {
    run_team(count < serial_below ? 1 : thread_count(), [&](int rank, int size, Barrier &) {
        const Share s = share(count, rank, size);
        if (s.begin < s.end) body(s.begin, s.end);
    });
}

// how many helpers are there
extern "C" TOILE_API int toile_serving() { return serving.load(); }
// Never returns: called by a worker once it has a stack and thread-local memory of its own; rank from 1.
extern "C" TOILE_API void toile_serve(int rank) {
    int seen = ticket.load();
    serving.fetch_add(1);
    for (;;) {
        wait_while_equal(ticket, seen);
        seen = ticket.load(std::memory_order_acquire);
        if (rank < job_size) (*job)(rank, job_size, *job_barrier);
        left.fetch_sub(1);
        wake(left);
    }
}

// The C library's heap knows nothing of threads: one caller at a time.
namespace {
std::atomic_flag heap = ATOMIC_FLAG_INIT;
struct Lock {
    Lock() {
        while (heap.test_and_set(std::memory_order_acquire)) {}
    }
    ~Lock() { heap.clear(std::memory_order_release); }
};
void *take(std::size_t size, std::size_t align) {
    const Lock lock;
    return align <= alignof(std::max_align_t) ? std::malloc(size ? size : 1) : std::aligned_alloc(align, (size + align - 1) / align * align);
}
void *taken(std::size_t size, std::size_t align) {
    void *p = take(size, align);
    if (!p) __builtin_trap();
    return p;
}
void give(void *p) {
    const Lock lock;
    std::free(p);
}
constexpr std::size_t USUAL = alignof(std::max_align_t);
}  // namespace
void *operator new(std::size_t n) { return taken(n, USUAL); }
void *operator new[](std::size_t n) { return taken(n, USUAL); }
void *operator new(std::size_t n, std::align_val_t a) { return taken(n, static_cast<std::size_t>(a)); }
void *operator new[](std::size_t n, std::align_val_t a) { return taken(n, static_cast<std::size_t>(a)); }
void *operator new(std::size_t n, const std::nothrow_t &) noexcept { return take(n, USUAL); }
void *operator new(std::size_t n, std::align_val_t a, const std::nothrow_t &) noexcept { return take(n, static_cast<std::size_t>(a)); }
void operator delete(void *p) noexcept { give(p); }
void operator delete[](void *p) noexcept { give(p); }
void operator delete(void *p, std::size_t) noexcept { give(p); }
void operator delete[](void *p, std::size_t) noexcept { give(p); }
void operator delete(void *p, std::align_val_t) noexcept { give(p); }
void operator delete[](void *p, std::align_val_t) noexcept { give(p); }
void operator delete(void *p, std::size_t, std::align_val_t) noexcept { give(p); }
void operator delete[](void *p, std::size_t, std::align_val_t) noexcept { give(p); }
