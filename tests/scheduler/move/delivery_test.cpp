#include "scheduler/move/delivery.hpp"

#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;
using Kinds = std::map<std::string, int>;

namespace {

Box const upper_half{{0, 0}, {4, 6}}, lower_half{{4, 0}, {4, 6}}, first_column{{0, 0}, {8, 1}},
    whole_value{{0, 0}, {8, 6}};

/// X in two rows on ranks 0 and 1, nothing loaded yet.
struct RowsOnTwoRanks : test::LoweringBench {
    explicit RowsOnTwoRanks(InputsPolicy inputs = InputsPolicy::once)
        : LoweringBench(graph_of(), 2, {{2, 1}}, options_of(inputs)), X((*this)["X"]) {
        context.traffic.begin(NodeId{0});
    }
    static graph::EinGraph graph_of() {
        test::GraphBuilder g;
        g.leaf("X", {8, 6});
        g.einsum("Y", "ij->ij", {"X"}, {.join = "2*x"});
        return g.finish({"Y"});
    }
    static LoweringOptions options_of(InputsPolicy inputs) {
        LoweringOptions options = test::in_order();
        options.inputs = inputs;
        return options;
    }
    void load_rows() {
        context.delivery.home(X, 0, Rank{0});
        context.delivery.home(X, 1, Rank{1});
    }

    ValueId X;
};

}  // namespace

TEST_CASE("a leaf's block is loaded once, where it is first asked for", "[scheduler][delivery]") {
    RowsOnTwoRanks rows;
    CHECK(rows.context.delivery.is_fresh_leaf(rows.X));
    Holding const first = rows.context.delivery.home(rows.X, 0, Rank{1});
    CHECK(first.rank == Rank{1});
    CHECK(first.box == upper_half);
    CHECK(rows.context.delivery.home(rows.X, 0, Rank{0}).rank == Rank{1});
    CHECK_FALSE(rows.context.delivery.is_fresh_leaf(rows.X));
    CHECK(rows.take_kinds(0) == Kinds{});
    CHECK(rows.take_kinds(1) == Kinds{{"load", 1}});
}

TEST_CASE("a block that is there is taken as it is", "[scheduler][delivery]") {
    RowsOnTwoRanks rows;
    rows.load_rows();
    CHECK(rows.context.delivery.need(rows.X, {{1, 0}, {2, 6}}, Rank{0}).box == upper_half);
    CHECK(rows.take_kinds(0) == Kinds{{"load", 1}});
}

TEST_CASE("a block comes whole from another rank, once", "[scheduler][delivery]") {
    RowsOnTwoRanks rows;
    rows.load_rows();
    Holding const found = rows.context.delivery.need(rows.X, lower_half, Rank{0});
    CHECK(found.rank == Rank{0});
    CHECK(rows.context.delivery.need(rows.X, lower_half, Rank{0}).block == found.block);
    CHECK(rows.context.traffic.all()[0].join == 4 * 6 * 8);
    CHECK(rows.take_kinds(0) == Kinds{{"load", 1}, {"receive", 1}});
    CHECK(rows.take_kinds(1) == Kinds{{"load", 1}, {"send", 1}});
}

TEST_CASE("a region across blocks is cut out, sent and put together", "[scheduler][delivery]") {
    RowsOnTwoRanks rows;
    rows.load_rows();
    Holding const found = rows.context.delivery.need(rows.X, first_column, Rank{0});
    CHECK(found.box == first_column);
    CHECK(rows.context.traffic.all()[0].repart == 4 * 8);
    CHECK(rows.take_kinds(0) == Kinds{{"load", 1}, {"receive", 1}, {"copy", 1}});  // its own part is copied
    CHECK(rows.take_kinds(1) == Kinds{{"load", 1}, {"copy", 1}, {"send", 1}});
}

TEST_CASE("sources are what a region would be put together from", "[scheduler][delivery]") {
    RowsOnTwoRanks rows;
    rows.load_rows();
    auto const sources = rows.context.delivery.sources(rows.X, first_column, Rank{0});
    REQUIRE(sources.size() == 2);
    CHECK(sources[0].rank == Rank{0});
    CHECK(sources[1].rank == Rank{1});
    CHECK(sources[1].box == Box{{4, 0}, {4, 1}});
    rows.context.delivery.need_source(rows.X, first_column, sources[1], Rank{0});
    CHECK(rows.context.delivery.sources(rows.X, first_column, Rank{0})[1].rank == Rank{0});  // has come
    CHECK(rows.context.delivery.sources(rows.X, first_column, Rank{0})[1].home == Rank{1});
    rows.context.delivery.need(rows.X, first_column, Rank{0});
    CHECK(rows.context.delivery.sources(rows.X, first_column, Rank{0}).size() == 1);
}

TEST_CASE("inputs that are shared are read by every rank", "[scheduler][delivery]") {
    RowsOnTwoRanks rows(InputsPolicy::shared);
    CHECK(rows.context.delivery.is_read_by_all(rows.X));
    rows.context.delivery.need(rows.X, whole_value, Rank{0});
    rows.context.delivery.need(rows.X, first_column, Rank{1});
    CHECK(rows.context.traffic.all()[0].total() == 0);
    CHECK(rows.take_kinds(0) == Kinds{{"load", 1}});
    CHECK(rows.take_kinds(1) == Kinds{{"load", 1}});
}

TEST_CASE("an empty region needs no message", "[scheduler][delivery]") {
    RowsOnTwoRanks rows;
    CHECK(rows.context.delivery.need(rows.X, {{0, 0}, {0, 6}}, Rank{1}).rank == Rank{1});
    CHECK(rows.take_kinds(0) == Kinds{});
    CHECK(rows.take_kinds(1) == Kinds{{"fill", 1}});
}

TEST_CASE("what is asked for in an exchange is sent when all have asked", "[scheduler][delivery]") {
    RowsOnTwoRanks rows;
    rows.load_rows();
    rows.context.delivery.exchange([&] {
        rows.context.delivery.need(rows.X, lower_half, Rank{0});
        rows.context.delivery.need(rows.X, upper_half, Rank{1});
        CHECK(rows.context.traffic.all()[0].join == 2 * 4 * 6 * 8);
    });
    for (int rank : {0, 1}) CHECK(rows.take_kinds(rank) == Kinds{{"load", 1}, {"receive", 1}, {"send", 1}});
}

TEST_CASE("a transfer counts its bytes, a part only its own", "[scheduler][delivery]") {
    RowsOnTwoRanks rows;
    rows.load_rows();
    Holding const from = *rows.context.directory.block(rows.X, 1);
    rows.context.delivery.transfer(from, rows.X, DType::f64, Rank{0}, Purpose::agg);
    CHECK(rows.context.traffic.all()[0].agg == 4 * 6 * 8);
    rows.context.delivery.transfer_part(from, {{5, 0}, {1, 6}}, rows.X, DType::f64, Rank{0}, Purpose::agg);
    CHECK(rows.context.traffic.all()[0].agg == 5 * 6 * 8);
}
