// Computes on blocks in memory: one interface for the reference (plain loops), the CPU and GPUs. A kernel is
// prepared once for each shape and then launched for many blocks. Any legal EinSum runs on every device; fast paths are
// speed, never a gate.
// Leaves blocks, readiness and threads to the engine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "executor/engine/worker_team.hpp"
#include "lib/base/box.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::executor {

/// A sparse block that a kernel reads or writes (lib/tensor/sparse/sparse_block.hpp).
struct SparseOperand {
    tensor::SparseLayout layout;
    Shape lengths;              // of the block's box
    std::vector<Extent> begin;  // in the block, of what the call reads or writes: as long as its labels
    scalar::Scalar fill;        // of the tensor, in the operand's dtype
};

/// The sparse operands of a kernel. A point of the labels contributes where every idle set lists an element; an operand
/// that does not list its own has its fill there, also one that is in no set. A lookup (graph::as_row_lookup) has
/// points where its positions are alone. What a point contributes is the join; whatever does not contribute counts for
/// nothing, even beside inf or nan. An element of the output without contributions is the aggregation's identity or,
/// where nothing is aggregated, the join of a set's fills with whatever others hold, of a lookup the fill that it looks
/// in (value_without_contributions); a sparse output does not list it.
struct SparseOperands {
    std::vector<std::optional<SparseOperand>> operands;  // nothing for dense ones
    /// A sparse output is written whole: what the block held is gone, or with KernelShape::accumulate stays listed and
    /// is combined. So the first call of several that write pieces of one block does not accumulate and the others do.
    std::optional<SparseOperand> output = {};
    /// Where all operands of one of these sets do not list their element, the join contributes nothing. Every set has
    /// sparse operands alone; at least one set.
    std::vector<std::vector<int>> idle_sets = {};
};

/// All that a kernel's code depends on. Strides are in elements, one for each axis of the operand (or of the output).
struct KernelShape {
    schedule::Kernel const* kernel = nullptr;
    Shape lengths;  // of each label in this call
    std::vector<std::vector<Extent>> operand_strides;
    std::vector<Extent> output_strides;
    std::vector<DType> operand_dtypes;
    DType output_dtype = DType::f32;
    bool accumulate = false;   // combine with what the output holds, in its dtype
    Extent output_bytes = 0;   // of all calls together that write one output piece by piece; 0 for a call that is alone
    std::int32_t over = -1;    // the operand that lies where the output does, element by element; -1: none does
    bool keeps_order = false;  // each output combines its terms as it would in one call of the whole node: the same
                               // bits however the node is cut along its output's labels
    std::optional<SparseOperands> sparse = {};  // where one is; strides of sparse operands, and output, are empty
};

/// One call of a prepared kernel.
struct KernelCall {
    std::span<void const* const> operands;  // each at the first element that the call reads; sparse: of the block
    void* output = nullptr;                 // at the first element that the call writes; sparse: of the block
    std::span<Extent const> begin;          // index of each label's first element: the values of [label]
    std::span<std::byte const> next = {};   // what the caller reads soon: may be brought into the cache meanwhile
    std::size_t room = 0;                   // of a sparse output: bytes that its block may take, at least
                                            // tensor::sparse_bytes of what the call lists
    OptionalId<TaskId> task = {};           // whose call it is: for who finds out later that it went wrong
};

/// A kernel made ready for one shape; safe to launch from many threads at once.
class PreparedKernel {
public:
    virtual ~PreparedKernel() = default;
    virtual void launch(KernelCall const& call, WorkerTeam& team) const = 0;
    /// Of a device with memory of its own: it reads and writes the host's.
    virtual bool runs_on_host() const { return false; }
};

/// Makes kernels of the parts that another one is made of. @return nothing where it has none for a shape
using PrepareKernel = std::function<std::unique_ptr<PreparedKernel const>(KernelShape const&)>;

/// Elements moved from one block to another. Boxes are those of the whole blocks, C order.
struct CopyCall {
    void const* from = nullptr;
    Box from_box;
    void* to = nullptr;
    Box to_box;
    Box region;                            // in the output's indices: what to write
    std::span<graph::AxisMap const> axes;  // input index for each output index
    DType dtype = DType::f32;
};

/// Elements that two blocks share under a reshape, or that travel packed between them.
struct ReshapeCall {
    void const* from = nullptr;
    void* to = nullptr;
    Box from_box, to_box;  // of the blocks, in their tensors' indices
    schedule::ReshapeSpec const* spec = nullptr;
    enum class Form { direct, pack, unpack } form = Form::direct;  // pack: `to` is packed; unpack: `from` is
    DType dtype = DType::f32;
};

class Accelerator;

class Device {
public:
    virtual ~Device() = default;
    virtual std::string_view name() const = 0;
    /// For people: which one of its kind it is.
    virtual std::string description() const { return std::string(name()); }
    /// Whether products of f32 may round their operands to 10 bits.
    virtual bool allows_tf32() const { return false; }
    /// @throws InputError for an expression that cannot run (a param without a value)
    virtual std::unique_ptr<PreparedKernel const> prepare(KernelShape const& shape, scalar::Params const& params) = 0;
    /// The same for the second half of an argmin or argmax (graph::as_best_search) without the first: it finds the
    /// best value by itself, reads values once, and leaves the operand that is the best value alone.
    /// @param agg  of the first half  @return nothing where that is not quicker: both are to be prepared
    virtual std::unique_ptr<PreparedKernel const> prepare_best_search(KernelShape const& /*search*/,
                                                                      scalar::Agg /*agg*/,
                                                                      scalar::Params const& /*params*/) {
        return nullptr;
    }
    virtual void copy(CopyCall const& call, WorkerTeam& team) = 0;
    virtual void reshape(ReshapeCall const& call, WorkerTeam& team) = 0;
    virtual void fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam& team) = 0;
    /// The same device, if it has memory of its own: then pointers are into that, and calls return before they are
    /// done.
    virtual Accelerator* accelerator() { return nullptr; }
};

enum class DeviceKind { automatic, reference, cpu, cuda, emulated };

struct DeviceChoice {
    DeviceKind kind = DeviceKind::automatic;
    std::string details = {};  // of an emulated one: what goes wrong
    bool tf32 = false;         // on a GPU, products of f32 may round their operands to 10 bits
};

/// The only switch on DeviceKind. @throws UsageError / RunError for a device that this build or machine has not, saying
/// so
std::unique_ptr<Device> make_device(DeviceChoice const& choice);
/// Whether the device that a choice takes here has memory of its own.
bool has_own_memory(DeviceChoice const& choice);
/// Of an automatic choice that took the CPU though there is a GPU: what is missing; else "".
std::string why_gpu_is_idle(DeviceChoice const& choice);
/// "cuda", "emulated:delay=50". @throws UsageError
DeviceChoice device_choice_from_text(std::string_view text);

}  // namespace ein::executor
