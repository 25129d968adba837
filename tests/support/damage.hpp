// Schedules that are wrong on purpose: what no packing of a task's struct would make.
// Example: change(section, TaskId{2}, [](auto& record) { record.peer = 0; }) makes rank 0's send one to itself.
#pragma once

#include "lib/schedule/model/section.hpp"

namespace ein::test {

/// @param how  is given the task's record
template <class How>
void change(schedule::Section& section, TaskId task, How&& how) {
    auto record = section.tasks[task].record();
    how(record);
    section.tasks[task] = schedule::Task(record);
}

}  // namespace ein::test
