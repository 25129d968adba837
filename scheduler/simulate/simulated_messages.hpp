// The messages of a simulated run: each is a send and its receive, found by sender, receiver and tag; in loops one for
// each iteration, whose two ranks may be in different ones. What becomes of a message is simulate.cpp's. Example: rank
// 0's task 3 is received by rank 1's task 5: take(0, 3) and take(1, 5) give the same number, and the next time both
// give another one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

/// A message: the send and the receive of it, in one iteration of the loops that they are in.
struct SimulatedMessage {
    int from = 0, to = 0;
    TaskId send, receive;
    double bytes = 0;
    std::int32_t next = -1;             // the same in the next iteration, if a rank has come there
    bool sent = false, posted = false;  // by its two ranks
    bool eager = false, started = false, arrived = false;
    double asked = 0;  // when its request reaches the receiver
    double begin = 0;
    int cause_rank = -1;
    OptionalId<TaskId> cause;
};

/// The messages of a schedule, and for each rank's tasks the number of theirs.
class SimulatedMessages {
public:
    SimulatedMessages(schedule::Schedule const& schedule, std::int64_t eager) : of_task_(schedule.sections.size()) {
        promise(!schedule.repeats(), "a schedule is simulated whose tasks are not all there");
        Table<Rank, std::vector<End>> sends(schedule.sections.size()), receives(schedule.sections.size());
        for (Rank rank : schedule.sections.ids()) {
            schedule::Section const& section = schedule.sections[rank];
            of_task_[rank].assign(section.tasks.size(), -1);
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

    SimulatedMessage& operator[](std::int32_t number) { return list_[index(number)]; }

    /// The message of which a rank has its end ready now: each time that it does the task another one.
    std::int32_t take(int rank, TaskId task) {
        std::int32_t& last = of_task_[Rank{rank}][task];
        std::int32_t const taken = last >= 0 ? last : after(~last);
        last = ~taken;
        return taken;
    }

private:
    static std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

    struct End {
        Rank peer;
        schedule::MessageTag tag;
        TaskId task;
        bool operator<(End const& other) const { return peer != other.peer ? peer < other.peer : tag < other.tag; }
    };

    std::int32_t after(std::int32_t number) {
        if (list_[index(number)].next < 0) {
            SimulatedMessage const& of = list_[index(number)];
            list_.push_back(blank(of.from, of.to, of.send, of.receive, of.bytes, of.eager));
            list_[index(number)].next = static_cast<std::int32_t>(list_.size()) - 1;
        }
        return list_[index(number)].next;
    }

    void add(schedule::Section const& sender, Rank from, TaskId send, Rank to, TaskId receive, std::int64_t eager) {
        of_task_[from][send] = of_task_[to][receive] = static_cast<std::int32_t>(list_.size());
        std::int64_t const bytes = sender.bytes_moved(sender.tasks[send]);
        list_.push_back(blank(from.value(), to.value(), send, receive, static_cast<double>(bytes), bytes <= eager));
    }

    static SimulatedMessage blank(int from, int to, TaskId send, TaskId receive, double bytes, bool eager) {
        SimulatedMessage out;
        out.from = from, out.to = to;
        out.send = send, out.receive = receive;
        out.bytes = bytes;
        out.eager = eager;
        return out;
    }

    std::deque<SimulatedMessage> list_;                 // a deque: whoever holds one goes on while others come
    Table<Rank, Table<TaskId, std::int32_t>> of_task_;  // its first; ~ of the last that was taken; -1: no transfer
};

}  // namespace ein::scheduler
