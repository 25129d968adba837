// What the runner of fused groups does for groups that carry reductions over pieces of rows: carried_state.hpp.
#include <algorithm>

#include "executor/device/cpu/scratch.hpp"
#include "executor/engine/kernel_table.hpp"
#include "executor/fusion/fused_group_runner.hpp"

namespace ein::executor {

using scalar::IndexRange;
using Phase = CarriedStep::Phase;

Extent FusedGroupRunner::run_length(Prepared const& group, IndexRange live, Extent at) {
    return std::min(group.carried_length, live.end - at);
}

void FusedGroupRunner::prepare_carry(Prepared& group, Device& device, scalar::Params const& params) const {
    group.whole = {0, group.group.carry->length};
    for (std::size_t k = 0; k < group.steps.size(); ++k) {
        int const label = group.carried[k].label;
        group.clip_moves.push_back(label < 0 ? Moves{} : moves_along(group, k, static_cast<std::size_t>(label)));
    }
    FusedStep const& last = group.steps.back();
    KernelShape const of_task = kernel_shape(header_, group.group.members, task_of(group, last));
    KernelShape result;
    result.output_strides = of_task.output_strides;
    result.output_dtype = of_task.output_dtype;
    std::vector<int> const& output = last.kernel.einsum.output;
    for (FusedGroup::Axis const& axis : group.group.axes) {
        auto const at = std::find(output.begin(), output.end(), static_cast<int>(axis.labels[last.member]));
        group.result_moves.push_back(of_task.output_strides[static_cast<std::size_t>(at - output.begin())] *
                                     static_cast<std::ptrdiff_t>(size_of(of_task.output_dtype)));
    }
    for (std::int64_t number = 0; number < group.group.pieces(); ++number) {
        unsigned const longer = place_of(group, number).longer;
        auto const prepare = [&](Extent length) {
            if (length == 0) return;
            Piece const& piece = prepare_piece(group, longer, length, device, params);
            if (!group.states.contains(longer))
                group.states.try_emplace(longer, group.steps, group.carried, piece.shapes, result, device, params);
        };
        for (IndexRange live : {group.whole, group.clip ? group.clips[Prepared::at(number)].live : group.whole}) {
            prepare(std::min(live.length(), group.carried_length));
            prepare(live.length() % group.carried_length);
        }
    }
}

/// One piece of rows while it is computed.
struct FusedGroupRunner::CarriedRun {
    FusedGroupRunner const& runner;
    Prepared const& group;
    Place const& place;
    CarriedState const& state;
    BlockStorage& storage;
    std::byte* carried;  // memory of the state
    std::byte* inside;   // of the piece of rows that runs now
    std::vector<void const*> operands = {};
    std::vector<Extent> begin = {};

    std::byte* host(BlockId block) const { return storage.in_host(block, HostUse::update).data(); }

    std::byte* made_by(std::size_t k, Piece const& piece, bool is_finished) const {
        if (group.carried[k].label >= 0 && !group.carried[k].is_carried) return inside + piece.output_at[k];
        return carried + (is_finished ? state.finished(k) : state.so_far(k));
    }

    /// Operands and indices of a step. @param from  index of the carried label
    void aim(std::size_t k, Piece const& piece, Extent from) {
        FusedStep const& step = group.steps[k];
        schedule::Task const& member = task_of(group, step);
        auto const inputs = group.group.members.reads(member);
        BoxView const region = group.group.members.region_of(member);
        bool const has_label = group.carried[k].label >= 0;
        operands.resize(step.operands.size());
        begin.assign(region.begin.begin(), region.begin.end());
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            auto const [writer, input] = step.operands[i];
            if (writer >= 0) {
                operands[i] = made_by(at(writer), piece, group.carried[k].phase == Phase::after);
                continue;
            }
            std::byte const* data = host(group.group.outside(inputs[at(input)]));
            data += group.input_offsets[step.member][at(input)];
            for (std::size_t a = 0; a < place.first.size(); ++a) data += place.first[a] * group.moves[k][a].operands[i];
            operands[i] = has_label ? data + from * group.clip_moves[k].operands[i] : data;
        }
        for (std::size_t a = 0; a < place.first.size(); ++a)
            begin[group.group.axes[a].labels[step.member]] += place.first[a];
        if (has_label) begin[at(group.carried[k].label)] += from;
    }

    std::byte* result() const {
        std::byte* out = host(group.group.result) + group.output_offset;
        for (std::size_t a = 0; a < place.first.size(); ++a) out += place.first[a] * group.result_moves[a];
        return out;
    }

    void run(Phase phase, Piece const& piece, Extent from, FusedSteps* seen) {
        for (std::size_t k = 0; k < group.steps.size(); ++k) {
            bool const is_last = k + 1 == group.steps.size();
            CarriedStep const& carry = group.carried[k];
            if (phase == Phase::after && carry.is_carried) state.finish(k, carried, is_last ? result() : nullptr);
            if (carry.phase != phase) continue;
            aim(k, piece, from);
            std::byte* const output = group.leaves(k)    ? result()
                                      : carry.is_carried ? inside + piece.output_at[k]
                                                         : made_by(k, piece, false);
            launch(k, piece, output, seen);
            if (carry.is_carried) state.combine(k, output, carried);
        }
    }

    void launch(std::size_t k, Piece const& piece, std::byte* output, FusedSteps* seen) {
        FusedStep const& step = group.steps[k];
        SoloWorkerTeam solo;
        if (step.in_place) operands[0] = output;
        KernelCall const call{operands, output, begin, {}};
        if (step.in_place && !group.masks[k]->ends().empty())
            mask_elements_of(*group.masks[k], step, piece.shapes[k], begin, output);
        else if (!step.in_place || is_masked(k, piece))
            runner.launch(group, k, *piece.kernels[k], piece.shapes[k], call);
        if (seen == nullptr) return;
        seen->see({group.group.task, step.member, k, piece.shapes[k], call}, solo);
        for (std::size_t member : step.also) seen->see({group.group.task, member, k, piece.shapes[k], call}, solo);
    }

    bool is_masked(std::size_t k, Piece const& piece) const {
        std::vector<IndexRange> box;
        for (std::size_t l = 0; l < begin.size(); ++l) box.push_back({begin[l], begin[l] + piece.shapes[k].lengths[l]});
        return !group.masks[k]->masked(box).empty();
    }
};

bool FusedGroupRunner::compute_carried(Prepared const& group, std::int64_t number, bool clipped, BlockStorage& storage,
                                       FusedSteps* seen, KnownFacts& known) const {
    Place const place = place_of(group, number);
    clipped = clipped && group.is_clipped(number);
    IndexRange const live = clipped ? group.clips[Prepared::at(number)].live : group.whole;
    CarriedState const& state = group.states.at(place.longer);
    auto const piece_at = [&](Extent from) -> Piece const& {
        return group.pieces.at({place.longer, run_length(group, live, from)});
    };
    std::size_t const whole_piece = std::max(piece_at(live.begin).bytes, std::size_t{1});
    Scratch const memory(state.bytes() + whole_piece);
    CarriedRun run{*this, group, place, state, storage, memory.data(), memory.data() + state.bytes()};
    state.begin(run.carried);
    run.run(Phase::before, piece_at(live.begin), live.begin, seen);
    Extent const times = (live.length() + group.carried_length - 1) / group.carried_length;
    Extent const in_sight = live.begin + number % times * group.carried_length;
    for (Extent from = live.begin; from < live.end; from += run_length(group, live, from))
        run.run(Phase::pieces, piece_at(from), from, from == in_sight ? seen : nullptr);
    Piece const& any = piece_at(live.begin);
    for (std::size_t k = 0; clipped && k < group.steps.size(); ++k) {
        run.aim(k, any, 0);
        if (!facts_hold(group, place, k, run.operands, any.shapes[k], known)) return false;
    }
    run.run(Phase::after, any, 0, seen);
    return true;
}

}  // namespace ein::executor
