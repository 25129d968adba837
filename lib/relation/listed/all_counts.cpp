#include "lib/relation/listed/all_counts.hpp"

#include <algorithm>
#include <cstdlib>

#include "lib/relation/listed/move_boxes.hpp"
#include "lib/relation/tuning.hpp"

namespace ein::relation {
namespace {

using graph::EinSum;

/// How many elements some boxes of operands list, which do not overlap, of a box of the output.
using InBox = std::function<ListedCount(std::size_t operand, Box const&)>;

/// As FibreCounts; nothing where they are not known.
using Fibres = std::function<std::vector<Extent>(std::size_t operand, Box const&, std::vector<int> const& axes)>;

/// Of fibres along `axes` of a box, those that steps from its begin on meet.
Extent met(std::vector<Extent> const& counts, Box const& box, std::vector<int> const& axes,
           std::vector<graph::AxisMap> const& maps) {
    Shape met, lengths;
    std::vector<Extent> steps;
    for (int axis : axes) {
        lengths.push_back(box.length[at(axis)]);
        steps.push_back(std::abs(maps[at(axis)].step));
        met.push_back((lengths.back() + steps.back() - 1) / steps.back());
    }
    std::vector<Extent> const strides = row_major_strides(lengths);
    Extent sum = 0;
    for_each_index(met, [&](std::vector<Extent> const& index) {
        Extent place = 0;
        for (std::size_t k = 0; k < index.size(); ++k) place += index[k] * steps[k] * strides[k];
        sum += counts[static_cast<std::size_t>(place)];
    });
    return sum;
}

/// What a slice with strides lists of a leaf at most: along all axes with a stride at once, or else along one of them.
std::optional<ListedCount> count_strided(std::size_t operand, Box const& read, std::vector<graph::AxisMap> const& maps,
                                         ListedCount const& between, Fibres const& fibres) {
    std::vector<int> strided;
    double places = 1;
    for (std::size_t axis = 0; axis < maps.size(); ++axis)
        if (std::abs(maps[axis].step) > 1) {
            strided.push_back(static_cast<int>(axis));
            places *= static_cast<double>(read.length[axis]);
        }
    if (strided.empty() || between.most > tuning::most_counted_strided) return std::nullopt;
    bool const at_once = places <= tuning::most_fibres;
    std::optional<ListedCount> out;
    for (std::size_t k = 0; k < (at_once ? 1 : strided.size()); ++k) {
        std::vector<int> const axes = at_once ? strided : std::vector<int>{strided[k]};
        if (!at_once && static_cast<double>(read.length[at(axes[0])]) > tuning::most_fibres) continue;
        std::vector<Extent> const counts = fibres(operand, read, axes);
        if (counts.empty()) return std::nullopt;
        Extent const most = met(counts, read, axes, maps);
        if (!out || most < out->most) out = ListedCount{static_cast<double>(most), most};
    }
    if (out && !at_once) out->expected = std::min(out->expected, between.expected);
    return out;
}

/// Each region has what its input lists there; of a strided slice of what is not counted place by place, expected is
/// its share of what lies between.
ListedCount count_moved(graph::Move const& move, Box const& box, InBox const& in_box, Fibres const& fibres) {
    ListedCount out;
    for (std::size_t k = 0; k < move.regions.size(); ++k) {
        Box const landing = intersection(move.regions[k].box, box);
        if (landing.empty()) continue;
        std::vector<graph::AxisMap> const maps = from_output_begin(move.regions[k]);
        Box const read = image(landing, maps);
        ListedCount const count = in_box(k, read);
        if (auto const strided = count_strided(k, read, maps, count, fibres)) {
            out.expected += strided->expected;
            out.most += std::min(strided->most, landing.elements());
            continue;
        }
        double const share = static_cast<double>(landing.elements()) / static_cast<double>(read.elements());
        out.expected += share * count.expected;
        out.most += std::min(count.most, landing.elements());
    }
    return out;
}

ListedCount count_reshaped(Shape const& from, Shape const& to, Box const& box, InBox const& in_box) {
    double expected = 0, places = 0, most = 0;
    for (Box const& part : boxes_before_reshape(from, to, box)) {
        ListedCount const count = in_box(0, part);
        expected += count.expected;
        places += static_cast<double>(part.elements());
        most += static_cast<double>(count.most);
    }
    auto const elements = static_cast<double>(box.elements());
    most = std::min(most, elements);
    return {places > 0 ? std::min(most, expected * elements / places) : 0, static_cast<Extent>(most)};
}

}  // namespace

AllCounts::AllCounts(ListedElements const& leaves, graph::EinGraph const& graph, std::set<ValueId> const& grows)
    : leaf_(leaves.in_box), expected_(leaves.expected), fibres_(leaves.fibres) {
    for (graph::Loop const& loop : graph.loops)
        for (graph::Loop::Carry const& carry : loop.carries) {
            carried_[carry.inside].grows = grows.contains(carry.inside);
            by_result_[carry.result] = carry.inside;
        }
}

void AllCounts::carry(ValueId value, ValueId from) {
    if (auto const inside = by_result_.find(value); inside != by_result_.end())
        carried_.at(inside->second).ends = from;
    else
        carried_.at(value).begins = from;
}

bool AllCounts::know_ends() {
    MutexLock const lock(mutex_);
    known_.clear();
    knows_ends_ = true;
    return std::any_of(carried_.begin(), carried_.end(), [](auto const& each) { return each.second.begins; });
}

ListedCount AllCounts::count(ValueId value, Box const& box, Carried how) {
    {
        MutexLock const lock(mutex_);
        if (auto const known = known_.find({value, box, how}); known != known_.end()) return known->second;
    }
    ListedCount const found = computed(value, box, how);  // two threads may count the same
    MutexLock const lock(mutex_);
    known_.emplace(std::tuple(value, box, how), found);
    return found;
}

ListedCount AllCounts::computed(ValueId value, Box const& box, Carried how) {
    if (auto const made = made_.find(value); made != made_.end()) return of(made->second, box, how);
    auto const result = by_result_.find(value);
    auto const carried = carried_.find(result == by_result_.end() ? value : result->second);
    if (carried != carried_.end() && carried->second.begins) return of_carried(carried->second, box, how);
    Extent const listed = leaf_ ? leaf_(value, box) : box.elements();
    return {expected_ ? expected_(value, box) : static_cast<double>(listed), listed};
}

ListedCount AllCounts::of_carried(Carry const& carry, Box const& box, Carried how) {
    ListedCount const everything{static_cast<double>(box.elements()), box.elements()};
    if (!carry.grows || how == Carried::begun) return count(*carry.begins, box, how);
    if (how == Carried::whole || !knows_ends_ || !carry.ends) return everything;
    ListedCount out = count(*carry.begins, box, how);
    out.most = std::max(out.most, count(*carry.ends, box, Carried::whole).most);
    double const expected = std::max(out.expected, count(*carry.ends, box, Carried::begun).expected);
    out.expected = std::min(expected, static_cast<double>(out.most));
    return out;
}

ListedCount AllCounts::of(MadeListing const& made, Box const& box, Carried how) {
    InBox const in_box = [&](std::size_t k, Box const& part) { return count(made.inputs[k], part, how); };
    Fibres const fibres = [&](std::size_t k, Box const& part, std::vector<int> const& axes) {
        bool const is_leaf = fibres_ && !made_.contains(made.inputs[k]);
        return is_leaf ? fibres_(made.inputs[k], part, axes) : std::vector<Extent>();
    };
    if (auto const* const move = std::get_if<graph::Move>(&made.op)) return count_moved(*move, box, in_box, fibres);
    if (auto const* const einsum = std::get_if<EinSum>(&made.op))
        return count_result(*einsum, made.inputs, made.idle, box, {in_box, fibres, made.is_row_lookup});
    return count_reshaped(made.from, made.to, box, in_box);
}

}  // namespace ein::relation
