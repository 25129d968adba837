// Runs one task on its blocks: what each kind means in terms of device, readers and outputs. Blocks are there already;
// counting and order are the dispatcher's.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "executor/call_check/call_check.hpp"
#include "executor/engine/kernel_table.hpp"
#include "executor/finite/finite_check.hpp"
#include "executor/fusion/fused_group_runner.hpp"
#include "executor/health/index_fault.hpp"
#include "executor/io/input_reader.hpp"
#include "executor/io/output_sink.hpp"
#include "executor/spill/spill_store.hpp"
#include "executor/storage/block_storage.hpp"

namespace ein::executor {

/// Nothing for those that this rank does not load.
using Readers = Table<schedule::InputId, InputReader>;

class TaskRunner {
public:
    TaskRunner(schedule::Header const& header, schedule::Section const& section, Device& device,
               KernelTable const& kernels, FusedGroupRunner const& fused_groups, BlockStorage& storage,
               Readers const& readers, OutputSink& sink, SpillStore* spills, FiniteCheck* finite_check,
               CallCheck* call_check)
        : header_(header),
          section_(section),
          device_(device),
          kernels_(kernels),
          fused_groups_(fused_groups),
          storage_(storage),
          readers_(readers),
          sink_(sink),
          spills_(spills),
          finite_check_(finite_check),
          call_check_(call_check) {
        for (schedule::Loop const& loop : section.loops)
            if (loop.condition) conditions_.push_back(*loop.condition);
        if (device.accelerator() != nullptr) input_indices_ = input_indices(header, section);
    }

    /// What a thread reuses from task to task.
    struct Scratch {
        BlockStorage::Operands blocks;
        std::vector<void const*> operands;
        CopyCall copy;
    };

    /// Any kind but send and receive. @throws Error
    void run(TaskId id, WorkerTeam& team, Scratch& scratch) const;
    /// Whether a worker does no more than launch the task's kernel, where a device has memory of its own.
    bool only_launches(TaskId id) const;

private:
    struct OneTask;

    bool writes_condition(schedule::Task const& task) const;
    void compute(TaskId id, schedule::Task const& task, WorkerTeam& team, Scratch& scratch) const;
    void check_input_indices(TaskId id) const;
    void compute_checked(TaskId id, schedule::Task const& task, WorkerTeam& team, Scratch& scratch) const;
    void launch(TaskId id, schedule::Task const& task, WorkerTeam& team, Scratch& scratch) const;
    void launch_on_host(TaskId id, schedule::Task const& task, WorkerTeam& team, Scratch& scratch) const;
    SpillStore& spills() const;

    schedule::Block const& block(BlockId id) const { return section_.blocks[id]; }
    std::span<std::byte const> read(BlockId id) const { return storage_.in_host(id, HostUse::read); }
    std::span<std::byte> write(BlockId id) const { return storage_.in_host(id, HostUse::write); }

    schedule::Header const& header_;
    schedule::Section const& section_;
    Device& device_;
    KernelTable const& kernels_;
    FusedGroupRunner const& fused_groups_;
    BlockStorage& storage_;
    Readers const& readers_;
    OutputSink& sink_;
    SpillStore* spills_;               // nullptr where nothing spills
    FiniteCheck* finite_check_;        // nullptr where nobody looks at results
    CallCheck* call_check_;            // nullptr where nobody computes elements of them again
    std::vector<BlockId> conditions_;  // of loops
    InputIndices input_indices_;       // that are looked at before a device gets them
};

}  // namespace ein::executor
