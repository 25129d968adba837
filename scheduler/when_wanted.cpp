#include "scheduler/when_wanted.hpp"

#include <map>
#include <utility>

#include "lib/schedule/replay.hpp"

namespace ein::scheduler {
namespace {

using schedule::Section;
using schedule::Task;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

class Reordering {
public:
    Reordering(Section const& section, std::vector<std::int32_t> const& may_wait)
        : section_(section), waits_(section.tasks.size(), 0), number_(section.tasks.size()), begin_(number_.size()) {
        for (std::int32_t task : may_wait) {
            std::int32_t const output = section.tasks[at(task)].output;
            if (section.blocks[at(output)].readers == 0) continue;
            waits_[at(task)] = 1;
            makers_[output].push_back(task);
        }
        tasks_.reserve(section.tasks.size());
        for (std::int32_t task = 0; at(task) < section.tasks.size(); ++task) {
            begin_[at(task)] = static_cast<std::int32_t>(tasks_.size());
            if (waits_[at(task)] == 0) take(task);
        }
        for (Task& task : tasks_)
            if (task.after >= 0) task.after = number_[at(task.after)];
    }

    std::vector<Task> take_tasks() { return std::move(tasks_); }
    std::int32_t number(std::int32_t task) const { return number_[at(task)]; }
    /// Where what stood from this task on now begins.
    std::int32_t begin(std::int32_t task) const {
        return at(task) < begin_.size() ? begin_[at(task)] : static_cast<std::int32_t>(number_.size());
    }

private:
    /// Takes the task, and before it what it waits for: no recursion, since streams may be long.
    void take(std::int32_t last) {
        open_.assign(1, last);
        while (!open_.empty()) {
            std::int32_t const task = open_.back();
            std::vector<std::int32_t> const makers = makers_of_an_input(task);
            open_.insert(open_.end(), makers.rbegin(), makers.rend());
            if (!makers.empty()) continue;
            open_.pop_back();
            number_[at(task)] = static_cast<std::int32_t>(tasks_.size());
            tasks_.push_back(section_.tasks[at(task)]);
        }
    }

    /// The tasks that make the task's first input whose makers still wait, in order.
    std::vector<std::int32_t> makers_of_an_input(std::int32_t task) {
        for (std::int32_t input : section_.inputs_of(section_.tasks[at(task)]))
            if (auto const found = makers_.find(input); found != makers_.end()) {
                std::vector<std::int32_t> out = std::move(found->second);
                makers_.erase(found);
                return out;
            }
        return {};
    }

    Section const& section_;
    std::vector<std::uint8_t> waits_;
    std::vector<std::int32_t> number_, begin_;                  // in the new order, by the old one
    std::map<std::int32_t, std::vector<std::int32_t>> makers_;  // that wait, by block
    std::vector<Task> tasks_;
    std::vector<std::int32_t> open_;  // of take()
};

}  // namespace

void make_when_wanted(Section& section, std::vector<std::int32_t> const& may_wait,
                      std::vector<std::int32_t>& node_begins) {
    if (may_wait.empty()) return;
    std::int64_t const peak = schedule::replay(section).peak;
    Reordering order(section, may_wait);
    std::vector<Task> const tasks = std::exchange(section.tasks, order.take_tasks());
    std::vector<schedule::Loop> const loops = section.loops;
    for (schedule::Loop& loop : section.loops)
        loop.first = order.begin(loop.first), loop.turn = order.number(loop.turn);
    if (schedule::replay(section).peak > peak) {
        section.tasks = tasks;
        section.loops = loops;
        return;
    }
    for (std::int32_t& begin : node_begins) begin = order.begin(begin);
}

}  // namespace ein::scheduler
