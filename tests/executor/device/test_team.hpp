// A WorkerTeam of real threads that take pieces in any order, for tests.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "executor/engine/worker_team.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/support/catch.hpp"

namespace ein::executor {

class TestTeam final : public WorkerTeam {
public:
    explicit TestTeam(int threads) : threads_(threads) {}
    int width() const override { return threads_; }
    void run(std::int64_t pieces, std::function<void(std::int64_t)> const& piece) override {
        std::atomic<std::int64_t> next{0};
        std::exception_ptr first;
        std::mutex mutex;
        auto const work = [&] {
            for (std::int64_t i = next++; i < pieces; i = next++) {
                try {
                    piece(i);
                } catch (...) {
                    std::lock_guard const lock(mutex);
                    if (!first) first = std::current_exception();
                }
            }
        };
        std::vector<std::thread> threads;
        for (int t = 1; t < threads_; ++t) threads.emplace_back(work);
        work();
        for (std::thread& thread : threads) thread.join();
        if (first) std::rethrow_exception(first);
    }

private:
    int threads_;
};

/// What a kernel gives, having checked that teams of one, two and five give the same bits.
inline std::vector<std::byte> same_on_teams(KernelCase const& test, Device& device) {
    SoloWorkerTeam solo;
    TestTeam two(2), five(5);
    std::vector<std::byte> once = test.run(device, solo);
    CHECK(once == test.run(device, two));
    CHECK(once == test.run(device, five));
    return once;
}

}  // namespace ein::executor
