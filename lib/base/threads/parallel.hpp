// Independent pieces of work on all cores, results in order: for tools that run alone on a machine. einrun's ranks
// share theirs, and have their own threads (executor/engine/worker_pool.hpp). Example: for_each_in_parallel(3,
// [](std::size_t k) { return k * k; }) is {0, 1, 4}.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/threads/helper_threads.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein {

/// What failed first, of several threads.
class FirstFailure {
public:
    /// In a catch block.
    void keep_current() {
        MutexLock const lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
    }
    void rethrow() const {
        MutexLock const lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    mutable Mutex mutex_;
    std::exception_ptr failure_ EIN_GUARDED_BY(mutex_);
};

/// Whether this thread works for a for_each_in_parallel: one within another has no cores of its own.
inline thread_local bool works_in_parallel = false;

/// @throws what the first of the calls threw that did (in time, when several do)
template <class Make>
auto for_each_in_parallel(std::size_t count, Make const& make) {
    std::vector<decltype(make(std::size_t{0}))> results(count);
    std::atomic<std::size_t> next{0};
    FirstFailure failure;
    auto work = [&] {
        bool const before = std::exchange(works_in_parallel, count > 1);
        try {
            for (std::size_t k = next++; k < count; k = next++) results[k] = make(k);
        } catch (...) {
            next = count;
            failure.keep_current();
        }
        works_in_parallel = before;
    };
    std::size_t const cores = works_in_parallel ? 1 : std::max(1U, std::thread::hardware_concurrency());
    std::size_t const threads = std::min<std::size_t>({count, cores, 16});
    if (threads > 1)
        HelperThreads::of_process().run(threads - 1, work);
    else
        work();
    failure.rethrow();
    return results;
}

}  // namespace ein
