// Starts the transfers that the dispatcher allows, moves them along and reports their ends. Any thread may take a step; one at a time is
// inside. Also the door to everything else of the transport while tasks run: barriers and notes.
#pragma once

#include <atomic>
#include <mutex>

#include "executor/engine/run_state.hpp"
#include "executor/report/task_times.hpp"
#include "executor/trace/record.hpp"
#include "executor/transport/transport.hpp"

namespace ein::executor {

class Communicator {
public:
    Communicator(RunState& run_state, schedule::Section const& section, Transport& transport, TransferLog& log);

    /// Starts, polls and finishes what there is; never waits. Nothing is done when another thread is inside: it sees to it.
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
        std::lock_guard turn(mutex_);
        use(transport_);
    }

    TaskTimes const& times() const { return times_; }  // of transfers, from start to end

private:
    void start_what_may();
    void finish_what_is_done();
    struct Starting {
        TaskId task;
        SendEnds ends;
    };
    void start(Starting const& starting);
    BlockStorage& storage() const { return run_state_.dispatcher.store().storage(); }

    RunState& run_state_;
    schedule::Section const& section_;
    Transport& transport_;
    TransferLog& log_;
    std::mutex mutex_;  // taken before the run state's, never after
    std::atomic<bool> busy_{false};
    std::atomic<double> last_change_{0};
    unsigned seen_events_ = 0;  // of the run state, when starts were last looked for
    std::vector<Starting> starting_;
    std::vector<Starting> expected_;       // their bytes are on their way from a device
    std::vector<Transport::Ticket> done_;  // tickets are task ids
    TaskTimes times_;
};

}  // namespace ein::executor
