// What the lowering of every kind of node works with: the graph and its plan, what is known of its values, where tasks
// go, and those who know where blocks are, bring them and place calls. Data only; each part announces itself in its own
// header. Order matters: each part refers to those before it.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lib/relation/plan.hpp"
#include "scheduler/emit/tables.hpp"
#include "scheduler/emit/task_emitter.hpp"
#include "scheduler/fusion/fused_groups.hpp"
#include "scheduler/lower/einsum/call_placement.hpp"
#include "scheduler/lower/einsum/pipelining.hpp"
#include "scheduler/lower/outlines.hpp"
#include "scheduler/move/all_gather.hpp"
#include "scheduler/move/delivery.hpp"
#include "scheduler/order/order.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

struct LoweringOptions {
    Placer place;
    std::vector<std::vector<Rank>> decided = {};  // ranks of nodes' calls, by NodeId; none: `place` says
    InputsPolicy inputs = InputsPolicy::once;
    Order order = Order::as_given;
    /// A block that several ranks share is not cut into subblocks smaller than this.
    std::int64_t subblock_bytes = tuning::least_subblock_bytes;
    Staging staging = {};
    SplitRule split = {};
    relation::ListedBound listed = {};        // of sparse leaves
    relation::ListedHull hull = {};           // likewise
    std::optional<FusionLimits> fusion = {};  // none: kernels stay single tasks
    Messages messages = {};  // of regions that are not sent as they lie, or do not stay where they are received
    std::optional<std::int64_t> take_over = {};  // bytes of blocks whose memory results take over; none: of no block
};

/// Values that loops carry from one iteration to the next.
struct CarriedValues {
    std::set<ValueId> insides;             // what iterations begin with
    std::map<ValueId, ValueId> by_result;  // what an iteration ends with: what the next one begins with

    explicit CarriedValues(graph::EinGraph const& graph);
};

struct LoweringContext {
    LoweringContext(graph::EinGraph const& graph, relation::Plan const& plan, LoweringOptions const& options,
                    schedule::Header& header);
    LoweringContext(LoweringContext const&) = delete;
    LoweringContext& operator=(LoweringContext const&) = delete;

    graph::Value const& value(ValueId id) const { return graph.value(id); }
    /// Whether the value is made subblock by subblock, because what is made of it leaves its rank so (pipelining.hpp).
    bool is_pipelined(ValueId id) const { return !pipelined[static_cast<std::size_t>(id.value())].empty(); }

    graph::EinGraph const& graph;
    relation::Plan const& plan;
    LoweringOptions const& options;
    schedule::Header& header;
    std::vector<ValueParts> const parts;  // by ValueId
    std::vector<Parts> const pipelined;   // subblocks of each part, by ValueId; empty: made whole
    CarriedValues const carried;
    bool const has_sparse;                      // values
    std::vector<std::uint64_t> const outlines;  // by NodeId

    std::vector<SectionBuilder> sections;  // by rank
    Tables tables;
    TaskEmitter emit;
    BlockDirectory directory;
    TrafficCounter traffic;
    BlockMover mover;
    Delivery delivery;
    StagedAllGather all_gather;
    CallPlacement placement;
};

}  // namespace ein::scheduler
