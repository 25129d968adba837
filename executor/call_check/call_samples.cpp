#include "executor/call_check/call_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "executor/call_check/tuning.hpp"
#include "lib/base/hash.hpp"
#include "lib/schedule/fusion/fold.hpp"
#include "lib/tensor/reshape_runs.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Header;
using schedule::Section;

namespace {

/// Seconds, by fixed figures.
struct Cost {
    double call = 0, element = 0;  // that it takes; that one element takes to be computed again
    double elements = 0;           // that there are
};

/// What is looked at of each kind of task: whatever the device does.
struct CostOf {
    Header const& header;
    Section const& section;

    Cost operator()(schedule::Apply const& call) const {
        graph::EinSum const& einsum = header.kernels[call.kernel].einsum;
        Shape const lengths(call.region.length.begin(), call.region.length.end());
        double terms = 1, elements = 1;
        for (int label : einsum.aggregated()) terms *= static_cast<double>(lengths[at(label)]);
        for (int label : einsum.output) elements *= static_cast<double>(lengths[at(label)]);
        bool const plain = einsum.agg == scalar::Agg::sum && kind(header.kernels[call.kernel].compute) == Kind::real &&
                           einsum.join == scalar::product(static_cast<int>(einsum.operands()));
        Cost out = moved(call.result, elements);
        out.call += tuning::seconds_a_call_operation * graph::flops(einsum, lengths);
        double const share = section.listed_share(header.kernels[call.kernel], call);
        if (share < 1 || reads_listed(call)) {
            out.element = std::max(1.0, terms * share) * tuning::seconds_a_term;
            return out;
        }
        out.element = terms * (plain ? tuning::seconds_a_plain_term : tuning::seconds_a_term);
        return out;
    }
    bool reads_listed(schedule::Apply const& call) const {
        return std::any_of(call.operands.begin(), call.operands.end(),
                           [&](BlockId operand) { return section.blocks[operand].is_listed(); });
    }
    Cost operator()(schedule::Reduce const& reduce) const { return (*this)(call_of(reduce)); }
    Cost operator()(schedule::Fill const& fill) const {
        return moved(fill.result, static_cast<double>(section.elements_of(section.blocks[fill.result])));
    }
    Cost operator()(schedule::Copy const& copy) const {
        return moved(copy.result, static_cast<double>(copy.region.elements()));
    }
    Cost operator()(schedule::Reshape const& move) const {
        return shared(move.reshape, box(move.from), box(move.result), move.result);
    }
    Cost operator()(schedule::Pack const& move) const {
        return shared(move.reshape, box(move.from), move.unpacked.box(), move.result);
    }
    Cost operator()(schedule::Unpack const& move) const {
        return shared(move.reshape, move.packed.box(), box(move.result), move.result);
    }

    Cost operator()(schedule::Fused const&) const { return {}; }  // its members are asked
    Cost operator()(schedule::Load const&) const { return {}; }
    Cost operator()(schedule::Send const&) const { return {}; }
    Cost operator()(schedule::Receive const&) const { return {}; }
    Cost operator()(schedule::Store const&) const { return {}; }
    Cost operator()(schedule::Spill const&) const { return {}; }
    Cost operator()(schedule::Fetch const&) const { return {}; }
    Cost operator()(schedule::Iterate const&) const { return {}; }
    Cost operator()(schedule::Assemble const&) const { return {}; }
    Cost operator()(schedule::Relocate const& task) const { return listed(task.result, task.parts.size()); }
    Cost operator()(schedule::Refold const& task) const { return listed(task.result, task.parts.size()); }

private:
    Box box(BlockId block) const { return section.box_of(section.blocks[block]); }
    Cost moved(BlockId result, double elements) const {
        double const bytes = elements * static_cast<double>(size_of(section.blocks[result].dtype));
        return {tuning::seconds_a_call + tuning::seconds_a_moved_byte * bytes, 0, elements};
    }
    /// Each element is looked up in the parts.
    Cost listed(BlockId result, std::size_t parts) const {
        Cost out = moved(result, static_cast<double>(section.elements_of(section.blocks[result])));
        out.element = tuning::seconds_a_term * static_cast<double>(1 + parts);
        return out;
    }
    Cost shared(schedule::ReshapeId id, Box const& from, Box const& to, BlockId result) const {
        schedule::ReshapeSpec const& spec = header.reshapes[id];
        auto const elements = static_cast<double>(tensor::shared_elements(spec.from, from, spec.to, to));
        Cost out = moved(result, elements);
        out.element = tuning::seconds_a_shared_element * elements;
        return out;
    }
};

CallSample sample_of(Cost const& cost, std::optional<std::int64_t> asked) {
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    if (cost.elements == 0) return {};
    if (asked) return {static_cast<std::int32_t>(std::min({static_cast<double>(*asked), cost.elements, most}))};
    double const budget = tuning::call_share * cost.call, one = tuning::seconds_a_look + cost.element;
    if (budget < one) return {1, static_cast<std::uint32_t>(std::min(std::ceil(one / budget), most))};
    double const affordable = 1 + (budget - one) / std::max(cost.element, tuning::seconds_a_term);
    return {static_cast<std::int32_t>(std::min({affordable, tuning::most_elements_a_call, cost.elements}))};
}

}  // namespace

Table<TaskId, CallSample> call_samples(Header const& header, Section const& section,
                                       std::optional<std::int64_t> elements) {
    Table<TaskId, CallSample> out(section.tasks.size(), CallSample{});
    std::set<std::pair<schedule::TaskKind, std::int32_t>> known;
    auto const is_new = [&](schedule::Task const& task) {
        return known.insert({task.kind(), task.record().entry}).second;
    };
    for (TaskId t : section.tasks.ids()) {
        schedule::Task const& task = section.tasks[t];
        Cost cost;
        bool first = false;
        if (task.is<schedule::Fused>()) {
            Section const members = schedule::unfolded(header, section, section.as<schedule::Fused>(task));
            for (schedule::Task const& member : members.tasks) {
                Cost const one = members.visit(member, CostOf{header, members});
                bool const is_last = &member == &members.tasks.list().back();
                cost.call += one.call;
                cost.element += one.element + (is_last ? 0 : tuning::seconds_a_look);
                cost.elements = one.elements;
                if (one.elements > 0) first = is_new(member) || first;
            }
        } else {
            cost = section.visit(task, CostOf{header, section});
            first = cost.elements > 0 && is_new(task);
        }
        out[t] = sample_of(cost, elements);
        out[t].is_first = first;
    }
    return out;
}

Draws::Draws(TaskId task, std::uint64_t number)
    : state_(mix64(mix64(static_cast<std::uint64_t>(task.value()) + 1) ^ (number * 0x9e3779b97f4a7c15u))) {}

std::uint64_t Draws::next() {
    state_ += 0x9e3779b97f4a7c15u;
    return mix64(state_);
}

std::vector<ElementPlace> Draws::places(Shape const& shape, std::int64_t count) {
    std::vector<ElementPlace> out;
    if (element_count(shape) <= count) {
        for_each_index(shape, [&](std::vector<Extent> const& place) { out.push_back(place); });
        return out;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        out.emplace_back();
        for (Extent length : shape)
            out.back().push_back(k == 1 ? length - 1
                                        : static_cast<Extent>(next() % static_cast<std::uint64_t>(length)));
    }
    return out;
}

}  // namespace ein::executor
