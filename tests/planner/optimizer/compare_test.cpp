#include "planner/optimizer/compare.hpp"

#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ein::planner::optimizer;

namespace {

/// Small numbers, so that ties are common.
Cost random_cost(std::mt19937& random) {
    auto const number = [&] { return static_cast<std::int64_t>(random() % 4); };
    return {static_cast<double>(number()), number(), number(), number()};
}

std::vector<AlikeUpTo> rules(std::mt19937& random) {
    Cost const any = random_cost(random);
    return {{},
            beside(random_cost(random)),
            that_fit(),
            that_spill(),
            {any.seconds, any.busiest_bytes, any.bytes, any.peak},
            {any.seconds, 0, 0, 0, any.seconds + 1, any.busiest_bytes}};
}

}  // namespace

TEST_CASE("less time comes first, then bytes of the busiest rank, then all bytes, then the peak",
          "[planner][optimizer]") {
    CHECK(better({1, 9, 9, 9}, {2, 1, 1, 1}, {}));
    CHECK(better({1, 1, 9, 9}, {1, 2, 1, 1}, {}));
    CHECK(better({1, 1, 1, 9}, {1, 1, 2, 1}, {}));
    CHECK(better({1, 1, 1, 1}, {1, 1, 1, 2}, {}));
    CHECK_FALSE(better({1, 1, 1, 1}, {1, 1, 1, 1}, {}));
}

TEST_CASE("what is alike does not count", "[planner][optimizer]") {
    AlikeUpTo const alike{.seconds = 2, .bytes = 5};
    CHECK(better({1.9, 1, 1, 1}, {0.1, 2, 1, 1}, alike));
    CHECK_FALSE(better({0.1, 1, 1, 1}, {1.9, 1, 1, 1}, alike));
    CHECK(better({2, 1, 1, 1}, {2.1, 0, 0, 0}, alike));
    CHECK(better({1, 1, 5, 1}, {1, 1, 1, 2}, alike));
    CHECK(better({1, 1, 5, 2}, {1, 1, 6, 1}, alike));
}

TEST_CASE("a plan beside the one that a search has must move less and not be slower", "[planner][optimizer]") {
    Cost const has{1, 100, 300, 7};
    auto const replaces = [&](Cost const& other) { return better(other, has, beside(has)); };
    CHECK(replaces({1, 99, 300, 7}));
    CHECK(replaces({1.04, 99, 900, 70}));
    CHECK(replaces({1.05, 99, 300, 7}));
    CHECK_FALSE(replaces({1.06, 1, 1, 1}));
    CHECK_FALSE(replaces({0.1, 100, 1, 1}));
    CHECK_FALSE(replaces({0.1, 101, 1, 1}));
    Cost const not_simulated{0, 100, 300, 7};
    CHECK(better({0, 99, 300, 7}, not_simulated, beside(not_simulated)));
}

TEST_CASE("of schedules that fit all bytes count, of those that spill the time", "[planner][optimizer]") {
    CHECK(better({9, 9, 1, 9}, {1, 1, 2, 1}, that_fit()));
    CHECK_FALSE(better({1, 1, 2, 1}, {9, 9, 2, 9}, that_fit()));
    CHECK(better({1, 9, 9, 9}, {2, 1, 1, 1}, that_spill()));
    CHECK_FALSE(better({1, 1, 1, 1}, {1, 9, 9, 9}, that_spill()));
}

TEST_CASE("what moves a tenth of much may take as long as simulations err", "[planner][optimizer]") {
    std::int64_t const moved = 320 << 20;
    Cost const named{1.01, moved, moved, 1}, lean{1.05, moved / 10, moved, 1}, less_lean{1.05, moved / 9, moved, 1};
    CHECK(better(lean, named, alike_up_to(1, named)));
    CHECK_FALSE(better(less_lean, named, alike_up_to(1, named)));
    CHECK_FALSE(better({1.06, moved / 10, moved, 1}, named, alike_up_to(1, named)));
    Cost const little{1.01, moved / 32, moved, 1};
    CHECK_FALSE(better({1.05, moved / 320, 1, 1}, little, alike_up_to(1, little)));
    CHECK_FALSE(better({1.05, 0, 0, 1}, little, alike_up_to(1, little)));
}

TEST_CASE("every rule is a strict weak order", "[planner][optimizer]") {
    std::mt19937 random(7);
    for (int round = 0; round < 400; ++round) {
        std::vector<Cost> costs;
        for (int k = 0; k < 6; ++k) costs.push_back(random_cost(random));
        costs[5].seconds = std::numeric_limits<double>::infinity();
        for (AlikeUpTo const& rule : rules(random)) {
            auto const less = [&](Cost const& a, Cost const& b) { return better(a, b, rule); };
            auto const equal = [&](Cost const& a, Cost const& b) { return !less(a, b) && !less(b, a); };
            int faults = 0;
            for (Cost const& a : costs)
                for (Cost const& b : costs) {
                    faults += less(a, b) && less(b, a) ? 1 : 0;
                    for (Cost const& c : costs) {
                        faults += less(a, b) && less(b, c) && !less(a, c) ? 1 : 0;
                        faults += equal(a, b) && equal(b, c) && !equal(a, c) ? 1 : 0;
                    }
                }
            for (Cost const& a : costs) faults += less(a, a) ? 1 : 0;
            CAPTURE(round);
            REQUIRE(faults == 0);
        }
    }
}
