// The steps of schedule::Dispatcher that stop a run and go on with one. Included by dispatcher.hpp.
#pragma once

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::schedule {

template <class Store>
void Dispatcher<Store>::stop_before(Stop stop, bool ends) {
    stop_ = std::move(stop);
    ends_at_stop_ = ends;
    update_limit();
}

template <class Store>
void Dispatcher<Store>::go_on() {
    stop_.reset();
    ends_at_stop_ = false;
    update_limit();
}

/// The outermost loop of the stop that is in another iteration.
template <class Store>
OptionalId<LoopId> Dispatcher<Store>::missing_iteration() const {
    for (Stop::In const& in : stop_->in)
        if (iterations_.current(in.loop) != in.iteration) return in.loop;
    return {};
}

template <class Store>
void Dispatcher<Store>::update_limit() {
    limit_ = phase_end_;
    if (is_stoppable_) limit_ = std::min(limit_, stoppable_limit());
    if (!stop_) return;
    OptionalId<LoopId> const missing = missing_iteration();
    limit_ = std::min(limit_, missing ? following(section_.loops[*missing].last) : stop_->before);
}

template <class Store>
TaskId Dispatcher<Store>::stoppable_limit() const {
    TaskId limit = phase_end_;
    for (Loop const& loop : section_.loops)
        if (loop.last >= head()) limit = std::min(limit, following(loop.last));
    auto const& moments = section_.moments.list();
    auto const next = std::upper_bound(moments.begin(), moments.end(), head());
    if (moments.end() - next <= tuning::moments_ahead) return limit;
    return std::min(limit, next[tuning::moments_ahead]);
}

template <class Store>
TaskId Dispatcher<Store>::unstarted() const {
    TaskId out = states_.end_id();
    while (out > head() && states_[TaskId{out.value() - 1}] == State::waits) out = TaskId{out.value() - 1};
    return out;
}

template <class Store>
void Dispatcher<Store>::skip_to(Stop const& stop, IterationCounts begun) {
    skips_ = true;
    for (Phase const phase : {Phase::load, Phase::execute}) {
        begin_phase(phase);
        if (phase == Phase::execute) stop_before(stop, true);
        while (!phase_done()) {
            std::optional<TaskId> next = take_compute();
            if (!next) next = take_receive();
            if (!next) next = take_send();
            promise(next.has_value(), "a task before the stop waits for one behind it");
            finish(*next);
        }
    }
    promise(stands_at_stop(), "a loop ended before the stop");
    skips_ = false;
    if (!begun.empty()) iterations_.set_begun(std::move(begun));
}

/// While tasks are skipped: at once to the iteration of the stop; loops that have ended by then need but one.
template <class Store>
bool Dispatcher<Store>::skips_to_another(LoopId loop) {
    if (!stop_) return false;
    for (Stop::In const& in : stop_->in) {
        std::int64_t const now = iterations_.current(in.loop);
        if (in.loop == loop) {
            if (now >= in.iteration) return false;
            iterations_.go_to(loop, in.iteration - 1);
            return iterations_.begin_next(loop, in.iteration);
        }
        if (now != in.iteration) return false;
    }
    return false;
}

}  // namespace ein::schedule
