// Tasks that could start now, the lowest id first: the schedule's order is their priority.
// Example: push(TaskId{7}), push(TaskId{3}): first() is TaskId{3}.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "lib/base/ids.hpp"

namespace ein::schedule {

class ReadyQueue {
public:
    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    TaskId first() const { return TaskId{heap_.front()}; }
    void reserve(std::size_t count) { heap_.reserve(count); }
    void clear() { heap_.clear(); }

    void push(TaskId task) {
        heap_.push_back(task.value());
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    TaskId pop() {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        TaskId const task{heap_.back()};
        heap_.pop_back();
        return task;
    }

private:
    std::vector<std::int32_t> heap_;
};

}  // namespace ein::schedule
