#include "scheduler/lower/einsum/reduce_scatter.hpp"

#include "scheduler/lower/einsum/subblocks.hpp"
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

/// C = A B summed in `ranks` parts, C's block in `subblocks` rows; every rank has made its partial result of the whole
/// block.
struct PartialSums : test::LoweringBench {
    PartialSums(int ranks, std::int64_t subblocks, LoweringOptions const& how = test::in_order())
        : LoweringBench(test::matmul(16, 16, 4), ranks, {{1, ranks, 1}}, how) {
        context.traffic.begin(NodeId{0});
        Cut cut = context.directory.cut(output);
        cut.subdivide({{subblocks, 1}});
        context.directory.recut(output, std::move(cut));
        for (int rank = 0; rank < ranks; ++rank) {
            BlockId const block = context.emit.add_block(Rank{rank}, output, DType::f64, whole);
            group.members.push_back(Rank{rank});
            TaskNumber const made =
                context.emit.apply(Rank{rank}, {.kernel = {}, .operands = {}, .output = block, .region = {}});
            group.partials.push_back({Rank{rank}, block, whole, made});
        }
    }
    void combine() { ReduceScatter(context, graph.nodes[0], {true, DType::f64, {}}).combine(whole, group, 0); }
    std::int64_t received() const { return context.traffic.all()[0].agg; }

    ValueId output = (*this)["C"];
    Box whole = Box::whole({16, 4});
    CallGroup group;
};

}  // namespace

TEST_CASE("every rank keeps the sum of its own subblock", "[scheduler][reduce_scatter]") {
    int const ranks = GENERATE(2, 3, 4);
    PartialSums sums(ranks, ranks);
    sums.combine();
    for (int rank = 0; rank < ranks; ++rank) {
        CHECK(sums.context.directory.block(sums.output, static_cast<std::size_t>(rank))->rank == Rank{rank});
        auto kinds = sums.take_kinds(rank);
        CHECK(kinds["send"] == ranks - 1);
        CHECK(kinds["receive"] == ranks - 1);
        CHECK(kinds["reduce"] == ranks);  // into a block of the subblock: its own and the others'
    }
    CHECK(sums.received() == (ranks - 1) * 16 * 4 * 8);
}

TEST_CASE("one subblock is summed on one rank, in its own block", "[scheduler][reduce_scatter]") {
    PartialSums sums(3, 1);
    sums.combine();
    CHECK(sums.context.directory.block(sums.output, 0)->rank == Rank{0});
    CHECK(sums.context.directory.block(sums.output, 0)->block == sums.group.partials[0].block);
    CHECK(sums.take_kinds(0)["reduce"] == 2);
    CHECK(sums.take_kinds(1)["reduce"] == 0);
}

TEST_CASE("many ranks exchange sums in steps: fewer messages, the same bytes", "[scheduler][reduce_scatter]") {
    LoweringOptions options = test::in_order();
    options.staging.ranks = 16;
    PartialSums sums(16, 16, options);
    sums.combine();
    CHECK(sums.received() == 15 * 16 * 4 * 8);
    for (int rank = 0; rank < 16; ++rank) CHECK(sums.take_kinds(rank)["send"] == 6);
}

TEST_CASE("what is summed wide is rounded once", "[scheduler][reduce_scatter]") {
    test::GraphBuilder g;
    g.leaf("A", {4, 8}, DType::f16);
    g.leaf("B", {8, 4}, DType::f16);
    g.einsum("C", "ij,jk->ik", {"A", "B"}, {.dtype = DType::f16});
    auto const kinds = test::lowered_kinds(g.finish({"C"}), 2, {{1, 2, 1}});
    for (auto of_rank : kinds) CHECK(of_rank["reduce"] == 3);  // two summands, then the result
}
