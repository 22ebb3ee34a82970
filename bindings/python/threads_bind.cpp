#include <memory>

#include "bind.h"
#include "core/threads.h"

namespace {

// kept by Python and by each thread that uses it, whichever ends last
struct SharedPool {
    std::shared_ptr<ThreadPool> pool;
    explicit SharedPool(int threads) : pool(std::make_shared<ThreadPool>(threads)) {}
};

void use_shared(const SharedPool *shared) {
    static thread_local std::shared_ptr<ThreadPool> kept;
    const std::shared_ptr<ThreadPool> before = kept;  // not ended before the next one is in use
    kept = shared ? shared->pool : nullptr;
    use_pool(kept.get());
}

}  // namespace

void bind_threads(nb::module_ &m) {
    nb::class_<SharedPool>(m, "ThreadPool", "Threads that calls of one Python thread use; see toile.Context.")
        .def(nb::init<int>(), nb::arg("threads") = 0)
        .def_prop_ro("threads", [](const SharedPool &shared) { return shared.pool->thread_count(); });
    m.def("use_pool", &use_shared, nb::arg("pool").none(), "calls from this Python thread use that pool from now on, None: the shared one");
    m.def("thread_count", &thread_count, "threads that calls from this Python thread use");
    m.def("set_thread_count", [](int count) { current_pool().set_thread_count(count); }, nb::arg("count"),
          "of the pool that this Python thread uses; 0: TOILE_THREADS or all cores of this process");
}
