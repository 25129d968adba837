#include "scheduler/lower/einsum/call_placement.hpp"

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

relation::Plan two_nodes() {
    relation::Plan plan;
    plan.ranks = 3;
    plan.nodes = {{.parts = {3}}, {.parts = {3}}};
    return plan;
}
std::vector<Rank> reversed(PlaceQuery const&) { return {Rank{2}, Rank{1}, Rank{0}}; }
std::vector<Rank> const all_on_1(3, Rank{1});

std::vector<Rank> placed(CallPlacement& placement, NodeId node) {
    std::vector<Call> calls = calls_of_blocks({6}, {3});
    placement.place(node, calls, std::vector<std::vector<Held>>(3));
    std::vector<Rank> out;
    for (Call const& call : calls) out.push_back(call.rank);
    return out;
}

}  // namespace

TEST_CASE("the plan says where calls go, else what was decided before, else the placer", "[scheduler][placement]") {
    relation::Plan plan = two_nodes();
    std::vector<std::uint64_t> const outlines{1, 2};
    CallPlacement by_placer(plan, outlines, reversed, {});
    CHECK(placed(by_placer, NodeId{0}) == std::vector<Rank>{Rank{2}, Rank{1}, Rank{0}});
    CallPlacement decided(plan, outlines, reversed, {{}, all_on_1});
    CHECK(placed(decided, NodeId{0}).front() == Rank{2});
    CHECK(placed(decided, NodeId{1}) == all_on_1);
    plan.nodes[1].ranks = {Rank{0}, Rank{1}, Rank{2}};
    CHECK(placed(decided, NodeId{1}) == plan.nodes[1].ranks);
    CHECK(decided.ranks()[1] == plan.nodes[1].ranks);
}

TEST_CASE("calls of every node are counted", "[scheduler][placement]") {
    relation::Plan const plan = two_nodes();
    std::vector<std::uint64_t> const outlines{1, 2};
    CallPlacement placement(plan, outlines, reversed, {});
    placed(placement, NodeId{0});
    placement.follow(NodeId{1}, NodeId{0});
    CHECK(placement.counts() == std::vector<std::int64_t>{3, 3});
    CHECK(placement.ranks()[1] == placement.ranks()[0]);
    placement.merge(NodeId{0}, 2);
    CHECK(placement.counts() == std::vector<std::int64_t>{2, 3});
}

TEST_CASE("a block is a call, in C order", "[scheduler][placement]") {
    std::vector<Call> const calls = calls_of_blocks({4, 6}, {2, 3});
    REQUIRE(calls.size() == 6);
    CHECK(calls[4].region == Box{{2, 2}, {2, 2}});
    CHECK(calls[4].group == 4);
}
