#include "scheduler/move/all_gather.hpp"

#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

/// X in four parts, one on each rank of four.
struct FourParts : test::LoweringBench {
    explicit FourParts(std::size_t least_ranks) : LoweringBench(graph_of(), 4, {{4}}, options_of(least_ranks)) {
        X = (*this)["X"];
        context.traffic.begin(NodeId{0});
        for (int rank = 0; rank < 4; ++rank) context.delivery.home(X, static_cast<std::size_t>(rank), Rank{rank});
    }
    static graph::EinGraph graph_of() {
        test::GraphBuilder g;
        g.leaf("X", {16});
        g.einsum("Y", "i->i", {"X"}, {.join = "2*x"});
        return g.finish({"Y"});
    }
    static LoweringOptions options_of(std::size_t least_ranks) {
        LoweringOptions options = test::in_order();
        options.staging.ranks = least_ranks;
        return options;
    }
    std::vector<Rank> everyone() const { return {Rank{0}, Rank{1}, Rank{2}, Rank{3}}; }

    ValueId X{0};
    Box whole = Box::whole({16});
};

}  // namespace

TEST_CASE("all ranks get the whole region at once", "[scheduler][all_gather]") {
    FourParts parts(2);
    parts.context.all_gather.bring(parts.X, parts.whole, parts.everyone());
    for (Rank rank : parts.everyone()) CHECK(parts.context.directory.copy_of(parts.X, parts.whole, rank));
    CHECK(parts.context.traffic.all()[0].total() == 4 * 3 * 4 * 8);
    for (int rank = 0; rank < 4; ++rank) {
        auto kinds = parts.take_kinds(rank);
        CHECK(kinds["send"] == 3);
        CHECK(kinds["receive"] == 3);
        CHECK(kinds["copy"] == 4);
    }
}

TEST_CASE("of very many pieces a rank may get a little again that it has", "[scheduler][all_gather]") {
    int const pieces = GENERATE(32, 64);
    test::GraphBuilder g;
    g.leaf("X", {16 * pieces});
    g.einsum("Y", "i->i", {"X"}, {.join = "2*x"});
    test::LoweringBench bench(g.finish({"Y"}), 10, {{pieces}}, FourParts::options_of(8));
    ValueId const X = bench["X"];
    bench.context.traffic.begin(NodeId{0});
    std::vector<Rank> group;
    for (int rank = 0; rank < 8; ++rank) group.push_back(Rank{rank});
    for (int piece = 0; piece < pieces; ++piece)  // ranks 0 and 1 have pieces of one cell
        bench.context.delivery.home(X, static_cast<std::size_t>(piece), Rank{piece < 2 ? piece : 8 + piece % 2});
    Box const whole = Box::whole({16 * pieces});
    bench.context.all_gather.bring(X, whole, group);
    for (Rank rank : group) CHECK((bench.context.directory.copy_of(X, whole, rank) != nullptr) == (pieces > 32));
}

TEST_CASE("a group that is too small is left to need()", "[scheduler][all_gather]") {
    FourParts parts(5);
    parts.context.all_gather.bring(parts.X, parts.whole, parts.everyone());
    CHECK_FALSE(parts.context.directory.copy_of(parts.X, parts.whole, Rank{0}));
    CHECK(parts.context.traffic.all()[0].total() == 0);
}

TEST_CASE("a region that lies in one block is left to need()", "[scheduler][all_gather]") {
    FourParts parts(2);
    parts.context.all_gather.bring(parts.X, {{0}, {4}}, parts.everyone());
    CHECK(parts.context.traffic.all()[0].total() == 0);
}
