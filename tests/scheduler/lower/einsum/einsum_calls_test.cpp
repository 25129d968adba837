#include "scheduler/lower/einsum/einsum_calls.hpp"

#include "scheduler/lower/einsum/call_groups.hpp"
#include "scheduler/lower/einsum/subblocks.hpp"
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

graph::EinSum const& einsum_of(test::LoweringBench const& bench) {
    return std::get<graph::EinSum>(bench.graph.nodes[0].op);
}
std::vector<Call> calls_of(test::LoweringBench& bench) {
    bench.context.traffic.begin(NodeId{0});
    return placed_calls(bench.context, NodeId{0}, einsum_of(bench));
}
std::vector<int> ranks_of(std::vector<Call> const& calls) {
    std::vector<int> out;
    for (Call const& call : calls) out.push_back(call.rank.value());
    return out;
}

}  // namespace

TEST_CASE("calls of one output block follow one another", "[scheduler][einsum_calls]") {
    test::LoweringBench bench(test::matmul(4, 6, 2), 6, {{2, 3, 1}});
    std::vector<Call> const calls = calls_of(bench);
    REQUIRE(calls.size() == 6);
    CHECK(calls[0].region == Box{{0, 0, 0}, {2, 2, 2}});
    CHECK(calls[2].region == Box{{0, 4, 0}, {2, 2, 2}});
    CHECK(calls[3].region == Box{{2, 0, 0}, {2, 2, 2}});
    CHECK(calls[2].group == 0);
    CHECK(calls[3].group == 1);
    CHECK(bench.context.placement.counts()[0] == 6);
}

TEST_CASE("a rank's calls of one interval are put together where they are a box", "[scheduler][einsum_calls]") {
    graph::EinSum const product = test::einsum("ij,jk->ik", {{4, 6}, {6, 2}});
    auto const call = [](Extent i, Extent j, int rank) {
        return Call{{{i, j, 0}, {1, 6, 2}}, static_cast<std::size_t>(i), Rank{rank}};
    };
    auto const rows =
        merged(product, {call(0, 0, 0), call(1, 0, 1), call(2, 0, 1), call(3, 0, 1)}, Merging::of_one_sum);
    REQUIRE(rows);
    CHECK(rows->parts == std::vector<Box>{{{0, 0}, {1, 2}}, {{1, 0}, {3, 2}}});
    CHECK(ranks_of(rows->calls) == std::vector<int>{0, 1});
    CHECK(rows->calls[1].region == Box{{1, 0, 0}, {3, 6, 2}});
    CHECK_FALSE(  // with a gap
        merged(product, {call(0, 0, 0), call(1, 0, 1), call(2, 0, 0), call(3, 0, 1)}, Merging::of_one_sum));
}

TEST_CASE("a plan that cuts finer than asked has its calls put together", "[scheduler][einsum_calls]") {
    test::LoweringBench bench(test::matmul(4, 6, 2), 2, {{4, 1, 1}});
    bench.plan.nodes[0].ranks = {Rank{0}, Rank{1}, Rank{1}, Rank{1}};
    std::vector<Call> const calls = calls_of(bench);
    CHECK(calls.size() == 2);
    CHECK(bench.context.placement.counts()[0] == 2);
    CHECK(bench.context.directory.cut(bench["C"]).part_box(1) == Box{{1, 0}, {3, 2}});
}

TEST_CASE("parts of a result may have different numbers of calls", "[scheduler][einsum_calls]") {
    graph::EinSum const product = test::einsum("ij,jk->ik", {{3, 6}, {6, 2}});
    std::vector<Call> calls;  // rank 0 has the first row; of two rows ranks 1 and 2 have half of the sum each
    for (Extent i = 0; i < 3; ++i)
        for (Extent j = 0; j < 2; ++j)
            calls.push_back(
                {{{i, 3 * j, 0}, {1, 3, 2}}, static_cast<std::size_t>(i), Rank{i == 0 ? 0 : 1 + static_cast<int>(j)}});
    CHECK(merged(product, calls, Merging::of_one_sum)->calls.size() == 4);
    auto const boxes = merged(product, calls, Merging::all_of_rank);
    REQUIRE(boxes);
    CHECK(ranks_of(boxes->calls) == std::vector<int>{0, 1, 2});
    CHECK(boxes->parts == std::vector<Box>{{{0, 0}, {1, 2}}, {{1, 0}, {2, 2}}});
    CHECK(boxes->calls[2].region == Box{{1, 3, 0}, {2, 3, 2}});
    CHECK(boxes->calls[2].group == 1);
    calls[1].rank = Rank{2};
    CHECK_FALSE(merged(product, calls, Merging::all_of_rank));
}

TEST_CASE("the k-th call of every rank is in wave k", "[scheduler][einsum_calls]") {
    std::vector<Call> calls(5);
    for (std::size_t c = 0; c < calls.size(); ++c) calls[c].rank = Rank{c < 3 ? 0 : 1};
    CHECK(waves_of(calls, 2) == Waves{{0, 3}, {1, 4}, {2}});
}

TEST_CASE("groups know their ranks, and are whole where splitting does not pay", "[scheduler][einsum_calls]") {
    test::LoweringBench bench(test::matmul(4, 6, 2), 2, {{1, 2, 1}});
    std::vector<Call> const calls = calls_of(bench);
    auto const& node = bench.graph.nodes[0];
    subdivide_partials(bench.context, node.output, calls, {0, 2});
    auto const groups = groups_of(bench.context, node, einsum_of(bench), calls, waves_of(calls, 2), DType::f64);
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].members == std::vector<Rank>{Rank{0}, Rank{1}});
    CHECK(groups[0].subblocks.empty());
    bench.options.split = {.product_points = 1, .other_points = 1, .product_length = 1, .weighs_time = false};
    auto const split = groups_of(bench.context, node, einsum_of(bench), calls, waves_of(calls, 2), DType::f64);
    CHECK(split[0].subblocks.size() == 2);
}

TEST_CASE("a part that several ranks read is loaded in subblocks by them", "[scheduler][subblocks]") {
    test::LoweringBench bench(test::matmul(8, 4, 8), 2, {{2, 1, 1}});
    std::vector<Call> const calls = calls_of(bench);
    share_leaves(bench.context, bench.graph.nodes[0], einsum_of(bench), calls);
    BlockDirectory const& directory = bench.context.directory;
    CHECK(directory.cut(bench["A"]).blocks() == 2);    // a part each
    REQUIRE(directory.cut(bench["B"]).blocks() == 2);  // one part that both read
    CHECK(directory.block(bench["B"], 0)->rank == Rank{0});
    CHECK(directory.block(bench["B"], 1)->rank == Rank{1});
}

TEST_CASE("subblocks go to sharers evenly, whole parts in turn", "[scheduler][subblocks]") {
    std::vector<Rank> const sharers{Rank{4}, Rank{7}};
    CHECK(loaders_of(sharers, 4, 0) == std::vector<Rank>{Rank{4}, Rank{4}, Rank{7}, Rank{7}});
    CHECK(loaders_of(sharers, 1, 0) == std::vector<Rank>{Rank{4}});
    CHECK(loaders_of(sharers, 1, 1) == std::vector<Rank>{Rank{7}});
    CHECK(loaders_of({}, 3, 0).empty());
}

TEST_CASE("partial results are cut into a subblock for each of their ranks", "[scheduler][subblocks]") {
    test::LoweringBench bench(test::matmul(8, 4, 8), 4, {{1, 4, 1}});
    std::vector<Call> const calls = calls_of(bench);
    subdivide_partials(bench.context, bench["C"], calls, {0, 4});
    CHECK(bench.context.directory.cut(bench["C"]).blocks() == 4);
}
