#include "executor/engine/task_runner.hpp"

#include <algorithm>
#include <functional>

#include "executor/engine/task_moves.hpp"
#include "lib/base/error.hpp"
#include "lib/schedule/device/device_memory.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Task;
using schedule::TaskKind;

void TaskRunner::run(TaskId id, WorkerTeam& team, Scratch& scratch) const {
    Task const& task = section_.tasks[static_cast<std::size_t>(id.value())];
    if (schedule::is_on_device(task.kind)) return compute(id, task, team, scratch);
    switch (task.kind) {
        case TaskKind::load: return load(task);
        case TaskKind::store: return store(task);
        case TaskKind::spill: return spills().spill(id, read(section_.inputs_of(task)[0]));
        case TaskKind::fetch: return spills().fetch(TaskId{task.after}, write(task.output));
        default: break;
    }
    throw InternalError("a worker was given a " + std::string(schedule::name(task.kind)));
}

/// What the device does, on blocks that were brought to where it does it.
void TaskRunner::compute(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    if (fused_groups_.is_last(id)) return fused_groups_.run(id, storage_, team);
    if (kernels_.runs_on_host(id)) return launch_on_host(id, task, team, scratch);
    auto const work = [&] {
        switch (task.kind) {
            case TaskKind::fill: fill(task, team, scratch); break;
            case TaskKind::copy: copy(task, team, scratch); break;
            case TaskKind::apply:
            case TaskKind::reduce: launch(id, task, team, scratch); break;
            default: reshape(task, team, scratch);
        }
    };
    storage_.run(id, scratch.blocks, std::ref(work));
    // Who asks whether a loop goes on does so under the engine's lock: what a device computes is waited for here.
    if (!conditions_.empty() && std::find(conditions_.begin(), conditions_.end(), task.output) != conditions_.end())
        read(task.output);
}

/// A kernel that the device leaves to the host.
void TaskRunner::launch_on_host(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    scratch.blocks.inputs.clear();
    for (std::int32_t input : section_.inputs_of(task))
        scratch.blocks.inputs.push_back(storage_.in_host(BlockId{input}, HostUse::read).data());
    scratch.blocks.output = storage_.in_host(BlockId{task.output}, HostUse::update).data();
    launch(id, task, team, scratch);
}

void TaskRunner::launch(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    scratch.operands.resize(scratch.blocks.inputs.size());
    for (std::size_t k = 0; k < scratch.operands.size(); ++k)
        scratch.operands[k] = scratch.blocks.inputs[k] + kernels_.input_offset(task, static_cast<std::int32_t>(k));
    KernelCall call;
    call.operands = scratch.operands;
    call.output = scratch.blocks.output + kernels_.output_offset(id);
    call.begin =
        std::span(section_.coords).subspan(static_cast<std::size_t>(task.coords), static_cast<std::size_t>(task.order));
    kernels_.kernel(id).launch(call, team);
}

void TaskRunner::copy(Task const& task, WorkerTeam& team, Scratch& scratch) const {
    CopyCall& call = scratch.copy;
    describe_copy(header_, section_, task, call);
    call.from = scratch.blocks.inputs[0];
    call.to = scratch.blocks.output;
    device_.copy(call, team);
}

void TaskRunner::reshape(Task const& task, WorkerTeam& team, Scratch& scratch) const {
    ReshapeCall call = describe_reshape(header_, section_, task);
    call.from = scratch.blocks.inputs[0];
    call.to = scratch.blocks.output;
    device_.reshape(call, team);
}

void TaskRunner::load(Task const& task) const {
    auto const& reader = readers_[static_cast<std::size_t>(task.spec)];
    promise(reader != nullptr, "an input of this rank was not opened");
    reader->read(section_.box_of(block(task.output)), write(task.output));
}

void TaskRunner::fill(Task const& task, WorkerTeam& team, Scratch& scratch) const {
    Block const& output = block(task.output);
    device_.fill(scratch.blocks.output, section_.elements_of(output), output.dtype,
                 header_.fills[static_cast<std::size_t>(task.spec)].value, team);
}

void TaskRunner::store(Task const& task) const {
    std::int32_t const input = section_.inputs_of(task)[0];
    sink_.write(task.spec, block(input).dtype, section_.box_of(block(input)), read(input));
}

SpillStore& TaskRunner::spills() const {
    promise(spills_ != nullptr, "a schedule with spills is run without a place for them");
    return *spills_;
}

}  // namespace ein::executor
