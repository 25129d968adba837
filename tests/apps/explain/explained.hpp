// Graphs explained as einplan does it.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "apps/explain/explanation.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "planner/planner.hpp"

namespace ein::test {

inline apps::explain::Explanation explained(graph::EinGraph const& graph, relation::Plan const& plan,
                                            scheduler::SchedulerOptions const& options = {}) {
    return apps::explain::explain(graph, plan, scheduler::schedule_plan(graph, plan, options));
}

/// A graph's own mesh says how many ranks there are.
inline int ranks_for(graph::EinGraph const& graph, int ranks) {
    return graph.mesh.empty() ? ranks : static_cast<int>(graph::rank_count(graph.mesh));
}

inline apps::explain::Explanation explained(graph::EinGraph const& graph, int ranks) {
    return explained(graph, planner::plan(graph, {.ranks = ranks_for(graph, ranks)}));
}

/// A plan that cuts node k by parts[k].
inline relation::Plan planned(graph::EinGraph const& graph, int ranks, std::vector<Parts> const& parts) {
    relation::Plan plan = planner::plan(graph, {.ranks = ranks});
    for (std::size_t k = 0; k < parts.size(); ++k) plan.nodes.at(k).parts = parts[k];
    planner::price(graph, plan);
    return plan;
}

inline std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> out;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) out.push_back(line);
    return out;
}

inline std::vector<std::filesystem::path> example_files() {
    std::vector<std::filesystem::path> out;
    for (auto const& entry : std::filesystem::directory_iterator(EXAMPLES))
        if (entry.path().extension() == ".json") out.push_back(entry.path());
    return out;
}

inline graph::EinGraph graph_of(std::filesystem::path const& file) {
    return graph::lower_contractions(graph::read_graph(read_text_file(file), file.string()));
}

}  // namespace ein::test
