#include "scheduler/emit/task_emitter.hpp"

namespace ein::scheduler {

void TaskEmitter::load(Rank rank, schedule::InputId input, BlockId block, std::optional<Box> const& around) {
    on(rank).add(schedule::Load{input, block, around ? std::optional(view(*around)) : std::nullopt});
}

TaskNumber TaskEmitter::message(MessageEnd const& sent, MessageEnd const& received, int level) {
    schedule::MessageTag const tag{tags_[at(sent.rank)].sent(received.rank)++};
    ++tags_[at(received.rank)].received(sent.rank);
    TaskPlace const place{.level = level};
    on(sent.rank).add(schedule::Send{sent.block, received.rank, tag, sent.part}, place);
    return on(received.rank).add(schedule::Receive{received.block, sent.rank, tag, received.part}, place);
}

void TaskEmitter::copy(Rank rank, CopyTask const& task) {
    on(rank).add(schedule::Copy{task.movement, task.from, task.to, task.region},
                 {.after = task.after, .level = task.level});
}

TaskNumber TaskEmitter::fill(Rank rank, schedule::FillId fill, BlockId block, int level) {
    return on(rank).add(schedule::Fill{fill, block}, {.level = level});
}

void TaskEmitter::reshape(Rank rank, schedule::ReshapeId reshape, BlockId from, BlockId to) {
    on(rank).add(schedule::Reshape{reshape, from, to});
}

void TaskEmitter::pack(Rank rank, schedule::ReshapeId reshape, BlockId from, BlockId packed, Box const& unpacked_to) {
    on(rank).add(schedule::Pack{reshape, from, packed, view(unpacked_to)});
}

void TaskEmitter::unpack(Rank rank, schedule::ReshapeId reshape, BlockId packed, BlockId to, Box const& packed_from) {
    on(rank).add(schedule::Unpack{reshape, packed, to, view(packed_from)});
}

void TaskEmitter::assemble(Rank rank, std::vector<BlockId> const& parts, BlockId to, int level) {
    on(rank).add(schedule::Assemble{parts, to}, {.level = level});
}

void TaskEmitter::relocate(Rank rank, schedule::MovementId movement, std::vector<BlockId> const& parts, BlockId to,
                           Box const& region) {
    on(rank).add(schedule::Relocate{movement, parts, to, view(region)});
}

void TaskEmitter::refold(Rank rank, schedule::ReshapeId reshape, std::vector<BlockId> const& parts, BlockId to) {
    on(rank).add(schedule::Refold{reshape, parts, to});
}

TaskNumber TaskEmitter::apply(Rank rank, ApplyTask const& task) {
    return on(rank).add(schedule::Apply{task.kernel, task.operands, task.output, view(task.region), task.accumulate},
                        {.after = task.after, .may_wait = task.may_wait});
}

TaskNumber TaskEmitter::reduce(Rank rank, ReduceTask const& task) {
    return on(rank).add(
        schedule::Reduce{task.kernel, {&task.partial, 1}, task.output, view(task.region), task.accumulate},
        {.after = task.after});
}

void TaskEmitter::store(Rank rank, schedule::OutputId output, BlockId block) {
    on(rank).add(schedule::Store{output, block});
}

}  // namespace ein::scheduler
