#include "executor/chain_runner.hpp"

#include <algorithm>

#include "executor/device/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Header;
using schedule::Section;
using schedule::Task;

ChainRunner::ChainRunner(Header const& header, Section const& section, std::vector<Chain> chains, Device& device,
                         KernelTable const& kernels, scalar::Params const& params)
    : header_(header), section_(section), kernels_(kernels) {
    if (chains.empty()) return;
    chain_of_.assign(section.tasks.size(), none);
    for (Chain& chain : chains) {
        for (TaskId id : chain.tasks) chain_of_[static_cast<std::size_t>(id.value())] = held_back;
        chain_of_[static_cast<std::size_t>(chain.last().value())] = static_cast<std::int32_t>(chains_.size());
        chains_.push_back(prepare(std::move(chain), device, params));
    }
}

std::span<TaskId const> ChainRunner::held_back_for(TaskId last) const {
    std::vector<TaskId> const& tasks = chains_[static_cast<std::size_t>(role(last))].chain.tasks;
    return std::span(tasks).first(tasks.size() - 1);
}

std::vector<BlockId> ChainRunner::inside() const {
    std::vector<BlockId> blocks;
    for (Prepared const& chain : chains_)
        for (TaskId id : held_back_for(chain.chain.last())) blocks.push_back(BlockId{task(id).output});
    return blocks;
}

ChainRunner::Prepared ChainRunner::prepare(Chain chain, Device& device, scalar::Params const& params) const {
    Prepared out{std::move(chain), {}, {}, {}};
    std::vector<TaskId> const& tasks = out.chain.tasks;
    std::vector<Chain::Axis> const& axes = out.chain.axes;
    for (TaskId id : tasks) {
        out.inner.emplace_back();
        for (std::int32_t input : section_.inputs_of(task(id))) {
            auto const writer =
                std::find_if(tasks.begin(), tasks.end(), [&](TaskId of) { return task(of).output == input; });
            out.inner.back().push_back(writer == tasks.end() ? -1 : static_cast<std::int32_t>(writer - tasks.begin()));
        }
    }
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        out.steps.emplace_back();
        for (std::size_t a = 0; a < axes.size(); ++a) out.steps.back().push_back(steps_along(out, k, a));
    }
    unsigned uneven = 0;
    for (std::size_t a = 0; a < axes.size(); ++a)
        if (axes[a].length % axes[a].parts != 0) uneven |= 1U << a;
    for (unsigned longer = 0; longer <= uneven; ++longer)
        if ((longer & ~uneven) == 0) out.pieces[longer] = prepare_piece(out, longer, device, params);
    return out;
}

ChainRunner::Steps ChainRunner::steps_along(Prepared const& chain, std::size_t k, std::size_t axis) const {
    KernelShape const shape = kernel_shape(header_, section_, task(chain.chain.tasks[k]));
    graph::EinSum const& einsum = shape.kernel->einsum;
    auto const label = static_cast<int>(chain.chain.axes[axis].labels[k]);
    auto const step = [&](std::vector<int> const& axes, std::vector<Extent> const& strides, DType type) {
        std::ptrdiff_t bytes = 0;
        for (std::size_t at = 0; at < axes.size(); ++at)
            if (axes[at] == label) bytes += strides[at] * static_cast<std::ptrdiff_t>(size_of(type));
        return bytes;
    };
    Steps out;
    for (std::size_t i = 0; i < einsum.inputs.size(); ++i)
        out.operands.push_back(
            chain.inner[k][i] >= 0 ? 0 : step(einsum.inputs[i], shape.operand_strides[i], shape.operand_dtypes[i]));
    if (k + 1 == chain.chain.tasks.size()) out.output = step(einsum.output, shape.output_strides, shape.output_dtype);
    return out;
}

ChainRunner::Piece ChainRunner::prepare_piece(Prepared const& chain, unsigned longer, Device& device,
                                              scalar::Params const& params) const {
    Piece out;
    std::vector<std::vector<Extent>> inner_strides;
    for (std::size_t k = 0; k < chain.chain.tasks.size(); ++k) {
        KernelShape shape = kernel_shape(header_, section_, task(chain.chain.tasks[k]));
        for (std::size_t a = 0; a < chain.chain.axes.size(); ++a) {
            Chain::Axis const& axis = chain.chain.axes[a];
            shape.lengths[axis.labels[k]] = axis.length / axis.parts + (longer >> a & 1);
        }
        for (std::size_t i = 0; i < shape.operand_strides.size(); ++i)
            if (chain.inner[k][i] >= 0)
                shape.operand_strides[i] = inner_strides[static_cast<std::size_t>(chain.inner[k][i])];
        if (k + 1 == chain.chain.tasks.size()) {
            Block const& output = section_.blocks[static_cast<std::size_t>(task(chain.chain.last()).output)];
            shape.output_bytes = section_.bytes_of(output);
        } else {
            Shape lengths;
            for (int label : shape.kernel->einsum.output)
                lengths.push_back(shape.lengths[static_cast<std::size_t>(label)]);
            shape.output_strides = row_major_strides(lengths);
            inner_strides.push_back(shape.output_strides);
            out.output_at.push_back(out.bytes);
            out.bytes += lines(static_cast<std::size_t>(element_count(lengths)) * size_of(shape.output_dtype));
        }
        out.kernels.push_back(device.prepare(shape, params));
    }
    return out;
}

void ChainRunner::run(TaskId last, BlockStore const& store, Team& team) const {
    Prepared const& chain = chains_[static_cast<std::size_t>(role(last))];
    team.run(chain.chain.pieces(), [&](std::int64_t piece) { run_piece(chain, piece, store); });
}

void ChainRunner::run_piece(Prepared const& chain, std::int64_t number, BlockStore const& store) const {
    std::vector<Chain::Axis> const& axes = chain.chain.axes;
    unsigned longer = 0;
    std::vector<Extent> first(axes.size());
    for (std::size_t a = axes.size(); a-- > 0; number /= axes[a].parts) {
        std::int64_t const part = number % axes[a].parts;
        first[a] = part_begin(axes[a].length, axes[a].parts, part);
        if (part < axes[a].length % axes[a].parts) longer |= 1U << a;
    }
    Piece const& piece = chain.pieces.at(longer);
    Scratch const inside(piece.bytes);
    SoloTeam solo;
    std::vector<void const*> operands;
    std::vector<Extent> begin;
    for (std::size_t k = 0; k < piece.kernels.size(); ++k) {
        TaskId const id = chain.chain.tasks[k];
        Task const& at = task(id);
        auto const inputs = section_.inputs_of(at);
        operands.resize(inputs.size());
        begin.assign(section_.coords.begin() + at.coords, section_.coords.begin() + at.coords + at.order);
        bool const is_last = k + 1 == piece.kernels.size();
        std::byte* output =
            is_last ? store.data(BlockId{at.output}) + kernels_.output_offset(id) : inside.data() + piece.output_at[k];
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::int32_t const writer = chain.inner[k][i];
            std::byte const* from =
                writer >= 0 ? inside.data() + piece.output_at[static_cast<std::size_t>(writer)]
                            : store.data(BlockId{inputs[i]}) + kernels_.input_offset(at, static_cast<std::int32_t>(i));
            for (std::size_t a = 0; a < axes.size(); ++a) from += first[a] * chain.steps[k][a].operands[i];
            operands[i] = from;
        }
        for (std::size_t a = 0; a < axes.size(); ++a) {
            output += first[a] * chain.steps[k][a].output;
            begin[axes[a].labels[k]] += first[a];
        }
        piece.kernels[k]->launch({operands, output, begin}, solo);
    }
}

}  // namespace ein::executor
