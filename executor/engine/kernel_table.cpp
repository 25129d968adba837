#include "executor/engine/kernel_table.hpp"

#include <unordered_map>

#include "executor/engine/distinct_kernels.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Header;
using schedule::Section;
using schedule::Task;
using schedule::TaskKind;

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

/// Appends the strides of a block to the key and returns how far (in elements) the region's first element is from the block's.
/// `labels` gives the label of each axis.
std::ptrdiff_t place_in_block(Section const& section, Block const& block, std::vector<int> const& labels,
                              std::span<std::int64_t const> region_begin, Key& key) {
    auto const coords = std::span(section.coords).subspan(static_cast<std::size_t>(block.coords));
    auto const order = static_cast<std::size_t>(block.order);
    std::size_t const first = key.size();
    key.resize(first + order);
    std::ptrdiff_t offset = 0;
    std::int64_t stride = 1;
    for (std::size_t axis = order; axis-- > 0;) {
        key[first + axis] = stride;
        offset += (region_begin[static_cast<std::size_t>(labels[axis])] - coords[axis]) * stride;
        stride *= coords[order + axis];
    }
    return offset * static_cast<std::ptrdiff_t>(size_of(block.dtype));
}

struct Placed {
    Key key;
    std::ptrdiff_t output_offset = 0;
};

/// Works out key and offsets of one task that launches kernel `spec`; input offsets go to `offsets`.
void place(Section const& section, Task const& task, std::int32_t spec, graph::EinSum const& einsum, Placed& out,
           std::span<std::ptrdiff_t> offsets) {
    auto const coords = std::span(section.coords).subspan(static_cast<std::size_t>(task.coords));
    auto const order = static_cast<std::size_t>(task.order);
    auto const begin = coords.first(order);
    Block const& written = section.blocks[static_cast<std::size_t>(task.output)];
    out.key.assign({spec, task.accumulate ? 1 : 0, static_cast<std::int64_t>(written.dtype)});
    out.key.insert(out.key.end(), coords.begin() + task.order, coords.begin() + 2 * static_cast<std::ptrdiff_t>(order));
    for (std::size_t k = 0; k < offsets.size(); ++k) {
        Block const& read = section.blocks[static_cast<std::size_t>(section.inputs_of(task)[k])];
        out.key.push_back(static_cast<std::int64_t>(read.dtype));
        offsets[k] = place_in_block(section, read, einsum.inputs[k], begin, out.key);
    }
    out.output_offset = place_in_block(section, written, einsum.output, begin, out.key);
}

KernelShape shape_of(schedule::Kernel const& kernel, Section const& section, Task const& task) {
    auto strides = [&](Block const& block) { return row_major_strides(section.box_of(block).length); };
    KernelShape shape;
    shape.kernel = &kernel;
    shape.lengths = section.region_of(task).length;
    for (std::int32_t input : section.inputs_of(task)) {
        Block const& block = section.blocks[static_cast<std::size_t>(input)];
        shape.operand_strides.push_back(strides(block));
        shape.operand_dtypes.push_back(block.dtype);
    }
    Block const& output = section.blocks[static_cast<std::size_t>(task.output)];
    shape.output_strides = strides(output);
    shape.output_dtype = output.dtype;
    shape.accumulate = task.accumulate;
    return shape;
}

}  // namespace

KernelShape kernel_shape(Header const& header, Section const& section, Task const& task) {
    return shape_of(header.kernels[static_cast<std::size_t>(task.spec)], section, task);
}

KernelTable::KernelTable(Header const& header, Section const& section, Device& device, scalar::Params const& params)
    : of_task_(section.tasks.size(), -1),
      input_offsets_(section.inputs.size(), 0),
      output_offsets_(section.tasks.size(), 0) {
    std::unordered_map<Key, std::int32_t, KeyHash> known;
    std::vector<std::int32_t> const distinct = distinct_kernels(header.kernels);
    Placed placed;
    for (std::size_t i = 0; i < section.tasks.size(); ++i) {
        Task const& task = section.tasks[i];
        if (task.kind != TaskKind::apply && task.kind != TaskKind::reduce) continue;
        std::int32_t const spec = distinct[static_cast<std::size_t>(task.spec)];
        schedule::Kernel const& kernel = header.kernels[static_cast<std::size_t>(spec)];
        auto const offsets =
            std::span(input_offsets_)
                .subspan(static_cast<std::size_t>(task.first_input), static_cast<std::size_t>(task.inputs));
        place(section, task, spec, kernel.einsum, placed, offsets);
        output_offsets_[i] = placed.output_offset;
        auto const [entry, fresh] = known.try_emplace(placed.key, static_cast<std::int32_t>(kernels_.size()));
        of_task_[i] = entry->second;
        if (!fresh) continue;
        KernelShape const shape = shape_of(kernel, section, task);
        kernels_.push_back(device.prepare(shape, params));
        some_on_host_ = some_on_host_ || kernels_.back()->runs_on_host();
    }
}

}  // namespace ein::executor
