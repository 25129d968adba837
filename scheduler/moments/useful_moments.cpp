#include "scheduler/moments/useful_moments.hpp"

#include <algorithm>

namespace ein::scheduler {
namespace {

using schedule::MomentId;
using Keep = Table<MomentId, std::uint8_t>;

template <class Value>
Table<MomentId, Value> kept(Table<MomentId, Value> const& all, Keep const& keep) {
    Table<MomentId, Value> out;
    for (MomentId moment : all.ids())
        if (keep[moment]) out.add(all[moment]);
    return out;
}

/// An iteration of which no task is left ends at once: a rank cannot stand still there.
void drop_ends_of_iterations(Table<Rank, schedule::Section> const& sections, Keep& keep) {
    for (schedule::Section const& section : sections)
        for (schedule::Loop const& loop : section.loops)
            for (MomentId moment : keep.ids())
                if (section.moments[moment] == loop.last) keep[moment] = 0;
}

/// Of two between which no rank has a task, the later one: more nodes are done.
void drop_repeated(schedule::Header const& header, Table<Rank, schedule::Section> const& sections, Keep& keep) {
    OptionalId<MomentId> later;
    for (MomentId moment = header.moments.end_id(); moment > MomentId{0};) {
        moment = MomentId{moment.value() - 1};
        if (!keep[moment]) continue;
        bool const repeated = later && header.moments[moment].loop == header.moments[*later].loop &&
                              std::all_of(sections.begin(), sections.end(), [&](schedule::Section const& section) {
                                  return section.moments[moment] == section.moments[*later];
                              });
        if (repeated)
            keep[moment] = 0;
        else
            later = moment;
    }
}

}  // namespace

void keep_useful_moments(schedule::Header& header, Table<Rank, schedule::Section>& sections,
                         std::vector<MomentId> const& parted) {
    Keep keep(header.moments.size(), 1);
    for (MomentId moment : parted) keep[moment] = 0;
    drop_ends_of_iterations(sections, keep);
    drop_repeated(header, sections, keep);
    header.moments = kept(header.moments, keep);
    for (schedule::Section& section : sections) section.moments = kept(section.moments, keep);
}

}  // namespace ein::scheduler
