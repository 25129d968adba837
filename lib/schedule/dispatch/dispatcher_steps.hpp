// The steps of schedule::Dispatcher, for whoever makes one with a store of its own. Included by dispatcher.hpp.
#pragma once

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::schedule {

inline std::int64_t bytes_of_all_blocks(Section const& section) {
    std::int64_t out = 0;
    for (Block const& block : section.blocks) out += section.bytes_of(block);
    return out;
}

/// Receives posted far ahead must leave room for computing.
inline TransferLimits within(TransferLimits limits, std::int64_t peak) {
    limits.receive_bytes = std::min(limits.receive_bytes, peak / 4);
    return limits;
}

template <class Store>
Dispatcher<Store>::Dispatcher(Section const& section, std::vector<LoopSpec> const& loops, Profile const& profile,
                      TransferLimits limits)
    : section_(section),
      loops_(loops),
      links_(section),
      turns_(section, links_),
      store_(section, profile.peak),
      admission_(profile.live, profile.peak, bytes_of_all_blocks(section)),
      limits_(within(limits, profile.peak)),
      waits_(section.tasks.size()),
      ended_(section.tasks.size()),
      made_early_(section.blocks.size()),
      sends_(limits.peer_bytes) {
    compute_.reserve(section.tasks.size());
}

template <class Store>
void Dispatcher<Store>::begin_round(Inputs inputs) {
    bool const loaded = inputs_kept_;
    inputs_kept_ = inputs == Inputs::kept;
    store_.reset_counts();
    turns_.begin_round();
    std::fill(ended_.begin(), ended_.end(), std::uint8_t{0});
    compute_.clear();
    phase_end_ = TaskId{0};  // what starts before the phase that counts it would be missed at its end
    admission_.move_head(TaskId{0});
    for (std::int32_t i = 0; i < links_.end().value(); ++i) {
        waits_[static_cast<std::size_t>(i)] = links_.waits(TaskId{i});
        if (waits_[static_cast<std::size_t>(i)] == 0 && (!loaded || TaskId{i} >= links_.loads_end()))
            enqueue(TaskId{i});
    }
    for (std::int32_t i = 0; i < links_.loads_end().value(); ++i) {
        promise(task(TaskId{i}).kind == TaskKind::load || (!loaded && !inputs_kept_), "inputs that spill are kept");
        BlockId const block{task(TaskId{i}).output};
        if (inputs == Inputs::kept) store_.add_reader(block);
        if (!loaded) continue;
        ended_[static_cast<std::size_t>(i)] = 1;
        for (TaskId reader : links_.readers(block)) count_down(reader);
    }
    advance_head();
}

template <class Store>
void Dispatcher<Store>::begin_phase(Phase phase) {
    TaskId const begin = phase == Phase::load      ? TaskId{0}
                         : phase == Phase::execute ? links_.loads_end()
                                                   : links_.stores_begin();
    phase_end_ = phase == Phase::load      ? links_.loads_end()
                 : phase == Phase::execute ? links_.stores_begin()
                                           : links_.end();
    left_in_phase_ = phase_end_.value() - begin.value();
}

template <class Store>
void Dispatcher<Store>::drop_outputs() {
    compute_.clear();
    for (std::int32_t i = links_.stores_begin().value(); i < links_.end().value(); ++i)
        for (std::int32_t input : section_.inputs_of(task(TaskId{i})))
            if (store_.held(BlockId{input})) store_.read(BlockId{input});  // others are on disk
}

template <class Store>
void Dispatcher<Store>::enqueue(TaskId id) {
    Task const& ready = task(id);
    if (ready.kind == TaskKind::turn) return;  // it is ended with the last task before it
    if (ready.kind != TaskKind::send) return (ready.kind == TaskKind::receive ? receives_ : compute_).push(id);
    sends_.push(id, ready.peer, sent_bytes(id));
    if (id == head()) sends_.release(id, ready.peer, sent_bytes(id));
}

template <class Store>
bool Dispatcher<Store>::admitted(TaskId id) const {
    std::int32_t const output = task(id).output;
    if (output < 0 || store_.held(BlockId{output})) return true;
    TaskId const due = links_.first_writer(BlockId{output});
    return admission_.admits(due, store_.bytes(BlockId{output}), turns_.first_before(due, head()));
}

template <class Store>
bool Dispatcher<Store>::compute_wanted() const {
    return !compute_.empty() && compute_.first() < phase_end_ && admitted(compute_.first());
}

template <class Store>
bool Dispatcher<Store>::may_send() const {
    return !sends_.empty() && sends_.first() < phase_end_ &&
           (sends_in_flight_ < limits_.sends || sends_.first() == head());
}

template <class Store>
bool Dispatcher<Store>::may_receive() const {
    if (receives_.empty() || receives_.first() >= phase_end_) return false;
    TaskId const first = receives_.first();
    if (first == head()) return true;
    return receives_in_flight_ < limits_.receives &&
           receive_bytes_in_flight_ + section_.message_of(task(first)).bytes <= limits_.receive_bytes &&
           admitted(first);
}

template <class Store>
bool Dispatcher<Store>::transfers_wanted() const {
    return may_send() || may_receive();
}

template <class Store>
std::optional<TaskId> Dispatcher<Store>::take_compute() {
    if (!compute_wanted()) return std::nullopt;
    TaskId const id = compute_.pop();
    make_output(id);
    return id;
}

template <class Store>
std::optional<TaskId> Dispatcher<Store>::take_send() {
    if (!may_send()) return std::nullopt;
    ++sends_in_flight_;
    return sends_.pop();
}

template <class Store>
std::optional<TaskId> Dispatcher<Store>::take_receive() {
    if (!may_receive()) return std::nullopt;
    TaskId const id = receives_.pop();
    make_output(id);
    ++receives_in_flight_;
    receive_bytes_in_flight_ += section_.message_of(task(id)).bytes;
    return id;
}

template <class Store>
void Dispatcher<Store>::make_output(TaskId id) {
    std::int32_t const output = task(id).output;
    if (output < 0 || store_.held(BlockId{output})) return;
    BlockId const block{output};
    store_.allocate(block);
    if (admission_.made(links_.first_writer(block), store_.bytes(block)))
        made_early_[static_cast<std::size_t>(output)] = 1;
}

template <class Store>
void Dispatcher<Store>::count_down(TaskId id) {
    if (--waits_[index(id)] == 0) enqueue(id);
}

template <class Store>
void Dispatcher<Store>::finish(TaskId id) {
    give_up_inputs(id);
    leave(id);
}

template <class Store>
void Dispatcher<Store>::give_up_inputs(TaskId id) {
    for (std::int32_t input : section_.inputs_of(task(id))) store_.read(BlockId{input});
}

template <class Store>
void Dispatcher<Store>::leave(TaskId id) {
    Task const& ended = task(id);
    ended_[index(id)] = 1;
    ++finished_;
    --left_in_phase_;
    if (ended.kind == TaskKind::send) {
        --sends_in_flight_;
        sends_.ended(id, ended.peer, [this](TaskId send) { return sent_bytes(send); });
    }
    if (ended.kind == TaskKind::receive) {
        --receives_in_flight_;
        receive_bytes_in_flight_ -= section_.message_of(ended).bytes;
    }
    bool const written = ended.output >= 0 && store_.wrote(BlockId{ended.output});
    if (written)
        for (TaskId reader : links_.readers(BlockId{ended.output}))
            if (reader <= turns_.last_with(id)) count_down(reader);  // others wait for the last turn
    for (TaskId follower : links_.followers(id)) count_down(follower);
    if (id == head()) advance_head();
    if (!turns_.any()) return;
    if (std::int32_t const loop = written ? turns_.wrote(BlockId{ended.output}) : -1; loop >= 0) end_turn(loop);
    if (std::int32_t const loop = turns_.ended(id); loop >= 0) end_turn(loop);
}

/// No other task of the turn is left.
template <class Store>
void Dispatcher<Store>::end_turn(std::int32_t loop) {
    if (another_turn(loop)) return begin_turn(loop);
    turns_.left(loop);
    Loop const& at = section_.loops[static_cast<std::size_t>(loop)];
    for (Loop::Carry const& carry : at.carries)
        for (TaskId reader : links_.readers(BlockId{carry.next}))
            if (reader > TaskId{at.turn}) count_down(reader);
    finish(TaskId{at.turn});
}

template <class Store>
bool Dispatcher<Store>::another_turn(std::int32_t loop) {
    Loop const& at = section_.loops[static_cast<std::size_t>(loop)];
    LoopSpec const& spec = loops_[static_cast<std::size_t>(at.spec)];
    if (at.condition >= 0 && !store_.is_true(BlockId{at.condition})) return false;
    return turns_.begin_turn(loop, std::min(spec.turns, limits_.turns));
}

/// Blocks of the turn that has ended are gone but for what is carried, which takes its new place without being copied.
template <class Store>
void Dispatcher<Store>::begin_turn(std::int32_t loop) {
    Loop const& at = section_.loops[static_cast<std::size_t>(loop)];
    Iterations::OfLoop const& made = turns_.of(loop);
    for (Loop::Carry const& carry : at.carries) store_.move(BlockId{carry.next}, BlockId{carry.inside});
    if (at.condition >= 0 && links_.first_writer(BlockId{at.condition}) >= TaskId{at.first})
        store_.drop(BlockId{at.condition});  // if it is there: it may have been carried
    for (BlockId block : made.made) store_.begin_again(block);
    for (auto const& [block, readers] : made.kept) store_.add_readers(block, readers);
    std::fill(ended_.begin() + at.first, ended_.begin() + at.turn, std::uint8_t{0});
    left_in_phase_ += at.turn - at.first;
    if (head() > TaskId{at.first}) admission_.move_head(TaskId{at.first});
    for (std::int32_t i = at.first; i <= at.turn; ++i) {
        waits_[static_cast<std::size_t>(i)] = made.waits[static_cast<std::size_t>(i - at.first)];
        if (waits_[static_cast<std::size_t>(i)] == 0) enqueue(TaskId{i});
    }
}

template <class Store>
void Dispatcher<Store>::advance_head() {
    TaskId next = head();
    while (next < links_.end() && ended_[index(next)] != 0) {
        next = TaskId{next.value() + 1};
        if (next == links_.end()) break;
        std::int32_t const output = task(next).output;
        if (output < 0 || links_.first_writer(BlockId{output}) != next ||
            made_early_[static_cast<std::size_t>(output)] == 0)
            continue;
        made_early_[static_cast<std::size_t>(output)] = 0;
        admission_.came_due(next, store_.bytes(BlockId{output}));
    }
    admission_.move_head(next);
    if (next < links_.end() && task(next).kind == TaskKind::send)
        sends_.release(next, task(next).peer, sent_bytes(next));
}

}  // namespace ein::schedule
