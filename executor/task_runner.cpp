#include "executor/task_runner.hpp"

#include "lib/base/error.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Task;
using schedule::TaskKind;

namespace {

/// As Section::box_of, into a box whose memory is reused.
void set_box(Box& box, std::vector<std::int64_t> const& coords, std::int64_t first, std::int32_t order) {
    auto const begin = coords.begin() + first;
    box.begin.assign(begin, begin + order);
    box.length.assign(begin + order, begin + 2 * std::ptrdiff_t{order});
}

}  // namespace

void TaskRunner::run(TaskId id, Team& team, Scratch& scratch) const {
    Task const& task = section_.tasks[static_cast<std::size_t>(id.value())];
    switch (task.kind) {
        case TaskKind::load: return load(task);
        case TaskKind::apply:
        case TaskKind::reduce: return launch(id, task, team, scratch);
        case TaskKind::fill: return fill(task, team);
        case TaskKind::copy: return copy(task, team, scratch);
        case TaskKind::reshape:
        case TaskKind::pack:
        case TaskKind::unpack: return reshape(task, team);
        case TaskKind::store: return store(task);
        case TaskKind::spill: return spills().spill(id, store_.span(BlockId{section_.inputs_of(task)[0]}));
        case TaskKind::fetch: return spills().fetch(TaskId{task.after}, store_.span(BlockId{task.output}));
        case TaskKind::send:
        case TaskKind::receive:
        case TaskKind::turn: break;
    }
    throw InternalError("a worker was given a " + std::string(schedule::name(task.kind)));
}

void TaskRunner::launch(TaskId id, Task const& task, Team& team, Scratch& scratch) const {
    if (chains_.is_last(id)) return chains_.run(id, store_, team);
    auto const inputs = section_.inputs_of(task);
    scratch.operands.resize(inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k)
        scratch.operands[k] = data(inputs[k]) + kernels_.input_offset(task, static_cast<std::int32_t>(k));
    KernelCall call;
    call.operands = scratch.operands;
    call.output = data(task.output) + kernels_.output_offset(id);
    call.begin =
        std::span(section_.coords).subspan(static_cast<std::size_t>(task.coords), static_cast<std::size_t>(task.order));
    kernels_.kernel(id).launch(call, team);
}

void TaskRunner::copy(Task const& task, Team& team, Scratch& scratch) const {
    std::int32_t const input = section_.inputs_of(task)[0];
    CopyCall& call = scratch.copy;
    call.from = data(input);
    call.to = data(task.output);
    set_box(call.from_box, section_.coords, block(input).coords, block(input).order);
    set_box(call.to_box, section_.coords, block(task.output).coords, block(task.output).order);
    set_box(call.region, section_.coords, task.coords, task.order);
    call.axes = header_.movements[static_cast<std::size_t>(task.spec)].axes;
    call.dtype = block(task.output).dtype;
    device_.copy(call, team);
}

void TaskRunner::reshape(Task const& task, Team& team) const {
    std::int32_t const input = section_.inputs_of(task)[0];
    ReshapeCall call;
    call.from = data(input);
    call.to = data(task.output);
    call.spec = &header_.reshapes[static_cast<std::size_t>(task.spec)];
    call.dtype = block(task.output).dtype;
    call.form = task.kind == TaskKind::pack     ? ReshapeCall::Form::pack
                : task.kind == TaskKind::unpack ? ReshapeCall::Form::unpack
                                                : ReshapeCall::Form::direct;
    call.from_box = task.kind == TaskKind::unpack ? section_.region_of(task) : section_.box_of(block(input));
    call.to_box = task.kind == TaskKind::pack ? section_.region_of(task) : section_.box_of(block(task.output));
    device_.reshape(call, team);
}

void TaskRunner::load(Task const& task) const {
    auto const& reader = readers_[static_cast<std::size_t>(task.spec)];
    promise(reader != nullptr, "an input of this rank was not opened");
    reader->read(section_.box_of(block(task.output)), store_.span(BlockId{task.output}));
}

void TaskRunner::fill(Task const& task, Team& team) const {
    Block const& output = block(task.output);
    device_.fill(data(task.output), section_.elements_of(output), output.dtype,
                 header_.fills[static_cast<std::size_t>(task.spec)].value, team);
}

void TaskRunner::store(Task const& task) const {
    std::int32_t const input = section_.inputs_of(task)[0];
    sink_.write(task.spec, block(input).dtype, section_.box_of(block(input)), store_.span(BlockId{input}));
}

SpillStore& TaskRunner::spills() const {
    promise(spills_ != nullptr, "a schedule with spills is run without a place for them");
    return *spills_;
}

}  // namespace ein::executor
