#include "lib/base/threads/parallel.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("results of a parallel loop stand in order", "[lib][base][threads]") {
    auto const squares = for_each_in_parallel(1000, [](std::size_t k) { return k * k; });
    REQUIRE(squares.size() == 1000);
    for (std::size_t k = 0; k < squares.size(); ++k) REQUIRE(squares[k] == k * k);
    CHECK(for_each_in_parallel(0, [](std::size_t k) { return k; }).empty());
}

TEST_CASE("what fails in a parallel loop is thrown to whoever called, and the next loop runs", "[lib][base][threads]") {
    auto const fail_at_7 = [](std::size_t k) {
        if (k == 7) throw std::runtime_error("seven");
        return k;
    };
    for (int round = 0; round < 20; ++round) {
        CHECK_THROWS_AS(for_each_in_parallel(100, fail_at_7), std::runtime_error);
        CHECK(for_each_in_parallel(3, [](std::size_t k) { return k; }) == std::vector<std::size_t>{0, 1, 2});
    }
}

TEST_CASE("a loop within a parallel loop runs where it is", "[lib][base][threads]") {
    auto const alone = for_each_in_parallel(4, [](std::size_t) {
        auto const here = std::this_thread::get_id();
        auto const where = for_each_in_parallel(3, [](std::size_t) { return std::this_thread::get_id(); });
        return where == std::vector<std::thread::id>(3, here) ? 1 : 0;
    });
    CHECK(alone == std::vector<int>(4, 1));
}
