#include "lib/base/threads/helper_threads.hpp"

#include <atomic>
#include <latch>
#include <set>

#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("helpers join work that is under way", "[lib][base][threads]") {
    HelperThreads helpers;
    std::latch all_here(4);
    std::atomic<int> calls{0};
    helpers.run(3, [&] {
        ++calls;
        all_here.arrive_and_wait();  // would stand still with fewer threads
    });
    CHECK(calls == 4);
    CHECK(helpers.threads() == 3);
}

TEST_CASE("threads are made once and help again", "[lib][base][threads]") {
    HelperThreads helpers;
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> left{50}, done{0};
        helpers.run(2, [&] {
            while (left-- > 0) ++done;
        });
        REQUIRE(done == 50);
    }
    CHECK(helpers.threads() == 2);
}

TEST_CASE("work without others is done here", "[lib][base][threads]") {
    HelperThreads helpers;
    std::thread::id where;
    helpers.run(0, [&] { where = std::this_thread::get_id(); });
    CHECK(where == std::this_thread::get_id());
    CHECK(helpers.threads() == 0);
}

TEST_CASE("several threads may ask for help at a time, and within help", "[lib][base][threads]") {
    HelperThreads helpers;
    std::atomic<int> done{0};
    std::vector<std::thread> asking;
    for (int k = 0; k < 4; ++k)
        asking.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                std::atomic<int> left{8};
                helpers.run(2, [&] {
                    while (left-- > 0) {
                        std::atomic<int> inner{1};
                        helpers.run(1, [&] { done += std::max(0, inner--); });
                    }
                });
            }
        });
    for (std::thread& thread : asking) thread.join();
    CHECK(done == 4 * 50 * 8);
}
