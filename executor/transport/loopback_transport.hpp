// Ranks that are threads of one process: the stand-in for MPI in tests. A send ends only when its receiver has taken
// the bytes, so whatever runs here needs no buffering anywhere. Deliveries can be held back at random to shake out
// orders.
// Example: LoopbackHub hub(2); auto left = hub.join(Rank{0}), right = hub.join(Rank{1}); each is used by its own
// thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "executor/transport/transport.hpp"
#include "executor/transport/tuning.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor {

struct LoopbackOptions {
    std::size_t chunk = tuning::loopback_chunk;  // bytes that one poll moves of one message
    int max_delay = 0;                           // a message is held back for 0 to max_delay polls of its receiver
    std::uint64_t seed = 1;                      // of the delays
    /// Asked of what this thread's rank sends and receives, whenever the thread has to do with it: as MPI does, it
    /// throws for memory that the thread may not touch (of a device whose context it has not entered).
    std::function<void(void const*)> check_access = {};
};

/// What the ranks share. It must outlive their transports.
class LoopbackHub {
public:
    explicit LoopbackHub(int ranks, LoopbackOptions options = {});
    std::unique_ptr<Transport> join(Rank rank);

private:
    friend class LoopbackTransport;
    struct Message {
        std::span<std::byte const> bytes;
        Transport::Ticket ticket = 0;
        int delay = 0;
    };
    struct Receive {
        std::span<std::byte> into;
        int from = 0, tag = 0;
        Transport::Ticket ticket = 0;
        std::size_t moved = 0;
        bool may_be_shorter = false;  // than there is room for
    };
    struct Member {
        std::map<std::pair<int, int>, Message> arriving;  // by sender and tag
        std::vector<Receive> receives;
        std::vector<Transport::Ticket> sent;  // sends of this rank that are done
        std::deque<std::pair<int, std::string>> notes;
        TransferCounts counts;
        std::int64_t barrier = 0;  // barriers that this rank has begun
    };

    void check_running() const EIN_REQUIRES(mutex_);  // @throws RunAborted
    void check_access(void const* memory) const;
    bool advance(Receive& receive, Member& receiver) EIN_REQUIRES(mutex_);

    LoopbackOptions const options_;
    int const ranks_;
    Mutex mutex_;
    Condition changed_;
    std::mt19937_64 random_ EIN_GUARDED_BY(mutex_);
    std::vector<Member> members_ EIN_GUARDED_BY(mutex_);
    std::vector<std::string> gathered_ EIN_GUARDED_BY(mutex_);
    int gathering_ EIN_GUARDED_BY(mutex_) = 0;  // ranks inside the current all_gather
    std::int64_t gather_round_ EIN_GUARDED_BY(mutex_) = 0;
    std::vector<std::string> gather_result_ EIN_GUARDED_BY(mutex_);
    std::optional<ExitCode> aborted_ EIN_GUARDED_BY(mutex_);
};

}  // namespace ein::executor
