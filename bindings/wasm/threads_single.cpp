// core/threads.h for one thread: pages that may not share memory with workers, and devices with one core.
#include "core/threads.h"

struct ThreadPool::Helpers {};
ThreadPool::ThreadPool(int) {}
ThreadPool::~ThreadPool() = default;
int ThreadPool::thread_count() const { return 1; }
void ThreadPool::set_thread_count(int) {}
void ThreadPool::run(int, const TeamWork &work) {
    Barrier alone(1);
    work(0, 1, alone);
}
ThreadPool &current_pool() {
    static ThreadPool pool;
    return pool;
}
int thread_count() { return 1; }

bool Claims::take(std::size_t item, int round) {
    const std::uint32_t bit = std::uint32_t{1} << item, was = taken_.load(std::memory_order_relaxed);
    taken_.store(round % 2 ? was & ~bit : was | bit, std::memory_order_relaxed);
    return ((was & bit) != 0) == (round % 2 == 1);
}
void Barrier::wait() {}

void run_team(int size, const TeamWork &work) { current_pool().run(size, work); }
void for_ranges(std::size_t count, std::size_t, const std::function<void(std::size_t, std::size_t)> &body) {
    if (count) body(0, count);
}
