#include "scheduler/place/placement.hpp"

#include <algorithm>
#include <set>

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using scheduler::PlaceQuery;

namespace {
std::vector<int> placed(std::string const& name, PlaceQuery const& query) {
    std::vector<int> out;
    for (Rank rank : scheduler::placer(name)(query)) out.push_back(rank.value());
    return out;
}
}  // namespace

TEST_CASE("pattern cuts the grid of calls evenly over all ranks", "[scheduler][placement]") {
    CHECK(placed("pattern", {2, std::vector<std::vector<scheduler::Held>>(4)}) == std::vector<int>{0, 0, 1, 1});
    CHECK(placed("pattern", {5, std::vector<std::vector<scheduler::Held>>(3)}) == std::vector<int>{0, 1, 2});
    auto const twelve = placed("pattern", {12, std::vector<std::vector<scheduler::Held>>(12)});
    CHECK(std::set<int>(twelve.begin(), twelve.end()).size() == 12);  // [P]'s own grid would use 9
}

TEST_CASE("round-robin deals calls out in turn", "[scheduler][placement]") {
    CHECK(placed("round-robin", {3, std::vector<std::vector<scheduler::Held>>(5)}) == std::vector<int>{0, 1, 2, 0, 1});
}

TEST_CASE("greedy goes where the most bytes lie, and stays balanced", "[scheduler][placement]") {
    PlaceQuery query{2, {{{Rank{1}, 100}}, {{Rank{1}, 300}}, {{Rank{1}, 200}}, {}}};
    CHECK(placed("greedy", query) == std::vector<int>{0, 1, 1, 0});
}

TEST_CASE("every placer is balanced", "[scheduler][placement]") {
    auto const name = GENERATE("pattern", "greedy", "round-robin", "ia");
    int const ranks = GENERATE(1, 2, 3, 5, 7);
    std::size_t const calls = GENERATE(1u, 4u, 7u, 23u);
    PlaceQuery query{ranks, {}};
    for (std::size_t c = 0; c < calls; ++c) query.held.push_back({{Rank{0}, 10.0 + static_cast<double>(c)}});
    std::vector<int> count(static_cast<std::size_t>(ranks), 0);
    for (int rank : placed(name, query)) ++count[static_cast<std::size_t>(rank)];
    CHECK(*std::max_element(count.begin(), count.end()) <=
          static_cast<int>((calls + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks)));
}

TEST_CASE("an unknown placer is refused with the nearest name", "[scheduler][placement]") {
    CHECK_THROWS_WITH(scheduler::placer("greddy"), Catch::Contains("did you mean \"greedy\"?"));
    CHECK_THROWS_WITH(scheduler::placer("ai"), Catch::Contains("best, pattern, ia, greedy or round-robin"));
}
