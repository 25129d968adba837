#include "lib/schedule/dispatch/task_links.hpp"

#include <numeric>

#include "lib/schedule/dispatch/iterations.hpp"

namespace ein::schedule {

TaskLinks::TaskLinks(Section const& section) : waits_(section.tasks.size(), 0), first_writer_(section.blocks.size()) {
    link_readers(section);
    link_followers(section);
    for (TaskId t : section.tasks.ids())
        if (auto const result = section.tasks[t].result(); result && !first_writer_[*result])
            first_writer_[*result] = t;
    loads_end_ = TaskId{0};
    stores_begin_ = end();
    for (TaskId t{0}; t < end() && section.tasks[t].traits().stands.among_loads; t = following(t))
        if (section.tasks[t].is<Load>()) loads_end_ = following(t);
    for (TaskId t{end().value() - 1}; t >= loads_end_ && section.tasks[t].traits().stands.among_stores;
         t = TaskId{t.value() - 1})
        stores_begin_ = t;
}

void TaskLinks::link_readers(Section const& section) {
    first_reader_.assign(section.blocks.size() + 1, 0);
    for (TaskId t : section.tasks.ids())
        for (BlockId block : section.reads(t)) {
            ++first_reader_[following(block)];
            ++waits_[t];
        }
    std::partial_sum(first_reader_.begin(), first_reader_.end(), first_reader_.begin());
    readers_.resize(first_reader_.back());
    Table<BlockId, std::size_t> next = first_reader_;
    for (TaskId t : section.tasks.ids())
        for (BlockId block : section.reads(t)) readers_[next[block]++] = t;
}

/// Calls visit(first, second) for tasks that come one after the other though the second does not read what the first
/// makes.
template <class Visit>
void TaskLinks::for_each_order(Section const& section, Visit const& visit) const {
    Table<TaskId, OptionalId<LoopId>> loop_of;
    for (TaskId t : section.tasks.ids()) {
        Task const& task = section.tasks[t];
        if (task.after()) visit(*task.after(), t);
        OptionalId<BlockId> const taken = section.taken_over(task);
        if (!taken) continue;
        if (loop_of.empty()) loop_of = loops_of_tasks(section);
        for (TaskId reader : readers(*taken))
            if (reader != t && meets(section, loop_of, reader, t)) visit(reader, t);
    }
}

void TaskLinks::link_followers(Section const& section) {
    first_follower_.assign(section.tasks.size() + 1, 0);
    bool any = false;
    for_each_order(section, [&](TaskId first, TaskId second) {
        ++first_follower_[following(first)];
        ++waits_[second];
        any = true;
    });
    if (!any) return;
    std::partial_sum(first_follower_.begin(), first_follower_.end(), first_follower_.begin());
    followers_.resize(first_follower_.back());
    Table<TaskId, std::size_t> next = first_follower_;
    for_each_order(section, [&](TaskId first, TaskId second) { followers_[next[first]++] = second; });
}

}  // namespace ein::schedule
