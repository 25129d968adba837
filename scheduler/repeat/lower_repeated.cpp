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
    std::size_t first_node, end_node;  // of the round that is repeated, in the shortened graph
};

/// Places at which a run may be stopped before, between and behind two rounds, between the same of their nodes.
std::vector<Seam> seams(Table<MomentId, MomentSpec> const& moments, Period const& period, Shortened const& shortened) {
    std::vector<Seam> out;
    for (std::size_t by = 0; by < period.nodes && out.size() < tuning::most_seams_tried; ++by) {
        std::size_t const end = shortened.cut + by, first = end - period.nodes;
        if (shortened.whole(end) > period.end) break;
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
                                          Period const& period, Shortened const& shortened) {
    Table<MomentId, MomentSpec> out;
    auto const add = [&](MomentId moment, std::size_t round) {
        MomentSpec spec = moments[moment];
        spec.nodes += static_cast<std::int32_t>(round * period.nodes);
        out.add(spec);
    };
    RoundMoments const& at = seam.moments;
    for (MomentId m{0}; m < at.end; m = following(m)) add(m, 0);
    for (std::size_t round = 1; round <= shortened.rounds; ++round)
        for (MomentId m = at.first; m < at.end; m = following(m)) add(m, round);
    for (MomentId m = at.end; m < moments.end_id(); m = following(m)) add(m, shortened.rounds);
    return out;
}

/// What is known of the shortened graph's nodes and values, of the whole one's.
void lengthen(Lowered& lowered, graph::EinGraph const& graph, Period const& period, Shortened const& shortened,
              Seam const& seam) {
    auto const shown_by = [&](std::size_t node) {
        if (node < seam.end_node) return node;
        if (node >= seam.end_node + shortened.left_out) return node - shortened.left_out;
        return seam.first_node + (node - seam.first_node) % period.nodes;
    };
    auto const of_all = [&](auto const& list) {
        std::remove_cvref_t<decltype(list)> out;
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) out.push_back(list[shown_by(n)]);
        return out;
    };
    lowered.ranks = of_all(lowered.ranks);
    lowered.calls = of_all(lowered.calls);
    lowered.traffic = of_all(lowered.traffic);

    std::vector<Layout> layouts(graph.values.size());
    std::vector<bool> known(graph.values.size(), false);
    for (std::size_t v = 0; v < shortened.values.size(); ++v) {
        std::size_t const whole = at(shortened.values[v]);
        layouts[whole] = lowered.layouts[v], known[whole] = true;
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        layouts[at(graph.nodes[n].output)] = lowered.layouts[at(shortened.graph.nodes[shown_by(n)].output)];
    for (graph::Leaf const& leaf : graph.leaves) {
        ValueId value = leaf.value;
        while (known[at(value)] && period.next[at(value)] != value && !known[at(period.next[at(value)])]) {
            layouts[at(period.next[at(value)])] = layouts[at(value)];
            value = period.next[at(value)];
            known[at(value)] = true;
        }
    }
    lowered.layouts = std::move(layouts);
}

/// The shortened graph's schedule, told as the whole one's, if its rounds are alike at the seam.
bool tell_as_whole(Lowered& lowered, Header& header, Header const& of_shortened, graph::EinGraph const& graph,
                   Period const& period, Shortened const& shortened, Seam const& seam) {
    auto const rounds = compare_all(lowered.sections, seam.moments);
    if (!rounds) return false;
    for (Rank rank : lowered.sections.ids()) {
        lowered.sections[rank].repeat = rounds->of_rank[at(rank)];
        lowered.sections[rank].repeat->times = static_cast<std::int64_t>(shortened.rounds);
    }
    Header whole = header;
    enter_values(graph, whole);
    auto const ids =
        enter_whole(whole, of_shortened, graph, period, shortened, rounds->partners, entries_used(lowered.sections));
    if (!ids) return false;
    give_names(lowered.sections, *ids);
    whole.moments = whole_moments(of_shortened.moments, seam, period, shortened);
    lengthen(lowered, graph, period, shortened, seam);
    header = std::move(whole);
    return true;
}

}  // namespace

std::optional<Lowered> lower_repeated(graph::EinGraph const& graph, relation::Plan const& plan,
                                      LoweringOptions const& options, Header& header) {
    if (!options.decided.empty() || options.order != Order::as_given) return std::nullopt;
    auto const period = find_period(graph, plan);
    if (!period || period->rounds() < tuning::least_rounds) return std::nullopt;
    for (std::size_t in_front : tuning::rounds_in_front) {
        auto const shortened = scheduler::shortened(graph, plan, *period, in_front, tuning::rounds_behind);
        if (!shortened) return std::nullopt;
        Header small = header;
        Lowered lowered = lower(shortened->graph, shortened->plan, options, small);
        for (Seam const& seam : seams(small.moments, *period, *shortened))
            if (tell_as_whole(lowered, header, small, graph, *period, *shortened, seam)) return lowered;
    }
    return std::nullopt;
}

}  // namespace ein::scheduler
