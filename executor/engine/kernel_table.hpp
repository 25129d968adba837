// The kernels of one rank's tasks, made ready before the run: one for each (EinSum, lengths, strides, types) that
// occurs, and for each task which one it launches and where in its blocks it begins. Starting a task then looks nothing
// up. Example: 100 applies of "ij,jk->ik" on equal blocks share one prepared kernel.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "executor/device/device.hpp"
#include "lib/base/ids.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// What the kernel of an apply or reduce task depends on.
KernelShape kernel_shape(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task);

class KernelTable {
public:
    /// @throws InputError for a param without a value
    KernelTable(schedule::Header const& header, schedule::Section const& section, Device& device,
                scalar::Params const& params);

    /// For apply and reduce tasks.
    PreparedKernel const& kernel(TaskId task) const { return *kernels_[static_cast<std::size_t>(of_task_[task])]; }
    /// Bytes from the beginning of the task's k-th input (of its output) to the first element that it reads (writes).
    std::ptrdiff_t input_offset(schedule::Task const& task, std::int32_t k) const {
        return input_offsets_[static_cast<std::size_t>(task.record().first_operand + k)];
    }
    std::ptrdiff_t output_offset(TaskId task) const { return output_offsets_[task]; }
    /// Whether the task's kernel works on host memory though the device has its own.
    bool runs_on_host(TaskId task) const {
        return some_on_host_ && of_task_[task] != no_kernel && kernel(task).runs_on_host();
    }
    std::size_t size() const { return kernels_.size(); }

private:
    static constexpr std::int32_t no_kernel = -1;

    std::vector<std::unique_ptr<PreparedKernel const>> kernels_;
    Table<TaskId, std::int32_t> of_task_;        // in kernels_
    std::vector<std::ptrdiff_t> input_offsets_;  // parallel to Section::operands
    Table<TaskId, std::ptrdiff_t> output_offsets_;
    bool some_on_host_ = false;
};

}  // namespace ein::executor
