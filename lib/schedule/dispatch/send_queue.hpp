// Sends that could start now: the lowest first, and to each rank few bytes at a time. Messages that are open together
// share their links and arrive together; one after another, the first is there early and its reader begins while the
// others are under way. Only messages before it in the list hold a send up: what is ready long before it is wanted
// (parts of inputs) may wait for its receiver, who takes messages of one sender in the list's order. Example: window 8;
// to rank 1 tasks 5 (6 bytes) and 7 (6 bytes), to rank 2 task 6: 5 and 6 may start, 7 when 5 has ended; 3, ready now,
// at once.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "lib/schedule/dispatch/ready_queue.hpp"

namespace ein::schedule {

class SendQueue {
public:
    explicit SendQueue(std::int64_t window) : window_(window) {}

    bool empty() const { return open_.empty(); }
    TaskId first() const { return open_.first(); }
    void push(TaskId send, Rank peer, std::int64_t bytes) {
        Peer& to = peers_[peer];
        if ((to.waiting.empty() || send < to.waiting.first()) && fits(to, send, bytes))
            begin(to, send, bytes);
        else
            to.waiting.push(send);
    }
    TaskId pop() { return open_.pop(); }
    /// A send that was taken has ended. @param bytes_of  of a send
    template <class BytesOf>
    void ended(TaskId send, Rank peer, BytesOf const& bytes_of) {
        Peer& to = peers_[peer];
        to.open.erase(send);
        while (!to.waiting.empty() && fits(to, to.waiting.first(), bytes_of(to.waiting.first()))) {
            TaskId const next = to.waiting.pop();
            begin(to, next, bytes_of(next));
        }
    }
    /// A send that may start whatever is open, if it waits: the lowest of all that have not ended.
    void release(TaskId send, Rank peer, std::int64_t bytes) {
        Peer& to = peers_[peer];
        if (!to.waiting.empty() && to.waiting.first() == send) begin(to, to.waiting.pop(), bytes);
    }

private:
    struct Peer {
        std::map<TaskId, std::int64_t> open;  // bytes of sends that may start or have
        ReadyQueue waiting;
    };
    bool fits(Peer const& to, TaskId send, std::int64_t bytes) const {
        std::int64_t before = 0;
        for (auto at = to.open.begin(); at != to.open.end() && at->first < send; ++at) before += at->second;
        return before == 0 || before + bytes <= window_;
    }
    void begin(Peer& to, TaskId send, std::int64_t bytes) {
        to.open.emplace(send, bytes);
        open_.push(send);
    }

    std::int64_t window_;
    ReadyQueue open_;
    std::unordered_map<Rank, Peer> peers_;
};

}  // namespace ein::schedule
