// What one rank may do next. Tasks become ready as their inputs do and are taken lowest first; the memory promise
// (admission) and the limits on transfers in flight are kept here; blocks are made and deleted as tasks start and end.
// No threads: the executor calls it under its lock, the simulator in its own time, tests by hand. Why it never stands
// still: the head (the first task not ended) may always start, its inputs are ready, and a schedule's lists in order
// end on all ranks.
// Example: load X, apply Z: take_compute() is task 0; after finish(0) it is task 1; after finish(1) the phase is done.
#pragma once

#include <limits>
#include <optional>

#include "lib/schedule/dispatch/iterations.hpp"
#include "lib/schedule/dispatch/points.hpp"
#include "lib/schedule/dispatch/ready_queue.hpp"
#include "lib/schedule/dispatch/send_queue.hpp"
#include "lib/schedule/dispatch/task_links.hpp"
#include "lib/schedule/memory/admission.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/room.hpp"

namespace ein::schedule {

/// How much may be under way beside the head; and of loops.
struct TransferLimits {
    std::int64_t sends = tuning::most_sends;
    std::int64_t receives = tuning::most_receives;
    std::int64_t receive_bytes = tuning::receive_bytes;  // of receives posted ahead
    std::int64_t peer_bytes = tuning::peer_bytes;        // of sends to one rank; one message may be larger
    std::int64_t iterations = std::numeric_limits<std::int64_t>::max();
};

enum class Phase { load, execute, store };
enum class Inputs { kept, used_up };  // after a round: kept for another one, or deleted at their last reader

/// @tparam Store  the blocks' memory or only their counts: see executor/storage/block_store.hpp
template <class Store>
class Dispatcher {
public:
    /// @param profile  of the section (see replay), with inputs kept to the end where rounds are repeated
    /// @param loops  of the header
    Dispatcher(Section const& section, Table<LoopSpecId, LoopSpec> const& loops, Profile const& profile,
               TransferLimits limits = {});

    void prepare_memory() { store_.prepare_memory(); }  // before the first round; see BlockStore
    /// Prepares all counts; nothing may start until a phase begins. A round after one that kept its inputs finds them
    /// loaded; any other begins with the load phase. Inputs of a section that spills some while it loads cannot be
    /// kept.
    void begin_round(Inputs inputs);
    void begin_phase(Phase phase);
    /// Nothing is left of it, or nothing before the stop at which it is to end.
    bool phase_done() const { return left_in_phase_ == 0 || (ends_at_stop_ && head() >= limit_); }
    /// In place of the store phase: outputs are deleted unwritten.
    void drop_outputs();

    /// The next task for a worker; its output has memory. @throws MemoryError
    std::optional<TaskId> take_compute();
    std::optional<TaskId> take_send();
    std::optional<TaskId> take_receive();
    bool compute_wanted() const;                              // take_compute would give a task
    TaskId next_compute() const { return compute_.first(); }  // that one
    bool transfers_wanted() const;                            // take_send or take_receive would

    void finish(TaskId task);

    // Stops: see points.hpp.

    /// From now on no task behind a loop starts before the loop has ended, and none far behind the next moment: a run
    /// that may be stopped. What is done out of order behind a moment makes it one that has passed.
    void keep_stoppable() { is_stoppable_ = true, update_limit(); }
    /// No task at the stop or behind it starts any more. @param ends  the phase is done when those before it have ended
    void stop_before(Stop stop, bool ends);
    void go_on();
    /// In the execute phase, or behind it.
    bool executes() const { return phase_ == Phase::execute; }
    /// Whether the rank stands where it was to stop; else a loop around the stop ended before.
    bool stands_at_stop() const { return stop_ && head() >= stop_->before && !missing_iteration(); }
    /// No task from here on has started, in this iteration.
    TaskId unstarted() const;
    /// Ends all tasks before the stop without doing any of them, as a run that goes on there. In place of the load
    /// phase and the beginning of the execute phase. Blocks that are held afterwards have memory and no content:
    /// nothing starts until go_on().
    void skip_to(Stop const& stop, IterationCounts begun);

    std::int64_t transfers_in_flight() const { return sends_in_flight_ + receives_in_flight_; }
    std::int64_t finished() const { return finished_; }  // tasks, over all rounds
    TaskId head() const { return admission_.head(); }
    bool ended(TaskId task) const { return states_[task] == State::ended; }
    TaskLinks const& links() const { return links_; }
    Iterations const& iterations() const { return iterations_; }
    Store const& store() const { return store_; }
    Store& store() { return store_; }

private:
    Task const& task(TaskId id) const { return section_.tasks[id]; }
    void enqueue(TaskId id);
    std::int64_t message_bytes(TaskId transfer) const { return section_.bytes_moved(task(transfer)); }
    bool admitted(TaskId id) const;
    bool may_send() const;
    bool may_receive() const;
    void count_down(TaskId id);
    void make_output(TaskId id);
    void advance_head();
    void read_inputs(TaskId id);
    void pass(TaskId id);
    void release_head();
    void transfer_ended(TaskId id);
    void end_iteration(LoopId loop);
    bool has_another(LoopId loop);
    bool skips_to_another(LoopId loop);
    void begin_iteration(LoopId loop);
    OptionalId<LoopId> missing_iteration() const;
    void update_limit();
    TaskId stoppable_limit() const;

    enum class State : std::uint8_t { waits, started, ended };

    Section const& section_;
    Table<LoopSpecId, LoopSpec> const& loops_;
    TaskLinks links_;
    Iterations iterations_;
    Store store_;
    Admission admission_;
    TransferLimits limits_;
    Table<TaskId, std::int32_t> waits_;
    Table<TaskId, State> states_;
    Table<BlockId, std::uint8_t> made_early_, gone_early_;
    ReadyQueue compute_, receives_;
    SendQueue sends_;
    bool inputs_kept_ = false;  // by the round before
    Phase phase_ = Phase::load;
    TaskId phase_end_{0};
    TaskId limit_{0};  // no task from here on may start: the phase's end, or a stop before it
    std::optional<Stop> stop_;
    bool ends_at_stop_ = false, skips_ = false, is_stoppable_ = false;
    std::int64_t left_in_phase_ = 0, finished_ = 0;
    std::int64_t sends_in_flight_ = 0, receives_in_flight_ = 0, receive_bytes_in_flight_ = 0;
};

}  // namespace ein::schedule

#include "lib/schedule/dispatch/dispatcher_steps.hpp"
#include "lib/schedule/dispatch/dispatcher_stops.hpp"
#include "lib/schedule/tuning.hpp"
