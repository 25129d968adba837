#include "scheduler/simulate/simulate.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <tuple>

#include "lib/base/error.hpp"
#include "lib/schedule/dispatch/dispatcher.hpp"
#include "lib/schedule/dispatch/kernel_widths.hpp"
#include "scheduler/simulate/block_counts.hpp"
#include "scheduler/simulate/network.hpp"
#include "scheduler/simulate/task_costs.hpp"

namespace ein::scheduler {

namespace {

using schedule::Schedule;
using schedule::Section;
using schedule::Task;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A message: the send and the receive of it.
struct Message {
    int from = 0, to = 0;
    TaskId send, receive;
    double bytes = 0;
    bool sent = false, posted = false;  // by its two ranks
    bool eager = false, started = false, arrived = false;
    double asked = 0;  // when its request reaches the receiver
    double begin = 0;
    int cause_rank = -1;
    OptionalId<TaskId> cause;
};

/// The messages of a schedule, and for each rank's tasks the number of theirs.
struct Messages {
    std::vector<Message> list;
    Table<Rank, Table<TaskId, std::int32_t>> of_task;  // -1 of tasks that are no transfers

    Messages(Schedule const& schedule, std::int64_t eager) : of_task(schedule.sections.size()) {
        Table<Rank, std::vector<End>> sends(schedule.sections.size()), receives(schedule.sections.size());
        for (Rank rank : schedule.sections.ids()) {
            Section const& section = schedule.sections[rank];
            of_task[rank].assign(section.tasks.size(), -1);
            for (TaskId id : section.tasks.ids()) {
                if (!section.tasks[id].traits().is_transfer()) continue;
                schedule::Message const message = section.message(section.tasks[id]);
                (message.is_send ? sends : receives)[rank].push_back({message.peer, message.tag, id});
            }
            for (auto* ends : {&sends[rank], &receives[rank]})
                if (!std::is_sorted(ends->begin(), ends->end())) std::sort(ends->begin(), ends->end());
        }
        Table<Rank, std::size_t> next(receives.size());  // of whose receives all before it are those of earlier senders
        for (Rank from : sends.ids())
            for (End const& send : sends[from]) {
                Rank const to = send.peer;
                promise(next[to] < receives[to].size(), "a message without its receiver is simulated");
                End const& receive = receives[to][next[to]++];
                promise(receive.peer == from && receive.tag == send.tag,
                        "a message without its sender or receiver is simulated");
                add(schedule.sections[from], from, send.task, to, receive.task, eager);
            }
        for (Rank to : receives.ids())
            promise(next[to] == receives[to].size(), "a message without its sender is simulated");
    }

private:
    struct End {
        Rank peer;
        schedule::MessageTag tag;
        TaskId task;
        bool operator<(End const& other) const { return peer != other.peer ? peer < other.peer : tag < other.tag; }
    };

    void add(Section const& sender, Rank from, TaskId send, Rank to, TaskId receive, std::int64_t eager) {
        of_task[from][send] = of_task[to][receive] = static_cast<std::int32_t>(list.size());
        std::int64_t const bytes = sender.bytes_moved(sender.tasks[send]);
        Message message;
        message.from = from.value(), message.to = to.value();
        message.send = send, message.receive = receive;
        message.bytes = static_cast<double>(bytes);
        message.eager = bytes <= eager;
        list.push_back(message);
    }
};

/// One rank: what it may do, and how its time was spent so far.
struct SimulatedRank {
    SimulatedRank(schedule::Header const& header, Section const& of, Cluster const& cluster, Rank self)
        : section(of),
          dispatcher(of, header.loops, schedule::replay(of), {.iterations = 1}),
          widths(schedule::kernel_widths(header, of, cluster.threads)),
          speed(cluster.speed_of(self)),
          idle(cluster.threads),
          threads(cluster.threads) {}

    /// Books the time since the last change.
    void book(double now) {
        double const passed = now - booked;
        double const share = static_cast<double>(threads - idle) / threads;
        times.busy += passed * share;
        (open_messages > 0 ? times.communicating : times.waiting) += passed * (1 - share);
        booked = now;
    }

    /// A task under way. Workers that find nothing to begin help the first one that has room for them.
    struct Running {
        TaskId task;
        int width = 1, workers = 1;
        double left = 0;  // seconds of one worker, from `since` on
        double since = 0;
        double disk = 0;       // when its part on the disk has ended
        std::int64_t end = 0;  // the event that ends it, if no other one does
    };

    Section const& section;
    schedule::Dispatcher<BlockCounts> dispatcher;
    Table<TaskId, std::int16_t> widths;
    std::vector<Running> running;  // as they began
    double speed;
    int idle, threads;
    int open_messages = 0;
    double disk_free = 0;  // when what was begun on the disk has ended
    double booked = 0;
    RankTimes times;
};

using schedule::LoopSpecId;

/// What the other iterations of loops take: each as long as the longest that a rank was in the one that was simulated.
/// @param iterations  each time that a loop is entered
double seconds_of_other_iterations(Schedule const& schedule, Spans const& spans,
                                   Table<LoopSpecId, double> const& iterations) {
    auto const& loops = schedule.header.loops;
    Table<LoopSpecId, double> longest(loops.size(), 0);
    Table<LoopSpecId, OptionalId<LoopSpecId>> outer(loops.size());
    for (Rank rank : schedule.sections.ids()) {
        auto const& here = schedule.sections[rank].loops;
        for (schedule::LoopId l : here.ids()) {
            double begin = std::numeric_limits<double>::max(), end = 0;
            for (TaskId t = here[l].first; t < here[l].last; t = following(t)) {
                if (spans[rank][t].begin >= 0) begin = std::min(begin, spans[rank][t].begin);
                end = std::max(end, spans[rank][t].end);
            }
            longest[here[l].spec] = std::max(longest[here[l].spec], end - begin);
            for (schedule::LoopId o = here.last(); o > l;
                 o = schedule::LoopId{o.value() - 1})  // the innermost around it last
                if (here[o].contains(here[l])) outer[here[l].spec] = here[o].spec;
        }
    }
    double out = 0;
    for (LoopSpecId l : loops.ids()) {  // inner ones first
        double const others = std::max(0.0, iterations[l] - 1) * longest[l];
        (outer[l] ? longest[*outer[l]] : out) += others;
    }
    return out;
}

class Simulator {
public:
    Simulator(Schedule const& schedule, Cluster const& cluster)
        : schedule_(schedule),
          cluster_(cluster),
          costs_(schedule.header, cluster),
          network_(cluster, schedule.header.ranks),
          messages_(schedule, cluster.eager) {
        for (int rank = 0; rank < schedule.header.ranks; ++rank) {
            Section const& section = schedule.sections[Rank{rank}];
            ranks_.emplace_back(schedule.header, section, cluster, Rank{rank});
            out_.spans.add(Table<TaskId, TaskSpan>(section.tasks.size()));
        }
    }

    Simulation run() {
        for (int rank = 0; rank < schedule_.header.ranks; ++rank) begin(rank);
        while (!events_.empty() || network_.next() < FairLink::never) {
            if (!events_.empty() && events_.top().time <= network_.next()) {
                Event const event = events_.top();
                events_.pop();
                handle(event);
            } else {
                double const now = network_.next();
                if (std::int32_t const message = network_.step(); message >= 0) passed(message, now);
            }
        }
        collect();
        return std::move(out_);
    }

private:
    enum class What { task_ends, message_answered, message_starts, message_arrives };
    struct Event {
        double time;
        std::int64_t order;  // of events at one time: as they were foreseen
        What what;
        int rank;         // task_ends
        std::int32_t id;  // a task or a message
        bool operator>(Event const& other) const { return std::tie(time, order) > std::tie(other.time, other.order); }
    };

    std::int64_t foresee(double time, What what, int rank, std::int32_t id) {
        events_.push({time, foreseen_, what, rank, id});
        return foreseen_++;
    }

    /// Inputs are in place.
    void begin(int rank) {
        auto& dispatcher = ranks_[at(rank)].dispatcher;
        dispatcher.begin_round(schedule::Inputs::used_up);
        dispatcher.begin_phase(schedule::Phase::load);
        while (auto const task = dispatcher.take_compute()) dispatcher.finish(*task);
        dispatcher.begin_phase(schedule::Phase::execute);
        start_what_may(rank, 0, -1, {});
    }

    void handle(Event const& event) {
        switch (event.what) {
            case What::task_ends: return end_task(event);
            case What::message_answered: {
                Message const& message = messages_.list[at(event.id)];
                double const start = network_.answer(event.time, Rank{message.from}, Rank{message.to});
                foresee(start, What::message_starts, event.rank, event.id);
                return;
            }
            case What::message_starts: {
                Message const& message = messages_.list[at(event.id)];
                return network_.start(event.time, event.id, Rank{message.from}, Rank{message.to}, message.bytes);
            }
            case What::message_arrives: return arrive(event.id, event.time);
        }
    }

    /// After a change at `rank`: the task that ended there, or at the other end of a message, is what let others begin.
    void start_what_may(int rank, double now, int cause_rank, OptionalId<TaskId> cause) {
        SimulatedRank& self = ranks_[at(rank)];
        while (auto const task = self.dispatcher.take_receive()) post(rank, *task, now, cause_rank, cause);
        while (auto const task = self.dispatcher.take_send()) post(rank, *task, now, cause_rank, cause);
        while (self.idle > 0) {
            auto const task = self.dispatcher.take_compute();
            if (!task) break;
            start_task(rank, *task, now, cause_rank, cause);
        }
        for (SimulatedRank::Running& running : self.running)
            if (self.idle > 0) help(rank, running, now);
    }

    void start_task(int rank, TaskId id, double now, int cause_rank, OptionalId<TaskId> cause) {
        SimulatedRank& self = ranks_[at(rank)];
        Task const& task = self.section.tasks[id];
        SimulatedRank::Running running{.task = id, .since = now};
        running.width = self.widths.empty() ? 1 : self.widths[id];
        running.workers = std::min(running.width, self.idle);
        self.book(now);
        self.idle -= running.workers;
        running.left =
            (costs_.seconds(self.section, task) * self.threads + cluster_.per_task * running.workers) / self.speed;
        double const disk = costs_.disk_seconds(self.section, task);
        if (disk > 0) running.disk = self.disk_free = std::max(now, self.disk_free) + disk;
        out_.spans[Rank{rank}][id] = {now, now, cause_rank, cause};
        foresee_end(rank, running);
        self.running.push_back(running);
    }

    /// As workers do that are lent to a kernel: those that are idle join, and stay.
    void help(int rank, SimulatedRank::Running& running, double now) {
        SimulatedRank& self = ranks_[at(rank)];
        int const helpers = std::min(self.idle, running.width - running.workers);
        if (helpers <= 0) return;
        self.book(now);
        self.idle -= helpers;
        running.left -= (now - running.since) * running.workers;
        running.since = now;
        running.workers += helpers;
        foresee_end(rank, running);
    }

    void foresee_end(int rank, SimulatedRank::Running& running) {
        double const computed = running.since + running.left / running.workers;
        running.end = foresee(std::max(computed, running.disk), What::task_ends, rank, running.task.value());
    }

    void end_task(Event const& event) {
        SimulatedRank& self = ranks_[at(event.rank)];
        auto const ends = std::find_if(self.running.begin(), self.running.end(),
                                       [&](auto const& running) { return running.end == event.order; });
        if (ends == self.running.end()) return;  // it got help, and ended earlier
        self.book(event.time);
        self.idle += ends->workers;
        self.running.erase(ends);
        TaskId const id{event.id};
        out_.spans[Rank{event.rank}][id].end = event.time;
        finish(event.rank, id, event.time);
    }

    void finish(int rank, TaskId id, double now) {
        ranks_[at(rank)].dispatcher.finish(id);
        out_.makespan = std::max(out_.makespan, now);
        start_what_may(rank, now, rank, id);
    }

    /// A rank has its end of a message ready.
    void post(int rank, TaskId task, double now, int cause_rank, OptionalId<TaskId> cause) {
        std::int32_t const number = messages_.of_task[Rank{rank}][task];
        Message& message = messages_.list[at(number)];
        (message.from == rank ? message.sent : message.posted) = true;
        if (message.from == rank && !message.eager)
            message.asked = network_.ask(now, Rank{message.from}, Rank{message.to});
        if (message.started) {  // eagerly, and only now there is a place for it
            open(message.to, now);
            if (message.arrived) foresee(now, What::message_arrives, rank, number);
            return;
        }
        if (!message.sent || !(message.posted || message.eager)) return;
        message.started = true;
        message.begin = now;
        message.cause_rank = cause_rank, message.cause = cause;
        open(message.from, now);
        if (message.posted) open(message.to, now);
        if (message.eager)
            foresee(now, What::message_starts, rank, number);
        else
            foresee(std::max(now, message.asked), What::message_answered, rank, number);
    }

    void open(int rank, double now) {
        ranks_[at(rank)].book(now);
        ++ranks_[at(rank)].open_messages;
    }

    /// All of a message has left: the sender may forget it.
    void passed(std::int32_t number, double now) {
        Message& message = messages_.list[at(number)];
        foresee(now + network_.link(Rank{message.from}, Rank{message.to}).latency, What::message_arrives, message.to,
                number);
        close(message.from, message.send, message, now);
    }

    void arrive(std::int32_t number, double now) {
        Message& message = messages_.list[at(number)];
        message.arrived = true;
        if (message.posted) close(message.to, message.receive, message, now);
    }

    void close(int rank, TaskId task, Message const& message, double now) {
        SimulatedRank& self = ranks_[at(rank)];
        self.book(now);
        --self.open_messages;
        out_.spans[Rank{rank}][task] = {message.begin, now, message.cause_rank, message.cause};
        finish(rank, task, now);
    }

    void collect() {
        double busy = 0;
        for (SimulatedRank& rank : ranks_) {
            promise(rank.dispatcher.phase_done(), "a simulated run stood still");
            rank.book(out_.makespan);
            busy += rank.times.busy;
            out_.ranks.push_back(rank.times);
        }
        Table<LoopSpecId, double> all;
        for (schedule::LoopSpec const& loop : schedule_.header.loops) all.add(static_cast<double>(loop.iterations));
        out_.all_iterations = out_.makespan + seconds_of_other_iterations(schedule_, out_.spans, all);
        if (out_.makespan > 0) out_.efficiency = busy / (out_.makespan * static_cast<double>(ranks_.size()));
    }

    Schedule const& schedule_;
    Cluster const& cluster_;
    TaskCosts costs_;
    Network network_;
    Messages messages_;
    std::deque<SimulatedRank> ranks_;  // a deque: they refer to themselves
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::int64_t foreseen_ = 0;
    Simulation out_;
};

}  // namespace

double seconds_with(Schedule const& schedule, Simulation const& simulation,
                    Table<LoopSpecId, std::int64_t> const& iterations) {
    Table<LoopSpecId, double> each;
    for (LoopSpecId l : schedule.header.loops.ids()) {
        auto const outer = schedule.header.loops[l].outer;
        double const entered = outer ? static_cast<double>(std::max<std::int64_t>(1, iterations[*outer])) : 1;
        each.add(static_cast<double>(iterations[l]) / entered);
    }
    return simulation.makespan + seconds_of_other_iterations(schedule, simulation.spans, each);
}

Simulation simulate(Schedule const& schedule, Cluster const& cluster) { return Simulator(schedule, cluster).run(); }

}  // namespace ein::scheduler
