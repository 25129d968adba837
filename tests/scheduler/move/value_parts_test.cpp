#include "scheduler/move/value_parts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;

namespace {

/// Z = A B summed in four parts, then (when asked) W = 2 Z in `next` rows.
std::pair<graph::EinGraph, relation::Plan> chain(Extent rows, std::int64_t next) {
    test::GraphBuilder g;
    g.leaf("A", {rows, 12});
    g.leaf("B", {12, 6});
    g.einsum("Z", "ij,jk->ik", {"A", "B"});
    g.einsum("W", "ik->ik", {"Z"}, {.join = "2*x"});
    relation::Plan plan;
    plan.ranks = 4;
    plan.calls = 4;
    plan.nodes.resize(2);
    plan.nodes[0].parts = {1, 4, 1};
    plan.nodes[1].parts = {next, 1};
    return {g.finish({"W"}), plan};
}

}  // namespace

TEST_CASE("leaves are cut as their first reader wants, outputs as they are made", "[scheduler][value_parts]") {
    auto const [graph, plan] = chain(8, 4);
    auto const parts = scheduler::value_parts(graph, plan);
    CHECK(parts[0].made == Parts{1, 4});  // A as Z reads it
    CHECK(parts[1].made == Parts{4, 1});
    CHECK(parts[2].made == Parts{1, 1});  // Z
    CHECK(parts[2].wanted == Parts{4, 1});
    CHECK(parts[3].wanted.empty());  // W, which nobody reads
}

TEST_CASE("leading parts never cut an axis finer than its extent", "[scheduler][value_parts]") {
    CHECK(scheduler::leading_parts({3, 100}, 7) == Parts{3, 2});
    CHECK(scheduler::leading_parts({0, 5}, 4) == Parts{1, 4});
    CHECK(scheduler::leading_parts({}, 4) == Parts{});
}

TEST_CASE("a product's partial results that no reader wants cut are cut along columns where rows are few",
          "[scheduler][value_parts]") {
    /// Of the node Z of leaves, or of the square of its left operand, two ranks having a half of label j each.
    auto const wanted = [](std::string const& subscripts, Shape const& left, Shape const& right, bool squared = false) {
        test::GraphBuilder g;
        g.leaf("A", left), g.leaf("B", right);
        std::string const axes = subscripts.substr(0, subscripts.find(','));
        if (squared) g.einsum("S", axes + "," + axes + "->" + axes, {"A", "A"});
        g.einsum("Z", subscripts, {squared ? "S" : "A", "B"});
        graph::EinGraph const graph = g.finish({"Z"});
        relation::Plan plan;
        plan.ranks = 2, plan.calls = 2;
        for (graph::Node const& node : graph.nodes) {
            auto const& labels = std::get<graph::EinSum>(node.op).labels;
            Parts parts(labels.size(), 1);
            for (std::size_t l = 0; l < labels.size(); ++l)
                if (labels[l] == "j") parts[l] = 2;
            plan.nodes.push_back({parts});
        }
        return scheduler::value_parts(graph, plan)[static_cast<std::size_t>(graph.outputs[0].value())].wanted;
    };
    CHECK(wanted("ij,jk->ik", {400, 9000}, {9000, 4000}) == Parts{1, 4000});  // rows lie ready, columns are packed
    CHECK(wanted("ij,jk->ki", {400, 9000}, {9000, 4000}) == Parts{4000, 1});
    CHECK(wanted("jk,ij->ik", {9000, 4000}, {400, 9000}) == Parts{1, 4000});
    CHECK(wanted("abjde,efjgd->agbf", {16, 18, 20, 22, 24}, {24, 13, 20, 14, 22}) == Parts{1, 14, 1, 1});
    CHECK(wanted("ij,jk->ik", {4000, 9000}, {9000, 400}).empty());        // each column serves many rows
    CHECK(wanted("ij,kj->ik", {400, 9000}, {4000, 9000}).empty());        // both lie ready: either may be packed
    CHECK(wanted("ji,jk->ik", {9000, 400}, {9000, 4000}).empty());        // neither does
    CHECK(wanted("ij,jk->ik", {400, 9000}, {9000, 4000}, true).empty());  // rows may come one subblock after the other
}
