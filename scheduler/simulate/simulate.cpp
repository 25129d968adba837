#include "scheduler/simulate/simulate.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <tuple>
#include <utility>

#include "lib/base/error.hpp"
#include "scheduler/simulate/loop_pace.hpp"
#include "scheduler/simulate/network.hpp"
#include "scheduler/simulate/simulated_messages.hpp"
#include "scheduler/simulate/simulated_rank.hpp"
#include "scheduler/simulate/task_costs.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

namespace {

using schedule::LoopSpecId;
using schedule::Schedule;
using schedule::Section;
using schedule::Task;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

class Simulator {
public:
    /// @param iterations  of each loop, at most
    Simulator(Schedule const& schedule, Cluster const& cluster, std::int64_t iterations)
        : schedule_(schedule),
          cluster_(cluster),
          costs_(schedule.header, cluster),
          network_(cluster, schedule.header.ranks),
          messages_(schedule, cluster.eager) {
        for (int rank = 0; rank < schedule.header.ranks; ++rank) {
            Section const& section = schedule.sections[Rank{rank}];
            ranks_.emplace_back(schedule.header, section, cluster, Rank{rank}, schedule::replay(section), iterations);
            out_.spans.add(Table<TaskId, TaskSpan>(section.tasks.size()));
        }
    }

    Simulation run() {
        for (int rank = 0; rank < schedule_.header.ranks; ++rank)
            begin(rank), foresee(network_.apart(Rank{rank}), What::rank_begins, rank, 0);
        while (!events_.empty() || network_.next() < FairLink::never) {
            if (!events_.empty() && events_.top().time <= network_.next()) {
                Event const event = events_.top();
                events_.pop();
                handle(event);
            } else {
                double const now = network_.next();
                Network::Step const step = network_.step();
                if (step.passed) passed(step.message, now);
                if (step.sent) sent(step.message, now);
            }
        }
        collect();
        return std::move(out_);
    }

    /// After a run: seconds between the ends of the last two iterations of each loop, where each is the slowest rank's.
    Table<LoopSpecId, double> seconds_an_iteration() const {
        Table<LoopSpecId, double> before(schedule_.header.loops.size(), 0), last = before;
        for (SimulatedRank const& rank : ranks_)
            for (schedule::LoopId l : rank.loops.ids()) {
                LoopSpecId const spec = rank.section.loops[l].spec;
                before[spec] = std::max(before[spec], rank.loops[l].end_before);
                last[spec] = std::max(last[spec], rank.loops[l].end);
            }
        for (LoopSpecId l : last.ids()) last[l] -= before[l];
        return last;
    }

private:
    enum class What { rank_begins, task_ends, message_answered, message_starts, message_arrives };
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
    }

    void handle(Event const& event) {
        switch (event.what) {
            case What::rank_begins: return start_what_may(event.rank, event.time, -1, {});
            case What::task_ends: return end_task(event);
            case What::message_answered: {
                SimulatedMessage const& message = messages_[event.id];
                double const start = network_.answer(event.time, Rank{message.from}, Rank{message.to});
                foresee(start, What::message_starts, event.rank, event.id);
                return;
            }
            case What::message_starts: {
                SimulatedMessage const& message = messages_[event.id];
                for (int rank : {message.from, message.to}) slow_down(rank, message, event.time);
                if (network_.start(event.time, event.id, Rank{message.from}, Rank{message.to}, message.bytes))
                    sent(event.id, event.time);
                return;
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
            (costs_.seconds(self.section, task, &self.reuse) * self.threads + cluster_.per_task * running.workers) /
            self.speed;
        self.reuse.use(task);
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
        running.settle(now);
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
        ranks_[at(rank)].look_at_loops(now);
        out_.makespan = std::max(out_.makespan, now);
        start_what_may(rank, now, rank, id);
    }

    /// A rank has its end of a message ready.
    void post(int rank, TaskId task, double now, int cause_rank, OptionalId<TaskId> cause) {
        std::int32_t const number = messages_.take(rank, task);
        SimulatedMessage& message = messages_[number];
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

    /// All of a message has left its sender, which may forget it.
    void sent(std::int32_t number, double now) {
        SimulatedMessage const& message = messages_[number];
        close(message.from, message.send, message, now);
    }

    /// It has passed all links.
    void passed(std::int32_t number, double now) {
        SimulatedMessage& message = messages_[number];
        foresee(now + network_.link(Rank{message.from}, Rank{message.to}).latency, What::message_arrives, message.to,
                number);
    }

    void arrive(std::int32_t number, double now) {
        SimulatedMessage& message = messages_[number];
        message.arrived = true;
        if (message.posted) close(message.to, message.receive, message, now);
    }

    void close(int rank, TaskId task, SimulatedMessage const& message, double now) {
        SimulatedRank& self = ranks_[at(rank)];
        self.book(now);
        --self.open_messages;
        slow_down(rank, message, now);
        self.reuse.use(self.section.tasks[task]);
        out_.spans[Rank{rank}][task] = {message.begin, now, message.cause_rank, message.cause};
        finish(rank, task, now);
    }

    /// What a core does for a message: over a link that queues at both ends, inside of a node one copy, the receiver's.
    double core_seconds(int rank, SimulatedMessage const& message) const {
        Rank const from{message.from}, to{message.to};
        Link const& link = network_.link(from, to);
        if (link.queue > 0) return message.bytes * tuning::seconds_of_a_queued_byte;
        return network_.same_node(from, to) && rank == message.to ? message.bytes / link.bandwidth : 0;
    }

    /// It does not compute meanwhile: half of it counts when the message begins, half when it ends. What is shorter
    /// than what comes beside a task does not count.
    void slow_down(int rank, SimulatedMessage const& message, double now) {
        SimulatedRank& self = ranks_[at(rank)];
        double const seconds = core_seconds(rank, message);
        if (self.running.empty() || seconds < cluster_.per_task) return;
        SimulatedRank::Running& running = self.running.front();
        running.left += seconds / 2 / self.speed;
        running.settle(now);
        foresee_end(rank, running);
    }

    void collect() {
        double busy = 0;
        for (SimulatedRank& rank : ranks_) {
            promise(rank.dispatcher.phase_done(), "a simulated run stood still");
            rank.book(out_.makespan);
            busy += rank.times.busy;
            out_.ranks.push_back(rank.times);
        }
        if (out_.makespan > 0) out_.efficiency = busy / (out_.makespan * static_cast<double>(ranks_.size()));
    }

    Schedule const& schedule_;
    Cluster const& cluster_;
    TaskCosts costs_;
    Network network_;
    SimulatedMessages messages_;
    std::deque<SimulatedRank> ranks_;  // a deque: they refer to themselves
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::int64_t foreseen_ = 0;
    Simulation out_;
};

/// Seconds of the iterations of a loop and of those in it, beyond those that were simulated, each time that it is
/// entered. @param iterations  of each loop, each time that it is entered
double others(Table<LoopSpecId, schedule::LoopSpec> const& loops, Simulation::Repeated const& repeated,
              Table<LoopSpecId, double> const& iterations, OptionalId<LoopSpecId> of) {
    double inside = 0;
    for (LoopSpecId l : loops.ids())
        if (loops[l].outer == of) inside += others(loops, repeated, iterations, l);
    if (!of) return inside;
    double const simulated = static_cast<double>(std::min(loops[*of].iterations, tuning::simulated_iterations));
    return (iterations[*of] - simulated) * repeated.each[*of] + iterations[*of] * inside;
}

}  // namespace

double seconds_with(Schedule const& schedule, Simulation const& simulation,
                    Table<LoopSpecId, std::int64_t> const& iterations) {
    auto const& loops = schedule.header.loops;
    if (loops.empty()) return simulation.makespan;
    Table<LoopSpecId, double> each_time;
    for (LoopSpecId l : loops.ids()) {
        auto const outer = loops[l].outer;
        double const entered = outer ? static_cast<double>(std::max<std::int64_t>(1, iterations[*outer])) : 1;
        each_time.add(static_cast<double>(iterations[l]) / entered);
    }
    return simulation.repeated.seconds + others(loops, simulation.repeated, each_time, {});
}

namespace {

/// From a run with a few iterations of each loop.
Simulation::Repeated repeat_loops(Schedule const& schedule, Cluster const& cluster) {
    Simulator run(schedule, cluster, tuning::simulated_iterations);
    Simulation const made = run.run();
    Table<LoopSpecId, double> each = run.seconds_an_iteration();
    Table<LoopSpecId, double> const least = least_seconds_an_iteration(schedule, cluster, made.spans);
    for (LoopSpecId l : each.ids()) each[l] = std::max(each[l], least[l]);
    return {made.makespan, std::move(each)};
}

double with_all_iterations(Schedule const& schedule, Simulation::Repeated const& repeated) {
    Table<LoopSpecId, double> most;
    for (schedule::LoopSpec const& loop : schedule.header.loops) most.add(static_cast<double>(loop.iterations));
    return repeated.seconds + others(schedule.header.loops, repeated, most, {});
}

}  // namespace

Simulation simulate(Schedule const& schedule, Cluster const& cluster) {
    Simulation out = Simulator(schedule, cluster, 1).run();
    out.all_iterations = out.makespan;
    if (schedule.header.loops.empty()) return out;
    out.repeated = repeat_loops(schedule, cluster);
    out.all_iterations = with_all_iterations(schedule, out.repeated);
    return out;
}

double simulated_seconds(Schedule const& schedule, Cluster const& cluster) {
    return schedule.header.loops.empty() ? Simulator(schedule, cluster, 1).run().makespan
                                         : with_all_iterations(schedule, repeat_loops(schedule, cluster));
}

}  // namespace ein::scheduler
