#include "lib/relation/plan_json.hpp"

#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::relation;

namespace {

graph::EinGraph two_nodes() {
    test::GraphBuilder builder;
    builder.leaf("A", {4, 4});
    builder.leaf("B", {4, 6});
    builder.einsum("alpha", "ij,jk->ik", {"A", "B"});
    builder.node("beta", graph::Reshape{}, {"alpha"}, {24});
    return builder.finish({"beta"});
}

/// The one fault of a text; its file is always plan.json.
Fault fault_of(std::string const& text) {
    try {
        plan_from_json(parse_json(text, "plan.json"), "plan.json", two_nodes(), "h1");
    } catch (InputError const& error) {
        REQUIRE(error.faults().size() == 1);
        CHECK(error.faults()[0].file == "plan.json");
        return error.faults()[0];
    }
    FAIL("accepted");
    return {};
}

std::string with(std::string const& parts, std::string const& rest = R"("graph_hash": "h1", "ranks": 4)") {
    return R"({"einplan": 1, )" + rest + R"(, "parts": )" + parts + "}";
}

std::string const good = R"({"alpha": {"i": 2, "k": 2}, "beta": {"0": 4}})";

}  // namespace

TEST_CASE("a plan is read back as it was written, byte for byte", "[relation][plan-json]") {
    Plan plan;
    plan.ranks = 3;
    plan.calls = 6;
    plan.strategy = "sqrt";
    plan.nodes = {{.parts = {3, 1, 2}}, {.parts = {6}}};
    plan.nodes[1].ranks = {Rank{0}, Rank{1}, Rank{2}, Rank{2}, Rank{1}, Rank{0}};
    std::string const text = write_plan(two_nodes(), plan, "h1");
    Plan const read = plan_from_json(parse_json(text, "plan.json"), "plan.json", two_nodes(), "h1");
    CHECK(read.ranks == 3);
    CHECK(read.calls == 6);
    CHECK(read.strategy == "sqrt");
    REQUIRE(read.nodes.size() == 2);
    CHECK(read.nodes[0].parts == plan.nodes[0].parts);
    CHECK(read.nodes[1].parts == plan.nodes[1].parts);
    CHECK(read.nodes[0].ranks.empty());
    CHECK(read.nodes[1].ranks == plan.nodes[1].ranks);
    CHECK(write_plan(two_nodes(), read, "h1") == text);
}

TEST_CASE("a plan keeps to the parts that the graph fixes", "[relation][plan-json]") {
    graph::EinGraph graph = two_nodes();
    graph.nodes[0].fixed = {2, 0, 3};
    Plan const plan =
        plan_from_json(parse_json(with(R"({"alpha": {"j": 2}, "beta": {}})"), "plan.json"), "plan.json", graph, "h1");
    CHECK(plan.nodes[0].parts == Parts{2, 2, 3});  // what is left out is as fixed
    try {
        plan_from_json(parse_json(with(R"({"alpha": {"i": 4, "k": 3}, "beta": {}})"), "plan.json"), "plan.json", graph,
                       "h1");
        FAIL("accepted");
    } catch (InputError const& error) {
        REQUIRE(error.faults().size() == 1);
        CHECK(error.faults()[0].where == "/parts/alpha/i");
        CHECK(error.faults()[0].expected == "2, which the graph's \"parts\" or --reproducible fixes");
    }
    Plan wrong = plan;
    wrong.nodes[0].parts[0] = 4;
    CHECK_NOTHROW(verify(graph, plan));
    CHECK_THROWS_AS(verify(graph, wrong), InternalError);
}

TEST_CASE("labels that are left out have one part; strategy and calls have defaults", "[relation][plan-json]") {
    Plan const plan = plan_from_json(parse_json(with(good), "plan.json"), "plan.json", two_nodes(), "h1");
    CHECK(plan.nodes[0].parts == Parts{2, 1, 2});
    CHECK(plan.calls == 4);
    CHECK(plan.strategy == "file");
    CHECK(plan_from_json(parse_json(with(R"({"alpha": {"x-note": 1}, "beta": {}, "x-why": 2})"), "plan.json"),
                         "plan.json", two_nodes(), "h1")
              .nodes[1]
              .parts == Parts{1});
}

TEST_CASE("every way a plan file can be wrong is reported with its place and fix", "[relation][plan-json]") {
    CHECK(fault_of(with(good, R"("graph_hash": "h2", "ranks": 4)")).where == "/graph_hash");
    CHECK(fault_of(with(good, R"("graph_hash": "h1", "ranks": 0)")).where == "/ranks");
    CHECK(fault_of(with(good, R"("graph_hash": "h1", "ranks": 4, "calls": 0)")).where == "/calls");
    CHECK(fault_of(with(good, R"("graph_hash": "h1", "ranks": 4, "rank": 4)")).fix ==
          "\"ranks\" is there already: remove one of them");
    CHECK(fault_of(with(good, R"("graph_hash": "h1", "ranks": 4, "plce": {})")).fix == "did you mean \"place\"?");
    CHECK(fault_of(with(good, R"("graph_hash": "h1")")).expected == "\"ranks\"");
    CHECK(fault_of(with(good, R"("ranks": 4)")).expected == "\"graph_hash\"");
    CHECK(fault_of(R"({"graph_hash": "h1", "ranks": 4, "parts": )" + good + "}").expected == "\"einplan\": 1");
    CHECK(fault_of(R"({"einplan": 2, "graph_hash": "h1", "ranks": 4, "parts": )" + good + "}").found == "2");
    CHECK(fault_of(R"({"einplan": 1, "graph_hash": "h1", "ranks": 4})").expected == "\"parts\"");
    auto placed = [](std::string const& place) {
        return with(good, R"("graph_hash": "h1", "ranks": 4, "place": )" + place);
    };
    CHECK(fault_of(placed(R"({"beta": [0, 1, 2]})")).expected.starts_with("4 ranks"));
    CHECK(fault_of(placed(R"({"beta": [0, 1, 2, 4]})")).where == "/place/beta/3");
    CHECK(fault_of(placed(R"({"beta": 3})")).where == "/place/beta");
    CHECK(fault_of(placed(R"({"bet": []})")).fix == "did you mean \"beta\"?");
    CHECK(fault_of("[]").expected == "an object");
    CHECK(fault_of(with("3")).where == "/parts");

    Fault const missing = fault_of(with(R"({"alpha": {}})"));
    CHECK(missing.expected == "parts for node 'beta'");
    Fault const unknown = fault_of(with(R"({"alpha": {}, "beta": {}, "alpa": {}})"));
    CHECK(unknown.where == "/parts/alpa");
    CHECK(unknown.fix == "did you mean \"alpha\"?");
    Fault const label = fault_of(with(R"({"alpha": {"q": 2}, "beta": {}})"));
    CHECK(label.where == "/parts/alpha/q");
    CHECK(label.expected == "i, j or k");
    CHECK(fault_of(with(R"({"alpha": {"i": 0}, "beta": {}})")).where == "/parts/alpha/i");
    CHECK(fault_of(with(R"({"alpha": {"i": 5}, "beta": {}})")).expected == "1 to 4 parts (the extent is 4)");
    CHECK(fault_of(with(R"({"alpha": {"i": "two"}, "beta": {}})")).expected == "an integer");
    CHECK(fault_of(with(R"({"alpha": {}, "beta": 7})")).where == "/parts/beta");
}

TEST_CASE("all faults of a plan file are reported at once", "[relation][plan-json]") {
    try {
        plan_from_json(parse_json(with(R"({"alpha": {"i": 9, "z": 1}, "gamma": {}})"), "plan.json"), "plan.json",
                       two_nodes(), "h1");
        FAIL("accepted");
    } catch (InputError const& error) {
        CHECK(error.faults().size() == 4);
    }
}
