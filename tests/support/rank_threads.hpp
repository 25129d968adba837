// Runs one function on several ranks, each a thread with its own loopback transport.
// Example: auto results = on_ranks(3, {}, [](Transport& transport) { return transport.rank().value(); });   // {0, 1,
// 2}
#pragma once

#include <thread>
#include <type_traits>
#include <vector>

#include "executor/transport/loopback_transport.hpp"

namespace ein::test {

/// `body` must not throw; it is called on all ranks at once. Results by rank.
template <class Body>
auto on_ranks(int ranks, executor::LoopbackOptions options, Body&& body) {
    using Result = std::invoke_result_t<Body, executor::Transport&>;
    executor::LoopbackHub hub(ranks, options);
    std::vector<Result> results(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            auto transport = hub.join(Rank{rank});
            results[static_cast<std::size_t>(rank)] = body(*transport);
        });
    for (std::thread& thread : threads) thread.join();
    return results;
}

}  // namespace ein::test
