#include "scheduler/simulate/loop_pace.hpp"

#include <algorithm>

#include "lib/schedule/dispatch/iterations.hpp"

namespace ein::scheduler {
namespace {

using schedule::LoopSpecId;
using schedule::Section;
using schedule::Task;

/// Seconds for which an iteration keeps each link of the cluster (network.hpp), and each rank's workers.
class Loads {
public:
    Loads(Cluster const& cluster, int ranks)
        : cluster_(cluster),
          computing_(static_cast<std::size_t>(ranks), 0),
          links_(static_cast<std::size_t>(ranks)),
          uplinks_(static_cast<std::size_t>(cluster.node_of(Rank{ranks - 1}) + 1)) {}

    void add_computing(Rank rank, double seconds) { computing_[rank] += seconds / cluster_.threads; }

    /// One end of a message.
    void add(Rank rank, schedule::Message const& message, double bytes) {
        int const node = cluster_.node_of(rank);
        bool const between = node != cluster_.node_of(message.peer);
        Link const& link = between ? cluster_.between : cluster_.inside;
        (between ? links_[rank].between : links_[rank].inside).of(message) += bytes / link.bandwidth + link.per_message;
        if (!between) return;
        if (cluster_.uplink) uplinks_[static_cast<std::size_t>(node)].of(message) += bytes / *cluster_.uplink;
        if (cluster_.backbone && message.is_send) backbone_ += bytes / *cluster_.backbone;
    }

    /// @param iterations  over which what links carry at once (Link::burst) is spread
    double most(double iterations) const {
        auto const at_once = [&](Link const& link) {
            return static_cast<double>(link.burst) / link.bandwidth / iterations;
        };
        double out = backbone_;
        for (double seconds : computing_) out = std::max(out, seconds);
        for (Ends const& ends : uplinks_) out = std::max({out, ends.out, ends.in});
        for (auto const& [inside, between] : links_) {
            out = std::max(out, std::max(inside.out, inside.in) - at_once(cluster_.inside));
            out = std::max(out, std::max(between.out, between.in) - at_once(cluster_.between));
        }
        return out;
    }

private:
    struct Ends {
        double out = 0, in = 0;
        double& of(schedule::Message const& message) { return message.is_send ? out : in; }
    };
    struct RankLinks {
        Ends inside, between;
    };

    Cluster const& cluster_;
    Table<Rank, double> computing_;
    Table<Rank, RankLinks> links_;
    std::vector<Ends> uplinks_;
    double backbone_ = 0;
};

}  // namespace

Table<LoopSpecId, double> least_seconds_an_iteration(schedule::Schedule const& schedule, Cluster const& cluster,
                                                     Spans const& spans) {
    if (schedule.header.loops.empty()) return {};
    Table<LoopSpecId, Loads> loads(schedule.header.loops.size(), Loads(cluster, schedule.header.ranks));
    for (Rank rank : schedule.sections.ids()) {
        Section const& section = schedule.sections[rank];
        auto const loop_of = schedule::loops_of_tasks(section);
        for (TaskId t : loop_of.ids()) {
            if (!loop_of[t]) continue;
            Loads& of = loads[section.loops[*loop_of[t]].spec];
            Task const& task = section.tasks[t];
            if (task.traits().is_transfer())
                of.add(rank, section.message(task), static_cast<double>(section.bytes_moved(task)));
            else
                of.add_computing(rank, spans[rank][t].end - spans[rank][t].begin);
        }
    }
    Table<LoopSpecId, double> out;
    for (LoopSpecId l : loads.ids())
        out.add(loads[l].most(static_cast<double>(std::max<std::int64_t>(1, schedule.header.loops[l].iterations))));
    return out;
}

}  // namespace ein::scheduler
