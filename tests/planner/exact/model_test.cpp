#include "planner/exact/model.hpp"

#include "tests/planner/small_graphs.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::planner;

TEST_CASE("a model costs what the plan costs", "[planner][exact]") {
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        graph::EinGraph const graph = test::random_matrices(random, 6, false);
        Unit const unit = random() % 2 ? Unit::elements : Unit::bytes;
        CandidateTable const table(graph, 6, unit, 1000);
        auto const model = make_model(graph, table, 1e6);
        REQUIRE(model.has_value());
        std::vector<int> values;
        std::vector<relation::NodePlan> nodes;
        for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
            NodeCandidates const& choices = table.of(NodeId{static_cast<std::int32_t>(k)});
            values.push_back(static_cast<int>(random() % choices.candidates.size()));
            nodes.push_back({.parts = choices.candidates[static_cast<std::size_t>(values.back())]});
        }
        CHECK(model->cost(values) == Approx(test::total_cost(graph, nodes, unit)).epsilon(1e-12));
    }
}

TEST_CASE("edges of one form share a table; moves of other regions do not", "[planner][exact]") {
    test::GraphBuilder builder;
    builder.leaf("0", {8, 8});
    for (int k = 1; k < 50; ++k) builder.einsum(std::to_string(k), "ij->ij", {std::to_string(k - 1)});
    auto slice = [&](std::string const& name, Extent length) {
        graph::Move move;
        move.regions = {{Box{{0, 0}, {length, 8}}, {{}, {}}}};
        move.fill = scalar::Scalar{};
        builder.node(name, std::move(move), {"49"}, {8, 8});
    };
    slice("whole", 8);
    slice("part", 7);
    graph::EinGraph const graph = builder.finish({"whole", "part"});
    CandidateTable const table(graph, 4, Unit::bytes, 1000);
    auto const model = make_model(graph, table, 1e6);
    REQUIRE(model.has_value());
    CHECK(model->links[0].table == model->links[40].table);
    CHECK(model->links[48].table != model->links[49].table);
    CHECK_FALSE(make_model(graph, table, 5).has_value());  // too many entries
}
