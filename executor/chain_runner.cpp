#include "executor/chain_runner.hpp"

#include <algorithm>
#include <numeric>

#include "executor/device/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr std::int64_t runs_a_thread = 8;  // of neighbouring pieces

std::byte* data_of(BlockHome& home, BlockId block) { return home.in_host(block, HostUse::update).data(); }

}  // namespace

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
    Prepared out;
    out.chain = std::move(chain);
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
    out.stream = stream_of(out);
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
        bool const streams = k > 0 && !graph::is_rows_by_columns(shape.kernel->einsum);
        out.shares.push_back(streams ? static_cast<double>(element_count(shape.lengths)) : 0.0);
        out.kernels.push_back(device.prepare(shape, params));
    }
    double left = std::accumulate(out.shares.begin(), out.shares.end(), 0.0);
    for (double& share : out.shares) {
        double const points = share;
        share = points > 0 ? points / left : 0;
        left -= points;
    }
    return out;
}

std::optional<ChainRunner::Stream> ChainRunner::stream_of(Prepared const& chain) const {
    std::optional<Stream> out;
    for (std::size_t k = 0; k < chain.chain.tasks.size(); ++k) {
        auto const inputs = section_.inputs_of(task(chain.chain.tasks[k]));
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::int64_t const bytes = section_.bytes_of(section_.blocks[static_cast<std::size_t>(inputs[i])]);
            for (std::size_t a = 0; a < chain.chain.axes.size(); ++a) {
                std::ptrdiff_t const step = chain.steps[k][a].operands[i];
                bool const runs = chain.inner[k][i] < 0 && step * chain.chain.axes[a].length == bytes;
                if (runs && (!out || step > out->step)) out = {BlockId{inputs[i]}, a, step};
            }
        }
    }
    return out;
}

ChainRunner::Place ChainRunner::place_of(Prepared const& chain, std::int64_t number) {
    std::vector<Chain::Axis> const& axes = chain.chain.axes;
    Place out{std::vector<Extent>(axes.size()), std::vector<Extent>(axes.size()), 0};
    for (std::size_t a = axes.size(); a-- > 0; number /= axes[a].parts) {
        std::int64_t const part = number % axes[a].parts;
        bool const longer = part < axes[a].length % axes[a].parts;
        out.first[a] = part_begin(axes[a].length, axes[a].parts, part);
        out.length[a] = axes[a].length / axes[a].parts + longer;
        if (longer) out.longer |= 1U << a;
    }
    return out;
}

std::span<std::byte const> ChainRunner::Prepared::read_of_stream(Place const& place, BlockHome& home) const {
    if (!stream) return {};
    return {data_of(home, stream->block) + place.first[stream->axis] * stream->step,
            static_cast<std::size_t>(place.length[stream->axis] * stream->step)};
}

/// Neighbouring pieces run on one thread, which brings the next one's operands into the cache while it computes.
void ChainRunner::run(TaskId last, BlockHome& home, Team& team) const {
    Prepared const& chain = chains_[static_cast<std::size_t>(role(last))];
    std::int64_t const pieces = chain.chain.pieces(),
                       runs = std::min<std::int64_t>(pieces, runs_a_thread * team.width());
    team.run(runs, [&](std::int64_t run) {
        std::int64_t const end = part_begin(pieces, runs, run + 1);
        for (std::int64_t piece = part_begin(pieces, runs, run); piece < end; ++piece)
            run_piece(chain, piece, piece + 1 < end ? piece + 1 : -1, home);
    });
}

/// @param next  the piece that this thread runs then; -1: none
void ChainRunner::run_piece(Prepared const& chain, std::int64_t number, std::int64_t next, BlockHome& home) const {
    std::vector<Chain::Axis> const& axes = chain.chain.axes;
    Place const place = place_of(chain, number);
    Piece const& piece = chain.pieces.at(place.longer);
    std::span<std::byte const> coming;
    if (next >= 0) coming = chain.read_of_stream(place_of(chain, next), home);
    if (coming.data() == chain.read_of_stream(place, home).data()) coming = {};
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
        std::byte* output = is_last ? data_of(home, BlockId{at.output}) + kernels_.output_offset(id)
                                    : inside.data() + piece.output_at[k];
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::int32_t const writer = chain.inner[k][i];
            std::byte const* from = writer >= 0 ? inside.data() + piece.output_at[static_cast<std::size_t>(writer)]
                                                : data_of(home, BlockId{inputs[i]}) +
                                                      kernels_.input_offset(at, static_cast<std::int32_t>(i));
            for (std::size_t a = 0; a < axes.size(); ++a) from += place.first[a] * chain.steps[k][a].operands[i];
            operands[i] = from;
        }
        for (std::size_t a = 0; a < axes.size(); ++a) {
            output += place.first[a] * chain.steps[k][a].output;
            begin[axes[a].labels[k]] += place.first[a];
        }
        auto const share = static_cast<std::size_t>(static_cast<double>(coming.size()) * piece.shares[k]);
        piece.kernels[k]->launch({operands, output, begin, coming.first(share)}, solo);
        coming = coming.subspan(share);
    }
}

}  // namespace ein::executor
