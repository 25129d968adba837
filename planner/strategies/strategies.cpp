#include "planner/strategies/strategies.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "planner/strategies/by_role.hpp"
#include "planner/strategies/grids.hpp"
#include "planner/strategies/least_moved.hpp"
#include "planner/strategies/megatron.hpp"
#include "planner/strategies/square_root.hpp"

namespace ein::planner {
namespace {

struct Strategy {
    std::string name;
    std::vector<relation::NodePlan> (*cut)(graph::EinGraph const&, std::int64_t calls);
};

std::vector<Strategy> const& strategies() {
    static std::vector<Strategy> const list{
        {"moved", cut_least_moved}, {"sqrt", cut_square_root},  {"3d", cut_3d},
        {"summa", cut_summa},       {"25d", cut_25d},           {"data", cut_data_parallel},
        {"megatron", cut_megatron}, {"sequence", cut_sequence}, {"attention", cut_attention}};
    return list;
}

}  // namespace

std::vector<std::string> const& strategy_names() {
    static std::vector<std::string> const names = [] {
        std::vector<std::string> all{"eindecomp", "exact"};
        for (Strategy const& strategy : strategies()) all.push_back(strategy.name);
        return all;
    }();
    return names;
}

void check_strategy(std::string const& name) {
    auto const& known = strategy_names();
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    std::string const nearest = nearest_name(name, known);
    throw UsageError("--decompose: expected " + one_of(known) + ", found '" + name + "'" +
                     (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
}

std::vector<relation::NodePlan> cut_by_strategy(std::string const& name, graph::EinGraph const& graph,
                                                std::int64_t calls) {
    for (Strategy const& strategy : strategies())
        if (strategy.name == name) return strategy.cut(graph, calls);
    throw InternalError("strategy '" + name + "' has no rule");
}

}  // namespace ein::planner
