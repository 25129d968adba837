#include "executor/engine/kernel_table.hpp"

#include <bit>
#include <unordered_map>

#include "executor/engine/distinct_kernels.hpp"
#include "lib/base/error.hpp"
#include "lib/graph/sparse/idle_sets.hpp"

namespace ein::executor {

using schedule::Apply;
using schedule::Block;
using schedule::Header;
using schedule::Section;
using schedule::Task;

namespace {

using Key = std::vector<std::int64_t>;  // all that a kernel's code depends on, as numbers

struct KeyHash {
    std::size_t operator()(Key const& key) const {
        std::uint64_t hash = 0xcbf29ce484222325u;
        for (std::int64_t number : key) {
            hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        return static_cast<std::size_t>(hash);
    }
};

/// Appends what a kernel knows of a sparse block to the key.
void place_in_sparse(schedule::SparseBlock const& block, scalar::Scalar const& fill, std::vector<int> const& labels,
                     std::span<std::int64_t const> region_begin, Key& key) {
    key.push_back(block.compressed ? 1 : 0);
    key.insert(key.end(), block.axes.begin(), block.axes.end());
    key.insert(key.end(), block.box.length.begin(), block.box.length.end());
    for (std::size_t axis = 0; axis < labels.size(); ++axis)
        key.push_back(region_begin[at(labels[axis])] - block.box.begin[axis]);
    key.push_back(fill.is_integer ? 1 : 0);
    key.push_back(fill.integer);
    key.push_back(std::bit_cast<std::int64_t>(fill.number.real()));
    key.push_back(std::bit_cast<std::int64_t>(fill.number.imag()));
}

/// Appends the strides of a block to the key and returns how far (in elements) the region's first element is from the
/// block's. `labels` gives the label of each axis.
std::ptrdiff_t place_in_block(Header const& header, Section const& section, Block const& block,
                              std::vector<int> const& labels, std::span<std::int64_t const> region_begin, Key& key) {
    BoxView const box = section.view_of(block);
    auto const order = box.order();
    key.push_back(block.format == schedule::format_of<schedule::SparseBlock> ? 1 : 0);
    if (block.is<schedule::SparseBlock>()) {
        place_in_sparse(section.sparse(block), header.tensors[block.tensor].fill.value(), labels, region_begin, key);
        return 0;
    }
    std::size_t const first = key.size();
    key.resize(first + order);
    std::ptrdiff_t offset = 0;
    std::int64_t stride = 1;
    for (std::size_t axis = order; axis-- > 0;) {
        key[first + axis] = stride;
        offset += (region_begin[static_cast<std::size_t>(labels[axis])] - box.begin[axis]) * stride;
        stride *= box.length[axis];
    }
    return offset * static_cast<std::ptrdiff_t>(size_of(block.dtype));
}

struct Placed {
    Key key;
    std::ptrdiff_t output_offset = 0;
};

/// Works out key and offsets of one call of `kernel`; input offsets go to `offsets`.
void place(Header const& header, Section const& section, Apply const& call, std::int32_t over,
           schedule::KernelId kernel, graph::EinSum const& einsum, Placed& out, std::span<std::ptrdiff_t> offsets) {
    Block const& written = section.blocks[call.result];
    out.key.assign({kernel.value(), call.accumulates ? 1 : 0, over, static_cast<std::int64_t>(written.dtype)});
    out.key.insert(out.key.end(), call.region.length.begin(), call.region.length.end());
    for (std::size_t k = 0; k < offsets.size(); ++k) {
        Block const& read = section.blocks[call.operands[k]];
        out.key.push_back(static_cast<std::int64_t>(read.dtype));
        offsets[k] = place_in_block(header, section, read, einsum.inputs[k], call.region.begin, out.key);
    }
    out.output_offset = place_in_block(header, section, written, einsum.output, call.region.begin, out.key);
}

/// A sparse block as its kernel sees it; nothing of others.
std::optional<SparseOperand> sparse_operand(Header const& header, Section const& section, Block const& block,
                                            std::vector<int> const& labels, BoxView const& region) {
    if (!block.is<schedule::SparseBlock>()) return std::nullopt;
    schedule::SparseBlock const sparse = section.sparse(block);
    SparseOperand out{sparse.layout(),
                      Shape(sparse.box.length.begin(), sparse.box.length.end()),
                      {},
                      header.tensors[block.tensor].fill.value()};
    for (std::size_t axis = 0; axis < labels.size(); ++axis)
        out.begin.push_back(region.begin[at(labels[axis])] - sparse.box.begin[axis]);
    return out;
}

/// The sparse blocks of a call; nothing where all are dense.
std::optional<SparseOperands> sparse_operands(Header const& header, Section const& section, Apply const& call,
                                              graph::EinSum const& einsum, KernelShape const& shape) {
    SparseOperands out;
    std::vector<std::optional<scalar::Scalar>> fills;
    bool any = false;
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
        out.operands.push_back(
            sparse_operand(header, section, section.blocks[call.operands[k]], einsum.inputs[k], call.region));
        fills.push_back(out.operands.back() ? std::optional(out.operands.back()->fill) : std::nullopt);
        any = any || out.operands.back();
    }
    out.output = sparse_operand(header, section, section.blocks[call.result], einsum.output, call.region);
    if (!any && !out.output) return std::nullopt;
    out.idle_sets = graph::idle_sets(einsum, shape.operand_dtypes, fills, shape.output_dtype).sets;
    return out;
}

KernelShape shape_of(Header const& header, schedule::KernelId id, Section const& section, Apply const& call,
                     std::int32_t over) {
    auto strides = [&](Block const& block) {
        return block.is_listed() ? std::vector<Extent>() : row_major_strides(section.view_of(block).length);
    };
    KernelShape shape;
    shape.kernel = &header.kernels[id];
    shape.keeps_order = header.reproducible;
    shape.lengths.assign(call.region.length.begin(), call.region.length.end());
    for (BlockId operand : call.operands) {
        Block const& block = section.blocks[operand];
        shape.operand_strides.push_back(strides(block));
        shape.operand_dtypes.push_back(block.dtype);
    }
    Block const& output = section.blocks[call.result];
    shape.output_strides = strides(output);
    shape.output_dtype = output.dtype;
    shape.accumulate = call.accumulates;
    shape.over = over;
    shape.sparse = sparse_operands(header, section, call, shape.kernel->einsum, shape);
    return shape;
}

}  // namespace

KernelShape kernel_shape(Header const& header, Section const& section, Task const& task) {
    std::optional<Apply> const call = section.kernel_call(task);
    promise(call.has_value(), "a task without a kernel was asked for one");
    return shape_of(header, call->kernel, section, *call, task.record().over);
}

KernelTable::KernelTable(Header const& header, Section const& section, Device& device, scalar::Params const& params)
    : of_task_(section.tasks.size(), no_kernel),
      input_offsets_(section.operands.size(), 0),
      output_offsets_(section.tasks.size(), 0) {
    std::unordered_map<Key, std::int32_t, KeyHash> known;
    auto const distinct = distinct_kernels(header.kernels);
    Placed placed;
    for (TaskId t : section.tasks.ids()) {
        std::optional<Apply> const call = section.kernel_call(section.tasks[t]);
        if (!call) continue;
        schedule::KernelId const id = distinct[call->kernel];
        auto const first = static_cast<std::size_t>(call->operands.data() - section.operands.data());
        std::int32_t const over = section.tasks[t].record().over;
        place(header, section, *call, over, id, header.kernels[id].einsum, placed,
              std::span(input_offsets_).subspan(first, call->operands.size()));
        output_offsets_[t] = placed.output_offset;
        auto const [entry, fresh] = known.try_emplace(placed.key, static_cast<std::int32_t>(kernels_.size()));
        of_task_[t] = entry->second;
        if (!fresh) continue;
        KernelShape const shape = shape_of(header, id, section, *call, over);
        kernels_.push_back(device.prepare(shape, params));
        some_on_host_ = some_on_host_ || kernels_.back()->runs_on_host();
    }
}

}  // namespace ein::executor
