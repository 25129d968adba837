#include "lib/schedule/memory/take_over.hpp"

#include <algorithm>

#include "lib/graph/labels.hpp"
#include "lib/graph/update.hpp"
#include "lib/schedule/fusion/members.hpp"
#include "lib/tensor/reshape_runs.hpp"

namespace ein::schedule {
namespace {

/// Joins that are products may be computed by other kernels, which round elsewhere.
bool may_be_product(graph::EinSum const& einsum) {
    scalar::Op const op = einsum.join.op();
    return einsum.operands() > 1 && (op == scalar::Op::mul || op == scalar::Op::div || op == scalar::Op::neg);
}

/// A kernel that makes each element of its result from one of the operand's, in the same place.
bool is_elementwise(Header const& header, graph::EinSum const& einsum, std::size_t k) {
    return einsum.inputs[k] == einsum.output && einsum.aggregated().empty() && !graph::as_lookup(einsum) &&
           !(header.reproducible && may_be_product(einsum));
}

class TakeOver {
public:
    TakeOver(Header const& header, Section const& section, std::size_t k) : header_(header), section_(section), k_(k) {}

    bool operator()(Apply const& call) const {
        graph::EinSum const& einsum = header_.kernels[call.kernel].einsum;
        if (call.accumulates || !writes_whole(einsum, call.region, call.result)) return false;
        for (std::size_t other = 0; other < call.operands.size(); ++other)
            if (!section_.blocks[call.operands[other]].is_box() ||
                (call.operands[other] == call.operands[k_] && !is_elementwise(header_, einsum, other)))
                return false;
        return true;
    }
    /// Of all that is copied, nothing moves.
    bool operator()(Copy const& copy) const {
        BoxView const box = section_.view_of(section_.blocks[copy.result]);
        if (!std::ranges::equal(copy.region.begin, box.begin) || !std::ranges::equal(copy.region.length, box.length))
            return false;
        auto const& axes = header_.movements[copy.movement].axes;
        return std::all_of(axes.begin(), axes.end(),
                           [](graph::AxisMap const& axis) { return axis.start == 0 && axis.step == 1; });
    }
    /// Where both blocks are one run of the same elements in C order.
    bool operator()(Reshape const& move) const {
        ReshapeSpec const& shapes = header_.reshapes[move.reshape];
        auto const run = tensor::run_of(shapes.from, section_.box_of(section_.blocks[move.from]));
        return run && run == tensor::run_of(shapes.to, section_.box_of(section_.blocks[move.result]));
    }
    /// The last member writes when those before it have read: all of a piece, and no other piece's elements.
    bool operator()(Fused const& task) const {
        FusionSpec const& spec = header_.fusions[task.fusion];
        if (std::any_of(spec.axes.begin(), spec.axes.end(), [](auto const& axis) { return axis.is_carried; }))
            return false;
        std::vector<BoxView> regions;
        for_each_member(header_, task, [&](FusionSpec::Member const&, BoxView region) { regions.push_back(region); });
        FusionSpec::Member const& last = spec.members.back();
        if (!writes_whole(header_.kernels[last.kernel].einsum, regions.back(), task.result)) return false;
        bool writes_over = false;  // what it reads itself
        for (std::size_t m = 0; m < spec.members.size(); ++m)
            for (std::size_t i = 0; i < spec.members[m].operands.size(); ++i) {
                auto const [is_inside, place] = spec.members[m].operands[i];
                if (is_inside || static_cast<std::size_t>(place) != k_) continue;
                bool const is_last = m + 1 == spec.members.size();
                writes_over = writes_over || is_last;
                if (is_last ? !is_elementwise(header_, header_.kernels[last.kernel].einsum, i)
                            : !is_cut_alike(spec, regions, m, i))
                    return false;
            }
        return writes_over;
    }
    template <class Other>
    bool operator()(Other const&) const {
        return false;
    }

private:
    bool writes_whole(graph::EinSum const& einsum, BoxView const& region, BlockId result) const {
        return projected(region, einsum.output) == section_.box_of(section_.blocks[result]);
    }

    /// Whether each piece of a member reads of its operand i what the same piece of the last one writes.
    bool is_cut_alike(FusionSpec const& spec, std::vector<BoxView> const& regions, std::size_t m, std::size_t i) const {
        std::vector<int> const& read = header_.kernels[spec.members[m].kernel].einsum.inputs[i];
        std::vector<int> const& written = header_.kernels[spec.members.back().kernel].einsum.output;
        return std::all_of(spec.axes.begin(), spec.axes.end(), [&](FusionSpec::Axis const& axis) {
            int const there = axis.labels.back(), here = axis.labels[m];
            auto const at =
                static_cast<std::size_t>(std::find(written.begin(), written.end(), there) - written.begin());
            return axis.parts == 1 || (at < written.size() && read[at] == here &&
                                       regions[m].begin[static_cast<std::size_t>(here)] ==
                                           regions.back().begin[static_cast<std::size_t>(there)]);
        });
    }

    Header const& header_;
    Section const& section_;
    std::size_t k_;
};

}  // namespace

bool may_take_over(Header const& header, Section const& section, Task const& task, std::size_t k) {
    if (!task.result() || k >= section.reads(task).size()) return false;
    Block const &from = section.blocks[section.reads(task)[k]], &to = section.blocks[*task.result()];
    return from.is<DenseBlock>() && to.is<DenseBlock>() && from.dtype == to.dtype && to.writers == 1 &&
           (task.is<Reshape>() || section.box_of(from) == section.box_of(to)) &&
           section.visit(task, TakeOver(header, section, k));
}

double written_share(Header const& header, Section const& section, Task const& task) {
    if (!task.over() || !task.is<Apply>()) return 1;
    auto const call = section.as<Apply>(task);
    Kernel const& kernel = header.kernels[call.kernel];
    auto const update = graph::as_update(kernel.einsum, *task.over(), call.region.length, kernel.compute);
    return update ? update->share : 1;
}

void keep_all(Section& section) {
    for (Task& task : section.tasks) task.set_over({});
}

void keep_inputs(Section& section) {
    Table<BlockId, std::uint8_t> loaded(section.blocks.size(), 0);
    for (Task const& task : section.tasks)
        if (task.is<Load>()) loaded[*task.result()] = 1;
    for (Task& task : section.tasks)
        if (auto const taken = section.taken_over(task); taken && loaded[*taken] != 0) task.set_over({});
}

}  // namespace ein::schedule
