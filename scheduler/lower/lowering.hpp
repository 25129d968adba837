// From EinGraph and Plan to tasks: each node's kernel calls are placed, their operands brought, and tasks appended to every rank's
// section in one global order. By partial evaluation: block coordinates are known, data is not looked at.
// lower_einsum.cpp (and combine.cpp, lower_identity.cpp), lower_move.cpp and lower_reshape.cpp hold one kind of node each.
// Source: [P] sections 3 and 5 (Load, Pair, Apply, Reduce), [E] section 4 (join, aggregation, repartition).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lib/relation/plan.hpp"
#include "scheduler/order/order.hpp"
#include "scheduler/move/block_directory.hpp"
#include "scheduler/lower/pipelining.hpp"

namespace ein::scheduler {

struct LoweringOptions {
    Placer place;
    std::vector<std::vector<Rank>> decided = {};  // ranks of nodes' calls, by NodeId; none: `place` says
    InputsPolicy inputs = InputsPolicy::once;
    Order order = Order::as_given;
    std::int64_t slice_bytes = 16 << 10;  // a block that several ranks share is not cut into slices smaller than this
    Staging staging = {};
    SplitRule piecing = {};
    Messages messages = {};  // of pieces that are not sent as they lie, or do not stay where they are received
};

class Lowering {
public:
    /// Tensors, inputs and outputs are entered into `header`, as are the tables that tasks refer to.
    Lowering(graph::EinGraph const& graph, relation::Plan const& plan, LoweringOptions const& options,
             schedule::Header& header);

    void run();
    std::vector<schedule::Section> take_sections();
    std::vector<std::vector<Rank>> const& ranks() const { return ranks_; }   // of each node's calls, by NodeId
    std::vector<std::int64_t> const& calls() const { return call_counts_; }  // of each node, by NodeId
    std::vector<Traffic> const& traffic() const { return residency_.traffic(); }
    std::vector<Layout> layouts() const;  // by ValueId

private:
    // one kernel call of an EinSum, or one output block of a Move or Reshape
    struct Call {
        Box region;             // an interval for each label; for Move and Reshape: the output block
        std::size_t group = 0;  // number of its output block in the node's grid
        Rank rank;
    };
    struct Partial {  // what one rank has of one output block or of a slice of it, in the accumulate type
        Rank rank;
        BlockId block;
        Box box;
        std::int32_t last = -1;  // the task that wrote it last
    };
    struct Group {                             // the calls of one output block
        std::vector<Rank> members;             // their ranks, in the order of their first calls
        std::vector<BlockDirectory::Piece> slices;  // where results are made slice by slice; else none
        std::vector<Partial> partials;
    };
    struct PreparedCall {  // its operands are under way
        SplitCall pieces;
        std::vector<std::vector<BlockId>> operands;  // of each operand, by source
    };
    class Folding;
    struct Combining {         // how a node's partial results become its blocks
        bool partial = false;  // kernel calls leave partial results, in the accumulate type
        DType accumulated = DType::f32;
        std::int32_t kernel = -1;
    };
    struct Piece {  // elements of an output block that come from one block of an input
        Holding from;
        Box region;  // in the output's indices
        std::int32_t spec = -1;
        std::size_t operand = 0;
    };

    void lower(NodeId id);
    void lower(graph::Node const& node, graph::EinSum const& einsum, relation::NodePlan const& plan);
    void lower(graph::Node const& node, graph::Move const& move, relation::NodePlan const& plan);
    void lower(graph::Node const& node, graph::Reshape const& reshape, relation::NodePlan const& plan);
    void store_outputs();

    // EinSum
    std::vector<Call> calls_of(graph::Node const& node, graph::EinSum const& einsum, relation::NodePlan const& plan);
    void merge_neighbours(graph::Node const& node, graph::EinSum const& einsum, std::vector<Call>& calls);
    void share_leaves(graph::Node const& node, graph::EinSum const& einsum, std::vector<Call> const& calls);
    void slice_partials(graph::Node const& node, std::vector<Call> const& calls, std::size_t group_calls);
    static std::size_t keeper_of(std::size_t s, std::size_t slices, std::size_t members, std::size_t number);
    Parts slices_of(ValueId value, std::size_t part, std::size_t sharers) const;  // see shared_slices
    bool is_streamed(ValueId id) const { return !streams_[static_cast<std::size_t>(id.value())].empty(); }
    void slice_stream(ValueId id);
    void spread_operands(graph::Node const& node, graph::EinSum const& einsum, std::vector<Call> const& calls,
                         std::vector<std::size_t> const& wave);
    std::vector<Group> groups_of(graph::Node const& node, graph::EinSum const& einsum, std::vector<Call> const& calls,
                                 std::vector<std::vector<std::size_t>> const& waves, DType accumulated) const;
    PreparedCall prepared(graph::Node const& node, graph::EinSum const& einsum, Call const& call, Group const& group,
                          bool may_accumulate);
    void bring_operands(graph::Node const& node, graph::EinSum const& einsum, Call const& call, CallParts const& parts,
                        PreparedCall& out);
    void apply(graph::Node const& node, graph::EinSum const& einsum, std::int32_t kernel, Call const& call,
               PreparedCall const& made, DType dtype, Group& group);
    void combine(graph::Node const& node, Combining const& how, Box const& box, Group const& group, std::size_t number);
    Partial folded(graph::Node const& node, Combining const& how, Box const& box, std::vector<Partial> const& partials,
                   Rank keeper);
    BlockId sent(graph::Node const& node, Combining const& how, Partial const& from, Box const& box, Rank to);
    bool combine_in_stages(graph::Node const& node, Combining const& how, std::vector<BlockDirectory::Piece> const& slices,
                           std::vector<Partial> const& group, std::size_t number);
    std::vector<Partial> scattered(graph::Node const& node, Combining const& how, CellGrid const& grid,
                                   std::vector<Partial> members);
    Partial summed(graph::Node const& node, Combining const& how, std::vector<Partial> sums);
    void put(graph::Node const& node, Combining const& how, BlockDirectory::Piece const& slice, Partial const& result);

    // an EinSum that computes nothing
    bool is_identity(graph::Node const& node, graph::EinSum const& einsum) const;
    void lower_identity(graph::Node const& node, graph::EinSum const& einsum, relation::NodePlan const& plan);
    void add_replicas(graph::Node const& node, std::vector<Call>& calls) const;
    void lower_result(graph::Node const& node, ValueId inside);
    void go_to_loop(std::int32_t loop);
    void begin_loop(std::int32_t loop);
    void end_loop();
    Holding copied(graph::Node const& node, Holding const& from, Box const& part);

    // Move and Reshape
    std::vector<Call> output_blocks(graph::Node const& node, relation::NodePlan const& plan) const;
    std::vector<Piece> pieces_of(graph::Node const& node, graph::Move const& move,
                                 std::vector<std::int32_t> const& movements, Call const& call);
    BlockId assemble(graph::Node const& node, Call const& call, std::vector<Piece> const& pieces,
                     std::optional<std::int32_t> fill);
    void assemble_reshaped(graph::Node const& node, std::int32_t spec, Call const& call);

    /// Gives each call of the node that lowering is at a rank: the plan's, or the placer's.
    void place(std::vector<Call>& calls, relation::NodePlan const& plan, std::vector<std::vector<Held>> held);
    SectionBuilder& on(Rank rank) { return sections_[static_cast<std::size_t>(rank.value())]; }
    graph::Value const& value(ValueId id) const { return graph_.value(id); }

    graph::EinGraph const& graph_;
    relation::Plan const& plan_;
    LoweringOptions const& options_;
    schedule::Header& header_;
    std::vector<SectionBuilder> sections_;
    Tables tables_;
    std::vector<ValueParts> parts_;          // by ValueId
    std::vector<Parts> streams_;             // by ValueId, see pipelining.hpp
    std::vector<std::vector<Rank>> ranks_;   // of each node's calls, by NodeId
    std::vector<std::int64_t> call_counts_;  // by NodeId
    NodeId node_;                            // that is being lowered
    struct Carried {
        std::set<ValueId> insides;
        std::map<ValueId, ValueId> by_result;  // the value inside the loop
    };
    Carried carried_;
    std::vector<std::optional<NodeId>> producers_;  // by ValueId
    std::vector<std::int32_t> open_loops_;          // outermost first
    BlockDirectory residency_;
};

/// The box of an operand or output with these labels in a call's region.
Box projected(Box const& region, std::vector<int> const& labels);

}  // namespace ein::scheduler
