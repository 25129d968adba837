#include "planner/planner.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "lib/base/error.hpp"
#include "planner/costs/residency_cost.hpp"
#include "planner/exact/exact.hpp"
#include "planner/resident/resident_table.hpp"
#include "planner/search/column_partition.hpp"
#include "planner/search/decompose.hpp"
#include "planner/search/shared_boxes.hpp"
#include "planner/strategies/strategies.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

struct Pass {
    std::string_view name;
    relation::Plan (*run)(graph::EinGraph const&, PlannerOptions const&, relation::Plan);
};

/// On the mesh that the graph names: least is moved from where blocks lie, and every kernel call has its place on the
/// mesh.
/// @return nothing where the mesh does not serve: parts are fixed that it cannot make, or a node is to have another
/// number of kernel calls
std::optional<std::vector<relation::NodePlan>> cut_on_mesh(graph::EinGraph const& graph,
                                                           PlannerOptions const& options) {
    std::int64_t const calls = options.calls > 0 ? options.calls : options.ranks;
    if (graph.mesh.empty() || graph.mesh.size() > tuning::most_mesh_axes || calls != graph::rank_count(graph.mesh))
        return std::nullopt;
    std::vector<std::int64_t> sizes;
    for (graph::MeshAxis const& axis : graph.mesh) sizes.push_back(axis.size);
    ResidentTable const table(graph, Mesh(std::move(sizes)));
    if (!table.serves_all()) return std::nullopt;
    std::vector<int> const chosen = choose_by_paths(graph, table, options.ignore_off_path);
    std::vector<relation::NodePlan> nodes = decomposition_of(table, chosen).nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        auto const* einsum = std::get_if<graph::EinSum>(&graph.nodes[n].op);
        std::vector<int> labels(nodes[n].parts.size());
        std::iota(labels.begin(), labels.end(), 0);
        if (einsum) labels = relation::call_labels(*einsum);
        NodeId const id{static_cast<std::int32_t>(n)};
        nodes[n].ranks = graph::ranks_of(graph.mesh, table.sharding(id, chosen[n], labels));
    }
    return nodes;
}

/// Gives every node its partition vector.
relation::Plan decompose_pass(graph::EinGraph const& graph, PlannerOptions const& options, relation::Plan plan) {
    if (options.decompose != "eindecomp" && options.decompose != "exact") {
        plan.nodes = cut_by_strategy(options.decompose, graph, plan.calls);
        return plan;
    }
    if (auto nodes = options.decompose == "eindecomp" ? cut_on_mesh(graph, options) : std::nullopt) {
        plan.nodes = std::move(*nodes);
        return plan;
    }
    DecomposeOptions const how{.calls = plan.calls,
                               .unit = options.unit,
                               .ignore_off_path = options.ignore_off_path,
                               .candidate_limit = options.candidate_limit,
                               .time_limit = options.time_limit,
                               .work_limit = options.work_limit};
    Decomposition made = options.decompose == "exact" ? decompose_exactly(graph, how) : decompose(graph, how);
    plan.nodes = std::move(made.nodes);
    plan.gap = made.gap;
    return plan;
}

relation::Plan price_pass(graph::EinGraph const& graph, PlannerOptions const&, relation::Plan plan) {
    price(graph, plan);
    return plan;
}

/// The nodes of one thing that a loop carries: an identity before the loop, and one at the end of an iteration, whose
/// axes are alike.
struct CarriedNodes {
    std::size_t inside, result;
};
std::vector<CarriedNodes> carried_nodes(graph::EinGraph const& graph) {
    auto const producers = graph.producers();
    auto const number = [&](ValueId value) {
        return static_cast<std::size_t>(producers[static_cast<std::size_t>(value.value())]->value());
    };
    std::vector<CarriedNodes> out;
    for (graph::Loop const& loop : graph.loops)
        for (graph::Loop::Carry const& carry : loop.carries)
            out.push_back({number(carry.inside), number(carry.result)});
    return out;
}

/// An iteration ends with what it began with: the schedule cuts results as the values inside are cut.
void tie_carried(graph::EinGraph const& graph, std::vector<relation::NodePlan>& nodes) {
    for (CarriedNodes const& carried : carried_nodes(graph)) nodes[carried.result].parts = nodes[carried.inside].parts;
}

/// What a loop carries is cut in the cheaper of two ways: as its readers in the loop would have it, or as what makes
/// the next one would.
relation::Plan carried_pass(graph::EinGraph const& graph, PlannerOptions const& options, relation::Plan plan) {
    std::vector<CarriedNodes> const carried = carried_nodes(graph);
    bool const agree = std::all_of(carried.begin(), carried.end(), [&](CarriedNodes const& c) {
        return plan.nodes[c.inside].parts == plan.nodes[c.result].parts;
    });
    if (agree) return plan;
    std::optional<relation::Plan> best;
    for (std::size_t CarriedNodes::*leader : {&CarriedNodes::inside, &CarriedNodes::result}) {
        graph::EinGraph tied = graph;
        for (CarriedNodes const& c : carried) {
            graph::Node& inside = tied.nodes[c.inside];
            if (inside.fixed.empty()) inside.fixed = plan.nodes[c.*leader].parts;
            tied.nodes[c.result].fixed = inside.fixed;
        }
        relation::Plan here = decompose_pass(tied, options, plan);
        tie_carried(graph, here.nodes);  // where a strategy does not keep to what is fixed
        price(graph, here);
        if (!best || here.bytes().total() < best->bytes().total()) best = std::move(here);
    }
    return std::move(*best);
}

relation::Plan sharding_pass(graph::EinGraph const& graph, PlannerOptions const&, relation::Plan plan) {
    relation::keep_shardings(graph, plan);
    return plan;
}

constexpr Pass passes[] = {
    {"decompose", decompose_pass}, {"carried", carried_pass}, {"sharding", sharding_pass}, {"price", price_pass}};

bool has_large_calls(graph::EinGraph const& graph, double work) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](graph::Node const& node) {
        double points = 1;
        for (Extent extent : relation::cut_extents(graph, node)) points *= static_cast<double>(extent);
        return points >= work;
    });
}

/// Whether the graph says how some label is cut; that it is not cut is something that all plans can keep to.
bool fixes_cuts(graph::EinGraph const& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](graph::Node const& node) {
        return std::any_of(node.fixed.begin(), node.fixed.end(), [](std::int64_t parts) { return parts > 1; });
    });
}

/// The plan that costs least of a table that says itself where calls go.
template <class Table>
relation::Plan cut_as_placed(graph::EinGraph const& graph, relation::Plan const& first, Table const& table) {
    std::vector<int> const chosen = choose_by_paths(graph, table, false);
    relation::Plan plan = with_nodes(graph, first, decomposition_of(table, chosen).nodes);
    for (std::size_t k = 0; k < chosen.size(); ++k)
        plan.nodes[k].ranks = table.ranks_of(NodeId{static_cast<std::int32_t>(k)}, chosen[k]);
    return plan;
}

}  // namespace

relation::Plan least_moving(std::vector<relation::Plan> plans, MovedByPlans const& moved_by) {
    promise(!plans.empty(), "a choice needs plans");
    if (plans.size() == 1) return std::move(plans.front());
    std::vector<double> const moved = moved_by(plans);
    return std::move(plans[static_cast<std::size_t>(std::ranges::min_element(moved) - moved.begin())]);
}

relation::Plan with_nodes(graph::EinGraph const& graph, relation::Plan plan, std::vector<relation::NodePlan> nodes) {
    std::swap(plan.nodes, nodes);
    plan.gap = std::nullopt;
    tie_carried(graph, plan.nodes);
    price(graph, plan, nodes);
    return plan;
}

std::vector<relation::Plan> other_plans(graph::EinGraph const& graph, PlannerOptions const& options,
                                        relation::Plan const& first) {
    std::vector<relation::Plan> out;
    if (!graph.mesh.empty()) return out;
    if (options.decompose != "eindecomp" || first.calls == 1 || first.calls > options.ranks) return out;
    if (graph.nodes.size() <= tuning::most_searched)
        out.push_back(with_nodes(graph, first, cut_by_strategy("moved", graph, first.calls)));
    if (fixes_cuts(graph)) return out;  // the others cut in ways of their own
    ResidentTable const resident(graph, Mesh(first.calls));
    out.push_back(with_nodes(graph, first, decomposition_of(resident, choose_by_paths(graph, resident, false)).nodes));
    std::int64_t const awkward = awkward_factor(first.calls);
    if (awkward > 1 && has_large_calls(graph, options.column_work * static_cast<double>(first.calls))) {
        std::size_t const limit = default_limit(graph.nodes.size());
        out.push_back(cut_as_placed(graph, first, ColumnPartitionTable(graph, first.calls, options.unit, limit)));
        bool const all_ranks = first.calls == options.ranks && first.calls <= tuning::most_ranks_in_boxes;
        for (std::int64_t sharers = 1; all_ranks && sharers <= tuning::most_sharers_of_a_box; ++sharers)
            for (bool const alike : {false, true}) {
                SharedBoxesTable const boxes(graph, first.calls, {sharers, alike}, options.unit, limit);
                if (boxes.serves()) out.push_back(cut_as_placed(graph, first, boxes));
            }
    }
    for (relation::Plan const& plan : out) relation::verify(graph, plan);
    if (static_cast<double>(graph.nodes.size()) * static_cast<double>(first.calls) > tuning::most_calls)
        out = {least_moving(std::move(out), [&](auto const& plans) { return moved_by_model(graph, plans); })};
    return out;
}

std::vector<double> moved_by_model(graph::EinGraph const& graph, std::vector<relation::Plan> const& plans) {
    ResidencyCost const model(graph);
    std::vector<double> moved;
    for (relation::Plan const& plan : plans) {
        std::vector<Parts> parts;
        for (relation::NodePlan const& node : plan.nodes) parts.push_back(node.parts);
        moved.push_back(model.total(parts));
    }
    return moved;
}

relation::Plan plan(graph::EinGraph const& graph, PlannerOptions const& options) {
    check_strategy(options.decompose);
    promise(options.ranks >= 1 && options.calls >= 0, "a plan needs ranks and kernel calls");
    relation::Plan plan;
    plan.ranks = options.ranks;
    plan.calls = options.calls > 0 ? options.calls : options.ranks;
    plan.strategy = options.decompose;
    for (Pass const& pass : passes) {
        plan = pass.run(graph, options, std::move(plan));
        try {
            relation::verify(graph, plan);
        } catch (InternalError const& error) {
            throw InternalError("after pass " + std::string(pass.name) + ": " + error.what());
        }
    }
    return plan;
}

}  // namespace ein::planner
