// The shardings of examples/ are reported with the collectives that [S] derives for them.
#include "tests/apps/explain/explained.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::apps::explain;

namespace {

using Lines = std::vector<std::string>;

graph::EinGraph example(std::string const& name) {
    return test::graph_of(std::filesystem::path(EXAMPLES) / (name + ".json"));
}

/// "X: all-gather over tp", ... of all edges into nodes and all results, in the order of the nodes.
Lines collectives(std::string const& name, scheduler::InputsPolicy inputs = scheduler::InputsPolicy::shared) {
    graph::EinGraph const graph = example(name);
    Explanation const e =
        test::explained(graph, planner::plan(graph, {.ranks = test::ranks_for(graph, 1)}), {.inputs = inputs});
    Lines out;
    auto add = [&](Flow const& flow) {
        for (Step const& step : flow.steps) {
            out.push_back(flow.tensor + ": " + step.kind + " over");
            for (std::string const& axis : step.axes) out.back() += " " + axis;
        }
        if (flow.note.find("all-reduce") != std::string::npos) out.back() += " (all-reduce)";
    };
    for (NodeReport const& node : e.nodes) {
        for (Flow const& flow : node.inputs) add(flow);
        add(node.output);
    }
    return out;
}

}  // namespace

TEST_CASE("collectives of user-given shardings", "[apps][explain][sharding]") {
    // Each rank reads what it needs of inputs: only activations and gathered weights move.
    CHECK(collectives("sharding-data").empty());
    CHECK(collectives("sharding-tensor") ==
          Lines{"Z:computed: reduce-scatter over tp (all-reduce)", "Z:computed: all-gather over tp"});
    CHECK(collectives("sharding-fsdp") == Lines{"W0:sharded: all-gather over dp", "W1:sharded: all-gather over dp",
                                                "Z:computed: reduce-scatter over tp (all-reduce)",
                                                "Z:computed: all-gather over tp"});
    CHECK(collectives("sharding-sequence") ==
          Lines{"X:sharded: all-gather over tp", "Z:computed: reduce-scatter over tp"});
    CHECK(collectives("sharding-ring") == Lines{"K:sharded: all-gather over sp", "V:sharded: all-gather over sp"});
    // Inputs that are loaded once are gathered where they are wanted whole.
    CHECK(collectives("sharding-data", scheduler::InputsPolicy::once) ==
          Lines{"W0: all-gather over dp", "W1: all-gather over dp"});
}

TEST_CASE("ring attention holds no whole matrix of scores", "[apps][explain][sharding]") {
    Explanation const e = test::explained(example("sharding-ring"), 4);
    for (NodeReport const& node : e.nodes)
        if (node.name == "scores") CHECK(node.output.held == "seq/sp key");
    std::int64_t const scores = 64 * 64 * 4;
    for (std::int64_t peak : e.peak_bytes) CHECK(peak < scores);
}

TEST_CASE("the mesh's names and order are the graph's", "[apps][explain][sharding]") {
    Explanation const e = test::explained(example("sharding-fsdp"), 4);
    CHECK(e.mesh == "dp:2 tp:2");
    CHECK(e.mesh_axes == std::vector<std::pair<std::string, int>>{{"dp", 2}, {"tp", 2}});
}
