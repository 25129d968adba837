// Starts the transfers that the dispatcher allows, moves them along and reports their ends. Any thread may take a step;
// one at a time is inside. Also the door to everything else of the transport while tasks run: barriers and notes.
#pragma once

#include <atomic>
#include <optional>

#include "executor/engine/run_state.hpp"
#include "executor/report/task_times.hpp"
#include "executor/trace/record.hpp"
#include "executor/transport/transport.hpp"

namespace ein::executor {

class Communicator {
public:
    Communicator(RunState& run_state, schedule::Section const& section, Transport& transport, TransferLog& log);

    /// Starts, polls and finishes what there is; never waits. Nothing is done when another thread is inside: it sees to
    /// it.
    void step();
    /// True while transfers are under way, as of the last step.
    bool busy() const { return busy_.load(std::memory_order_relaxed); }
    /// When a transfer last began or ended; as seconds_now().
    double last_change() const { return last_change_.load(std::memory_order_relaxed); }

    /// Waits for all ranks. Notes pass meanwhile. @throws RunAborted; returns early when the run state was closed
    void barrier();
    /// Calls use(transport) with nobody else inside.
    template <class Use>
    void with_transport(Use&& use) {
        MutexLock const lock(mutex_);
        run_state_.storage().enter_for_messages();  // whatever is asked of MPI may move transfers along
        use(transport_);
    }

    TaskTimes times() const {  // of transfers, from start to end
        MutexLock const lock(mutex_);
        return times_;
    }

private:
    /// @return the events that were seen; nothing when another thread is inside
    std::optional<unsigned> try_step();
    void start_what_may() EIN_REQUIRES(mutex_);
    void finish_what_is_done() EIN_REQUIRES(mutex_);
    void start(TransferStart const& starting) EIN_REQUIRES(mutex_);
    void start_listed(TransferStart const& starting, schedule::Message const& message, std::span<std::byte> bytes)
        EIN_REQUIRES(mutex_);

    RunState& run_state_;
    schedule::Section const& section_;
    mutable Mutex mutex_;  // taken before the run state's, never after
    Transport& transport_ EIN_GUARDED_BY(mutex_);
    TransferLog& log_ EIN_GUARDED_BY(mutex_);
    std::atomic<bool> busy_{false};
    std::atomic<double> last_change_{0};
    unsigned seen_events_ EIN_GUARDED_BY(mutex_) = 0;  // of the run state, when starts were last looked for
    std::vector<TransferStart> starting_ EIN_GUARDED_BY(mutex_);
    std::vector<TransferStart> expected_ EIN_GUARDED_BY(mutex_);  // their bytes are on their way from a device
    std::vector<Transport::Ticket> done_ EIN_GUARDED_BY(mutex_);  // tickets are task ids
    TaskTimes times_ EIN_GUARDED_BY(mutex_);
};

}  // namespace ein::executor
