#include "scheduler/order/lazy_order.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "lib/schedule/memory/replay.hpp"

namespace ein::scheduler {
namespace {

using schedule::Section;
using schedule::Task;

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

/// The tasks of each stream, ascending; streams by their first tasks. Those that make one tensor are of one stream.
std::vector<std::vector<std::int32_t>> streams_of(Section const& section, std::vector<std::int32_t> const& may_wait) {
    auto const tensor = [&](std::int32_t block) { return section.blocks[at(block)].tensor; };
    // From a tensor that they make to another one of its stream; the last one to itself.
    std::map<std::int32_t, std::int32_t> towards;
    auto const last_of = [&](std::int32_t from) {
        while (towards[from] != from) from = towards[from] = towards[towards[from]];
        return from;
    };
    for (std::int32_t task : may_wait) {
        std::int32_t const made = tensor(section.tasks[at(task)].output);
        towards.try_emplace(made, made);
        for (std::int32_t input : section.inputs_of(section.tasks[at(task)]))
            if (towards.contains(tensor(input))) towards[last_of(tensor(input))] = last_of(made);
    }
    std::map<std::int32_t, std::vector<std::int32_t>> streams;
    for (std::int32_t task : may_wait) streams[last_of(tensor(section.tasks[at(task)].output))].push_back(task);
    std::vector<std::vector<std::int32_t>> out;
    for (auto& [last, tasks] : streams) out.push_back(std::move(tasks));
    std::sort(out.begin(), out.end());
    return out;
}

/// All that says in which order a section's tasks stand.
struct Order {
    std::vector<Task> tasks;
    std::vector<schedule::Loop> loops;
    std::vector<std::int32_t> node_begins;

    void exchange_with(Section& section) {
        tasks.swap(section.tasks);
        loops.swap(section.loops);
    }
};

/// The order with these tasks where they are wanted; nothing where the peak would then be more than `most` bytes.
std::optional<Order> order_within(Section& section, std::vector<std::int32_t> const& may_wait,
                                  std::vector<std::int32_t> const& node_begins, std::int64_t most) {
    Reordering made(section, may_wait);
    Order order{made.take_tasks(), section.loops, node_begins};
    for (schedule::Loop& loop : order.loops) loop.first = made.begin(loop.first), loop.turn = made.number(loop.turn);
    for (std::int32_t& begin : order.node_begins) begin = made.begin(begin);
    order.exchange_with(section);
    bool const fits = schedule::replay(section).peak <= most;
    order.exchange_with(section);
    return fits ? std::optional(std::move(order)) : std::nullopt;
}

constexpr std::size_t most_tried = 32;  // streams, one by one: each time the section is replayed

}  // namespace

void order_lazily(Section& section, std::vector<std::int32_t> const& may_wait, std::vector<std::int32_t>& node_begins,
                  Room room) {
    if (may_wait.empty()) return;
    std::int64_t const peak = schedule::replay(section).peak,
                       most = room == Room::within_peak ? peak : peak + peak / 20;
    std::optional<Order> order = order_within(section, may_wait, node_begins, most);
    if (!order) {
        std::vector<std::vector<std::int32_t>> const streams = streams_of(section, may_wait);
        std::vector<std::int32_t> fit;
        for (std::size_t s = 0; s < std::min(streams.size(), most_tried); ++s) {
            std::vector<std::int32_t> with = fit;
            with.insert(with.end(), streams[s].begin(), streams[s].end());
            std::sort(with.begin(), with.end());
            auto found = order_within(section, with, node_begins, most);
            if (!found) continue;
            order = std::move(found);
            fit = std::move(with);
        }
    }
    if (!order) return;
    order->exchange_with(section);
    node_begins = std::move(order->node_begins);
}

}  // namespace ein::scheduler
