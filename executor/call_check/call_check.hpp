// Computes elements of kernel calls again while a run lasts, from the blocks that the calls read, as they lie in memory
// at that moment; elements that are only moved (copies, reshapes, packs) must be those that they were taken from. So
// each step of any graph is checked by its own inputs. What is between steps, which block a call reads and where its
// result goes, is the schedule's, which verify/ proves; bytes that messages and files carry are not looked at.
// Costs one test a task where it is off; a share of a call's time and at least one element where it is on.
// Example: sample = check.before(task); then the task runs; check.after(task, sample, team).
#pragma once

#include <atomic>
#include <functional>

#include "executor/call_check/call_samples.hpp"
#include "executor/call_check/look.hpp"
#include "executor/engine/kernel_table.hpp"
#include "executor/fusion/fused_steps.hpp"
#include "executor/storage/block_storage.hpp"

namespace ein::executor {

class CallCheck final : public FusedSteps {
public:
    struct Parts {
        schedule::Header const& header;
        schedule::Section const& section;
        scalar::Params const& params;
        KernelTable const& kernels;
        BlockStorage& storage;
        bool copies = false;  // of blocks to the host are looked at: another task's copy would disturb
        bool tf32 = false;    // products in f32 may round their factors to 11 bits
        Rank self{0};
        std::optional<std::int64_t> elements = {};  // of every call; default: what a share of its time affords
        /// In which a loop is, from 1; called while a task of it runs.
        std::function<std::int64_t(schedule::LoopId)> iteration;
    };
    explicit CallCheck(Parts parts);

    /// Nothing is looked at before.
    void begin() { is_on_ = true; }

    // While a task runs that the device does, from many threads at once.

    /// Elements of a task's result.
    struct Sample {
        std::int64_t elements = 0;         // 0: the task is not looked at
        std::uint64_t run = 0;             // the task's, counted from 0
        std::vector<scalar::Scalar> held;  // what each was before, where the call accumulates
        /// What the operand that the result takes over was there.
        struct Bytes {
            alignas(16) std::byte bytes[16];
        };
        std::vector<Bytes> taken = {};
    };
    /// What is to be looked at of a task that is about to run; not of a fused one.
    Sample before(TaskId task);
    void after(TaskId task, Sample const& sample, WorkerTeam& team);

    // Of a fused task that is about to run: one piece, all of its steps.

    std::optional<std::int64_t> piece_to_see(TaskId task, std::int64_t pieces) override;
    void see(FusedStepCall const& step, WorkerTeam& team) override;

    RankCalls found() const;

private:
    std::uint64_t count_run(TaskId task);
    bool is_due(TaskId task, std::uint64_t run) const;
    void add(std::string const& node, Look const& look);
    std::string owner(TaskId task) const;
    std::string place_text(std::string const& node, TaskId task) const;

    Parts parts_;
    Table<TaskId, CallSample> samples_;
    std::vector<std::atomic<std::uint32_t>> runs_;  // by task: so far
    std::atomic<bool> is_on_ = false;
    std::atomic<bool> is_enough_ = false;  // is wrong
    Mutex one_looks_;                      // where copies are looked at
    CallTallies tallies_;
};

}  // namespace ein::executor
