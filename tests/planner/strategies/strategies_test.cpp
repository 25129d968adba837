#include "planner/strategies/strategies.hpp"

#include "lib/base/error.hpp"
#include "planner/planner.hpp"
#include "planner/strategies/grids.hpp"
#include "tests/planner/strategies/sample_graphs.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::planner;
using test::CutLabels;
using test::parts_of;

namespace {

/// Parts of a node of a graph under a strategy.
CutLabels cut(graph::EinGraph const& graph, int calls, std::string const& strategy, std::string const& node) {
    return parts_of(graph, plan(graph, {.ranks = calls, .decompose = strategy}), node);
}

}  // namespace

TEST_CASE("a product on grids of processes", "[planner][strategies]") {
    graph::EinGraph const graph = test::matmul(64, 64, 64);
    struct Row {
        std::string strategy;
        int calls;
        CutLabels parts;
    };
    auto const row = GENERATE(values<Row>({{"sqrt", 16, {{"i", 4}, {"k", 4}}},
                                           {"3d", 8, {{"i", 2}, {"j", 2}, {"k", 2}}},
                                           {"3d", 27, {{"i", 3}, {"j", 3}, {"k", 3}}},
                                           {"3d", 4, {{"i", 2}, {"k", 2}}},
                                           {"summa", 16, {{"i", 4}, {"k", 4}}},
                                           {"summa", 8, {{"i", 4}, {"k", 2}}},
                                           {"25d", 8, {{"i", 2}, {"j", 2}, {"k", 2}}},
                                           {"25d", 16, {{"i", 4}, {"k", 4}}},
                                           {"25d", 32, {{"i", 4}, {"j", 2}, {"k", 4}}},
                                           {"data", 8, {{"i", 8}}},
                                           {"sequence", 8, {{"i", 8}}},
                                           {"attention", 8, {{"i", 8}}},
                                           {"megatron", 8, {{"k", 8}}}}));
    CAPTURE(row.strategy, row.calls);
    CHECK(cut(graph, row.calls, row.strategy, "C") == row.parts);
}

TEST_CASE("2.5D makes as many copies as keep its grid square", "[planner][strategies]") {
    CHECK(copies_25d(1) == 1);
    CHECK(copies_25d(8) == 2);
    CHECK(copies_25d(12) == 1);
    CHECK(copies_25d(64) == 4);
    CHECK(copies_25d(7) == 1);
}

TEST_CASE("batches of products are left whole while the product has enough to cut", "[planner][strategies]") {
    test::GraphBuilder g;
    g.leaf("A", {64, 4, 4});
    g.leaf("B", {64, 4, 4});
    g.einsum("C", "bij,bjk->bik", {"A", "B"});
    graph::EinGraph const graph = g.finish({"C"});
    CHECK(cut(graph, 8, "3d", "C") == CutLabels{{"i", 2}, {"j", 2}, {"k", 2}});
    CHECK(cut(graph, 32, "summa", "C") == CutLabels{{"b", 2}, {"i", 4}, {"k", 4}});
}

TEST_CASE("two layers: data parallel in rows, megatron in columns and then rows", "[planner][strategies]") {
    graph::EinGraph const graph = test::two_layers();
    for (std::string const node : {"H", "R", "Y", "Z"}) CHECK(cut(graph, 4, "data", node) == CutLabels{{"n", 4}});
    CHECK(cut(graph, 4, "data", "U").empty());  // weights are whole everywhere

    CHECK(cut(graph, 4, "megatron", "H") == CutLabels{{"h", 4}});
    CHECK(cut(graph, 4, "megatron", "R") == CutLabels{{"h", 4}});
    CHECK(cut(graph, 4, "megatron", "Y") == CutLabels{{"h", 4}});  // contracted
    CHECK(cut(graph, 4, "megatron", "Z") == CutLabels{{"n", 4}});
    CHECK(cut(graph, 4, "megatron", "U") == CutLabels{{"h", 4}});  // scaled where it is used
}

TEST_CASE("an attention layer under each strategy", "[planner][strategies]") {
    graph::EinGraph const graph = test::attention();
    struct Row {
        std::string strategy;
        int calls;
        CutLabels projection, scores, sums, attended, back, outside;
    };
    CutLabels const b{{"b", 2}}, s{{"s", 4}}, h{{"h", 4}};
    auto const row = GENERATE_COPY(values<Row>({{"data", 2, b, b, b, b, b, b},
                                                {"sequence", 4, s, s, s, s, s, s},
                                                {"attention", 4, h, h, h, h, h, s},
                                                {"megatron", 4, h, h, h, h, h, s}}));
    CAPTURE(row.strategy);
    CHECK(cut(graph, row.calls, row.strategy, "Q") == row.projection);
    CHECK(cut(graph, row.calls, row.strategy, "S") == row.scores);
    CHECK(cut(graph, row.calls, row.strategy, "T") == row.sums);
    CHECK(cut(graph, row.calls, row.strategy, "O") == row.attended);
    CHECK(cut(graph, row.calls, row.strategy, "Y") == row.back);
    CHECK(cut(graph, row.calls, row.strategy, "Z") == row.outside);
}

TEST_CASE("a rule with little to cut gives fewer calls, never others", "[planner][strategies]") {
    graph::EinGraph const graph = test::attention();
    CHECK(cut(graph, 8, "data", "Q") == CutLabels{{"b", 2}});       // 2 texts
    CHECK(cut(graph, 8, "megatron", "S") == CutLabels{{"h", 4}});   // 4 heads
    CHECK(cut(graph, 5, "attention", "S") == CutLabels{{"h", 4}});  // 4 heads
    CHECK(cut(graph, 5, "sequence", "S") == CutLabels{{"s", 5}});   // uneven blocks are legal
}

TEST_CASE("lookups: tables are cut by rows in megatron, whole where data is cut", "[planner][strategies]") {
    test::GraphBuilder g;
    g.leaf("table", {32, 16});
    g.leaf("tokens", {8}, DType::i64);
    g.leaf("W", {16, 64});
    g.einsum("X", "vd,n->nd", {"table", "tokens"}, {.join = "where(y==[v],x,0)"});
    g.einsum("Y", "nd,dh->nh", {"X", "W"});
    graph::EinGraph const graph = g.finish({"Y"});
    CHECK(cut(graph, 4, "megatron", "X") == CutLabels{{"v", 4}});
    CHECK(cut(graph, 4, "megatron", "Y") == CutLabels{{"h", 4}});
    CHECK(cut(graph, 4, "data", "X") == CutLabels{{"n", 4}});
}

TEST_CASE("every strategy plans every graph for any number of calls", "[planner][strategies]") {
    test::GraphBuilder scalars;
    scalars.leaf("x", {3});
    scalars.einsum("dot", "i,i->", {"x", "x"});
    scalars.einsum("twice", "->", {"dot"}, {.join = "2*x"});
    test::GraphBuilder empty;
    empty.leaf("x", {0, 4});
    empty.node("flat", graph::Reshape{}, {"x"}, {4, 0});
    empty.einsum("y", "ij->j", {"flat"});
    std::vector<graph::EinGraph> const graphs{test::matmul(5, 1, 7), test::two_layers(), test::attention(),
                                              scalars.finish({"twice"}), empty.finish({"y"})};
    for (std::string const& name : strategy_names()) {
        CAPTURE(name);
        for (graph::EinGraph const& graph : graphs)
            for (int const calls : {1, 2, 3, 7, 12, 64}) {
                relation::Plan const made = plan(graph, {.ranks = calls, .decompose = name});  // verified inside
                for (relation::NodePlan const& node : made.nodes) {
                    std::int64_t product = 1;
                    for (std::int64_t part : node.parts) product *= part;
                    CHECK(product <= calls);
                }
            }
    }
}

TEST_CASE("every strategy says in a line of --help what it cuts", "[planner][strategies]") {
    std::string const lines = strategy_list();
    for (std::string const& name : strategy_names()) {
        CAPTURE(name);
        std::size_t const at = lines.find("\n" + name + " ");
        REQUIRE(at != std::string::npos);
        std::string const line = lines.substr(at + 1, lines.find('\n', at + 1) - at - 1);
        CHECK(line.find_first_not_of(' ', name.size()) != std::string::npos);
    }
}

TEST_CASE("a strategy that nobody knows is refused with those there are and the nearest", "[planner][strategies]") {
    try {
        check_strategy("megatrn");
        FAIL("accepted");
    } catch (UsageError const& error) {
        CHECK(std::string(error.what()) ==
              "--decompose: expected eindecomp, exact, moved, sqrt, 3d, summa, 25d, data, megatron, sequence or "
              "attention, "
              "found "
              "'megatrn'; did you mean \"megatron\"?");
    }
}
