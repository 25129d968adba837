#include "lib/schedule/dispatch/iterations.hpp"

#include <algorithm>
#include <map>

namespace ein::schedule {

std::vector<std::int32_t> loops_of_tasks(Section const& section) {
    std::vector<std::int32_t> out;
    if (section.loops.empty()) return out;
    out.assign(section.tasks.size(), -1);
    for (std::size_t l = section.loops.size(); l-- > 0;) {  // outer ones first
        Loop const& loop = section.loops[l];
        for (std::int32_t task = loop.first; task < loop.turn; ++task)
            out[static_cast<std::size_t>(task)] = static_cast<std::int32_t>(l);
    }
    return out;
}

Iterations::Iterations(Section const& section, TaskLinks const& links)
    : section_(section),
      loop_of_(loops_of_tasks(section)),
      loops_(section.loops.size()),
      left_(section.loops.size()),
      turns_(section.loops.size()),
      begun_(section.loops.size()),
      taken_(section.loops.size()) {
    for (std::size_t l = 0; l < loops_.size(); ++l) {
        Loop const& loop = section.loops[l];
        OfLoop& out = loops_[l];
        auto const is_inside = [&](std::int32_t task) { return task >= loop.first && task <= loop.turn; };
        std::map<std::int32_t, std::int32_t> kept;
        for (std::int32_t input : section.inputs_of(section.tasks[static_cast<std::size_t>(loop.turn)]))
            if (!is_inside(links.first_writer(BlockId{input}).value())) kept[input] = 0;
        for (std::int32_t t = loop.first; t <= loop.turn; ++t) {
            Task const& task = section.tasks[static_cast<std::size_t>(t)];
            std::int32_t waits = task.after >= loop.first ? 1 : 0;
            for (std::int32_t input : section.inputs_of(task)) {
                if (is_inside(links.first_writer(BlockId{input}).value())) ++waits;
                if (auto const found = kept.find(input); found != kept.end() && t != loop.turn) ++found->second;
            }
            out.waits.push_back(waits);
            if (task.output >= 0 && links.first_writer(BlockId{task.output}) == TaskId{t})
                out.made.push_back(BlockId{task.output});
        }
        for (Loop::Carry const& carry : loop.carries) {
            auto const readers = links.readers(BlockId{carry.inside});
            if (std::any_of(readers.begin(), readers.end(), [&](TaskId task) { return is_inside(task.value()); }))
                continue;
            unread_in_[carry.inside] = static_cast<std::int32_t>(l);
            ++out.unread;
        }
        for (auto const& [block, readers] : kept) out.kept.push_back({BlockId{block}, readers});
        for (std::size_t other = 0; other < l; ++other)
            if (section.loops[other].first >= loop.first && section.loops[other].turn < loop.turn)
                out.inner.push_back(other);
    }
}

void Iterations::reset(std::size_t loop) {
    turns_[loop] = 1;
    left_[loop] = 0;
    ++begun_[loop];
}

/// Before its first turn.
void Iterations::enter(std::size_t loop) {
    reset(loop);
    left_[loop] = loops_[loop].unread;
}

void Iterations::begin_round() {
    std::fill(begun_.begin(), begun_.end(), 0);
    for (std::size_t l = 0; l < loops_.size(); ++l) enter(l);
    for (std::int32_t loop : loop_of_)
        if (loop >= 0) ++left_[static_cast<std::size_t>(loop)];
}

void Iterations::left(std::int32_t loop) {
    auto const l = static_cast<std::size_t>(loop);
    if (taken_[l].empty() || taken_[l].back().turns != turns_[l]) taken_[l].push_back({turns_[l], 0});
    ++taken_[l].back().times;
}

std::int32_t Iterations::ended(TaskId task) {
    std::int32_t const loop = loop_of_[static_cast<std::size_t>(task.value())];
    return loop >= 0 && --left_[static_cast<std::size_t>(loop)] == 0 ? loop : -1;
}

std::int32_t Iterations::wrote(BlockId block) {
    auto const loop = unread_in_.find(block.value());
    return loop != unread_in_.end() && --left_[static_cast<std::size_t>(loop->second)] == 0 ? loop->second : -1;
}

bool Iterations::begin_turn(std::int32_t loop, std::int64_t most) {
    auto const l = static_cast<std::size_t>(loop);
    if (turns_[l] >= most) return false;
    std::int64_t const turns = turns_[l] + 1;
    reset(l);
    turns_[l] = turns;
    for (std::size_t inner : loops_[l].inner) enter(inner);
    for (std::int32_t task = section_.loops[l].first; task < section_.loops[l].turn; ++task)
        ++left_[static_cast<std::size_t>(loop_of_[static_cast<std::size_t>(task)])];
    return true;
}

}  // namespace ein::schedule
