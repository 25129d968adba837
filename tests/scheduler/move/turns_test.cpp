#include "scheduler/move/turns.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

/// Messages between these many ranks, each pair with this chance.
std::vector<Route> random_routes(int ranks, double chance, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<Route> out;
    for (int from = 0; from < ranks; ++from)
        for (int to = 0; to < ranks; ++to)
            if (from != to && random() < chance * 4294967296.0) out.push_back({Rank{from}, Rank{to}});
    return out;
}

/// Of the rank that sends or receives most.
int most_of_a_rank(std::vector<Route> const& routes) {
    std::map<Rank, int> sends, receives;
    int most = 0;
    for (Route const& route : routes) most = std::max({most, ++sends[route.from], ++receives[route.to]});
    return most;
}

using Pairs = std::vector<std::pair<int, int>>;
Pairs in_order(std::vector<Route> const& routes, int ranks) {
    Pairs out;
    for (std::uint32_t k : in_turns(routes, ranks)) out.emplace_back(routes[k].from.value(), routes[k].to.value());
    return out;
}

}  // namespace

TEST_CASE("turns are as few as the busiest rank has messages, one of each rank in a turn", "[scheduler][turns]") {
    int const ranks = GENERATE(2, 3, 5, 8, 13, 40);
    double const chance = GENERATE(0.1, 0.3, 0.7, 1.0);
    std::uint32_t const seed = GENERATE(1U, 2U, 3U);
    CAPTURE(ranks, chance, seed);
    std::vector<Route> const routes = random_routes(ranks, chance, seed);
    std::vector<std::int32_t> const turns = turns_of(routes, ranks);
    REQUIRE(turns.size() == routes.size());
    CHECK(static_cast<int>(std::set(turns.begin(), turns.end()).size()) == most_of_a_rank(routes));
    std::set<std::pair<std::int32_t, Rank>> sending, receiving;
    for (std::size_t k = 0; k < routes.size(); ++k) {
        CHECK(sending.emplace(turns[k], routes[k].from).second);
        CHECK(receiving.emplace(turns[k], routes[k].to).second);
    }
}

TEST_CASE("where all send to all, ranks get from their next neighbours first", "[scheduler][turns]") {
    CHECK(in_order(random_routes(3, 1.0, 1), 3) == Pairs{{0, 2}, {2, 1}, {1, 0}, {0, 1}, {1, 2}, {2, 0}});
}

TEST_CASE("within a turn all ranks receive before they send, but one of a cycle", "[scheduler][turns]") {
    // A path and a cycle, as they might be listed.
    std::vector<Route> const routes{{Rank{2}, Rank{3}}, {Rank{6}, Rank{4}}, {Rank{1}, Rank{2}},
                                    {Rank{4}, Rank{5}}, {Rank{0}, Rank{1}}, {Rank{5}, Rank{6}}};
    CHECK(in_order(routes, 7) == Pairs{{0, 1}, {1, 2}, {2, 3}, {6, 4}, {4, 5}, {5, 6}});
}

TEST_CASE("several messages of one pair of ranks take a turn each, or go together", "[scheduler][turns]") {
    std::vector<Route> const routes{{Rank{0}, Rank{1}}, {Rank{0}, Rank{1}}, {Rank{2}, Rank{1}}, {Rank{2}, Rank{0}}};
    std::vector<std::uint32_t> order = in_turns(routes, 3);
    std::sort(order.begin(), order.end());
    CHECK(order == std::vector<std::uint32_t>{0, 1, 2, 3});
    CHECK(in_turns({}, 1).empty());
}
