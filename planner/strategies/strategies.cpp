#include "planner/strategies/strategies.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "lib/base/error.hpp"
#include "lib/base/text/near_names.hpp"
#include "planner/search/candidate_table.hpp"
#include "planner/strategies/by_role.hpp"
#include "planner/strategies/grids.hpp"
#include "planner/strategies/least_moved.hpp"
#include "planner/strategies/megatron.hpp"
#include "planner/strategies/square_root.hpp"

namespace ein::planner {
namespace {

/// The searches for the least cost have no rule of their own here.
struct Strategy {
    std::string name, about;
    std::vector<relation::NodePlan> (*cut)(graph::EinGraph const&, std::int64_t calls) = nullptr;
};

std::vector<Strategy> const& strategies() {
    static std::vector<Strategy> const list{
        {"eindecomp", "least cost"},
        {"exact", "least cost, proven"},
        {"moved", "least bytes moved, by our own model", cut_least_moved},
        {"sqrt", "outputs in a square grid of two labels", cut_square_root},
        {"3d", "both sides and the contracted labels of a product alike", cut_3d},
        {"summa", "both sides of a product alike, contracted labels whole", cut_summa},
        {"25d", "both sides alike, contracted labels in a few copies", cut_25d},
        {"data", "batch", cut_data_parallel},
        {"megatron", "features: out of a first product with weights, into the next one", cut_megatron},
        {"sequence", "positions", cut_sequence},
        {"attention", "heads where there are heads, else positions", cut_attention}};
    return list;
}

}  // namespace

std::vector<std::string> const& strategy_names() {
    static std::vector<std::string> const names = [] {
        std::vector<std::string> all;
        for (Strategy const& strategy : strategies()) all.push_back(strategy.name);
        return all;
    }();
    return names;
}

std::string strategy_list() {
    std::size_t width = 0;
    for (Strategy const& strategy : strategies()) width = std::max(width, strategy.name.size());
    std::string lines;
    for (Strategy const& strategy : strategies())
        lines += "\n" + strategy.name + std::string(width + 2 - strategy.name.size(), ' ') + strategy.about;
    return lines;
}

namespace {

/// What training frameworks call strategies.
std::string mend_usual(std::string const& name) {
    struct Usual {
        std::string_view written, ours;
    };
    constexpr std::array usual{
        Usual{"ddp", "data"},     Usual{"dp", "data"},         Usual{"data-parallel", "data"},
        Usual{"tp", "megatron"},  Usual{"tensor", "megatron"}, Usual{"tensor-parallel", "megatron"},
        Usual{"sp", "sequence"},  Usual{"ring", "sequence"},   Usual{"context", "sequence"},
        Usual{"cannon", "summa"}, Usual{"2d", "summa"},        Usual{"2.5d", "25d"}};
    for (Usual const& row : usual)
        if (name == row.written) return did_you_mean(row.ours);
    if (name.starts_with("fsdp") || name.starts_with("zero"))
        return "write it as \"mesh\" and \"sharding\" in the graph (examples/sharding-fsdp.json), or leave the option "
               "out";
    if (name == "auto" || name == "default" || name == "best") return "leave the option out for the best that is found";
    return "";
}

}  // namespace

void check_strategy(std::string const& name) {
    auto const& known = strategy_names();
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    std::string const usual = mend_usual(name);
    throw UsageError(
        Fault{"", "--decompose", one_of(known), "'" + name + "'", usual.empty() ? mend_name(name, known) : usual});
}

namespace {

/// How far two cuts of one node are apart: labels that differ.
std::ptrdiff_t differences(Parts const& a, Parts const& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), std::ptrdiff_t{0}, std::plus<>(),
                              [](std::int64_t x, std::int64_t y) { return x != y ? 1 : 0; });
}

/// Where the graph fixes parts, the first of the candidates that keep to them which is nearest to the strategy's cut.
void keep_to_fixed_parts(graph::EinGraph const& graph, std::int64_t calls, std::vector<relation::NodePlan>& plans) {
    for (std::size_t k = 0; k < plans.size(); ++k) {
        graph::Node const& node = graph.nodes[k];
        if (node.fixed.empty()) continue;
        std::vector<Parts> const list =
            preferred_candidates(graph, node, calls, default_limit(graph.nodes.size())).parts;
        Parts& parts = plans[k].parts;
        parts = *std::min_element(list.begin(), list.end(), [&](Parts const& a, Parts const& b) {
            return differences(a, parts) < differences(b, parts);
        });
    }
}

}  // namespace

std::vector<relation::NodePlan> cut_by_strategy(std::string const& name, graph::EinGraph const& graph,
                                                std::int64_t calls) {
    for (Strategy const& strategy : strategies()) {
        if (strategy.name != name || strategy.cut == nullptr) continue;
        std::vector<relation::NodePlan> plans = strategy.cut(graph, calls);
        keep_to_fixed_parts(graph, calls, plans);
        return plans;
    }
    throw InternalError("strategy '" + name + "' has no rule");
}

}  // namespace ein::planner
