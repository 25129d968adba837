// What moves around each node of a finished schedule, as shardings and collectives.
// Example: A is loaded "i/a j/b" and wanted "i/a j": all-gather over b, 4800 bytes.
#pragma once

#include "apps/explain/explanation.hpp"
#include "apps/explain/mesh.hpp"

namespace ein::apps::explain {

struct NodeFlows {
    std::vector<Flow> inputs;
    Flow output;
};

struct Flows {
    Mesh mesh;
    std::vector<NodeFlows> nodes;  // by NodeId
};

Flows flows_of(graph::EinGraph const& graph, relation::Plan const& plan, scheduler::Scheduled const& made);

}  // namespace ein::apps::explain
