#include "lib/schedule/dispatch/iterations.hpp"

#include <algorithm>
#include <map>

namespace ein::schedule {

Table<TaskId, OptionalId<LoopId>> loops_of_tasks(Section const& section) {
    Table<TaskId, OptionalId<LoopId>> out;
    if (section.loops.empty()) return out;
    out.resize(section.tasks.size());
    for (LoopId l = section.loops.end_id(); l > LoopId{0};) {  // outer ones first
        l = LoopId{l.value() - 1};
        Loop const& loop = section.loops[l];
        for (TaskId task = loop.first; task < loop.last; task = following(task)) out[task] = l;
    }
    return out;
}

bool meets(Section const& section, Table<TaskId, OptionalId<LoopId>> const& loops, TaskId earlier, TaskId task) {
    return loops.empty() || !loops[earlier] || section.loops[*loops[earlier]].contains(task);
}

namespace {

Iterations::OfLoop what_loop_needs(Section const& section, TaskLinks const& links,
                                   Table<TaskId, OptionalId<LoopId>> const& loop_of, LoopId id) {
    Loop const& loop = section.loops[id];
    Iterations::OfLoop out;
    auto const made_inside = [&](BlockId block) { return loop.contains(links.first_writer(block)); };
    std::map<BlockId, std::int32_t> kept;
    for (BlockId block : section.reads(loop.last))
        if (!made_inside(block)) kept[block] = 0;
    for (TaskId t = loop.first; t <= loop.last; t = following(t)) {
        Task const& task = section.tasks[t];
        std::int32_t waits = task.after() && *task.after() >= loop.first ? 1 : 0;
        for (BlockId block : section.reads(task)) {
            if (made_inside(block)) ++waits;
            if (auto const found = kept.find(block); found != kept.end() && t != loop.last) ++found->second;
        }
        if (auto const taken = section.taken_over(task))
            for (TaskId reader : links.readers(*taken))
                if (reader != t && reader >= loop.first && meets(section, loop_of, reader, t)) ++waits;
        out.waits.push_back(waits);
        if (auto const result = task.result(); result && links.first_writer(*result) == t) out.made.push_back(*result);
    }
    for (auto const& [block, readers] : kept) out.kept.push_back({block, readers});
    for (LoopId other{0}; other < id; other = following(other))
        if (loop.contains(section.loops[other])) out.inner.push_back(other);
    return out;
}

}  // namespace

Iterations::Iterations(Section const& section, TaskLinks const& links)
    : section_(section),
      loop_of_(loops_of_tasks(section)),
      left_(section.loops.size()),
      iterations_(section.loops.size()),
      begun_(section.loops.size()),
      taken_(section.loops.size()),
      ran_out_(section.loops.size()) {
    for (LoopId l : section.loops.ids()) {
        Loop const& loop = section.loops[l];
        loops_.add(what_loop_needs(section, links, loop_of_, l));
        for (Loop::Carry const& carry : loop.carries) {
            auto const readers = links.readers(carry.inside);
            if (std::any_of(readers.begin(), readers.end(), [&](TaskId task) { return loop.contains(task); })) continue;
            unread_in_[carry.inside] = l;
            ++loops_[l].unread;
        }
    }
}

void Iterations::reset(LoopId loop) {
    iterations_[loop] = 1;
    left_[loop] = 0;
    ++begun_[loop];
}

/// Before its first iteration.
void Iterations::enter(LoopId loop) {
    reset(loop);
    left_[loop] = loops_[loop].unread;
}

void Iterations::begin_round() {
    std::fill(begun_.begin(), begun_.end(), 0);
    for (LoopId l : loops_.ids()) enter(l);
    for (OptionalId<LoopId> loop : loop_of_)
        if (loop) ++left_[*loop];
}

void Iterations::left(LoopId loop) {
    auto& taken = taken_[loop];
    if (taken.empty() || taken.back().iterations != iterations_[loop]) taken.push_back({iterations_[loop], 0});
    ++taken.back().times;
}

OptionalId<LoopId> Iterations::ended(TaskId task) {
    OptionalId<LoopId> const loop = loop_of_[task];
    return loop && --left_[*loop] == 0 ? loop : std::nullopt;
}

OptionalId<LoopId> Iterations::wrote(BlockId block) {
    auto const loop = unread_in_.find(block);
    return loop != unread_in_.end() && --left_[loop->second] == 0 ? OptionalId(loop->second) : std::nullopt;
}

bool Iterations::begin_next(LoopId loop, std::int64_t most) {
    if (iterations_[loop] >= most) {
        if (section_.loops[loop].condition) ran_out_[loop] = 1;
        return false;
    }
    std::int64_t const next = iterations_[loop] + 1;
    reset(loop);
    iterations_[loop] = next;
    for (LoopId inner : loops_[loop].inner) enter(inner);
    for (TaskId task = section_.loops[loop].first; task < section_.loops[loop].last; task = following(task))
        ++left_[*loop_of_[task]];
    return true;
}

}  // namespace ein::schedule
