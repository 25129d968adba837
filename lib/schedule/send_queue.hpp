// Sends that could start now: the lowest first, and to each rank few bytes at a time. Messages that are open together share their links and arrive
// together; one after another, the first is there early and its reader begins while the others are under way.
// Example: window 8; to rank 1 tasks 5 (6 bytes) and 7 (6 bytes), to rank 2 task 6: 5 and 6 may start, 7 when 5 has ended.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "lib/schedule/ready_queue.hpp"

namespace ein::schedule {

class SendQueue {
public:
    explicit SendQueue(std::int64_t window) : window_(window) {}

    bool empty() const { return open_.empty(); }
    TaskId first() const { return open_.first(); }
    void push(TaskId send, std::int32_t peer, std::int64_t bytes) {
        Peer& to = peers_[peer];
        if (to.waiting.empty() && fits(to, bytes))
            begin(to, send, bytes);
        else
            to.waiting.push(send);
    }
    TaskId pop() { return open_.pop(); }
    /// A send that was taken has ended. @param bytes_of  of a send
    template <class BytesOf>
    void ended(std::int32_t peer, std::int64_t bytes, BytesOf const& bytes_of) {
        Peer& to = peers_[peer];
        to.bytes -= bytes;
        while (!to.waiting.empty() && fits(to, bytes_of(to.waiting.first()))) {
            TaskId const next = to.waiting.pop();
            begin(to, next, bytes_of(next));
        }
    }
    /// A send that may start whatever is open, if it waits: the lowest of all that have not ended.
    void release(TaskId send, std::int32_t peer, std::int64_t bytes) {
        Peer& to = peers_[peer];
        if (!to.waiting.empty() && to.waiting.first() == send) begin(to, to.waiting.pop(), bytes);
    }

private:
    struct Peer {
        std::int64_t bytes = 0;  // of sends that may start or have
        ReadyQueue waiting;
    };
    bool fits(Peer const& to, std::int64_t bytes) const { return to.bytes == 0 || to.bytes + bytes <= window_; }
    void begin(Peer& to, TaskId send, std::int64_t bytes) {
        to.bytes += bytes;
        open_.push(send);
    }

    std::int64_t window_;
    ReadyQueue open_;
    std::unordered_map<std::int32_t, Peer> peers_;
};

}  // namespace ein::schedule
