#include "planner/alternatives.hpp"

#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;

namespace {

graph::EinGraph chain() {
    test::GraphBuilder g;
    for (std::string const name : {"A", "B", "C"}) g.leaf(name, {24, 24});
    g.einsum("P", "ij,jk->ik", {"A", "B"});
    g.einsum("Q", "ij,jk->ik", {"P", "C"});
    g.einsum("S", "ij->i", {"Q"});
    return g.finish({"S"});
}

std::set<std::vector<Parts>> cuts(std::vector<relation::Plan> const& plans) {
    std::set<std::vector<Parts>> out;
    for (relation::Plan const& plan : plans) {
        std::vector<Parts> parts;
        for (relation::NodePlan const& node : plan.nodes) parts.push_back(node.parts);
        out.insert(parts);
    }
    return out;
}

}  // namespace

TEST_CASE("every strategy with a name is among the alternatives, each cut once", "[planner][alternatives]") {
    graph::EinGraph const graph = chain();
    planner::PlannerOptions const options{.ranks = 6};
    relation::Plan const first = planner::plan(graph, options);
    std::vector<relation::Plan> all{first};
    for (planner::Alternative const& each : planner::alternatives(graph, options, first)) {
        all.push_back(each.plan);
        CHECK(each.plan.calls == 6);
    }
    CHECK(cuts(all).size() == all.size());
    for (std::string const name :
         {"moved", "sqrt", "3d", "summa", "25d", "data", "megatron", "sequence", "attention"}) {
        CAPTURE(name);
        relation::Plan const named = planner::plan(graph, {.ranks = 6, .decompose = name});
        CHECK(cuts(all).contains(*cuts({named}).begin()));
    }
}

TEST_CASE("one plan cuts nodes so that hardly anything is repartitioned", "[planner][alternatives]") {
    graph::EinGraph const graph = chain();
    planner::PlannerOptions const options{.ranks = 6};
    double least = 1e30;
    for (planner::Alternative const& each : planner::alternatives(graph, options, planner::plan(graph, options)))
        least = std::min(least, each.plan.elements().repart);
    CHECK(least == 0);
}

TEST_CASE("on fewer ranks nodes have as many calls, and others stay idle", "[planner][alternatives]") {
    planner::Alternative const one = planner::on_fewer_ranks(chain(), {.ranks = 6}, "eindecomp", 1);
    CHECK(one.plan.ranks == 6);
    CHECK(relation::used_ranks(one.plan) == 1);
    for (relation::NodePlan const& node : one.plan.nodes) CHECK(element_count(node.parts) == 1);
    CHECK(planner::fewer_ranks(13) == std::vector<int>{8, 4, 2, 1});
    CHECK(planner::fewer_ranks(8) == std::vector<int>{4, 2, 1});
    CHECK(planner::fewer_ranks(1).empty());
    CHECK(planner::nearly_all_ranks(97) == std::vector<int>{96, 95});
    CHECK(planner::nearly_all_ranks(96).empty());
    CHECK(planner::nearly_all_ranks(257) == std::vector<int>{256, 250, 252, 255});
    CHECK(planner::nearly_all_ranks(13).empty());
}

TEST_CASE("variations are other plans, each once, and no more than were asked for", "[planner][alternatives]") {
    graph::EinGraph const graph = chain();
    planner::PlannerOptions const options{.ranks = 6};
    relation::Plan const first = planner::plan(graph, options);
    auto const others = planner::alternatives(graph, options, first);
    auto list = planner::variations(graph, first, others, 1000);
    CHECK(list.size() > 5);
    for (relation::Plan const& each : list) CHECK_NOTHROW(relation::verify(graph, each));
    std::size_t const made = list.size();
    list.push_back(first);
    CHECK(cuts(list).size() == made + 1);
    CHECK(planner::variations(graph, first, others, 3).size() == 3);
}
