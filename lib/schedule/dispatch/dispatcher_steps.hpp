// The steps of schedule::Dispatcher, for whoever makes one with a store of its own. Included by dispatcher.hpp.
#pragma once

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::schedule {

/// Receives posted far ahead must leave room for computing.
inline TransferLimits within(TransferLimits limits, std::int64_t peak) {
    limits.receive_bytes = std::min(limits.receive_bytes, peak / 4);
    return limits;
}

template <class Store>
Dispatcher<Store>::Dispatcher(Section const& section, Table<LoopSpecId, LoopSpec> const& loops, Profile const& profile,
                              TransferLimits limits)
    : section_(section),
      loops_(loops),
      links_(section),
      iterations_(section, links_),
      store_(section, profile.peak),
      admission_(profile.live, profile.peak, bytes_of_all_blocks(section)),
      limits_(within(limits, profile.peak)),
      waits_(section.tasks.size()),
      states_(section.tasks.size()),
      made_early_(section.blocks.size()),
      gone_early_(section.blocks.size()),
      sends_(limits.peer_bytes) {
    compute_.reserve(section.tasks.size());
}

template <class Store>
void Dispatcher<Store>::begin_round(Inputs inputs) {
    bool const loaded = inputs_kept_;
    inputs_kept_ = inputs == Inputs::kept;
    store_.reset_counts();
    iterations_.begin_round();
    std::fill(states_.begin(), states_.end(), State::waits);
    stop_.reset();
    ends_at_stop_ = false;
    compute_.clear();
    phase_end_ = limit_ = TaskId{0};  // what starts before the phase that counts it would be missed at its end
    admission_.move_head(TaskId{0});
    for (TaskId t : section_.tasks.ids()) {
        waits_[t] = links_.waits(t);
        if (waits_[t] == 0 && (!loaded || t >= links_.loads_end())) enqueue(t);
    }
    for (TaskId t{0}; t < links_.loads_end(); t = following(t)) {
        bool const loads = task(t).template is<Load>();
        promise(loads || (!loaded && !inputs_kept_), "inputs that spill are kept");
        if (!loads) continue;
        BlockId const block = *task(t).result();
        if (inputs == Inputs::kept) store_.add_reader(block);
        if (!loaded) continue;
        states_[t] = State::ended;
        for (TaskId reader : links_.readers(block)) count_down(reader);
    }
    advance_head();
}

template <class Store>
void Dispatcher<Store>::begin_phase(Phase phase) {
    phase_ = phase;
    TaskId const begin = phase == Phase::load      ? TaskId{0}
                         : phase == Phase::execute ? links_.loads_end()
                                                   : links_.stores_begin();
    phase_end_ = phase == Phase::load      ? links_.loads_end()
                 : phase == Phase::execute ? links_.stores_begin()
                                           : links_.end();
    left_in_phase_ = phase_end_.value() - begin.value();
    update_limit();
}

template <class Store>
void Dispatcher<Store>::drop_outputs() {
    compute_.clear();
    for (TaskId t = links_.stores_begin(); t < links_.end(); t = following(t))
        for (BlockId block : section_.reads(t))
            if (store_.held(block)) store_.read(block);  // others are on disk
}

template <class Store>
void Dispatcher<Store>::enqueue(TaskId id) {
    switch (task(id).traits().runs_on) {
        case Site::dispatcher: return;  // it is ended with the last task before it
        case Site::files:
        case Site::device:
        case Site::host:
        case Site::disk: return compute_.push(id);
        case Site::transport: break;
    }
    if (!task(id).template is<Send>()) return receives_.push(id);
    sends_.push(id, section_.as<Send>(task(id)).to, message_bytes(id));
    if (id == head()) release_head();
}

template <class Store>
void Dispatcher<Store>::release_head() {
    sends_.release(head(), section_.as<Send>(task(head())).to, message_bytes(head()));
}

template <class Store>
bool Dispatcher<Store>::admitted(TaskId id) const {
    OptionalId<BlockId> const result = task(id).result();
    if (!result || store_.held(*result) || section_.taken_over(task(id))) return true;
    TaskId const due = links_.first_writer(*result);
    return admission_.admits(due, store_.bytes(*result), iterations_.first_before(due, head()));
}

template <class Store>
bool Dispatcher<Store>::compute_wanted() const {
    return !compute_.empty() && compute_.first() < limit_ && admitted(compute_.first());
}

template <class Store>
bool Dispatcher<Store>::may_send() const {
    return !sends_.empty() && sends_.first() < limit_ && (sends_in_flight_ < limits_.sends || sends_.first() == head());
}

template <class Store>
bool Dispatcher<Store>::may_receive() const {
    if (receives_.empty() || receives_.first() >= limit_) return false;
    TaskId const first = receives_.first();
    if (first == head()) return true;
    return receives_in_flight_ < limits_.receives &&
           receive_bytes_in_flight_ + message_bytes(first) <= limits_.receive_bytes && admitted(first);
}

template <class Store>
bool Dispatcher<Store>::transfers_wanted() const {
    return may_send() || may_receive();
}

template <class Store>
std::optional<TaskId> Dispatcher<Store>::take_compute() {
    if (!compute_wanted()) return std::nullopt;
    TaskId const id = compute_.pop();
    states_[id] = State::started;
    make_output(id);
    return id;
}

template <class Store>
std::optional<TaskId> Dispatcher<Store>::take_send() {
    if (!may_send()) return std::nullopt;
    ++sends_in_flight_;
    TaskId const id = sends_.pop();
    states_[id] = State::started;
    return id;
}

template <class Store>
std::optional<TaskId> Dispatcher<Store>::take_receive() {
    if (!may_receive()) return std::nullopt;
    TaskId const id = receives_.pop();
    states_[id] = State::started;
    make_output(id);
    ++receives_in_flight_;
    receive_bytes_in_flight_ += message_bytes(id);
    return id;
}

template <class Store>
void Dispatcher<Store>::make_output(TaskId id) {
    OptionalId<BlockId> const result = task(id).result();
    if (!result || store_.held(*result)) return;
    if (auto const taken = section_.taken_over(task(id))) {
        auto const reads = section_.reads(id);
        return store_.take_over(*taken, *result,
                                static_cast<std::int32_t>(std::count(reads.begin(), reads.end(), *taken)));
    }
    store_.allocate(*result);
    if (admission_.made(links_.first_writer(*result), store_.bytes(*result))) made_early_[*result] = 1;
}

template <class Store>
void Dispatcher<Store>::count_down(TaskId id) {
    if (--waits_[id] == 0) enqueue(id);
}

template <class Store>
void Dispatcher<Store>::finish(TaskId id) {
    read_inputs(id);
    Task const& ended = task(id);
    states_[id] = State::ended;
    ++finished_;
    --left_in_phase_;
    if (ended.traits().is_transfer()) transfer_ended(id);
    OptionalId<BlockId> const result = ended.result();
    bool const written = result && store_.wrote(*result);
    if (written)
        for (TaskId reader : links_.readers(*result))
            if (reader <= iterations_.last_with(id)) count_down(reader);  // others wait for the last iteration
    for (TaskId follower : links_.followers(id)) count_down(follower);
    if (id == head()) advance_head();
    if (!iterations_.any()) return;
    if (auto const loop = written ? iterations_.wrote(*result) : std::nullopt) end_iteration(*loop);
    if (auto const loop = iterations_.ended(id)) end_iteration(*loop);
}

/// What is gone by now leaves room, wherever in the list its last reader stands. In loops that is not followed.
template <class Store>
void Dispatcher<Store>::read_inputs(TaskId id) {
    OptionalId<BlockId> const taken = section_.taken_over(task(id));
    for (BlockId block : section_.reads(id)) {
        if (!store_.read(block) || iterations_.any() || taken == OptionalId(block)) continue;
        TaskId const last = links_.readers(block).back();
        if (last < head()) continue;
        gone_early_[block] = 1;
        admission_.gone(last, store_.bytes(block));
    }
}

/// The head has left the task behind.
template <class Store>
void Dispatcher<Store>::pass(TaskId id) {
    for (BlockId block : section_.reads(id)) {
        if (gone_early_[block] == 0 || links_.readers(block).back() != id) continue;
        gone_early_[block] = 0;
        admission_.passed(id, store_.bytes(block));
    }
}

template <class Store>
void Dispatcher<Store>::transfer_ended(TaskId id) {
    if (task(id).template is<Send>()) {
        --sends_in_flight_;
        sends_.ended(id, section_.as<Send>(task(id)).to, [this](TaskId send) { return message_bytes(send); });
    } else {
        --receives_in_flight_;
        receive_bytes_in_flight_ -= message_bytes(id);
    }
}

/// No other task of the iteration is left.
template <class Store>
void Dispatcher<Store>::end_iteration(LoopId loop) {
    if (has_another(loop)) {
        begin_iteration(loop);
        return update_limit();
    }
    iterations_.left(loop);
    Loop const& at = section_.loops[loop];
    for (Loop::Carry const& carry : at.carries)
        for (TaskId reader : links_.readers(carry.next))
            if (reader > at.last) count_down(reader);
    finish(at.last);
}

template <class Store>
bool Dispatcher<Store>::has_another(LoopId loop) {
    Loop const& at = section_.loops[loop];
    if (skips_) return skips_to_another(loop);
    if (at.condition && !store_.is_true(*at.condition)) return false;
    return iterations_.begin_next(loop, std::min(loops_[at.spec].iterations, limits_.iterations));
}

/// Blocks of the iteration that has ended are gone but for what is carried, which takes its new place without being
/// copied.
template <class Store>
void Dispatcher<Store>::begin_iteration(LoopId loop) {
    Loop const& at = section_.loops[loop];
    Iterations::OfLoop const& made = iterations_.of(loop);
    for (Loop::Carry const& carry : at.carries) store_.move(carry.next, carry.inside);
    if (at.condition && links_.first_writer(*at.condition) >= at.first)
        store_.drop(*at.condition);  // if it is there: it may have been carried
    for (BlockId block : made.made) store_.begin_again(block);
    for (auto const& [block, readers] : made.kept) store_.add_readers(block, readers);
    for (TaskId t = at.first; t < at.last; t = following(t)) states_[t] = State::waits;
    left_in_phase_ += at.last.value() - at.first.value();
    if (head() > at.first) admission_.move_head(at.first);
    auto waits = made.waits.begin();
    for (TaskId t = at.first; t <= at.last; t = following(t)) {
        waits_[t] = *waits++;
        if (waits_[t] == 0) enqueue(t);
    }
}

template <class Store>
void Dispatcher<Store>::advance_head() {
    TaskId next = head();
    while (next < links_.end() && states_[next] == State::ended) {
        pass(next);
        next = following(next);
        if (next == links_.end()) break;
        OptionalId<BlockId> const result = task(next).result();
        if (!result || links_.first_writer(*result) != next || made_early_[*result] == 0) continue;
        made_early_[*result] = 0;
        admission_.came_due(next, store_.bytes(*result));
    }
    admission_.move_head(next);
    if (is_stoppable_) update_limit();
    if (next < links_.end() && task(next).template is<Send>()) release_head();
}

}  // namespace ein::schedule
