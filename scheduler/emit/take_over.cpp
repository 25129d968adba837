#include "scheduler/emit/take_over.hpp"

#include <algorithm>

#include "lib/schedule/memory/take_over.hpp"

namespace ein::scheduler {
namespace {

using schedule::Section;
using schedule::Task;

class TakingOver {
public:
    TakingOver(schedule::Header const& header, Section& section, std::int64_t least_bytes)
        : header_(header),
          section_(section),
          least_bytes_(least_bytes),
          last_reader_(section.blocks.size()),
          last_send_(section.blocks.size()) {
        for (TaskId t : section.tasks.ids())
            for (BlockId block : section.reads(t)) {
                last_reader_[block] = t;
                if (section.tasks[t].traits().is_transfer()) last_send_[block] = t;
            }
    }

    void run() {
        for (TaskId t : section_.tasks.ids()) {
            Task& task = section_.tasks[t];
            touched_.push_back((touched_.empty() ? 0 : touched_.back()) + bytes_touched(task));
            if (!task.result() || section_.bytes_of(*task.result()) < least_bytes_) continue;
            std::size_t const operands = section_.reads(task).size();
            for (std::size_t k = 0; k < operands && !task.over(); ++k)
                if (is_free(t, section_.reads(task)[k]) && schedule::may_take_over(header_, section_, task, k))
                    task.set_over(k);
        }
    }

private:
    /// Of tasks that keep the rank busy.
    std::int64_t bytes_touched(Task const& task) const {
        if (!task.traits().is_on_device()) return 0;
        std::int64_t bytes = task.result() ? section_.bytes_of(*task.result()) : 0;
        for (BlockId block : section_.reads(task)) bytes += section_.bytes_of(block);
        return bytes;
    }

    /// Nobody reads it later, and no message with it is likely to be under way still: waiting for that would hold up
    /// what messages are to run beside.
    bool is_free(TaskId t, BlockId operand) const {
        if (last_reader_[operand] != OptionalId(t)) return false;
        OptionalId<TaskId> const send = last_send_[operand];
        return !send ||
               touched_[at(t)] - touched_[at(*send)] >= tuning::touched_after_a_send * section_.bytes_of(operand);
    }
    static std::size_t at(TaskId task) { return static_cast<std::size_t>(task.value()); }

    schedule::Header const& header_;
    Section& section_;
    std::int64_t least_bytes_;
    Table<BlockId, OptionalId<TaskId>> last_reader_, last_send_;
    std::vector<std::int64_t> touched_;  // bytes, by the tasks up to each
};

}  // namespace

void take_over(schedule::Header const& header, Section& section, std::int64_t least_bytes) {
    bool const any = std::any_of(section.blocks.begin(), section.blocks.end(),
                                 [&](schedule::Block const& block) { return section.bytes_of(block) >= least_bytes; });
    if (any && section.tasks.size() > 0) TakingOver(header, section, least_bytes).run();
}

}  // namespace ein::scheduler
