#include "scheduler/fusion/piece_cuts.hpp"

#include <algorithm>
#include <set>

#include "lib/base/hash.hpp"
#include "lib/graph/best_search.hpp"
#include "lib/graph/einsum.hpp"
#include "lib/graph/labels.hpp"
#include "lib/scalar/regions/band.hpp"
#include "lib/schedule/fusion/carry.hpp"
#include "scheduler/fusion/group_spec.hpp"

namespace ein::scheduler {

graph::EinSum const& PieceCuts::einsum(TaskId id) const {
    return header_.kernels[section_.as<schedule::Apply>(section_.tasks[id]).kernel].einsum;
}

std::size_t PieceCuts::Hash::operator()(Key const& key) const {
    std::uint64_t hash = 0;
    for (std::int64_t number : key) hash = (hash ^ mix64(static_cast<std::uint64_t>(number))) * 0x9fb21c651e98df25u;
    return mix64(hash);
}

/// Blocks are numbered as they are met: what is inside, and what is read twice, shows in the numbers.
PieceCuts::Key PieceCuts::key_of(FusedGroup const& group) const {
    Key key;
    std::vector<BlockId> met;
    auto const add_box = [&](BoxView const& box) {
        key.push_back(static_cast<std::int64_t>(box.order()));
        key.insert(key.end(), box.begin.begin(), box.begin.end());
        key.insert(key.end(), box.length.begin(), box.length.end());
    };
    auto const add_block = [&](BlockId id) {
        auto const known = std::find(met.begin(), met.end(), id);
        key.push_back(known - met.begin());
        if (known != met.end()) return;
        met.push_back(id);
        key.push_back(static_cast<std::int64_t>(block(id).dtype));
        add_box(section_.view_of(block(id)));
    };
    for (TaskId id : group.tasks) {
        key.push_back(alike_[section_.as<schedule::Apply>(section_.tasks[id]).kernel].value());
        add_box(region(id));
        for (BlockId input : section_.reads(id)) add_block(input);
        add_block(result(id));
    }
    return key;
}

void PieceCuts::choose(FusedGroup& group) const {
    auto const [at, is_new] = known_.try_emplace(key_of(group));
    if (is_new) at->second = chosen(group);
    group.axes = at->second.axes;
    group.carry = at->second.carry;
}

PieceCuts::Cuts PieceCuts::chosen(FusedGroup group) const {
    for (int label : einsum(group.last()).output)
        if (auto axis = axis_along(group, static_cast<std::size_t>(label))) group.axes.push_back(std::move(*axis));
    choose_parts(group);
    if (group.pieces() > 1) choose_carry(group);
    if (!stays_in_cache(group)) {
        for (FusedGroup::Axis& axis : group.axes) axis.parts = 1;
        if (is_best_search(group)) choose_parts_of_one_reading(group);
    }
    return {std::move(group.axes), std::move(group.carry)};
}

/// Follows a label of the last task through the blocks inside; nothing where it does not run through all of them.
std::optional<FusedGroup::Axis> PieceCuts::axis_along(FusedGroup const& group, std::size_t label) const {
    std::size_t const count = group.tasks.size();
    std::vector<std::optional<std::size_t>> labels(count);
    labels.back() = label;
    for (std::size_t reader = count; reader-- > 0;) {
        if (!labels[reader]) return std::nullopt;
        auto const inputs = section_.reads(group.tasks[reader]);
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            auto const writer = std::find(group.tasks.begin(), group.tasks.end(), links_.first_writer(inputs[k]));
            if (writer == group.tasks.end()) continue;
            std::vector<int> const& axes = einsum(group.tasks[reader]).inputs[k];
            auto const found = std::find(axes.begin(), axes.end(), static_cast<int>(*labels[reader]));
            if (found == axes.end() || std::count(axes.begin(), axes.end(), *found) != 1) return std::nullopt;
            auto const at = static_cast<std::size_t>(found - axes.begin());
            auto const written = static_cast<std::size_t>(einsum(*writer).output[at]);
            auto& known = labels[static_cast<std::size_t>(writer - group.tasks.begin())];
            if (known && *known != written) return std::nullopt;
            known = written;
        }
    }
    FusedGroup::Axis axis;
    for (std::size_t k = 0; k < count; ++k) {
        axis.labels.push_back(*labels[k]);
        if (begin_of(group.tasks[k], *labels[k]) != begin_of(group.last(), label) ||
            length_of(group.tasks[k], *labels[k]) != length_of(group.last(), label))
            return std::nullopt;
    }
    axis.length = length_of(group.last(), label);
    return axis;
}

/// Whether a member's mask is a band of this axis and an outer one: pieces along the outer one have little of this one.
bool PieceCuts::is_clipped(FusedGroup const& group, std::size_t axis) const {
    for (std::size_t k = 0; k < group.tasks.size() && !header_.reproducible; ++k) {
        scalar::Expr const& join = einsum(group.tasks[k]).join;
        auto const label = static_cast<int>(group.axes[axis].labels[k]);
        if (join.op() != scalar::Op::where) continue;
        bool const where_true = join.args()[2].op() == scalar::Op::number;
        auto const band = scalar::as_band(join.args()[0], where_true);
        if (!band || (band->row != label && band->column != label)) continue;
        int const other = band->row == label ? band->column : band->row;
        for (std::size_t outer = 0; outer < axis; ++outer)
            if (group.axes[outer].labels[k] == at(other)) return true;
    }
    return false;
}

/// Cuts the outermost axes until a piece fits the cache.
void PieceCuts::choose_parts(FusedGroup& group) const {
    double const total = bytes_along(group);
    if (total < limits_.least_bytes) return;
    auto wanted = static_cast<std::int64_t>(total / limits_.bytes_of_a_piece) + 1;
    for (std::size_t a = 0; a < group.axes.size() && wanted > 1; ++a) {
        FusedGroup::Axis& axis = group.axes[a];
        if (is_clipped(group, a)) continue;
        Extent const shortest = std::max(cuts_rows(group, a) ? limits_.least_rows : 1, least_in_runs(group, a));
        axis.parts = std::clamp<std::int64_t>(axis.length / shortest, 1, wanted);
        wanted = (wanted + axis.parts - 1) / axis.parts;
    }
}

/// Of an axis, what each piece has at least, so that blocks beyond the cache are read and written in runs of so many
/// bytes.
Extent PieceCuts::run_of(FusedGroup const& group, std::size_t axis, Extent bytes) const {
    Extent least = 1;
    for (std::size_t k = 0; k < group.tasks.size(); ++k) {
        TaskId const id = group.tasks[k];
        auto const look_at = [&](BlockId at, std::vector<int> const& labels) {
            if (static_cast<double>(section_.bytes_of(block(at))) <= limits_.bytes_of_a_piece) return;
            auto run = static_cast<Extent>(size_of(block(at).dtype));  // bytes of what is inside one index
            for (std::size_t inner = labels.size(); inner-- > 0; run *= section_.view_of(block(at)).length[inner])
                if (static_cast<std::size_t>(labels[inner]) == group.axes[axis].labels[k])
                    return void(least = std::max(least, (bytes + run - 1) / run));
        };
        auto const inputs = section_.reads(id);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (!group.contains(links_.first_writer(inputs[i]))) look_at(inputs[i], einsum(id).inputs[i]);
        if (id == group.last()) look_at(result(id), einsum(id).output);
    }
    return least;
}

/// Of products of short sums packing is little beside the rest.
bool PieceCuts::packs(TaskId id) const {
    return graph::is_rows_by_columns(einsum(id)) &&
           graph::flops(einsum(id), region(id).length) >
               tuning::flops_of_a_short_sum * static_cast<double>(section_.elements_of(block(result(id))));
}

/// Whether a cut leaves some operand of a product whole.
bool PieceCuts::cuts_rows(FusedGroup const& group, std::size_t axis) const {
    for (std::size_t k = 0; k < group.tasks.size(); ++k) {
        if (!packs(group.tasks[k])) continue;
        for (std::vector<int> const& input : einsum(group.tasks[k]).inputs)
            if (std::count(input.begin(), input.end(), static_cast<int>(group.axes[axis].labels[k])) == 0) return true;
    }
    return false;
}

/// Bytes of all blocks that have one of the axes, each once.
double PieceCuts::bytes_along(FusedGroup const& group) const {
    std::set<BlockId> blocks;
    for (std::size_t k = 0; k < group.tasks.size(); ++k) {
        TaskId const id = group.tasks[k];
        auto const has_axis = [&](std::vector<int> const& axes) {
            return std::any_of(group.axes.begin(), group.axes.end(), [&](FusedGroup::Axis const& axis) {
                return std::count(axes.begin(), axes.end(), static_cast<int>(axis.labels[k])) > 0;
            });
        };
        auto const inputs = section_.reads(id);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (has_axis(einsum(id).inputs[i])) blocks.insert(inputs[i]);
        blocks.insert(result(id));
    }
    double total = 0;
    for (BlockId id : blocks) total += static_cast<double>(section_.bytes_of(id));
    return total;
}

/// Pieces that are larger than the cache, in which blocks from outside are read in short runs and then again from
/// memory, gain nothing where what is inside is small: single kernels read whole rows. Columns that are reduced are so.
bool PieceCuts::stays_in_cache(FusedGroup const& group) const {
    if (group.carry || bytes_along(group) / static_cast<double>(group.pieces()) <= limits_.bytes_of_a_row_piece)
        return true;
    std::int64_t inside = 0;
    for (TaskId id : group.tasks)
        if (id != group.last()) inside += section_.bytes_of(block(result(id)));
    return static_cast<double>(inside) > limits_.bytes_of_a_row_piece;
}

/// The place of the best of values is found with the best itself, in one reading of what both members read.
bool PieceCuts::is_best_search(FusedGroup const& group) const {
    if (group.carry || group.tasks.size() != 2) return false;
    graph::EinSum const& einsum_of_search = einsum(group.tasks[1]);
    auto const search = graph::as_best_search(einsum_of_search);
    if (!search || !graph::is_best_of(einsum(group.tasks[0]), einsum_of_search, *search)) return false;
    auto const best = section_.reads(group.tasks[0]), all = section_.reads(group.tasks[1]);
    std::vector<BlockId> others(all.begin(), all.end());
    bool const finds_it = others[search->best] == result(group.tasks[0]);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(search->best));
    return finds_it && std::equal(others.begin(), others.end(), best.begin(), best.end());
}

/// Few pieces, for threads, that read in long runs.
void PieceCuts::choose_parts_of_one_reading(FusedGroup& group) const {
    if (bytes_along(group) < limits_.least_bytes) return;
    for (std::size_t a = 0; a < group.axes.size(); ++a) {
        FusedGroup::Axis& axis = group.axes[a];
        for (Extent const run : {tuning::run_of_one_reading, tuning::least_run_of_one_reading}) {
            axis.parts = std::clamp<std::int64_t>(axis.length / run_of(group, a, run), 1, tuning::parts_of_one_reading);
            if (axis.parts > 1) return;
        }
    }
}

/// Cuts a label that is reduced inside where pieces of whole rows do not fit.
void PieceCuts::choose_carry(FusedGroup& group) const {
    double const piece = bytes_along(group) / static_cast<double>(group.pieces());
    if (header_.reproducible || piece <= limits_.bytes_of_a_row_piece) return;
    schedule::FusionSpec const spec = group_spec(section_, group).spec;
    for (std::size_t m = 0; m < group.tasks.size(); ++m)
        for (int label : einsum(group.tasks[m]).aggregated()) {
            std::optional<FusedGroup::Carry> carry = carry_along(group, spec, m, label);
            if (carry && (!group.carry || carry->length > group.carry->length)) group.carry = std::move(carry);
        }
    if (!group.carry) return;
    auto const wanted = static_cast<std::int64_t>(piece / limits_.bytes_of_a_carried_piece) + 1;
    group.carry->parts = std::min<std::int64_t>(wanted, group.carry->length / limits_.least_carried);
    if (group.carry->parts <= 1) group.carry.reset();
}

std::optional<FusedGroup::Carry> PieceCuts::carry_along(FusedGroup const& group, schedule::FusionSpec const& spec,
                                                        std::size_t member, int label) const {
    bool inside = false;
    for (std::size_t k = 0; k < spec.members[member].operands.size(); ++k)
        inside = inside || (spec.members[member].operands[k].is_inside &&
                            graph::has_label(einsum(group.tasks[member]).inputs[k], label));
    if (!inside) return std::nullopt;
    auto labels = schedule::labels_along(header_, spec, member, label);
    if (!labels) return std::nullopt;
    FusedGroup::Carry out{std::move(*labels), length_of(group.tasks[member], static_cast<std::size_t>(label)), 1};
    for (std::size_t m = 0; m < group.tasks.size(); ++m) {
        if (out.labels[m] < 0) continue;
        auto const at = static_cast<std::size_t>(out.labels[m]);
        if (begin_of(group.tasks[m], at) != begin_of(group.tasks[member], static_cast<std::size_t>(label)) ||
            length_of(group.tasks[m], at) != out.length)
            return std::nullopt;
        for (FusedGroup::Axis const& axis : group.axes)
            if (axis.labels[m] == at) return std::nullopt;
    }
    if (!schedule::carried_members(header_, spec, out.labels)) return std::nullopt;
    return out;
}

}  // namespace ein::scheduler
