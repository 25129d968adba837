#include "executor/fusion/fused_group_runner.hpp"

#include <algorithm>
#include <numeric>

#include "executor/device/cpu/scratch.hpp"
#include "executor/engine/kernel_table.hpp"
#include "executor/fusion/kept_operand.hpp"
#include "executor/fusion/tuning.hpp"
#include "executor/health/index_fault.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

std::byte* data_of(BlockStorage& storage, BlockId block) { return storage.in_host(block, HostUse::update).data(); }

/// Of each axis of what the kernel writes.
Shape output_lengths(KernelShape const& shape) {
    Shape out;
    for (int label : shape.kernel->einsum.output) out.push_back(shape.lengths[static_cast<std::size_t>(label)]);
    return out;
}

Extent rounded_up(Extent length) { return (length + tuning::clip_grain - 1) / tuning::clip_grain * tuning::clip_grain; }

/// Bytes from a block's first element to the region's. @param labels  of its axes
std::ptrdiff_t offset_of(BoxView const& box, std::vector<int> const& labels, BoxView const& region, DType dtype) {
    std::ptrdiff_t elements = 0;
    for (std::size_t axis = 0; axis < labels.size(); ++axis)
        elements = elements * box.length[axis] + region.begin[at(labels[axis])] - box.begin[axis];
    return elements * static_cast<std::ptrdiff_t>(size_of(dtype));
}

}  // namespace

using schedule::Block;
using schedule::Header;
using schedule::Section;
using schedule::Task;

FusedGroupRunner::FusedGroupRunner(Header const& header, Section const& section, Device& device,
                                   scalar::Params const& params)
    : header_(header), known_(header, section) {
    for (TaskId id : section.tasks.ids())
        if (section.tasks[id].is<schedule::Fused>())
            prepared_.emplace(id, prepare(fused_group(header, section, id), device, params));
}

FusedGroupRunner::Prepared FusedGroupRunner::prepare(FusedGroup group, Relying relying, Device& device,
                                                     scalar::Params const& params) const {
    Prepared out;
    out.group = std::move(group);
    out.steps = fusion_plan(header_, out.group);
    if (relying == Relying::on_operands) drop_masks(out);
    split_masks(out.steps);
    out.known.assign(out.steps.size(), {});
    for (std::size_t k = 0; k < out.steps.size(); ++k) out.known[k].resize(out.steps[k].operands.size());
    if (relying == Relying::on_operands) know_operands(out);
    if (!out.group.carry) out.known_result = known_.of(out.group.result);
    Section const& members = out.group.members;
    for (Task const& member : members.tasks) {
        auto const call = members.as<schedule::Apply>(member);
        graph::EinSum const& einsum = header_.kernels[call.kernel].einsum;
        auto const offset = [&](BlockId block, std::vector<int> const& labels) {
            return offset_of(members.view_of(members.blocks[block]), labels, call.region, members.blocks[block].dtype);
        };
        std::vector<std::ptrdiff_t>& offsets = out.input_offsets.emplace_back();
        for (std::size_t k = 0; k < call.operands.size(); ++k)
            offsets.push_back(offset(call.operands[k], einsum.inputs[k]));
        out.output_offset = offset(call.result, einsum.output);
    }
    std::vector<FusedGroup::Axis> const& axes = out.group.axes;
    for (std::size_t k = 0; k < out.steps.size(); ++k) {
        out.moves.emplace_back();
        for (FusedGroup::Axis const& axis : axes)
            out.moves.back().push_back(moves_along(out, k, axis.labels[out.steps[k].member]));
    }
    out.stream = stream_of(out);
    if (out.group.carry) {
        out.carried = carried_steps(*out.group.carry, out.steps);
        FusedGroup::Carry const& carry = *out.group.carry;
        out.carried_length = std::min(carry.length, rounded_up((carry.length + carry.parts - 1) / carry.parts));
    }
    choose_clip(out, params);
    if (out.drops_masks && out.clip && !may_drop_masks(out)) out.clip.reset();
    if (relying == Relying::on_operands && !out.clip) return out;
    if (out.carried.empty()) mask_result(out, params);
    if (out.group.carry) {
        prepare_carry(out, device, params);
        return out;
    }
    unsigned uneven = 0;
    for (std::size_t a = 0; a < axes.size(); ++a)
        if (axes[a].length % axes[a].parts != 0) uneven |= 1U << a;
    for (unsigned longer = 0; longer <= uneven; ++longer)
        if ((longer & ~uneven) == 0) prepare_piece(out, longer, out.whole.end, device, params);
    for (std::size_t piece = 0; piece < out.clips.size(); ++piece)
        prepare_piece_clip(out, static_cast<std::int64_t>(piece), device, params);
    return out;
}

KernelShape FusedGroupRunner::shape_of(Prepared const& group, std::size_t k) const {
    FusedStep const& step = group.steps[k];
    KernelShape const of_task = kernel_shape(header_, group.group.members, task_of(group, step));
    KernelShape shape;
    shape.kernel = &step.kernel;
    shape.lengths = of_task.lengths;
    for (FusedStep::Operand const& operand : step.operands) {
        bool const inside = operand.step >= 0;
        auto const at = static_cast<std::size_t>(inside ? operand.step : operand.input);
        shape.operand_strides.push_back(inside ? std::vector<Extent>{} : of_task.operand_strides[at]);
        shape.operand_dtypes.push_back(inside ? group.steps[at].output : of_task.operand_dtypes[at]);
    }
    shape.output_dtype = step.output;
    shape.keeps_order = of_task.keeps_order;
    if (!group.leaves(k)) return shape;
    shape.output_strides = of_task.output_strides;
    shape.output_bytes = group.group.members.bytes_of(*task_of(group, step).result());
    for (std::size_t i = 0; group.group.over && i < step.operands.size(); ++i) {
        std::int32_t const input = step.operands[i].input;
        BlockId const taken{static_cast<std::int32_t>(*group.group.over)};
        if (input >= 0 && group.group.members.reads(task_of(group, step))[at(input)] == taken)
            shape.over = static_cast<std::int32_t>(i);
    }
    return shape;
}

FusedGroupRunner::Moves FusedGroupRunner::moves_along(Prepared const& group, std::size_t k, std::size_t of) const {
    KernelShape const shape = shape_of(group, k);
    graph::EinSum const& einsum = shape.kernel->einsum;
    auto const label = static_cast<int>(of);
    auto const move = [&](std::vector<int> const& axes, std::vector<Extent> const& strides, DType type) {
        std::ptrdiff_t bytes = 0;
        for (std::size_t at = 0; at < strides.size(); ++at)
            if (axes[at] == label) bytes += strides[at] * static_cast<std::ptrdiff_t>(size_of(type));
        return bytes;
    };
    Moves out;
    for (std::size_t i = 0; i < einsum.inputs.size(); ++i)
        out.operands.push_back(move(einsum.inputs[i], shape.operand_strides[i], shape.operand_dtypes[i]));
    out.output = move(einsum.output, shape.output_strides, shape.output_dtype);
    return out;
}

std::vector<KernelShape> FusedGroupRunner::shapes_of_piece(Prepared const& group, unsigned longer,
                                                           Extent clipped) const {
    std::vector<KernelShape> out;
    for (std::size_t k = 0; k < group.steps.size(); ++k) {
        FusedStep const& step = group.steps[k];
        KernelShape shape = shape_of(group, k);
        for (std::size_t a = 0; a < group.group.axes.size(); ++a) {
            FusedGroup::Axis const& axis = group.group.axes[a];
            shape.lengths[axis.labels[step.member]] = axis.length / axis.parts + (longer >> a & 1);
        }
        if (group.label(k) >= 0) shape.lengths[static_cast<std::size_t>(group.label(k))] = clipped;
        for (std::size_t i = 0; i < step.operands.size(); ++i)
            if (step.operands[i].step >= 0)
                shape.operand_strides[i] = out[static_cast<std::size_t>(step.operands[i].step)].output_strides;
        if (!group.leaves(k)) shape.output_strides = row_major_strides(output_lengths(shape));
        out.push_back(std::move(shape));
    }
    return out;
}

FusedGroupRunner::Piece& FusedGroupRunner::prepare_piece(Prepared& group, unsigned longer, Extent clipped,
                                                         Device& device, scalar::Params const& params) const {
    auto const [place, fresh] = group.pieces.try_emplace({longer, clipped});
    Piece& out = place->second;
    if (!fresh) return out;
    out.shapes = shapes_of_piece(group, longer, clipped);
    for (std::size_t k = 0; k < group.steps.size(); ++k) {
        FusedStep const& step = group.steps[k];
        KernelShape const& shape = out.shapes[k];
        if (step.in_place) {
            out.output_at.push_back(out.output_at[static_cast<std::size_t>(step.operands[0].step)]);
        } else if (!group.leaves(k)) {
            out.output_at.push_back(out.bytes);
            out.bytes += lines(static_cast<std::size_t>(element_count(output_lengths(shape))) * size_of(step.output));
        }
        bool const computes = k > 0 && !graph::is_rows_by_columns(step.kernel.einsum) &&
                              step.kernel.einsum.join.node().op != scalar::Op::operand;
        out.shares.push_back(computes ? static_cast<double>(element_count(shape.lengths)) : 0.0);
        out.kernels.push_back(device.prepare(shape, params));
        out.alone.push_back(search_alone(group, k, shape, device, params));
        if (out.alone.back()) out.shares.back() = 0;  // it is over as soon as its operands are read
    }
    double left = std::accumulate(out.shares.begin(), out.shares.end(), 0.0);
    for (double& share : out.shares) {
        double const points = share;
        share = points > 0 ? points / left : 0;
        left -= points;
    }
    return out;
}

std::optional<FusedGroupRunner::Stream> FusedGroupRunner::stream_of(Prepared const& group) const {
    std::optional<Stream> out;
    for (std::size_t k = 0; k < group.steps.size(); ++k) {
        auto const inputs = group.group.members.reads(task_of(group, group.steps[k]));
        for (std::size_t i = 0; i < group.steps[k].operands.size(); ++i) {
            std::int32_t const input = group.steps[k].operands[i].input;
            if (input < 0) continue;
            BlockId const block = inputs[static_cast<std::size_t>(input)];
            std::int64_t const bytes = group.group.members.bytes_of(block);
            for (std::size_t a = 0; a < group.group.axes.size(); ++a) {
                std::ptrdiff_t const step = group.moves[k][a].operands[i];
                bool const runs = step * group.group.axes[a].length == bytes;
                if (runs && (!out || step > out->step)) out = {group.group.outside(block), a, step};
            }
        }
    }
    return out;
}

FusedGroupRunner::Place FusedGroupRunner::place_of(Prepared const& group, std::int64_t number) {
    std::vector<FusedGroup::Axis> const& axes = group.group.axes;
    Place out{std::vector<Extent>(axes.size()), std::vector<Extent>(axes.size()),
              std::vector<std::int64_t>(axes.size()), 0};
    for (std::size_t a = axes.size(); a-- > 0; number /= axes[a].parts) {
        std::int64_t const part = out.part[a] = number % axes[a].parts;
        bool const longer = part < axes[a].length % axes[a].parts;
        out.first[a] = part_begin(axes[a].length, axes[a].parts, part);
        out.length[a] = axes[a].length / axes[a].parts + longer;
        if (longer) out.longer |= 1U << a;
    }
    return out;
}

std::span<std::byte const> FusedGroupRunner::Prepared::read_of_stream(Place const& place, BlockStorage& storage) const {
    if (!stream) return {};
    return {data_of(storage, stream->block) + place.first[stream->axis] * stream->step,
            static_cast<std::size_t>(place.length[stream->axis] * stream->step)};
}

/// Neighbouring pieces run on one thread, which brings the next one's operands into the cache while it computes.
void FusedGroupRunner::run(TaskId task, BlockStorage& storage, WorkerTeam& team, FusedSteps* seen) const {
    Prepared const& relying = prepared_.at(task);
    bool const holds = std::all_of(relying.relies_on.begin(), relying.relies_on.end(),
                                   [&](BlockId block) { return known_.holds(block, storage, team); });
    Prepared const& group = holds ? relying : *relying.plain;
    Found found;
    auto const begin = [&](Prepared const& of, KnownFacts& facts) {
        for (std::size_t fact = 0; of.clip && fact < of.clip->facts().size(); ++fact)
            facts.emplace_back(static_cast<std::size_t>(of.group.pieces()));
    };
    begin(group, found.facts);
    if (group.plain) begin(*group.plain, found.plain_facts);
    std::int64_t const pieces = group.group.pieces(),
                       runs = std::min<std::int64_t>(pieces, tuning::runs_a_thread * team.width());
    std::optional<std::int64_t> const in_sight = seen == nullptr ? std::nullopt : seen->piece_to_see(task, pieces);
    team.run(runs, [&](std::int64_t run) {
        std::int64_t const end = part_begin(pieces, runs, run + 1);
        for (std::int64_t piece = part_begin(pieces, runs, run); piece < end; ++piece) {
            run_piece(group, piece, piece + 1 < end ? piece + 1 : -1, storage, in_sight == piece ? seen : nullptr,
                      found);
            team.pause();
        }
    });
    if (group.known_result) known_.made(group.group.result, found.result_is_known);
}

/// @param next  the piece that this thread runs then; -1: none
void FusedGroupRunner::run_piece(Prepared const& group, std::int64_t number, std::int64_t next, BlockStorage& storage,
                                 FusedSteps* seen, Found& found) const {
    std::span<std::byte const> coming;
    if (group.group.carry) {
        if (!compute_carried(group, number, true, storage, seen, found.facts))
            compute_carried(group, number, false, storage, seen, found.facts);
        return;
    }
    if (next >= 0) coming = group.read_of_stream(place_of(group, next), storage);
    if (coming.data() == group.read_of_stream(place_of(group, number), storage).data()) coming = {};
    Place const place = place_of(group, number);
    std::optional<scalar::IndexRange> computed;
    if (group.is_clipped(number)) computed = group.clips[Prepared::at(number)].live;
    if (!compute_piece(group, number, true, coming, storage, seen, found.facts)) {
        computed.reset();
        if (!group.plain || !compute_piece(*group.plain, number, true, {}, storage, seen, found.plain_facts))
            compute_piece(group.plain ? *group.plain : group, number, false, {}, storage, seen, found.facts);
    }
    if (group.known_result) look_at_result(group, place, computed, storage, found);
}

bool FusedGroupRunner::compute_piece(Prepared const& group, std::int64_t number, bool clipped,
                                     std::span<std::byte const> coming, BlockStorage& storage, FusedSteps* seen,
                                     KnownFacts& known) const {
    std::vector<FusedGroup::Axis> const& axes = group.group.axes;
    Place const place = place_of(group, number);
    bool const asks = clipped && (group.is_clipped(number) || group.drops_masks);
    clipped = clipped && group.is_clipped(number);
    PieceClip const* const clip = group.clips.empty() ? nullptr : &group.clips[Prepared::at(number)];
    scalar::IndexRange const live = clipped ? clip->live : group.whole;
    Piece const& piece = group.pieces.at({place.longer, live.length()});
    Scratch const inside(piece.bytes);
    SoloWorkerTeam solo;
    std::vector<void const*> operands;
    std::vector<Extent> begin;
    for (std::size_t k = 0; k < piece.kernels.size(); ++k) {
        FusedStep const& step = group.steps[k];
        Task const& member = task_of(group, step);
        auto const inputs = group.group.members.reads(member);
        BoxView const region = group.group.members.region_of(member);
        operands.resize(step.operands.size());
        begin.assign(region.begin.begin(), region.begin.end());
        bool const is_last = k + 1 == piece.kernels.size();
        std::byte* output =
            is_last ? data_of(storage, group.group.result) + group.output_offset : inside.data() + piece.output_at[k];
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            auto const [writer, input] = step.operands[i];
            std::byte const* from = writer >= 0 ? inside.data() + piece.output_at[static_cast<std::size_t>(writer)]
                                                : data_of(storage, group.group.outside(inputs[at(input)])) +
                                                      group.input_offsets[step.member][at(input)];
            for (std::size_t a = 0; a < axes.size(); ++a) from += place.first[a] * group.moves[k][a].operands[i];
            operands[i] = from;
        }
        for (std::size_t a = 0; a < axes.size(); ++a) {
            output += place.first[a] * group.moves[k][a].output;
            begin[axes[a].labels[step.member]] += place.first[a];
        }
        bool const all = seen != nullptr;  // whoever looks at steps sees each
        if (!all && k + 1 < piece.alone.size() && piece.alone[k + 1]) continue;
        if (asks && !facts_hold(group, place, k, operands, piece.shapes[k], known)) return false;
        if (clipped && group.clip->label(k) >= 0) {
            for (std::size_t i = 0; i < step.operands.size(); ++i)
                operands[i] = static_cast<std::byte const*>(operands[i]) + live.begin * group.clip_moves[k].operands[i];
            if (is_last && group.clip->outside()) fill_outside(group, piece.shapes[k], live, output);
            output += live.begin * group.clip_moves[k].output;
            begin[static_cast<std::size_t>(group.clip->label(k))] += live.begin;
        }
        auto const share = static_cast<std::size_t>(static_cast<double>(coming.size()) * piece.shares[k]);
        std::span<std::byte const> const now = coming.first(share);
        coming = coming.subspan(share);
        PreparedKernel const* kernel = (all || !piece.alone[k] ? piece.kernels : piece.alone)[k].get();
        KernelShape const* shape = &piece.shapes[k];
        if (step.in_place && clip != nullptr && clipped == group.is_clipped(number)) {
            scalar::IndexRange const masked = clip->masked[k];
            if (masked.empty()) continue;
            if (!group.masks[k]->ends().empty()) {
                mask_elements_of(*group.masks[k], step, piece.shapes[k], begin, output);
                if (seen != nullptr)
                    seen->see({group.group.task, step.member, k, *shape, {operands, output, begin, now}}, solo);
                continue;
            }
            Masked const& mask = piece.masks.at({k, masked.length()});
            kernel = mask.kernel.get();
            shape = &mask.shape;
            begin[static_cast<std::size_t>(group.masks[k]->label())] += masked.begin;
            output += masked.begin * mask.step;
            operands[0] = output;
        }
        KernelCall call{operands, output, begin, now};
        std::optional<KeptOperand> kept;
        if (seen != nullptr && shape->over >= 0) kept.emplace(*shape, call);
        launch(group, k, *kernel, *shape, call);
        if (kept) shape = &kept->shape(), call.operands = kept->operands();
        KernelShape masked;
        if (is_last && group.result_mask) {
            mask_elements_of(group.result_mask->range, step, *shape, begin, output);
            masked = *shape;
            masked.kernel = &group.result_mask->kernel;
            shape = &masked;
        }
        if (seen != nullptr) seen->see({group.group.task, step.member, k, *shape, call}, solo);
    }
    return true;
}

void FusedGroupRunner::launch(Prepared const& group, std::size_t k, PreparedKernel const& kernel,
                              KernelShape const& shape, KernelCall const& call) const {
    SoloWorkerTeam solo;
    try {
        kernel.launch(call, solo);
    } catch (scalar::PositionError const& error) {
        throw InputError(
            index_fault(shape, call, error, [&](int operand) { return name_of_operand(group, k, operand); }));
    }
}

std::string FusedGroupRunner::name_of_operand(Prepared const& group, std::size_t k, int operand) const {
    FusedStep const& step = group.steps[k];
    auto const [writer, input] = step.operands[at(operand)];
    schedule::Section const& members = group.group.members;
    BlockId const block =
        writer < 0 ? members.reads(task_of(group, step))[at(input)] : *task_of(group, group.steps[at(writer)]).result();
    return tensor_text(header_, members.blocks[block]);
}

}  // namespace ein::executor
