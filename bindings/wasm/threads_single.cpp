// core/threads.h for one thread: pages that may not share memory with workers, and devices with one core.
#include "core/threads.h"

int thread_count() { return 1; }
void set_thread_count(int) {}

bool Claims::take(std::size_t item, int round) {
    const std::uint32_t bit = std::uint32_t{1} << item, was = taken_.load(std::memory_order_relaxed);
    taken_.store(round % 2 ? was & ~bit : was | bit, std::memory_order_relaxed);
    return ((was & bit) != 0) == (round % 2 == 1);
}
void Barrier::wait() {}

void run_team(int, const std::function<void(int, int, Barrier &)> &work) {
    Barrier alone(1);
    work(0, 1, alone);
}
void for_ranges(std::size_t count, std::size_t, const std::function<void(std::size_t, std::size_t)> &body) {
    if (count) body(0, count);
}
