#include "scheduler/repeat/lower_repeated.hpp"

#include <algorithm>

#include "lib/base/threads/parallel.hpp"
#include "lib/schedule/model/entry.hpp"
#include "scheduler/repeat/names.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

using schedule::Header;
using schedule::MomentId;
using schedule::MomentSpec;
using schedule::Section;
using schedule::Task;
using schedule::TensorId;

/// The moment before a node, if there is one.
OptionalId<MomentId> moment_before(Table<MomentId, MomentSpec> const& moments, std::size_t node) {
    for (MomentId moment : moments.ids())
        if (moments[moment].nodes == static_cast<std::int32_t>(node)) return moment;
    return std::nullopt;
}

/// Where rounds are compared: the last two of those in front of the ones that are left out, or as many nodes later.
struct Seam {
    RoundMoments moments;
    std::size_t first_node, end_node;  // of the round that is repeated, among those that are lowered
};

/// Places at which a run may be stopped before, between and behind two rounds, between the same of their nodes.
std::vector<Seam> seams(Table<MomentId, MomentSpec> const& moments, Period const& period,
                        LeftOutRounds const& left_out) {
    std::vector<Seam> out;
    for (std::size_t by = 0; by < period.nodes && out.size() < tuning::most_seams_tried; ++by) {
        std::size_t const end = left_out.nodes.first + by, first = end - period.nodes;
        if (left_out.whole(end) > period.end) break;
        auto const at_before = moment_before(moments, first - period.nodes), at_first = moment_before(moments, first),
                   at_end = moment_before(moments, end);
        if (!at_before || !at_first || !at_end) continue;
        std::int32_t const count = (*at_end).value() - (*at_first).value();
        bool alike = (*at_first).value() - (*at_before).value() == count;
        for (std::int32_t k = 0; alike && k < count; ++k)
            alike =
                moments[MomentId{(*at_first).value() + k}].nodes - moments[MomentId{(*at_before).value() + k}].nodes ==
                static_cast<std::int32_t>(period.nodes);
        if (alike) out.push_back({{*at_before, *at_first, *at_end}, first, end});
    }
    return out;
}

/// What all ranks repeat, by rank.
struct AllRounds {
    std::vector<schedule::Repeat> of_rank;
    Partners partners;
};

std::optional<AllRounds> compare_all(Table<Rank, Section> const& sections, RoundMoments const& moments) {
    AllRounds out;
    constexpr std::size_t at_a_time = 256;  // first the few that tell whether it is worth comparing more
    for (std::size_t first = 0; first < sections.size(); first += at_a_time) {
        auto const found = for_each_in_parallel(std::min(at_a_time, sections.size() - first), [&](std::size_t k) {
            return compare_rounds(sections.list()[first + k], moments);
        });
        for (std::optional<RankRounds> const& rounds : found) {
            if (!rounds || !out.partners.add(rounds->partners)) return std::nullopt;
            out.of_rank.push_back(rounds->repeat);
        }
    }
    return out;
}

/// Calls what is given with each entry that a section names, and where it does.
template <class Entry>
void visit_names(Section& section, Entry const& entry) {
    schedule::Repeat const& repeat = *section.repeat;
    for (BlockId b : section.blocks.ids()) {
        schedule::Block& block = section.blocks[b];
        bool const repeated = repeat.first_block <= b && b < repeat.end_block;
        block.tensor = entry(block.tensor, EntryUse{b < repeat.end_block, repeated, b >= repeat.end_block});
    }
    for (TaskId t : section.tasks.ids()) {
        bool const behind = t >= repeat.end_task || (t >= repeat.end_load && section.tasks[t].is<schedule::Load>());
        EntryUse const use{!behind, repeat.contains(t), behind};
        std::int32_t number = section.tasks[t].record().entry;
        visit_entry(section.tasks[t], [&](auto id) { number = entry(id, use).value(); });
        section.tasks[t].set_entry(number);
    }
}

ByTable<EntryUse> entries_used(Table<Rank, Section>& sections) {
    ByTable<EntryUse> out;
    for (Section& section : sections)
        visit_names(section, [&](auto id, EntryUse use) {
            std::vector<EntryUse>& list = out.of<decltype(id)>();
            if (list.size() <= at(id)) list.resize(at(id) + 1);
            EntryUse& all = list[at(id)];
            all.before |= use.before, all.repeated |= use.repeated, all.behind |= use.behind;
            return id;
        });
    return out;
}

void give_names(Table<Rank, Section>& sections, WholeIds const& ids) {
    for_each_in_parallel(sections.size(), [&](std::size_t rank) {
        visit_names(sections.list()[rank], [&](auto id, EntryUse use) {
            return decltype(id){(use.behind ? ids.behind : ids.before).template of<decltype(id)>()[at(id)]};
        });
        return 0;
    });
}

/// The moments of the whole graph.
Table<MomentId, MomentSpec> whole_moments(Table<MomentId, MomentSpec> const& moments, Seam const& seam,
                                          Period const& period, LeftOutRounds const& left_out) {
    Table<MomentId, MomentSpec> out;
    auto const add = [&](MomentId moment, std::size_t round) {
        MomentSpec spec = moments[moment];
        spec.nodes += static_cast<std::int32_t>(round * period.nodes);
        out.add(spec);
    };
    RoundMoments const& at = seam.moments;
    for (MomentId m{0}; m < at.end; m = following(m)) add(m, 0);
    for (std::size_t round = 1; round <= left_out.rounds; ++round)
        for (MomentId m = at.first; m < at.end; m = following(m)) add(m, round);
    for (MomentId m = at.end; m < moments.end_id(); m = following(m)) add(m, left_out.rounds);
    return out;
}

/// What is known of nodes and values that are lowered, of all.
void lengthen(Lowered& lowered, graph::EinGraph const& graph, Period const& period, LeftOutRounds const& left_out,
              Seam const& seam) {
    auto const shown_by = [&](std::size_t node) {
        if (node < seam.end_node) return left_out.whole(node);
        if (node >= seam.end_node + left_out.nodes.nodes) return node;
        return left_out.whole(seam.first_node + (node - seam.first_node) % period.nodes);
    };
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        std::size_t const known = shown_by(n);
        if (known == n) continue;
        lowered.ranks[n] = lowered.ranks[known];
        lowered.calls[n] = lowered.calls[known];
        lowered.traffic[n] = lowered.traffic[known];
        lowered.layouts[at(graph.nodes[n].output)] = lowered.layouts[at(graph.nodes[known].output)];
    }
    std::vector<bool> known(graph.values.size(), false);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        for (ValueId input : graph.nodes[n].inputs)
            if (!left_out.nodes.has(n)) known[at(input)] = true;
    for (graph::Leaf const& leaf : graph.leaves)
        for (ValueId value = leaf.value; known[at(value)] && !known[at(period.next[at(value)])];) {
            ValueId const next = period.next[at(value)];
            lowered.layouts[at(next)] = lowered.layouts[at(value)];
            known[at(next)] = true;
            value = next;
        }
}

/// The schedule of what was lowered, told as that of all, if its rounds are alike at the seam.
bool tell_as_whole(Lowered& lowered, Header& header, Header const& of_lowered, graph::EinGraph const& graph,
                   Period const& period, LeftOutRounds const& left_out, Seam const& seam) {
    auto const rounds = compare_all(lowered.sections, seam.moments);
    if (!rounds) return false;
    for (Rank rank : lowered.sections.ids()) {
        lowered.sections[rank].repeat = rounds->of_rank[at(rank)];
        lowered.sections[rank].repeat->times = static_cast<std::int64_t>(left_out.rounds);
    }
    Header whole = header;
    enter_values(graph, whole);
    auto const ids =
        enter_whole(whole, of_lowered, graph, period, left_out, rounds->partners, entries_used(lowered.sections));
    if (!ids) return false;
    give_names(lowered.sections, *ids);
    whole.moments = whole_moments(of_lowered.moments, seam, period, left_out);
    lengthen(lowered, graph, period, left_out, seam);
    header = std::move(whole);
    return true;
}

}  // namespace

std::optional<Lowered> lower_repeated(graph::EinGraph const& graph, relation::Plan const& plan,
                                      LoweringOptions const& options, Header& header) {
    if (!options.decided.empty() || options.order != Order::as_given) return std::nullopt;
    auto const period = find_period(graph, plan);
    if (!period || period->rounds() < tuning::least_rounds) return std::nullopt;
    for (std::size_t made_again : tuning::rounds_made_again) {
        RoundsLeaver leaver(graph, *period, made_again);
        Header entered = header;
        Lowered lowered =
            lower(graph, plan, options, entered, [&](NodeId node, NodeId like) { return leaver.after(node, like); });
        if (!leaver.found()) {
            header = std::move(entered);
            return lowered;
        }
        for (Seam const& seam : seams(entered.moments, *period, *leaver.found()))
            if (tell_as_whole(lowered, header, entered, graph, *period, *leaver.found(), seam)) return lowered;
    }
    return std::nullopt;
}

}  // namespace ein::scheduler
