// THE CONTRACT between scheduler and executor: for every rank its blocks and its tasks in order, with all that they need.
// Tasks and blocks are flat records with their coordinates in pools, so that a section of a million tasks is read in one piece.
// Leaves the file format to file.hpp, checks to verify.hpp, memory to replay.hpp, printing to print.hpp.
// Example: rank 0 of "ij,jk->ik" on 2 ranks: load A[0:2, :], load B, send B to rank 1, apply kernel 0, store Z[0:2, :].
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/base/ids.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/source.hpp"

namespace ein::schedule {

/// What a task does. The word in brackets is its meaning in [P]'s workflow.
enum class TaskKind : std::uint8_t {
    load,     // [Load] output = box of source `spec`
    apply,    // [Pair, Apply] output (+)= kernel `spec` over `region` (an interval for each label) of the inputs
    reduce,   // [Reduce] output (+)= a partial result; a kernel too
    fill,     // output = constant `spec`
    copy,     // output[region] = input[movement `spec` of region]; region in the output's indices
    reshape,  // elements that input and output share under reshape `spec`, block to block
    pack,     // the same, into a packed block: in C order; `region` is the box of the block that will unpack it
    unpack,   // from a packed block; `region` is the box of the block that it was packed from
    send,     // input to `peer`, message `tag`; with a `region` that part of it, which lies in one run there
    receive,  // output from `peer`, message `tag`; the same
    store,    // input into output tensor `spec`
    spill,    // input to this rank's disk, for the fetches that come `after` it
    fetch,    // output = what the spill that it comes `after` wrote
    turn      // ends a turn of a loop of the section: another one begins, or what comes after the loop
};
inline constexpr int task_kinds = 14;
std::string_view name(TaskKind kind);

/// A piece of a tensor that one rank holds. A packed block has no box of its own: its box is one axis [0, elements).
struct Block {
    std::int32_t tensor = 0;   // in Schedule::tensors
    DType dtype = DType::f32;  // partial results may be wider than their tensor
    bool packed = false;
    std::int32_t readers =
        0;  // times that tasks read it (an operand that occurs twice counts twice): deleted after the last
    std::int32_t writers = 0;  // tasks that write it: it is ready when all have
    std::int32_t order = 0;
    std::int64_t coords = 0;  // in Section::coords: `order` begins, then `order` lengths
};

struct Task {
    TaskKind kind = TaskKind::load;
    bool accumulate = false;  // apply, reduce: combine with what the output holds
    std::int32_t spec = -1;
    std::int32_t first_input = 0;  // in Section::inputs
    std::int32_t inputs = 0;
    std::int32_t output = -1;  // a block, or -1
    std::int32_t after =
        -1;                  // a task that must have ended: the writer before this one in a fixed order; of a fetch its
                             // spill; or -1
    std::int32_t order = 0;  // of region
    std::int64_t coords = 0;  // of region, as for blocks
    std::int32_t peer = -1;
    std::int32_t tag = -1;  // messages from one rank to another are numbered 0, 1, ...
};

/// Bytes of a block that lie together.
struct ByteRange {
    std::int64_t offset = 0, bytes = 0;
};

/// Tasks that are run again and again. The last of them, a turn, reads the condition, what the next turn begins with, and all that comes
/// from outside, which therefore stays until the last turn has ended. Loops are whole in one another or apart; an inner one comes before
/// the outer one in Section::loops.
struct Loop {
    /// At a turn's end `next` takes the place of `inside`, which was made before the loop and has had its last reader in the turn. After the
    /// last turn `next` is there for whoever reads it.
    struct Carry {
        std::int32_t inside = 0, next = 0;  // blocks that are alike
        friend bool operator==(Carry const&, Carry const&) = default;
    };
    std::int32_t spec = 0;             // in Header::loops
    std::int32_t first = 0, turn = 0;  // tasks [first, turn]
    std::int32_t condition = -1;  // a block of one element: no other turn when it is 0; -1: the number of turns says
    std::vector<Carry> carries;
};

/// What one rank does. Tasks stand in an order that is safe on all ranks together: running every rank's list in order ends.
/// Loads come first, stores last; only spills and fetches may stand between them.
struct Section {
    std::vector<Block> blocks;         // by BlockId
    std::vector<Task> tasks;           // by TaskId
    std::vector<std::int32_t> inputs;  // blocks that tasks read
    std::vector<std::int64_t> coords;
    std::vector<Loop> loops;

    std::span<std::int32_t const> inputs_of(Task const& task) const;
    Box box_of(Block const& block) const;
    Box region_of(Task const& task) const;
    std::int64_t elements_of(Block const& block) const;
    std::int64_t bytes_of(Block const& block) const;
    /// The block that a send or receive moves.
    BlockId block_of_message(Task const& task) const;
    /// What a send takes of its input, or a receive puts into its output.
    ByteRange message_of(Task const& task) const;
    /// The rank makes no block of a node's and keeps none: at most it loads something for others.
    bool idle() const;
};

struct Tensor {
    std::string name;
    Shape shape;
    DType dtype = DType::f32;
};

struct Input {
    std::int32_t tensor = 0;
    tensor::Source source;
};

struct Output {
    std::int32_t tensor = 0;
    std::string name;
};

/// A kernel: an EinSum and the type that its join runs in. Operand and output types are those of the blocks.
struct Kernel {
    std::string node;  // whose it is, for messages and reports
    graph::EinSum einsum;
    DType compute = DType::f32;
};

/// Where a copied element comes from: input index = start + step * output index, for each axis.
struct Movement {
    std::string node;
    std::vector<graph::AxisMap> axes;
};
struct ReshapeSpec {
    std::string node;
    Shape from, to;
};
struct Fill {
    std::string node;
    scalar::Scalar value;
};

struct LoopSpec {
    std::string name;
    std::int64_t turns = 1;    // at most
    bool conditional = false;  // or fewer, when its condition says so
};

/// What was predicted; the run's counts equal bytes and never exceed peaks.
struct Prediction {
    double flops = 0;
    std::vector<std::int64_t> bytes_sent, bytes_received;  // by rank
    std::vector<std::int64_t> messages_sent;               // by rank
    std::vector<std::int64_t> peak_bytes;                  // of blocks, by rank
    double worst_case_elements = 0, worst_case_bytes = 0;  // the published cost of the plan
};

/// All that the ranks share.
struct Header {
    std::string name;        // of the graph
    std::string graph_text;  // the graph file, for --verify
    std::string graph_file;  // its name, for messages
    std::string folder;      // of the graph file, relative to the schedule file: data files are relative to it
    int ranks = 1;
    std::string strategy, place;
    scalar::Params params;
    std::vector<Tensor> tensors;
    std::vector<Input> inputs;    // by load's spec
    std::vector<Output> outputs;  // by store's spec
    std::vector<Kernel> kernels;
    std::vector<Movement> movements;
    std::vector<ReshapeSpec> reshapes;
    std::vector<Fill> fills;
    std::vector<LoopSpec> loops;
    Prediction prediction;
};

struct Schedule {
    Header header;
    std::vector<Section> sections;  // by rank
};

}  // namespace ein::schedule
