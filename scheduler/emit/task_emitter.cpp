#include "scheduler/emit/task_emitter.hpp"

namespace ein::scheduler {

using schedule::TaskKind;

int TaskEmitter::next_tag(Rank from, Rank to) {
    std::vector<int>& tags = next_tags_[static_cast<std::size_t>(from.value())];
    tags.resize(sections_.size());
    return tags[static_cast<std::size_t>(to.value())]++;
}

void TaskEmitter::load(Rank rank, std::int32_t input, BlockId block) {
    on(rank).add({.kind = TaskKind::load, .spec = input, .inputs = {}, .output = block, .region = {}});
}

void TaskEmitter::message(MessageEnd const& sent, MessageEnd const& received, int level) {
    int const tag = next_tag(sent.rank, received.rank);
    on(sent.rank).add({.kind = TaskKind::send,
                       .inputs = {sent.block},
                       .output = {},
                       .region = sent.part,
                       .peer = received.rank.value(),
                       .tag = tag,
                       .level = level});
    on(received.rank)
        .add({.kind = TaskKind::receive,
              .inputs = {},
              .output = received.block,
              .region = received.part,
              .peer = sent.rank.value(),
              .tag = tag,
              .level = level});
}

void TaskEmitter::copy(Rank rank, CopyTask const& task) {
    on(rank).add({.kind = TaskKind::copy,
                  .spec = task.movement,
                  .inputs = {task.from},
                  .output = task.to,
                  .region = task.region,
                  .after = task.after,
                  .level = task.level});
}

TaskNumber TaskEmitter::fill(Rank rank, std::int32_t fill, BlockId block, int level) {
    return on(rank).add(
        {.kind = TaskKind::fill, .spec = fill, .inputs = {}, .output = block, .region = {}, .level = level});
}

void TaskEmitter::reshape(Rank rank, std::int32_t reshape, BlockId from, BlockId to) {
    on(rank).add({.kind = TaskKind::reshape, .spec = reshape, .inputs = {from}, .output = to, .region = {}});
}

void TaskEmitter::pack(Rank rank, std::int32_t reshape, BlockId from, BlockId packed, Box const& unpacked_to) {
    on(rank).add({.kind = TaskKind::pack, .spec = reshape, .inputs = {from}, .output = packed, .region = unpacked_to});
}

void TaskEmitter::unpack(Rank rank, std::int32_t reshape, BlockId packed, BlockId to, Box const& packed_from) {
    on(rank).add({.kind = TaskKind::unpack, .spec = reshape, .inputs = {packed}, .output = to, .region = packed_from});
}

TaskNumber TaskEmitter::apply(Rank rank, ApplyTask task) {
    return on(rank).add({.kind = TaskKind::apply,
                         .spec = task.kernel,
                         .inputs = std::move(task.operands),
                         .output = task.output,
                         .region = std::move(task.region),
                         .accumulate = task.accumulate,
                         .after = task.after,
                         .may_wait = task.may_wait});
}

TaskNumber TaskEmitter::reduce(Rank rank, ReduceTask const& task) {
    return on(rank).add({.kind = TaskKind::reduce,
                         .spec = task.kernel,
                         .inputs = {task.partial},
                         .output = task.output,
                         .region = task.region,
                         .accumulate = task.accumulate,
                         .after = task.after});
}

void TaskEmitter::store(Rank rank, std::int32_t output, BlockId block) {
    on(rank).add({.kind = TaskKind::store, .spec = output, .inputs = {block}, .output = {}, .region = {}});
}

}  // namespace ein::scheduler
