#include "executor/engine/task_runner.hpp"

#include <algorithm>
#include <functional>

#include "executor/engine/task_moves.hpp"
#include "executor/health/room_fault.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/sparse/sparse_moves.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Task;

/// What is done for each kind of task. What a device does finds its blocks brought to it.
struct TaskRunner::OneTask {
    TaskRunner const& runner;
    TaskId id;
    Task const& task;
    WorkerTeam& team;
    Scratch& scratch;

    void operator()(schedule::Load const& load) const {
        runner.readers_[load.input].read(runner.section_, runner.block(load.result), runner.write(load.result), team);
    }
    void operator()(schedule::Store const& store) const {
        Block const& stored = runner.block(store.block);
        if (stored.is_listed())
            return runner.sink_.write_listed(store.output, view_of(store.block),
                                             runner.header_.tensors[stored.tensor].fill.value());
        runner.sink_.write(store.output, stored.dtype, runner.section_.box_of(stored), runner.read(store.block));
    }
    void operator()(schedule::Spill const& spill) const { runner.spills().spill(id, runner.read(spill.block)); }
    void operator()(schedule::Fetch const& fetch) const {
        runner.spills().fetch(fetch.spill, runner.write(fetch.result));
    }

    void operator()(schedule::Apply const&) const { runner.launch(id, task, team, scratch); }
    void operator()(schedule::Reduce const&) const { runner.launch(id, task, team, scratch); }
    void operator()(schedule::Fused const&) const {
        throw InternalError("a fused task on a device that runs nothing piece by piece");
    }
    void operator()(schedule::Fill const& fill) const {
        Block const& result = runner.block(fill.result);
        runner.device_.fill(scratch.blocks.output, runner.section_.elements_of(result), result.dtype,
                            runner.header_.fills[fill.fill].value, team);
    }
    void operator()(schedule::Copy const& copy) const {
        if (task.over()) return;  // its elements are there
        CopyCall& call = scratch.copy;
        describe(runner.header_, runner.section_, copy, call);
        call.from = scratch.blocks.inputs[0];
        call.to = scratch.blocks.output;
        runner.device_.copy(call, team);
    }
    void operator()(schedule::Reshape const& move) const {
        if (!task.over()) reshape(move);
    }
    void operator()(schedule::Pack const& move) const { reshape(move); }
    void operator()(schedule::Unpack const& move) const { reshape(move); }
    template <class Move>
    void reshape(Move const& move) const {
        ReshapeCall call = describe(runner.header_, runner.section_, move);
        call.from = scratch.blocks.inputs[0];
        call.to = scratch.blocks.output;
        runner.device_.reshape(call, team);
    }

    void operator()(schedule::Assemble const& task) const {
        std::vector<tensor::SparseBlockView> const parts = views_of(task.parts);
        Block const& result = runner.block(task.result);
        schedule::SparseBlock const made = runner.section_.sparse(result);
        Box const box = made.box.box();
        if (parts.empty())  // of a region without elements
            tensor::write_sparse_block({std::vector<std::vector<Extent>>(box.order()), {}}, result.dtype, box,
                                       made.layout(), runner.write(task.result));
        else
            tensor::assemble(parts, box, made.layout(), runner.write(task.result));
    }
    void operator()(schedule::Relocate const& task) const {
        std::vector<tensor::IndexMap> maps;
        for (graph::AxisMap const& map : runner.header_.movements[task.movement].axes)
            maps.push_back({map.start, map.step});
        schedule::SparseBlock const made = runner.section_.sparse(runner.block(task.result));
        tensor::relocate(views_of(task.parts), maps, task.region.box(), made.box.box(), made.layout(),
                         runner.write(task.result));
    }
    void operator()(schedule::Refold const& task) const {
        schedule::ReshapeSpec const& spec = runner.header_.reshapes[task.reshape];
        schedule::SparseBlock const made = runner.section_.sparse(runner.block(task.result));
        tensor::refold(views_of(task.parts), spec.from, spec.to, made.box.box(), made.layout(),
                       runner.write(task.result));
    }
    std::vector<tensor::SparseBlockView> views_of(std::span<BlockId const> parts) const {
        std::vector<tensor::SparseBlockView> out;
        for (BlockId part : parts) out.push_back(view_of(part));
        return out;
    }
    tensor::SparseBlockView view_of(BlockId id) const {
        Block const& block = runner.block(id);
        schedule::SparseBlock const sparse = runner.section_.sparse(block);
        return {runner.read(id), block.dtype, sparse.box.box(), sparse.layout()};
    }

    void operator()(schedule::Send const&) const { not_of_workers(); }
    void operator()(schedule::Receive const&) const { not_of_workers(); }
    void operator()(schedule::Iterate const&) const { not_of_workers(); }
    void not_of_workers() const { throw InternalError("a worker was given a " + std::string(task.traits().name)); }
};

void TaskRunner::run(TaskId id, WorkerTeam& team, Scratch& scratch) const {
    Task const& task = section_.tasks[id];
    bool const computes = task.traits().is_on_device() || task.traits().runs_on == schedule::Site::host;
    try {
        call_check_ == nullptr || !computes ? compute(id, task, team, scratch)
                                            : compute_checked(id, task, team, scratch);
    } catch (tensor::SparseRoomError const& error) {  // other data than what was planned can list more
        throw InputError(room_fault(header_, section_, task, error));
    }
    if (finite_check_ != nullptr) finite_check_->look(id, team);
}

/// What the device does, on blocks that were brought to where it does it, and what is done without it.
void TaskRunner::compute(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    if (!task.traits().is_on_device()) return section_.visit(task, OneTask{*this, id, task, team, scratch});
    if (task.is<schedule::Fused>()) return fused_groups_.run(id, storage_, team, call_check_);
    if (kernels_.runs_on_host(id)) return launch_on_host(id, task, team, scratch);
    check_input_indices(id);
    auto const work = [&] { section_.visit(task, OneTask{*this, id, task, team, scratch}); };
    storage_.run(id, scratch.blocks, std::ref(work));
    // Who asks whether a loop goes on does so under the engine's lock: what a device computes is waited for here.
    if (writes_condition(task)) read(*task.result());
}

bool TaskRunner::writes_condition(Task const& task) const {
    return std::any_of(conditions_.begin(), conditions_.end(), [&](BlockId block) { return task.writes(block); });
}

bool TaskRunner::only_launches(TaskId id) const {
    Task const& task = section_.tasks[id];
    return task.traits().is_on_device() && !task.is<schedule::Fused>() && !kernels_.runs_on_host(id) &&
           finite_check_ == nullptr && call_check_ == nullptr && !writes_condition(task) &&
           !input_indices_.contains(id);
}

void TaskRunner::check_input_indices(TaskId id) const {
    auto const looks_up = input_indices_.find(id);
    if (looks_up == input_indices_.end()) return;
    for (auto const& [block, extent] : looks_up->second)
        if (auto fault = wrong_index(header_, section_, block, read(block).data(), extent))
            throw InputError(std::move(*fault));
}

/// Between two looks; of a fused task, whose pieces are looked at while they are there, there are none.
void TaskRunner::compute_checked(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    CallCheck::Sample const sample = task.is<schedule::Fused>() ? CallCheck::Sample() : call_check_->before(id);
    compute(id, task, team, scratch);
    call_check_->after(id, sample, team);
}

/// A kernel that the device leaves to the host.
void TaskRunner::launch_on_host(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    scratch.blocks.inputs.clear();
    for (BlockId block : section_.reads(task))
        scratch.blocks.inputs.push_back(storage_.in_host(block, HostUse::read).data());
    scratch.blocks.output = storage_.in_host(*task.result(), HostUse::update).data();
    launch(id, task, team, scratch);
}

void TaskRunner::launch(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    scratch.operands.resize(scratch.blocks.inputs.size());
    for (std::size_t k = 0; k < scratch.operands.size(); ++k)
        scratch.operands[k] = scratch.blocks.inputs[k] + kernels_.input_offset(task, static_cast<std::int32_t>(k));
    KernelCall call;
    call.operands = scratch.operands;
    call.output = scratch.blocks.output + kernels_.output_offset(id);
    call.begin = section_.region_of(task).begin;
    call.task = id;
    if (Block const& result = block(*task.result()); result.is_listed())
        call.room = static_cast<std::size_t>(section_.bytes_of(result));
    try {
        kernels_.kernel(id).launch(call, team);
    } catch (scalar::PositionError const& error) {  // of kernels of this process: those of a GPU report an IndexError
        std::span<BlockId const> const operands = section_.kernel_call(task)->operands;
        throw InputError(index_fault(kernel_shape(header_, section_, task), call, error,
                                     [&](int operand) { return tensor_text(header_, block(operands[at(operand)])); }));
    }
}

SpillStore& TaskRunner::spills() const {
    promise(spills_ != nullptr, "a schedule with spills is run without a place for them");
    return *spills_;
}

}  // namespace ein::executor
