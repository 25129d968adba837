#include "planner/planner.hpp"

#include <string_view>

#include "lib/base/error.hpp"
#include "planner/decompose.hpp"
#include "planner/strategies/strategies.hpp"

namespace ein::planner {
namespace {

struct Pass {
    std::string_view name;
    relation::Plan (*run)(graph::EinGraph const&, PlannerOptions const&, relation::Plan);
};

/// Gives every node its partition vector.
relation::Plan decompose_pass(graph::EinGraph const& graph, PlannerOptions const& options, relation::Plan plan) {
    if (options.decompose != "eindecomp") {
        plan.nodes = cut_by_strategy(options.decompose, graph, plan.calls);
        return plan;
    }
    plan.nodes = decompose(graph, {.calls = plan.calls,
                                   .unit = options.unit,
                                   .ignore_off_path = options.ignore_off_path,
                                   .candidate_limit = options.candidate_limit});
    return plan;
}

relation::Plan price_pass(graph::EinGraph const& graph, PlannerOptions const&, relation::Plan plan) {
    price(graph, plan);
    return plan;
}

constexpr Pass passes[] = {{"decompose", decompose_pass}, {"price", price_pass}};

}  // namespace

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
