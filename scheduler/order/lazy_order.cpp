#include "scheduler/order/lazy_order.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "lib/schedule/memory/replay.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

using schedule::Section;
using schedule::Task;

class Reordering {
public:
    Reordering(Section const& section, std::vector<TaskId> const& may_wait)
        : section_(section), waits_(section.tasks.size(), 0), number_(section.tasks.size()), begin_(number_.size()) {
        for (TaskId task : may_wait) {
            BlockId const result = *section.tasks[task].result();
            if (section.blocks[result].readers == 0) continue;
            waits_[task] = 1;
            makers_[result].push_back(task);
        }
        tasks_.reserve(section.tasks.size());
        for (TaskId task : section.tasks.ids()) {
            begin_[task] = tasks_.end_id();
            if (waits_[task] == 0) take(task);
        }
        for (Task& task : tasks_)
            if (task.after()) task.set_after(number_[*task.after()]);
    }

    Table<TaskId, Task> take_tasks() { return std::move(tasks_); }
    TaskId number(TaskId task) const { return number_[task]; }
    /// Where what stood from this task on now begins.
    TaskId begin(TaskId task) const { return begin_.has(task) ? begin_[task] : number_.end_id(); }

private:
    /// Takes the task, and before it what it waits for: no recursion, since pipelines may be long.
    void take(TaskId last) {
        open_.assign(1, last);
        while (!open_.empty()) {
            TaskId const task = open_.back();
            std::vector<TaskId> const makers = makers_of_an_input(task);
            open_.insert(open_.end(), makers.rbegin(), makers.rend());
            if (!makers.empty()) continue;
            open_.pop_back();
            number_[task] = tasks_.add(section_.tasks[task]);
        }
    }

    /// The tasks that make the task's first input whose makers still wait, in order.
    std::vector<TaskId> makers_of_an_input(TaskId task) {
        for (BlockId input : section_.reads(task))
            if (auto const found = makers_.find(input); found != makers_.end()) {
                std::vector<TaskId> out = std::move(found->second);
                makers_.erase(found);
                return out;
            }
        return {};
    }

    Section const& section_;
    Table<TaskId, std::uint8_t> waits_;
    Table<TaskId, TaskId> number_, begin_;           // in the new order, by the old one
    std::map<BlockId, std::vector<TaskId>> makers_;  // that wait
    Table<TaskId, Task> tasks_;
    std::vector<TaskId> open_;  // of take()
};

/// The tasks of each pipeline, ascending; pipelines by their first tasks. Those that make one tensor are of one
/// pipeline.
std::vector<std::vector<TaskId>> pipelines_of(Section const& section, std::vector<TaskId> const& may_wait) {
    using schedule::TensorId;
    auto const tensor = [&](BlockId block) { return section.blocks[block].tensor; };
    auto const made_by = [&](TaskId task) { return tensor(*section.tasks[task].result()); };
    // From a tensor that they make to another one of its pipeline; the last one to itself.
    std::map<TensorId, TensorId> towards;
    auto const last_of = [&](TensorId from) {
        while (towards[from] != from) from = towards[from] = towards[towards[from]];
        return from;
    };
    for (TaskId task : may_wait) {
        TensorId const made = made_by(task);
        towards.try_emplace(made, made);
        for (BlockId input : section.reads(task))
            if (towards.contains(tensor(input))) towards[last_of(tensor(input))] = last_of(made);
    }
    std::map<TensorId, std::vector<TaskId>> pipelines;
    for (TaskId task : may_wait) pipelines[last_of(made_by(task))].push_back(task);
    std::vector<std::vector<TaskId>> out;
    for (auto& [last, tasks] : pipelines) out.push_back(std::move(tasks));
    std::sort(out.begin(), out.end());
    return out;
}

/// All that says in which order a section's tasks stand.
struct Order {
    Table<TaskId, Task> tasks;
    Table<schedule::LoopId, schedule::Loop> loops;
    std::vector<TaskId> node_begins;
    std::vector<bool> passed;  // see order_lazily

    void exchange_with(Section& section) {
        std::swap(tasks, section.tasks);
        std::swap(loops, section.loops);
    }
};

/// The node whose tasks a task stands among: the number of its begin, from 1; 0 before the first.
std::size_t node_of(TaskId task, std::vector<TaskId> const& begins) {
    return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), task) - begins.begin());
}

/// Of each begin whether a task has gone from before it to behind it.
std::vector<bool> passed_begins(std::vector<TaskId> const& may_wait, Reordering const& made,
                                std::vector<TaskId> const& before, std::vector<TaskId> const& now) {
    std::vector<bool> out(before.size(), false);
    for (TaskId task : may_wait)
        for (std::size_t begin = node_of(task, before); begin < node_of(made.number(task), now); ++begin)
            out[begin] = true;
    return out;
}

/// The order with these tasks where they are wanted; nothing where the peak would then be more than `most` bytes.
std::optional<Order> order_within(Section& section, std::vector<TaskId> const& may_wait,
                                  std::vector<TaskId> const& node_begins, std::int64_t most) {
    Reordering made(section, may_wait);
    Order order{made.take_tasks(), section.loops, node_begins, {}};
    for (schedule::Loop& loop : order.loops) loop.first = made.begin(loop.first), loop.last = made.number(loop.last);
    for (TaskId& begin : order.node_begins) begin = made.begin(begin);
    order.passed = passed_begins(may_wait, made, node_begins, order.node_begins);
    order.exchange_with(section);
    bool const fits = schedule::replay(section).peak <= most;
    order.exchange_with(section);
    return fits ? std::optional(std::move(order)) : std::nullopt;
}

}  // namespace

std::vector<bool> order_lazily(Section& section, std::vector<TaskId> const& may_wait, std::vector<TaskId>& node_begins,
                               Room room) {
    std::vector<bool> const none(node_begins.size(), false);
    if (may_wait.empty()) return none;
    std::int64_t const peak = schedule::replay(section).peak,
                       most = room == Room::within_peak ? peak : peak + peak / tuning::most_growth_of_waiting;
    std::optional<Order> order = order_within(section, may_wait, node_begins, most);
    if (!order) {
        std::vector<std::vector<TaskId>> const pipelines = pipelines_of(section, may_wait);
        std::vector<TaskId> fit;
        for (std::size_t s = 0; s < std::min(pipelines.size(), tuning::most_pipelines_tried); ++s) {
            std::vector<TaskId> with = fit;
            with.insert(with.end(), pipelines[s].begin(), pipelines[s].end());
            std::sort(with.begin(), with.end());
            auto found = order_within(section, with, node_begins, most);
            if (!found) continue;
            order = std::move(found);
            fit = std::move(with);
        }
    }
    if (!order) return none;
    order->exchange_with(section);
    node_begins = std::move(order->node_begins);
    return std::move(order->passed);
}

}  // namespace ein::scheduler
