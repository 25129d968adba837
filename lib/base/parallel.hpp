// Independent pieces of work on all cores, results in order: for tools that run alone on a machine. einrun's ranks share theirs, and have
// their own threads (executor/engine/worker_pool.hpp).
// Example: for_each_in_parallel(3, [](std::size_t k) { return k * k; }) is {0, 1, 4}.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ein {

/// @throws what the first of the calls threw that did (in time, when several do)
template <class Make>
auto for_each_in_parallel(std::size_t count, Make const& make) {
    std::vector<decltype(make(std::size_t{0}))> results(count);
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    auto work = [&] {
        try {
            for (std::size_t k = next++; k < count; k = next++) results[k] = make(k);
        } catch (...) {
            next = count;
            std::lock_guard const lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    std::size_t const threads = std::min<std::size_t>({count, std::max(1U, std::thread::hardware_concurrency()), 16});
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work);
    work();
    others.clear();
    if (failure) std::rethrow_exception(failure);
    return results;
}

}  // namespace ein
