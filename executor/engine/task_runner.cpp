#include "executor/engine/task_runner.hpp"

#include <algorithm>
#include <functional>

#include "executor/engine/task_moves.hpp"
#include "executor/engine/tuning.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/sparse/sparse_moves.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Task;

namespace {

/// A box in pieces of whole rows along its first axes that have at most so many elements each (one row at least).
std::vector<Box> slabs_of(Box const& box, std::size_t most) {
    if (box.empty()) return {};
    std::size_t axis = 0;
    Extent below = box.elements();
    while (axis < box.order() && below / box.length[axis] > static_cast<Extent>(most)) below /= box.length[axis++];
    if (axis == box.order()) axis = 0;
    std::vector<Box> out;
    Shape const outer(box.length.begin(), box.length.begin() + static_cast<std::ptrdiff_t>(axis));
    for_each_index(outer, [&](std::vector<Extent> const& at) {
        Box row = box;
        for (std::size_t k = 0; k < axis; ++k) row.begin[k] += at[k], row.length[k] = 1;
        if (axis == box.order()) return out.push_back(row);
        Extent const each = std::max<Extent>(1, static_cast<Extent>(most) / (row.elements() / row.length[axis]));
        for (Extent first = 0; first < box.length[axis]; first += each) {
            Box& slab = out.emplace_back(row);
            slab.begin[axis] += first;
            slab.length[axis] = std::min(each, box.length[axis] - first);
        }
    });
    return out;
}

}  // namespace

/// What is done for each kind of task. What a device does finds its blocks brought to it.
struct TaskRunner::OneTask {
    TaskRunner const& runner;
    TaskId id;
    Task const& task;
    WorkerTeam& team;
    Scratch& scratch;

    void operator()(schedule::Load const& load) const {
        runner.readers_[load.input].read(runner.section_, runner.block(load.result), runner.write(load.result));
    }
    void operator()(schedule::Store const& store) const {
        Block const& stored = runner.block(store.block);
        if (stored.is_listed()) return store_listed(store.output, stored, runner.read(store.block));
        runner.sink_.write(store.output, stored.dtype, runner.section_.box_of(stored), runner.read(store.block));
    }
    /// The output's file is dense: rows of the block at a time.
    void store_listed(schedule::OutputId output, Block const& stored, std::span<std::byte const> bytes) const {
        schedule::SparseBlock const sparse = runner.section_.sparse(stored);
        tensor::SparseBlockView const view{bytes, stored.dtype, sparse.box.box(), sparse.layout()};
        scalar::Scalar const fill = runner.header_.tensors[stored.tensor].fill.value();
        std::vector<std::byte> dense;
        for (Box const& part : slabs_of(view.box, tuning::most_slab_bytes / size_of(stored.dtype))) {
            dense.resize(static_cast<std::size_t>(part.elements()) * size_of(stored.dtype));
            tensor::densify(view, fill, part, dense);
            runner.sink_.write(output, stored.dtype, part, dense);
        }
    }
    void operator()(schedule::Spill const& spill) const { runner.spills().spill(id, runner.read(spill.block)); }
    void operator()(schedule::Fetch const& fetch) const {
        runner.spills().fetch(fetch.spill, runner.write(fetch.result));
    }

    void operator()(schedule::Apply const&) const { runner.launch(id, task, team, scratch); }
    void operator()(schedule::Reduce const&) const { runner.launch(id, task, team, scratch); }
    void operator()(schedule::Fill const& fill) const {
        Block const& result = runner.block(fill.result);
        runner.device_.fill(scratch.blocks.output, runner.section_.elements_of(result), result.dtype,
                            runner.header_.fills[fill.fill].value, team);
    }
    void operator()(schedule::Copy const& copy) const {
        CopyCall& call = scratch.copy;
        describe(runner.header_, runner.section_, copy, call);
        call.from = scratch.blocks.inputs[0];
        call.to = scratch.blocks.output;
        runner.device_.copy(call, team);
    }
    void operator()(schedule::Reshape const& move) const { reshape(move); }
    void operator()(schedule::Pack const& move) const { reshape(move); }
    void operator()(schedule::Unpack const& move) const { reshape(move); }
    template <class Move>
    void reshape(Move const& move) const {
        ReshapeCall call = describe(runner.header_, runner.section_, move);
        call.from = scratch.blocks.inputs[0];
        call.to = scratch.blocks.output;
        runner.device_.reshape(call, team);
    }

    void operator()(schedule::Send const&) const { not_of_workers(); }
    void operator()(schedule::Receive const&) const { not_of_workers(); }
    void operator()(schedule::Iterate const&) const { not_of_workers(); }
    void not_of_workers() const { throw InternalError("a worker was given a " + std::string(task.traits().name)); }
};

void TaskRunner::run(TaskId id, WorkerTeam& team, Scratch& scratch) const {
    Task const& task = section_.tasks[id];
    if (task.traits().is_on_device())
        call_check_ == nullptr ? compute(id, task, team, scratch) : compute_checked(id, task, team, scratch);
    else
        section_.visit(task, OneTask{*this, id, task, team, scratch});
    if (finite_check_ != nullptr) finite_check_->look(id, team);
}

/// What the device does, on blocks that were brought to where it does it.
void TaskRunner::compute(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    if (fused_groups_.is_last(id)) return fused_groups_.run(id, storage_, team, call_check_);
    if (kernels_.runs_on_host(id)) return launch_on_host(id, task, team, scratch);
    auto const work = [&] { section_.visit(task, OneTask{*this, id, task, team, scratch}); };
    storage_.run(id, scratch.blocks, std::ref(work));
    // Who asks whether a loop goes on does so under the engine's lock: what a device computes is waited for here.
    if (std::any_of(conditions_.begin(), conditions_.end(), [&](BlockId block) { return task.writes(block); }))
        read(*task.result());
}

/// Between two looks; of a fused group, whose pieces are looked at while they are there, there are none.
void TaskRunner::compute_checked(TaskId id, Task const& task, WorkerTeam& team, Scratch& scratch) const {
    CallCheck::Sample const sample = fused_groups_.is_last(id) ? CallCheck::Sample() : call_check_->before(id);
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
    if (Block const& result = block(*task.result()); result.is_listed())
        call.room = static_cast<std::size_t>(section_.bytes_of(result));
    kernels_.kernel(id).launch(call, team);
}

SpillStore& TaskRunner::spills() const {
    promise(spills_ != nullptr, "a schedule with spills is run without a place for them");
    return *spills_;
}

}  // namespace ein::executor
