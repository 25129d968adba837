// From a graph file to the graph that is planned: orders of its products, sparse results, what --memory makes of them.
// Leaves cutting and placing to planning.hpp. Example: a product whose intermediates take 40 GiB, --memory 8GiB and two
// ranks: its order is sliced over labels until a slice takes less than 6 GiB, and is planned as a loop over slices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/einplan/einplan_options.hpp"
#include "apps/einplan/planning.hpp"
#include "apps/einplan/planning_request.hpp"
#include "apps/graph_file.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/contract/orders.hpp"
#include "lib/relation/listed_results.hpp"

namespace ein::apps {

struct PreparedGraph {
    graph::EinGraph graph;
    relation::ListedElements listed;  // of sparse tensors
    std::vector<graph::ContractionOrder> orders;
    std::vector<graph::OrderReport> reports;  // of the products that were searched or sliced
};

class GraphPreparation {
public:
    /// @param file  its text is completed by what headers of data files say
    GraphPreparation(EinplanOptions const& options, GraphFile& file, Machines const& machines);

    /// Sliced where results on the way would not fit on all ranks together.
    PreparedGraph prepare();
    /// Sliced until a slice takes no more than so many bytes. Nothing where no product has slices to be made.
    std::optional<PreparedGraph> prepare_sliced(double slice_bytes);
    std::optional<std::int64_t> memory() const { return memory_; }
    graph::EinGraph const& graph() const { return read_; }
    /// Results must have the same bits in every memory: nothing is sliced.
    bool keeps_order() const { return options_.reproducible; }

private:
    PreparedGraph prepare(graph::OrderLimits const& limits);

    EinplanOptions const& options_;
    GraphFile& file_;
    std::optional<std::int64_t> memory_;
    graph::OrderLimits limits_;
    graph::EinGraph read_;
    relation::ListedElements listed_;
    graph::SearchedOrders searched_;
};

/// Plans; where that fits in no memory, or only on disks, with products in slices that get smaller until they do.
/// @param prepared  becomes what was planned
Planned plan_prepared(GraphPreparation& preparation, PreparedGraph& prepared,
                      std::function<Planned(PreparedGraph const&)> const& plan);

/// With the elements that its sparse tensors list, which decide where they are cut.
PlanningOptions planning_options(EinplanOptions const& options, Machines const& machines, PreparedGraph const& graph,
                                 int ranks);

/// The plan of --plan-in or the best that is found, and its schedule, for as many ranks as the options say; who writes
/// it says where it is from. @param prepared  becomes what was planned  @throws as plan_and_schedule
Planned plan_file(EinplanOptions const& options, Machines const& machines, GraphFile const& file,
                  GraphPreparation& preparation, PreparedGraph& prepared);

/// "contraction  Z of 1650 operands: 4.3e18 operations ...", a line for each.
std::vector<std::string> order_lines(std::vector<graph::OrderReport> const& reports);
Json orders_json(std::vector<graph::OrderReport> const& reports);

}  // namespace ein::apps
