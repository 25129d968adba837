#include "lib/schedule/verify/verify_task.hpp"

#include <algorithm>

#include "lib/graph/labels.hpp"
#include "lib/graph/summation_order.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/schedule/fusion/fold.hpp"
#include "lib/schedule/fusion/members.hpp"
#include "lib/tensor/reshape_runs.hpp"

namespace ein::schedule {
namespace {

bool axis_fits(graph::AxisMap map, BoxView region, BoxView from, BoxView to, std::size_t axis) {
    Extent const low = region.begin[axis], end = to.end(axis);
    if (low < to.begin[axis] || low > end || region.length[axis] > end - low) return false;  // its sum may overflow
    Extent const high = region.end(axis) - 1;
    Extent step_low, step_high, first, last;
    if (__builtin_mul_overflow(map.step, low, &step_low) || __builtin_mul_overflow(map.step, high, &step_high) ||
        __builtin_add_overflow(map.start, step_low, &first) || __builtin_add_overflow(map.start, step_high, &last))
        return false;
    return std::min(first, last) >= from.begin[axis] && std::max(first, last) < from.end(axis);
}

/// Whether what an axis of a region reads is counted without overflow, as are steps back from it.
bool is_countable(graph::AxisMap map, BoxView region, std::size_t axis) {
    constexpr Extent most = Extent{1} << 61;
    Extent first, last;
    if (map.step == 0 || std::abs(map.step) > most || std::abs(map.start) > most) return false;
    return !__builtin_mul_overflow(map.step, region.begin[axis], &first) &&
           !__builtin_mul_overflow(map.step, region.end(axis) - 1, &last) && std::abs(first) <= most &&
           std::abs(last) <= most;
}

/// A visitor with one small function a kind of task.
class TaskCheck {
public:
    TaskCheck(Header const& header, Section const& section) : header_(header), section_(section) {}

    bool operator()(Load const& load) const {
        TensorId const tensor = header_.inputs[load.input].tensor;
        Block const& result = block(load.result);
        if (load.around && !(result.is_listed() && is_inside(*load.around, header_.tensors[tensor].shape) &&
                             load.around->box().contains(section_.box_of(result))))
            return false;
        return (result.is_box() || result.is_listed()) && result.tensor == tensor &&
               result.dtype == header_.tensors[tensor].dtype;
    }
    bool operator()(Apply const& call) const { return kernel_call(call); }
    bool operator()(Reduce const& call) const { return kernel_call(call); }
    /// Its members are, on blocks of their own, and nothing of what is inside is read but by pieces that are there.
    bool operator()(Fused const& task) const {
        if (!fits(task)) return false;
        Section const alone = unfolded(header_, section_, task);
        for (Block const& inside : alone.blocks)
            if (!is_inside(alone.view_of(inside), header_.tensors[inside.tensor].shape)) return false;
        TaskCheck const check(header_, alone);
        for (Task const& member : alone.tasks)
            if (!check(alone.as<Apply>(member))) return false;
        return pieces_fit(task, alone);
    }
    bool operator()(Fill const&) const { return true; }
    bool operator()(Copy const& copy) const {
        auto const& axes = header_.movements[copy.movement].axes;
        Block const &from = block(copy.from), &to = block(copy.result);
        BoxView const region = copy.region, from_box = section_.view_of(from), to_box = section_.view_of(to);
        if (!from.is_box() || !to.is_box() || from.dtype != to.dtype || region.order() != axes.size() ||
            from_box.order() != axes.size() || to_box.order() != axes.size())
            return false;
        bool const empty = std::find(region.length.begin(), region.length.end(), 0) != region.length.end();
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            if (region.length[axis] < 0 || (!empty && !axis_fits(axes[axis], region, from_box, to_box, axis)))
                return false;
        return true;
    }
    bool operator()(Reshape const& task) const {
        ReshapeSpec const& spec = header_.reshapes[task.reshape];
        Block const &from = block(task.from), &to = block(task.result);
        return from.dtype == to.dtype && from.is_box() && to.is_box() && is_inside(section_.view_of(from), spec.from) &&
               is_inside(section_.view_of(to), spec.to);
    }
    bool operator()(Pack const& task) const {
        Block const &from = block(task.from), &to = block(task.result);
        return from.dtype == to.dtype && from.is_box() && to.is<PackedBlock>() &&
               shares(task.reshape, section_.view_of(from), task.unpacked, section_.elements_of(to));
    }
    bool operator()(Unpack const& task) const {
        Block const &from = block(task.from), &to = block(task.result);
        return from.dtype == to.dtype && from.is<PackedBlock>() && to.is_box() &&
               shares(task.reshape, task.packed, section_.view_of(to), section_.elements_of(from));
    }
    bool operator()(Send const& send) const { return !send.part || lies_together(*send.part, block(send.block)); }
    bool operator()(Receive const& receive) const {
        return !receive.part || lies_together(*receive.part, block(receive.block));
    }
    bool operator()(Store const& store) const {
        // Of a tensor that equals it, maybe: a node that changes nothing has none.
        Tensor const& tensor = header_.tensors[header_.outputs[store.output].tensor];
        Block const& stored = block(store.block);
        return (stored.is_box() || stored.is_listed()) && header_.tensors[stored.tensor].shape == tensor.shape &&
               stored.dtype == tensor.dtype;
    }
    bool operator()(Spill const&) const { return true; }
    bool operator()(Fetch const&) const { return true; }
    bool operator()(Iterate const&) const { return true; }
    bool operator()(Assemble const& task) const {
        Block const& result = block(task.result);
        return result.is_listed() && std::all_of(task.parts.begin(), task.parts.end(), [&](BlockId id) {
                   Block const& part = block(id);
                   return part.is_listed() && part.tensor == result.tensor && part.dtype == result.dtype;
               });
    }
    bool operator()(Relocate const& task) const {
        auto const& axes = header_.movements[task.movement].axes;
        BoxView const to = section_.view_of(block(task.result));
        if (!are_alike(task.parts, task.result) || task.region.order() != axes.size() || to.order() != axes.size())
            return false;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            Extent const low = task.region.begin[axis];
            if (low < to.begin[axis] || low > to.end(axis) || task.region.length[axis] < 0 ||
                task.region.length[axis] > to.end(axis) - low || !is_countable(axes[axis], task.region, axis))
                return false;
        }
        return std::all_of(task.parts.begin(), task.parts.end(),
                           [&](BlockId part) { return section_.view_of(block(part)).order() == axes.size(); });
    }
    bool operator()(Refold const& task) const {
        ReshapeSpec const& spec = header_.reshapes[task.reshape];
        return are_alike(task.parts, task.result) && is_inside(section_.view_of(block(task.result)), spec.to) &&
               std::all_of(task.parts.begin(), task.parts.end(),
                           [&](BlockId part) { return is_inside(section_.view_of(block(part)), spec.from); });
    }

private:
    Block const& block(BlockId id) const { return section_.blocks[id]; }

    /// Sparse blocks, some, of one tensor, that leave out what the result leaves out.
    bool are_alike(std::span<BlockId const> parts, BlockId id) const {
        Block const& result = block(id);
        auto const fill = [&](Block const& of) { return header_.tensors[of.tensor].fill; };
        return result.is_listed() && !parts.empty() && fill(result) &&
               std::all_of(parts.begin(), parts.end(), [&](BlockId part_id) {
                   Block const& part = block(part_id);
                   return part.is_listed() && part.tensor == block(parts[0]).tensor && part.dtype == result.dtype &&
                          fill(part) && scalar::same_value(*fill(part), *fill(result));
               });
    }

    /// Regions for all labels, operands that are there, dense blocks.
    bool fits(Fused const& task) const {
        std::size_t labels = 0;
        for (FusionSpec::Member const& member : header_.fusions[task.fusion].members) {
            labels += header_.kernels[member.kernel].einsum.labels.size();
            for (FusionSpec::Operand const& operand : member.operands)
                if (!operand.is_inside && static_cast<std::size_t>(operand.place) >= task.operands.size()) return false;
        }
        if (task.regions.order() != labels || !block(task.result).is_box()) return false;
        bool sound = std::all_of(task.operands.begin(), task.operands.end(),
                                 [&](BlockId operand) { return block(operand).is_box(); });
        for_each_member(header_, task, [&](FusionSpec::Member const& member, BoxView region) {
            sound = sound && is_inside(region, header_.kernels[member.kernel].einsum.extents);
        });
        return sound;
    }

    /// What is inside is read whole and written whole, and every cut runs through all of it.
    bool pieces_fit(Fused const& task, Section const& alone) const {
        FusionSpec const& spec = header_.fusions[task.fusion];
        auto const region = [&](std::size_t member) { return alone.region_of(alone.tasks.list()[member]); };
        std::size_t const last = spec.members.size() - 1;
        for (FusionSpec::Axis const& axis : spec.axes) {
            std::size_t some = last;
            while (axis.labels[some] < 0) --some;
            for (std::size_t m = 0; m <= last; ++m) {
                if (axis.labels[m] < 0) continue;
                auto const label = at(axis.labels[m]), same = at(axis.labels[some]);
                if (region(m).begin[label] != region(some).begin[same] ||
                    region(m).length[label] != region(some).length[same] || axis.parts > region(m).length[label])
                    return false;
            }
        }
        for (std::size_t m = 0; m <= last; ++m)
            for (std::size_t k = 0; k < spec.members[m].operands.size(); ++k)
                if (spec.members[m].operands[k].is_inside && !reads_pieces(spec, m, k, region)) return false;
        BoxView const made = section_.view_of(block(task.result));
        std::vector<int> const& output = header_.kernels[spec.members[last].kernel].einsum.output;
        for (std::size_t a = 0; a < output.size(); ++a)
            if (region(last).length[at(output[a])] != made.length[a]) return false;
        return true;
    }
    template <class Region>
    bool reads_pieces(FusionSpec const& spec, std::size_t reader, std::size_t k, Region const& region) const {
        std::vector<int> const& read = header_.kernels[spec.members[reader].kernel].einsum.inputs[k];
        auto const writer = static_cast<std::size_t>(spec.members[reader].operands[k].place);
        std::vector<int> const& made = header_.kernels[spec.members[writer].kernel].einsum.output;
        for (std::size_t a = 0; a < read.size(); ++a)
            if (region(reader).begin[at(read[a])] != region(writer).begin[at(made[a])] ||
                region(reader).length[at(read[a])] != region(writer).length[at(made[a])])
                return false;
        return std::all_of(spec.axes.begin(), spec.axes.end(), [&](FusionSpec::Axis const& axis) {
            if (axis.is_carried) return true;  // looked at with the header
            auto const found = std::find(read.begin(), read.end(), axis.labels[reader]);
            return std::count(read.begin(), read.end(), axis.labels[reader]) == 1 &&
                   made[static_cast<std::size_t>(found - read.begin())] == axis.labels[writer];
        });
    }

    template <class Call>
    bool kernel_call(Call const& call) const {
        graph::EinSum const& e = header_.kernels[call.kernel].einsum;
        if (call.operands.size() != e.operands() || call.region.order() != e.labels.size() ||
            !is_inside(call.region, e.extents))
            return false;
        for (std::size_t k = 0; k < e.operands(); ++k)
            if (!covers(block(call.operands[k]), e.inputs[k], call.region)) return false;
        if (header_.reproducible && depends_on_order(header_.kernels[call.kernel], block(call.result).dtype) &&
            !has_all_terms(e, call.region))
            return false;
        return covers(block(call.result), e.output, call.region);
    }

    static bool depends_on_order(Kernel const& kernel, DType output) {
        scalar::TypeResult const join = scalar::type_of(kernel.einsum.join, kernel.compute, compute_dtype({}, output));
        return join.problem.empty() &&
               graph::depends_on_order(kernel.einsum.agg, graph::accumulate_type(kernel.einsum, join.type, output));
    }

    static bool has_all_terms(graph::EinSum const& einsum, BoxView region) {
        std::vector<int> const aggregated = einsum.aggregated();
        return std::all_of(aggregated.begin(), aggregated.end(),
                           [&](int label) { return region.length[at(label)] == einsum.extents[at(label)]; });
    }

    /// The block holds the whole of region's projection on the labels of its axes.
    bool covers(Block const& held, std::vector<int> const& labels, BoxView region) const {
        BoxView const box = section_.view_of(held);
        if ((!held.is_box() && !held.is_listed()) || box.order() != labels.size()) return false;
        bool inside = true;
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            auto const label = static_cast<std::size_t>(labels[axis]);
            if (region.length[label] == 0) return true;
            inside = inside && region.begin[label] >= box.begin[axis] && region.end(label) <= box.end(axis);
        }
        return inside;
    }

    bool shares(ReshapeId id, BoxView from, BoxView to, Extent packed) const {
        ReshapeSpec const& spec = header_.reshapes[id];
        return is_inside(from, spec.from) && is_inside(to, spec.to) &&
               packed == tensor::shared_elements(spec.from, from.box(), spec.to, to.box());
    }

    bool lies_together(BoxView part, Block const& whole) const {
        BoxView const box = section_.view_of(whole);
        if (!whole.is_box() || part.order() != box.order()) return false;
        for (std::size_t axis = 0; axis < part.order(); ++axis)
            if (part.length[axis] < 0 || part.begin[axis] < box.begin[axis] ||
                part.length[axis] > box.end(axis) - part.begin[axis])
                return false;
        return is_one_run(part.box(), box.box());
    }

    Header const& header_;
    Section const& section_;
};

}  // namespace

bool is_possible_shape(Shape const& shape, DType dtype) {
    Extent const most_elements = (Extent{1} << 62) / static_cast<Extent>(size_of(dtype));
    auto const count = checked_element_count(shape);
    return std::all_of(shape.begin(), shape.end(), [&](Extent e) { return e >= 0 && e <= most_elements; }) && count &&
           *count <= most_elements;
}

bool is_inside(BoxView box, Shape const& shape) {
    if (box.order() != shape.size()) return false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (box.begin[axis] < 0 || box.length[axis] < 0 || box.begin[axis] > shape[axis] ||
            box.length[axis] > shape[axis] - box.begin[axis])
            return false;
    return true;
}

bool is_sound(Header const& header, Section const& section, Task const& task) {
    return section.visit(task, TaskCheck(header, section));
}

}  // namespace ein::schedule
