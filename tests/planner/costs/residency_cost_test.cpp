#include "planner/costs/residency_cost.hpp"

#include "planner/planner.hpp"
#include "planner/strategies/strategies.hpp"
#include "tests/planner/strategies/sample_graphs.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

std::vector<Parts> parts_of(relation::Plan const& plan) {
    std::vector<Parts> parts;
    for (relation::NodePlan const& node : plan.nodes) parts.push_back(node.parts);
    return parts;
}

constexpr double matrix = 8 * 8 * 8;  // bytes of 8 x 8 f64

/// Y = A B cut by `first`, Z = Y C (or 2 Y) cut by `second`.
double moved(std::string const& second_node, Parts const& first, Parts const& second) {
    test::GraphBuilder g;
    g.leaf("A", {8, 8});
    g.leaf("B", {8, 8});
    g.leaf("C", {8, 8});
    g.einsum("Y", "ij,jk->ik", {"A", "B"});
    if (second_node == "product")
        g.einsum("Z", "ik,kl->il", {"Y", "C"});
    else
        g.einsum("Z", "ik->ik", {"Y"}, {.join = "2*x"});
    graph::EinGraph const graph = g.finish({"Z"});
    return ResidencyCost(graph).total({first, second});
}

}  // namespace

TEST_CASE("what a leaf moves are its copies beyond the first", "[planner][moved]") {
    graph::EinGraph const graph = test::matmul(8, 8, 8);
    CHECK(ResidencyCost(graph).total({{4, 1, 1}}) == 3 * matrix);       // the right matrix
    CHECK(ResidencyCost(graph).total({{2, 1, 2}}) == matrix + matrix);  // both once more
    CHECK(ResidencyCost(graph).total({{1, 4, 1}}) == 3 * matrix);       // partial results alone
    CHECK(ResidencyCost(graph).total({{2, 2, 2}}) == matrix + matrix + matrix);
}

TEST_CASE("what is made where it is needed does not move", "[planner][moved]") {
    CHECK(moved("scaled", {4, 1, 1}, {4, 1}) == 3 * matrix);                   // B's copies
    CHECK(moved("scaled", {4, 1, 1}, {1, 4}) == 3 * matrix + 0.75 * matrix);   // an all-to-all
    CHECK(moved("scaled", {1, 4, 1}, {4, 1}) == 3 * matrix);                   // a reduce-scatter into rows
    CHECK(moved("product", {1, 1, 4}, {1, 4, 1}) == 3 * matrix + 3 * matrix);  // columns, then rows: A and the sums
    CHECK(moved("product", {1, 4, 1}, {1, 1, 4}) == 3 * matrix + 3 * matrix);  // reduce-scatter, then all-gather
}

TEST_CASE("what two readers need alike is brought once", "[planner][moved]") {
    test::GraphBuilder g;
    g.leaf("A", {8, 8});
    g.leaf("B", {8, 8});
    g.leaf("C", {8, 8});
    g.einsum("X", "ij->ij", {"A"}, {.join = "2*x"});
    g.einsum("Y", "ij,jk->ik", {"X", "B"});
    g.einsum("Z", "ij,jk->ik", {"X", "C"});
    graph::EinGraph const graph = g.finish({"Y", "Z"});
    CHECK(ResidencyCost(graph).total({{4, 1}, {1, 1, 4}, {1, 1, 4}}) == 3 * matrix);
}

TEST_CASE("moved is never worse than a regular plan of as many calls, by its model", "[planner][moved]") {
    int const calls = GENERATE(2, 3, 4, 8);
    CAPTURE(calls);
    for (graph::EinGraph const& graph : {test::matmul(24, 48, 8), test::two_layers(), test::attention()}) {
        ResidencyCost const model(graph);
        relation::Plan const least = plan(graph, {.ranks = calls, .decompose = "moved"});
        for (std::string const& name : strategy_names()) {
            if (name == "moved" || name == "summa") continue;
            CAPTURE(name);
            relation::Plan const other = plan(graph, {.ranks = calls, .decompose = name});
            bool all_calls = true;
            for (std::size_t k = 0; k < other.nodes.size(); ++k) {
                auto product = [](Parts const& parts) {
                    std::int64_t all = 1;
                    for (std::int64_t part : parts) all *= part;
                    return all;
                };
                all_calls = all_calls && product(other.nodes[k].parts) == product(least.nodes[k].parts);
            }
            double const margin = name == "eindecomp" ? 0.98 : 1;
            if (all_calls) CHECK(model.total(parts_of(least)) * margin <= model.total(parts_of(other)));
        }
    }
}

TEST_CASE("the last of many readers that are alike has the same to choose from as the first", "[planner][moved]") {
    constexpr int readers = 70;
    test::GraphBuilder g;
    g.leaf("T", {8, 8});
    std::vector<std::string> made;
    for (int k = 0; k < readers; ++k) {
        std::string const a = "A" + std::to_string(k);
        g.leaf(a, {8, 8});
        made.push_back("Y" + std::to_string(k));
        g.einsum(made.back(), "ij,ij->ij", {a, "T"});
    }
    graph::EinGraph const graph = g.finish(made);
    ResidencyCost const cost(graph);
    ValueId const table = graph.nodes.front().inputs[1];
    NodeId const first{0}, last{readers - 1};
    std::vector<Parts> const alike(readers, Parts{4, 1});
    CHECK(cost.of_value(table, alike, last) == cost.of_value(table, alike, first));
    for (NodeId reader : {first, last}) {
        std::vector<Parts> parts = alike;
        parts[at(reader)] = {1, 4};
        CHECK(cost.of_value(table, parts, reader) == 0.75 * matrix);
    }
}
