#include <cstdlib>
#include <thread>
#include <vector>

#include "check.h"
#include "core/threads.h"

TEST(every_item_of_a_range_is_done_once_for_any_number_of_threads) {
    for (const int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        UsePool here(pool);
        CHECK(thread_count() == threads);
        std::vector<int> done(1000, 0);
        for_ranges(done.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) ++done[i];
        });
        for (const int times : done) CHECK(times == 1);
    }
}

TEST(stages_between_barriers_see_what_others_wrote) {
    ThreadPool pool(3);
    UsePool here(pool);
    int part[3] = {}, sum[3] = {};
    run_team(3, [&](int rank, int size, Barrier &barrier) {
        for (int k = rank; k < 3; k += size) part[k] = k + 1;
        barrier.wait();
        for (int k = rank; k < 3; k += size) sum[k] = part[0] + part[1] + part[2];
    });
    for (const int s : sum) CHECK(s == 6);
}

TEST(a_pool_is_used_inside_its_scope_and_in_its_thread_only) {
    ThreadPool outer(2), inner(3);
    UsePool a(outer);
    {
        UsePool b(inner);
        CHECK(thread_count() == 3);
        bool mine = true;
        std::thread([&] { mine = &current_pool() == &inner; }).join();
        CHECK(!mine);
    }
    CHECK(&current_pool() == &outer);
}

TEST(pools_work_at_once_and_end) {
    for (int round = 0; round < 20; ++round) {
        std::vector<std::thread> callers;
        std::vector<long> total(2, 0);
        for (int caller = 0; caller < 2; ++caller)
            callers.emplace_back([&, caller] {
                ThreadPool pool(2);
                UsePool here(pool);
                std::vector<long> value(5000, 0);
                for (int k = 0; k < 10; ++k)
                    for_ranges(value.size(), 1, [&](std::size_t begin, std::size_t end) {
                        for (std::size_t i = begin; i < end; ++i) value[i] += static_cast<long>(i);
                    });
                for (const long v : value) total[caller] += v;
            });
        for (std::thread &caller : callers) caller.join();
        CHECK(total[0] == 10L * 5000 * 4999 / 2 && total[1] == total[0]);
    }
}
