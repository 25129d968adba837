// All that the ranks of a schedule share: the graph, its tensors, the tables that tasks refer to, and what was
// predicted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/table.hpp"
#include "lib/graph/contract/orders.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/graph/labels.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/schedule/model/ids.hpp"
#include "lib/schedule/model/succession.hpp"
#include "lib/tensor/source.hpp"
#include "lib/tensor/storage/fingerprint.hpp"

namespace ein::schedule {

struct Tensor {
    std::string name;
    Shape shape;
    DType dtype = DType::f32;
    std::optional<scalar::Scalar> fill = {};  // of one that is kept sparse: what its blocks do not list
};

/// A tensor's data.
struct Input {
    TensorId tensor;
    tensor::Source source;
    std::optional<tensor::Fingerprint> planned = {};  // of its file when the schedule was planned, if it was there
    bool given = false;                               // to this run, in place of what the graph names
};

struct Output {
    TensorId tensor;
    std::string name;
};

/// A kernel: an EinSum and the type that its join runs in. Operand and output types are those of the blocks.
struct Kernel {
    std::string node;  // whose it is, for messages and reports
    graph::EinSum einsum;
    DType compute = DType::f32;
    std::vector<int> looked_up = {};  // sparse operands that do not decide where it looks (graph::IdleSets)

    bool is_looked_up(std::size_t operand) const { return graph::has_label(looked_up, static_cast<int>(operand)); }
    friend bool operator==(Kernel const&, Kernel const&) = default;
};

/// Where a copied element comes from: input index = start + step * output index, for each axis.
struct Movement {
    std::string node;
    std::vector<graph::AxisMap> axes;
    friend bool operator==(Movement const&, Movement const&) = default;
};
struct ReshapeSpec {
    std::string node;
    Shape from, to;
    friend bool operator==(ReshapeSpec const&, ReshapeSpec const&) = default;
};
struct FillSpec {
    std::string node;
    scalar::Scalar value;
};

/// Kernels that run together tile by tile: only what the last one makes is ever there as a whole.
struct FusionSpec {
    struct Operand {
        bool is_inside = false;  // made by another member; else an operand of the task
        std::int32_t place = 0;  // of that member; of that operand
        friend bool operator==(Operand const&, Operand const&) = default;
    };
    struct Member {
        KernelId kernel;
        std::vector<Operand> operands;  // of the kernel
        TensorId tensor;                // that it makes a part of
        DType dtype = DType::f32;       // of what it makes
        friend bool operator==(Member const&, Member const&) = default;
    };
    /// A direction in which all members are cut alike; or, as the last one, a label that some of them reduce, which are
    /// carried from piece to piece (lib/schedule/fusion/carry.hpp).
    struct Axis {
        std::vector<std::int32_t> labels;  // of each member's kernel; where it is carried -1: it has none
        std::int64_t parts = 1;
        bool is_carried = false;
        friend bool operator==(Axis const&, Axis const&) = default;
    };
    std::vector<Member> members;  // in an order in which they can run
    std::vector<Axis> axes;       // outermost first
    friend bool operator==(FusionSpec const&, FusionSpec const&) = default;
};

struct LoopSpec {
    std::string name;
    std::int64_t iterations = 1;        // at most
    bool conditional = false;           // or fewer, when its condition says so
    OptionalId<LoopSpecId> outer = {};  // the loop that it is in
};

/// Where a run may be stopped and gone on with: between two nodes of the graph, on all ranks alike. Only whole values
/// are live there. In a loop it is met in each iteration.
struct MomentSpec {
    std::int32_t nodes = 0;            // done before it, of those of Header::node_order
    OptionalId<LoopSpecId> loop = {};  // the innermost that it is in
};

/// What was predicted; the run's counts equal bytes and never exceed peaks.
struct Prediction {
    double flops = 0;
    std::vector<std::int64_t> bytes_sent, bytes_received;  // by rank
    std::vector<std::int64_t> messages_sent;               // by rank
    std::vector<std::int64_t> peak_bytes;                  // of blocks, by rank
    double worst_case_elements = 0, worst_case_bytes = 0;  // the published cost of the plan
};

struct Header {
    std::string name;        // of the graph
    std::string graph_text;  // the graph file, for --verify
    std::string graph_file;  // its name, for messages
    std::string folder;      // of the graph file, relative to the schedule file: data files are relative to it
    int ranks = 1;
    std::string strategy, place;
    bool reproducible = false;  // the same bits as with any other number of ranks, when kernels keep the order of terms
    scalar::Params params;
    Table<TensorId, Tensor> tensors;
    Table<InputId, Input> inputs;
    Table<OutputId, Output> outputs;
    Table<KernelId, Kernel> kernels;
    Table<MovementId, Movement> movements;
    Table<ReshapeId, ReshapeSpec> reshapes;
    Table<FillId, FillSpec> fills;
    Table<FusionId, FusionSpec> fusions;
    Table<LoopSpecId, LoopSpec> loops;
    Table<MomentId, MomentSpec> moments;          // ascending
    std::vector<NodeId> node_order;               // of the graph as it was lowered; empty: that of the graph
    std::vector<graph::ContractionOrder> orders;  // with which the graph was lowered
    Succession next;                              // of what sections repeat
    Prediction prediction;
};

/// The table that an id is of. A new table has its line here.
inline auto const& table_of(Header const& header, TensorId) { return header.tensors; }
inline auto const& table_of(Header const& header, InputId) { return header.inputs; }
inline auto const& table_of(Header const& header, OutputId) { return header.outputs; }
inline auto const& table_of(Header const& header, KernelId) { return header.kernels; }
inline auto const& table_of(Header const& header, MovementId) { return header.movements; }
inline auto const& table_of(Header const& header, ReshapeId) { return header.reshapes; }
inline auto const& table_of(Header const& header, FillId) { return header.fills; }
inline auto const& table_of(Header const& header, FusionId) { return header.fusions; }
inline auto const& table_of(Header const& header, LoopSpecId) { return header.loops; }

}  // namespace ein::schedule
