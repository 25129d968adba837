#include "scheduler/lower/loop_lowering.hpp"

#include "scheduler/lower/lower_node.hpp"
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

/// x' = A x, three times.
graph::EinGraph power() {
    test::GraphBuilder g;
    g.leaf("A", {8, 8});
    g.leaf("start", {8});
    g.einsum("x", "i->i", {"start"});
    g.begin_loop("power", 3);
    g.einsum("product", "ij,j->i", {"A", "x"});
    g.einsum("next", "i->i", {"product"});
    g.end_loop({{"x", "next"}});
    return g.finish({"next"});
}
std::vector<Parts> const two_rows{{2}, {2, 1}, {2}};

}  // namespace

TEST_CASE("an iteration hands its blocks to the next where they are", "[scheduler][loop_lowering]") {
    schedule::Header header;
    graph::EinGraph const graph = power();
    relation::Plan const plan = test::plan_by_hand(2, two_rows);
    auto const made = scheduler::lower(graph, plan, test::in_order(), header);
    REQUIRE(header.loops.size() == 1);
    CHECK(header.loops[schedule::LoopSpecId{0}].iterations == 3);
    for (schedule::Section const& section : made.sections) {
        auto kinds = test::kinds_of(section);
        CHECK(kinds["iterate"] == 1);
        CHECK(kinds["apply"] == 1);
        CHECK(section.loops[schedule::LoopId{0}].carries.size() == 1);
    }
    CHECK(made.ranks[2] == made.ranks[0]);
    CHECK(made.traffic[1].total() == 3 * 2 * 4 * 8);  // the other half of x, in each iteration
}

TEST_CASE("what iterations begin with has a block of its own", "[scheduler][loop_lowering]") {
    test::LoweringBench bench(power(), 1, {{1}, {1, 1}, {1}});
    CHECK(bench.context.carried.insides.contains(bench["x"]));
    CHECK(bench.context.carried.by_result.at(bench["next"]) == bench["x"]);
    bench.context.traffic.begin(NodeId{0});
    scheduler::lower_identity(bench.context, NodeId{0}, std::get<graph::EinSum>(bench.graph.nodes[0].op));
    CHECK(bench.take_kinds(0) == std::map<std::string, int>{{"load", 1}, {"copy", 1}});
}

TEST_CASE("loops are opened and closed around their nodes", "[scheduler][loop_lowering]") {
    test::LoweringBench bench(power(), 1, {{1}, {1, 1}, {1}});
    scheduler::LoopLowering loops(bench.context);
    loops.go_to(-1);
    loops.go_to(0);
    CHECK(bench.context.sections[0].loop_is_empty());
    loops.go_to(0);
    CHECK(bench.header.loops.empty());
}

TEST_CASE("only what gives its operand as it is is an identity", "[scheduler][lower_identity]") {
    test::GraphBuilder g;
    g.leaf("X", {4, 4});
    g.einsum("same", "ij->ij", {"X"});
    g.einsum("turned", "ij->ji", {"X"});
    g.einsum("narrow", "ij->ij", {"X"}, {.dtype = DType::f32});
    g.einsum("sum", "ij->i", {"X"});
    g.einsum("twice", "ij->ij", {"X"}, {.join = "2*x"});
    graph::EinGraph const graph = g.finish({"same"});
    std::vector<bool> found;
    for (graph::Node const& node : graph.nodes)
        found.push_back(scheduler::is_identity(graph, node, std::get<graph::EinSum>(node.op)));
    CHECK(found == std::vector<bool>{true, false, false, false, false});
}
