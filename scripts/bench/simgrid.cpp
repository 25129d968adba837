// A second opinion of what einplan --simulate says: the same schedule on the same cluster in SimGrid, whose events,
// fair sharing of links and arrivals of messages are its own. Of ours are the rule of what a rank does next
// (lib/schedule/dispatch), which einrun has too, and what tasks cost (scheduler/simulate/task_costs).
// Prints tasks, messages, seconds by our simulation and by SimGrid's, of one iteration of each loop.
// Usage: bench_simgrid SCHEDULE CLUSTER.json
#include <xbt/log.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/json.hpp"
#include "lib/schedule/dispatch/dispatcher.hpp"
#include "lib/schedule/file/file.hpp"
#include "scheduler/simulate/block_counts.hpp"
#include "scheduler/simulate/simulate.hpp"
#include "scheduler/simulate/task_costs.hpp"

using namespace ein;
namespace sg = simgrid::s4u;

namespace {

using scheduler::Cluster;
using scheduler::Link;

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank.value()); }

constexpr double flops_of_hosts = 1e9;  // seconds become so many

/// A host a rank, and one way from each to each: links out of a rank and into a rank, of its node, of all nodes.
class Platform {
public:
    Platform(Cluster const& cluster, int ranks) : cluster_(cluster), zone_(sg::create_full_zone("cluster")) {
        for (int rank = 0; rank < ranks; ++rank) {
            hosts_.push_back(zone_->create_host("rank" + std::to_string(rank), flops_of_hosts)->seal());
            inside_.push_back(both("inside" + std::to_string(rank), cluster.inside.bandwidth));
            between_.push_back(both("between" + std::to_string(rank), cluster.between.bandwidth));
        }
        if (cluster.uplink)
            for (int node = 0; node <= cluster.node_of(Rank{ranks - 1}); ++node)
                nodes_.push_back(both("node" + std::to_string(node), *cluster.uplink));
        if (cluster.backbone) backbone_ = link("backbone", *cluster.backbone);
        inside_latency_ = delay("inside_latency", cluster.inside.latency);
        between_latency_ = delay("between_latency", cluster.between.latency);
        for (int from = 0; from < ranks; ++from)
            for (int to = 0; to < ranks; ++to)
                if (from != to) connect(Rank{from}, Rank{to});
        zone_->seal();
    }

    sg::Host* host(Rank rank) const { return hosts_[at(rank)]; }
    Link const& kind(Rank a, Rank b) const {
        return cluster_.node_of(a) == cluster_.node_of(b) ? cluster_.inside : cluster_.between;
    }

private:
    struct Ends {
        sg::Link *out, *in;
    };
    sg::Link* link(std::string const& name, double rate) { return zone_->create_link(name, rate)->seal(); }
    Ends both(std::string const& name, double rate) { return {link(name + "_out", rate), link(name + "_in", rate)}; }
    sg::Link* delay(std::string const& name, double seconds) {  // for each message apart
        return zone_->create_link(name, 1e18)
            ->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)
            ->set_latency(seconds)
            ->seal();
    }

    void connect(Rank from, Rank to) {
        bool const is_inside = cluster_.node_of(from) == cluster_.node_of(to);
        std::vector<Ends> const& ends = is_inside ? inside_ : between_;
        std::vector<sg::LinkInRoute> way{sg::LinkInRoute(is_inside ? inside_latency_ : between_latency_),
                                         sg::LinkInRoute(ends[at(from)].out), sg::LinkInRoute(ends[at(to)].in)};
        if (!is_inside && !nodes_.empty()) {
            way.emplace_back(nodes_[static_cast<std::size_t>(cluster_.node_of(from))].out);
            way.emplace_back(nodes_[static_cast<std::size_t>(cluster_.node_of(to))].in);
        }
        if (!is_inside && backbone_ != nullptr) way.emplace_back(backbone_);
        zone_->add_route(host(from)->get_netpoint(), host(to)->get_netpoint(), nullptr, nullptr, way, false);
    }

    Cluster const& cluster_;
    sg::NetZone* zone_;
    std::vector<sg::Host*> hosts_;
    std::vector<Ends> inside_, between_, nodes_;
    sg::Link *backbone_ = nullptr, *inside_latency_ = nullptr, *between_latency_ = nullptr;
};

/// What all ranks share.
struct Replay {
    schedule::Schedule const& schedule;
    Cluster const& cluster;
    Platform const& platform;
    scheduler::TaskCosts costs;
    std::vector<sg::ActorPtr> actors = {};
    std::vector<double> ends = {};  // of ranks
};

/// One rank: an actor that begins what its dispatcher lets it, and waits for whatever of that ends first.
class RankActor {
public:
    RankActor(Replay& replay, Rank self)
        : replay_(replay),
          self_(self),
          section_(replay.schedule.sections[self]),
          dispatcher_(section_, replay.schedule.header.loops, schedule::replay(section_), {.iterations = 1}),
          reuse_(section_, schedule::replay(section_).peak, replay.cluster) {}

    void run() {
        dispatcher_.begin_round(schedule::Inputs::used_up);
        dispatcher_.begin_phase(schedule::Phase::load);
        while (auto const task = dispatcher_.take_compute()) dispatcher_.finish(*task);
        dispatcher_.begin_phase(schedule::Phase::execute);
        for (start_what_may(); !open_.empty(); start_what_may()) {
            auto const ended = static_cast<std::size_t>(sg::Activity::wait_any(open_));
            Step const step = steps_[ended];
            open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(ended));
            steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(ended));
            step_ended(step);
        }
        promise(dispatcher_.phase_done(), "a replayed run stood still");
    }

private:
    enum class What { computed, requested, answered, sent, received };
    struct Step {
        What what;
        TaskId task;
    };

    void wait_for(sg::ActivityPtr const& activity, What what, TaskId task) {
        open_.push_back(activity);
        steps_.push_back({what, task});
    }

    void start_what_may() {
        while (auto const task = dispatcher_.take_receive()) receive(*task);
        while (auto const task = dispatcher_.take_send()) send(*task);
        if (computes_) return;
        if (auto const task = dispatcher_.take_compute()) {
            schedule::Task const& begun = section_.tasks[*task];
            double const work = replay_.costs.seconds(section_, begun, &reuse_);
            reuse_.use(begun);
            double const seconds = (work + replay_.cluster.per_task) / replay_.cluster.speed_of(self_);
            wait_for(sg::this_actor::exec_async(seconds * flops_of_hosts), What::computed, *task);
            computes_ = true;
        }
    }

    void step_ended(Step const& step) {
        schedule::Task const& task = section_.tasks[step.task];
        if (step.what == What::sent || step.what == What::received) reuse_.use(task);
        switch (step.what) {
            case What::computed: computes_ = false; break;
            case What::requested:  // there is a place for it: says so
                tell(section_.message(task), "answer");
                return wait_for(get(section_.message(task), "data"), What::received, step.task);
            case What::answered: return put(step.task);
            case What::sent:
            case What::received: break;
        }
        dispatcher_.finish(step.task);
        replay_.ends[at(self_)] = sg::Engine::get_clock();
    }

    bool is_eager(schedule::Message const& message) const {
        return section_.bytes_of(message) <= replay_.cluster.eager;
    }

    /// Above `eager` a request and an answer go ahead of a message.
    void send(TaskId id) {
        schedule::Message const message = section_.message(section_.tasks[id]);
        if (is_eager(message)) return put(id);
        tell(message, "request");
        wait_for(get(message, "answer"), What::answered, id);
    }
    void receive(TaskId id) {
        schedule::Message const message = section_.message(section_.tasks[id]);
        if (is_eager(message)) return wait_for(get(message, "data"), What::received, id);
        wait_for(get(message, "request"), What::requested, id);
    }

    sg::Mailbox* box(schedule::Message const& message, std::string const& what) const {
        Rank const from = message.is_send ? self_ : message.peer, to = message.is_send ? message.peer : self_;
        return sg::Mailbox::by_name(std::to_string(from.value()) + " " + std::to_string(to.value()) + " " +
                                    std::to_string(message.tag.value()) + " " + what);
    }
    sg::ActivityPtr get(schedule::Message const& message, std::string const& what) {
        return box(message, what)->get_async<char>(&sink_);
    }
    /// A few bytes that wait for nobody.
    void tell(schedule::Message const& message, std::string const& what) {
        sg::Mailbox* const to = box(message, what);
        to->set_receiver(replay_.actors[at(message.peer)]);
        to->put_init(&payload_, 1)->detach();
    }
    /// Beside its bytes a message keeps its links busy for a fixed time: so many bytes more.
    void put(TaskId id) {
        schedule::Message const message = section_.message(section_.tasks[id]);
        Link const& kind = replay_.platform.kind(self_, message.peer);
        double const bytes = static_cast<double>(section_.bytes_of(message)) + kind.per_message * kind.bandwidth;
        sg::Mailbox* const to = box(message, "data");
        if (is_eager(message)) to->set_receiver(replay_.actors[at(message.peer)]);
        wait_for(to->put_async(&payload_, static_cast<std::uint64_t>(bytes)), What::sent, id);
    }

    Replay& replay_;
    Rank self_;
    schedule::Section const& section_;
    schedule::Dispatcher<scheduler::BlockCounts> dispatcher_;
    scheduler::BlockReuse reuse_;
    bool computes_ = false;
    std::vector<sg::ActivityPtr> open_;
    std::vector<Step> steps_;  // of each of these
    char payload_ = 0;
    char* sink_ = nullptr;
};

/// Seconds of the execute phase.
double replayed(schedule::Schedule const& schedule, Cluster const& cluster, sg::Engine& engine) {
    int const ranks = schedule.header.ranks;
    Platform const platform(cluster, ranks);
    Replay replay{schedule, cluster, platform, scheduler::TaskCosts(schedule.header, cluster)};
    replay.ends.resize(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
        replay.actors.push_back(sg::Actor::create("rank" + std::to_string(rank), platform.host(Rank{rank}),
                                                  [&replay, rank] { RankActor(replay, Rank{rank}).run(); }));
    engine.run();
    return *std::max_element(replay.ends.begin(), replay.ends.end());
}

/// What SimGrid is not told of.
void check(Cluster const& cluster) {
    bool const both_ways = cluster.inside.both_ways || cluster.between.both_ways;
    if (cluster.threads != 1 || both_ways || cluster.inside.queue > 0 || cluster.between.queue > 0)
        throw UsageError("bench_simgrid: expected a cluster of one thread a rank, without both_ways and queue");
}

int run(int argc, char** argv) {
    sg::Engine engine(&argc, argv);
    if (argc != 3) throw UsageError("usage: bench_simgrid SCHEDULE CLUSTER.json");
    xbt_log_control_set("xbt_cfg.thres:warning");  // it prints each setting
    // No factors of a protocol: bytes take bytes / bandwidth, and a latency.
    for (char const* setting :
         {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/latency-factor:1",
          "network/bandwidth-factor:1", "network/weight-S:0", "surf/precision:1e-9", "maxmin/precision:1e-9"})
        sg::Engine::set_config(setting);
    schedule::Schedule const schedule = schedule::read_file(argv[1]);
    Cluster const cluster =
        scheduler::cluster_from_json(read_json_of(FileUse::cluster, "a cluster file", argv[2]), argv[2]);
    check(cluster);
    std::size_t tasks = 0, messages = 0;
    for (schedule::Section const& section : schedule.sections)
        for (schedule::Task const& task : section.tasks) ++tasks, messages += task.is<schedule::Send>() ? 1 : 0;
    double const ours = scheduler::simulate(schedule, cluster).makespan;
    std::printf("%zu %zu %.9g %.9g\n", tasks, messages, ours, replayed(schedule, cluster, engine));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (std::exception const& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
