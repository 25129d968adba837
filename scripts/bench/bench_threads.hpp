// Threads for benchmarks of kernels, started anew for each kernel: their start is part of what is measured.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "executor/engine/worker_team.hpp"

namespace ein::executor {

struct BenchThreads final : WorkerTeam {
    explicit BenchThreads(int threads) : threads(threads) {}
    int width() const override { return threads; }
    void run(std::int64_t pieces, std::function<void(std::int64_t)> const& piece) override {
        std::atomic<std::int64_t> next{0};
        auto const work = [&] {
            for (std::int64_t i = next++; i < pieces; i = next++) piece(i);
        };
        std::vector<std::thread> others;
        for (int t = 1; t < threads; ++t) others.emplace_back(work);
        work();
        for (std::thread& other : others) other.join();
    }

    int const threads;
};

}  // namespace ein::executor
