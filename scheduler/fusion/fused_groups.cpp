#include "scheduler/fusion/fused_groups.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lib/graph/einsum.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/update.hpp"
#include "lib/scalar/regions/prefix.hpp"
#include "lib/schedule/fusion/known.hpp"
#include "scheduler/fusion/piece_cuts.hpp"

namespace ein::scheduler {

using schedule::Block;
using schedule::Header;
using schedule::Profile;
using schedule::Section;
using schedule::Task;
using schedule::TaskLinks;

namespace {

class Finder {
public:
    Finder(Header const& header, Section const& section, FusionLimits const& limits, AlikeKernels const& alike,
           Profile& profile)
        : header_(header),
          section_(section),
          profile_(profile),
          links_(section),
          cuts_(header, section, links_, limits, alike),
          loop_of_(schedule::loops_of_tasks(section)),
          in_group_(section.tasks.size()),
          last_writer_(section.blocks.size()),
          limits_(limits) {
        if (!header.reproducible) known_ = schedule::known_blocks(header, section);
        for (TaskId t : section.tasks.ids())
            if (auto const result = section.tasks[t].result()) last_writer_[*result] = t;
    }

    std::vector<FusedGroup> find() {
        for (TaskId t = links_.loads_end(); t < links_.stores_begin(); t = following(t)) {
            if (in_group_[t] || !eligible(t)) continue;
            std::optional<FusedGroup> group = longest_from(t);
            if (!group || !hold_inputs(*group)) group = clipped_alone(t);
            if (!group) continue;
            for (TaskId task : group->tasks) in_group_[task] = 1;
            fused_groups_.push_back(std::move(*group));
        }
        return std::move(fused_groups_);
    }

private:
    using Members = std::set<TaskId>;  // in the schedule's order

    Task const& task(TaskId id) const { return section_.tasks[id]; }
    BlockId result(TaskId id) const { return *task(id).result(); }
    Block const& block(BlockId id) const { return section_.blocks[id]; }
    schedule::Apply call(TaskId id) const { return section_.as<schedule::Apply>(task(id)); }
    graph::EinSum const& einsum(TaskId id) const { return header_.kernels[call(id).kernel].einsum; }
    Extent begin_of(TaskId id, std::size_t label) const { return section_.region_of(task(id)).begin[label]; }
    Extent length_of(TaskId id, std::size_t label) const { return section_.region_of(task(id)).length[label]; }

    /// A kernel that writes the whole of a block of its own, in one go.
    bool eligible(TaskId id) const {
        Task const& at = task(id);
        return at.is<schedule::Apply>() && reads_boxes(id) && !at.accumulates() && !at.after() &&
               links_.followers(id).empty() && block(*at.result()).writers == 1 && block(*at.result()).is_box() &&
               !is_scan(einsum(id)) && !is_update(id);
    }

    /// It may write a few elements of what another block has (emit/take_over.hpp): pieces would be of the whole.
    bool is_update(TaskId id) const {
        graph::EinSum const& of = einsum(id);
        for (std::size_t k = 0; k < of.operands(); ++k)
            if (graph::as_update(of, k, section_.region_of(task(id)).length, header_.kernels[call(id).kernel].compute))
                return true;
        return false;
    }

    /// Pieces would be narrow: nothing of a scan can be cut but what lies beside its terms.
    static bool is_scan(graph::EinSum const& einsum) {
        if (einsum.join.op() != scalar::Op::where) return false;
        std::vector<int> const terms = einsum.aggregated();
        if (terms.size() != 1) return false;
        auto const& args = einsum.join.args();
        bool const first = args[2].op() == scalar::Op::number;
        scalar::Expr const& kept = args[first ? 1 : 2];
        auto const prefix = scalar::as_prefix(args[0], terms.front(), first);
        return prefix && kept.op() == scalar::Op::operand &&
               !graph::has_label(einsum.inputs[at(kept.node().slot)], prefix->output);
    }

    bool reads_boxes(TaskId id) const {
        auto const reads = section_.reads(id);
        return std::all_of(reads.begin(), reads.end(), [&](BlockId read) { return block(read).is_box(); });
    }

    std::optional<FusedGroup> longest_from(TaskId first) const {
        std::optional<FusedGroup> best;
        Members members{first};
        while (grow(members)) {
            std::optional<FusedGroup> group = group_of(members);
            if (!group) break;
            best = std::move(group);
        }
        return best;
    }

    /// Adds who reads the last output, and then all that read what is inside. False where that cannot be.
    bool grow(Members& members) const {
        if (!add_readers(*members.rbegin(), members)) return false;
        for (auto member = members.begin(); std::next(member) != members.end();) {
            std::size_t const before = members.size();
            if (!add_readers(*member, members)) return false;
            member = members.size() == before ? std::next(member) : members.begin();
        }
        return inputs_are_there(members);
    }

    bool add_readers(TaskId member, Members& members) const {
        auto const readers = links_.readers(result(member));
        if (readers.empty()) return false;
        for (TaskId reader : readers) {
            if (members.contains(reader)) continue;
            if (in_group_[reader] || !eligible(reader) || members.size() == tuning::most_group_tasks) return false;
            if (!loop_of_.empty() && loop_of_[reader] != loop_of_[member]) return false;
            members.insert(reader);
        }
        return true;
    }

    /// All that comes from elsewhere comes before the first task in the schedule's order, or after nothing but kernels
    /// of this rank: holding that one back delays nobody.
    bool inputs_are_there(Members const& members) const {
        TaskId last = *members.begin();
        for (TaskId member : members)
            for (BlockId input : section_.reads(member))
                if (TaskId const writer = last_writer_[input]; !members.contains(writer)) last = std::max(last, writer);
        for (TaskId between = *members.begin(); between < last; between = following(between))
            if (!task(between).is<schedule::Apply>()) return false;
        return true;
    }

    /// One kernel, in pieces along the band outside of which nothing is to be done.
    std::optional<FusedGroup> clipped_alone(TaskId id) const {
        if (known_.empty() || !writes_whole(id)) return std::nullopt;
        schedule::KnownOperands known;
        double bytes = 0;  // of the largest operand of which there is something known
        for (std::size_t k = 0; k < section_.reads(id).size(); ++k) {
            auto const found = known_.find(section_.reads(id)[k]);
            if (found != known_.end())
                bytes = std::max(bytes, static_cast<double>(section_.bytes_of(section_.reads(id)[k])));
            known.push_back(found == known_.end() ? std::nullopt : in_labels(found->second, einsum(id).inputs[k]));
        }
        if (bytes < tuning::least_clipped_share * limits_.least_bytes) return std::nullopt;
        auto const left_out = schedule::left_out(einsum(id), known, section_.region_of(task(id)));
        if (!left_out) return std::nullopt;
        FusedGroup group{{id}, {}};
        cuts_.choose(group);
        bool const is_product = graph::is_rows_by_columns(einsum(id)) || einsum(id).operands() > 1;
        for (FusedGroup::Axis& axis : group.axes) {
            if (axis.labels[0] == at(left_out->clipped)) axis.parts = 1;
            if (axis.labels[0] != at(left_out->cut)) continue;
            Extent const least = is_product && einsum(id).aggregates_any() ? limits_.least_rows : 1;
            axis.parts = std::clamp<std::int64_t>(tuning::clipped_parts, 1, std::max<Extent>(1, axis.length / least));
        }
        return group.pieces() > 1 ? std::optional(std::move(group)) : std::nullopt;
    }

    std::optional<FusedGroup> group_of(Members const& members) const {
        FusedGroup group{{members.begin(), members.end()}, {}};
        for (TaskId id : group.tasks)
            if (too_heavy(id, members) || !writes_whole(id) || !reads_whole_of(id, members)) return std::nullopt;
        cuts_.choose(group);
        return group.pieces() > 1 ? std::optional(std::move(group)) : std::nullopt;
    }

    bool reads_whole_of(TaskId id, Members const& members) const {
        auto const inputs = section_.reads(id);
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (members.contains(last_writer_[inputs[k]]) && !reads_whole(id, k, inputs[k])) return false;
        return true;
    }

    bool too_heavy(TaskId id, Members const& members) const {
        if (!graph::is_rows_by_columns(einsum(id))) return false;
        double inside = 1;
        auto const count = [&](BlockId at) {
            if (members.contains(links_.first_writer(at)))
                inside = std::max(inside, static_cast<double>(section_.elements_of(block(at))));
        };
        for (BlockId input : section_.reads(id)) count(input);
        if (id != *members.rbegin()) count(result(id));
        return graph::flops(einsum(id), section_.region_of(task(id)).length) / inside > tuning::most_flops_an_element;
    }

    /// Inputs that single tasks would give up before the last one are held to its end, what is inside takes no memory:
    /// if the peak allows it.
    bool hold_inputs(FusedGroup const& group) {
        std::int32_t const first = group.tasks.front().value(), last = group.last().value();
        if (last - first > tuning::most_group_distance) return false;
        std::vector<std::int64_t> more(static_cast<std::size_t>(last - first + 1), 0);
        auto const add = [&](std::int32_t from, std::int32_t to, std::int64_t bytes) {
            for (std::int32_t at = from; at <= to; ++at) more[static_cast<std::size_t>(at - first)] += bytes;
        };
        std::set<BlockId> inputs;
        for (TaskId id : group.tasks) {
            for (BlockId input : section_.reads(id))
                if (!group.contains(last_writer_[input])) inputs.insert(input);
            if (id != group.last()) add(id.value(), last_reader(result(id)).value(), -section_.bytes_of(result(id)));
        }
        for (BlockId input : inputs)  // others may read it last
            add(std::max(first, last_reader(input).value() + 1), last, section_.bytes_of(input));
        auto const live = profile_.live.begin() + first;
        for (std::size_t k = 0; k < more.size(); ++k)
            if (live[static_cast<std::ptrdiff_t>(k)] + more[k] > profile_.peak) return false;
        for (std::size_t k = 0; k < more.size(); ++k) live[static_cast<std::ptrdiff_t>(k)] += more[k];
        return true;
    }

    TaskId last_reader(BlockId block) const {
        auto const readers = links_.readers(block);
        return *std::max_element(readers.begin(), readers.end());
    }

    /// Where tasks of the fused group read what is inside, they read all of it: pieces then lie in memory as they are
    /// computed.
    bool reads_whole(TaskId reader, std::size_t operand, BlockId inside) const {
        std::vector<int> const& axes = einsum(reader).inputs[operand];
        BoxView const box = section_.view_of(block(inside));
        for (std::size_t a = 0; a < axes.size(); ++a) {
            auto const label = static_cast<std::size_t>(axes[a]);
            if (begin_of(reader, label) != box.begin[a] || length_of(reader, label) != box.length[a]) return false;
        }
        return true;
    }
    bool writes_whole(TaskId writer) const {
        std::vector<int> const& axes = einsum(writer).output;
        BoxView const box = section_.view_of(block(result(writer)));
        for (std::size_t a = 0; a < axes.size(); ++a)
            if (length_of(writer, static_cast<std::size_t>(axes[a])) != box.length[a]) return false;
        return true;
    }

    Header const& header_;
    Section const& section_;
    Profile& profile_;
    TaskLinks links_;
    PieceCuts cuts_;
    Table<TaskId, OptionalId<schedule::LoopId>> loop_of_;  // empty without loops
    Table<TaskId, std::uint8_t> in_group_;
    Table<BlockId, TaskId> last_writer_;
    FusionLimits const& limits_;
    std::map<BlockId, schedule::Known> known_;
    std::vector<FusedGroup> fused_groups_;
};

/// Whether blocks are so large that any group could be worth it.
bool may_have_groups(Section const& section, FusionLimits const& limits) {
    std::int64_t largest = 0;
    for (Block const& block : section.blocks) largest = std::max(largest, section.bytes_of(block));
    constexpr double blocks_of_a_task = 4;  // about
    return static_cast<double>(largest) * blocks_of_a_task * static_cast<double>(tuning::most_group_tasks) >=
           limits.least_bytes;
}

}  // namespace

std::int64_t FusedGroup::pieces() const {
    std::int64_t count = 1;
    for (Axis const& axis : axes) count *= axis.parts;
    return count;
}

std::vector<FusedGroup> find_fused_groups(Header const& header, Section const& section, FusionLimits const& limits,
                                          AlikeKernels const& alike, Profile& profile) {
    if (!may_have_groups(section, limits)) return {};
    return Finder(header, section, limits, alike, profile).find();
}

}  // namespace ein::scheduler
