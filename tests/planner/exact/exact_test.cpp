#include "planner/exact/exact.hpp"

#include "planner/planner.hpp"
#include "tests/planner/small_graphs.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

struct Drawn {
    graph::EinGraph graph;
    std::int64_t calls;
    Unit unit;
};

Drawn draw(std::mt19937& random, bool tree) {
    Drawn drawn;
    drawn.graph = test::random_matrices(random, 2 + static_cast<int>(random() % 5), tree);
    drawn.calls = std::vector<std::int64_t>{2, 3, 4, 6, 8, 12}[random() % 6];
    for (graph::Node& node : drawn.graph.nodes) {  // some parts are fixed
        Shape const& extents = relation::cut_extents(drawn.graph, node);
        if (random() % 6 != 0) continue;
        for (Extent extent : extents)
            node.fixed.push_back(
                static_cast<std::int64_t>(random() % static_cast<unsigned>(std::min<Extent>(extent, 3) + 1)));
    }
    drawn.unit = random() % 2 ? Unit::elements : Unit::bytes;
    return drawn;
}

}  // namespace

TEST_CASE("on trees paths and search both find the least cost of all plans", "[planner][exact]") {
    std::mt19937 random(101);
    for (int round = 0; round < 1500; ++round) {
        Drawn const drawn = draw(random, true);
        CAPTURE(round, drawn.calls, drawn.graph.nodes.size());
        double const least = test::least_cost(drawn.graph, drawn.calls, drawn.unit);
        DecomposeOptions const options{.calls = drawn.calls, .unit = drawn.unit};
        for (Decomposition const& made : {decompose(drawn.graph, options), decompose_exactly(drawn.graph, options)}) {
            CHECK(made.gap == 0.0);
            CHECK(test::total_cost(drawn.graph, made.nodes, drawn.unit) == Approx(least).epsilon(1e-12));
        }
    }
}

TEST_CASE("on any graph the search finds the least cost of all plans", "[planner][exact]") {
    std::mt19937 random(202);
    int better = 0;
    for (int round = 0; round < 1500; ++round) {
        Drawn const drawn = draw(random, false);
        CAPTURE(round, drawn.calls, drawn.graph.nodes.size());
        double const least = test::least_cost(drawn.graph, drawn.calls, drawn.unit);
        DecomposeOptions const options{.calls = drawn.calls, .unit = drawn.unit};
        double const by_paths = test::total_cost(drawn.graph, decompose(drawn.graph, options).nodes, drawn.unit);
        Decomposition const made = decompose_exactly(drawn.graph, options);
        CHECK(made.gap == 0.0);
        CHECK(test::total_cost(drawn.graph, made.nodes, drawn.unit) == Approx(least).epsilon(1e-12));
        CHECK(by_paths >= least * (1 - 1e-12));
        better += by_paths > least * (1 + 1e-9);
    }
    CHECK(better > 20);  // the graphs are hard enough to tell the two apart
}

TEST_CASE("a search that is cut short is no worse than paths and says how far it may be from least",
          "[planner][exact]") {
    std::mt19937 random(303);
    for (int round = 0; round < 300; ++round) {
        Drawn const drawn = draw(random, false);
        CAPTURE(round);
        double const least = test::least_cost(drawn.graph, drawn.calls, drawn.unit);
        DecomposeOptions const options{.calls = drawn.calls, .unit = drawn.unit, .work_limit = 1};
        Decomposition const made = decompose_exactly(drawn.graph, options);
        double const cost = test::total_cost(drawn.graph, made.nodes, drawn.unit);
        double const by_paths = test::total_cost(drawn.graph, decompose(drawn.graph, options).nodes, drawn.unit);
        CHECK(cost <= by_paths * (1 + 1e-12));
        REQUIRE(made.gap.has_value());
        CHECK(*made.gap >= 0);
        CHECK(cost <= least * (1 + *made.gap) * (1 + 1e-12));
    }
}

TEST_CASE("twenty thousand nodes in a ladder, and a value with ten thousand readers, are proven", "[planner][exact]") {
    auto const shape_of_graph = GENERATE(as<std::string>(), "ladder", "hub");
    int const count = shape_of_graph == "ladder" ? 20000 : 10000;
    test::GraphBuilder builder;
    builder.leaf("0", {64, 64});
    builder.einsum("1", "ij->ij", {"0"});
    for (int k = 2; k <= count; ++k) {
        std::string const other = std::to_string(shape_of_graph == "ladder" ? std::max(1, k - 7) : 1);
        builder.einsum(std::to_string(k), "ij,ij->ji", {std::to_string(k - 1), other});
    }
    graph::EinGraph const graph = builder.finish({std::to_string(count)});
    Decomposition const made = decompose_exactly(graph, {.calls = 4});
    CHECK(made.gap == 0.0);
    CHECK(test::total_cost(graph, made.nodes, Unit::bytes) <=
          test::total_cost(graph, decompose(graph, {.calls = 4}).nodes, Unit::bytes));
}
