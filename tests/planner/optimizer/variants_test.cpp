#include "planner/optimizer/variants.hpp"

#include <algorithm>

#include "planner/strategies/strategies.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::planner::optimizer;

namespace {

Choices const asked{.planner = {.ranks = 3, .decompose = "sqrt"}, .place = "b"};

}  // namespace

TEST_CASE("tiers of what saves memory: order, placements, decompositions, slices", "[planner][optimizer]") {
    std::vector<Tier> const tiers = fallback_tiers(asked, {"a", "b", "c"}, false, 16);
    REQUIRE(tiers.size() == 7);
    REQUIRE(tiers[0].size() == 1);
    CHECK(tiers[0][0].what == "its nodes in the order of least memory");
    REQUIRE(tiers[1].size() == 2);
    CHECK(tiers[1][0].what == "placed by a");
    CHECK(tiers[1][1].choices.place == "c");
    CHECK(tiers[2].size() == planner::strategy_names().size() - 1);
    CHECK(std::none_of(tiers[2].begin(), tiers[2].end(),
                       [](PlanVariant const& variant) { return variant.choices.planner.decompose == "sqrt"; }));
    for (std::size_t k = 3; k < tiers.size(); ++k) {
        REQUIRE(tiers[k].size() == 1);
        CHECK(tiers[k][0].choices.planner.calls == std::int64_t{3} << (k - 2));
    }
    CHECK(tiers[4][0].what == "its labels sliced into 12 kernel calls a node");
    for (Tier const& tier : tiers)
        for (PlanVariant const& variant : tier) {
            CHECK(variant.choices.order == NodeOrder::least_memory);
            CHECK(variant.choices.effort == Effort::quick);
            CHECK(variant.choices.planner.ranks == 3);
        }
}

TEST_CASE("slices are of the kernel calls that were asked for", "[planner][optimizer]") {
    Choices more = asked;
    more.planner.calls = 10;
    auto const tiers = fallback_tiers(more, {}, false, 2);
    REQUIRE(tiers.size() == 4);
    CHECK(tiers[1].empty());
    CHECK(tiers[2][0].choices.planner.calls == 10);
    CHECK(tiers[3][0].choices.planner.calls == 20);
}

TEST_CASE("a given plan keeps its parts: only order and placement change", "[planner][optimizer]") {
    auto const tiers = fallback_tiers(asked, {"a", "b", "c"}, true, 16);
    REQUIRE(tiers.size() == 2);
    CHECK(tiers[1].size() == 2);
}
