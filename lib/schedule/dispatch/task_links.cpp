#include "lib/schedule/dispatch/task_links.hpp"

#include <numeric>

namespace ein::schedule {

namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

bool may_stand_among_loads(TaskKind kind) {
    return kind == TaskKind::load || kind == TaskKind::spill || kind == TaskKind::fetch;
}
bool may_stand_among_stores(TaskKind kind) { return kind == TaskKind::store || kind == TaskKind::fetch; }

}  // namespace

TaskLinks::TaskLinks(Section const& section)
    : waits_(section.tasks.size(), 0), first_writer_(section.blocks.size(), TaskId{-1}) {
    link_readers(section);
    link_followers(section);
    std::int32_t const count = end().value();
    for (std::int32_t i = count; i-- > 0;)
        if (std::int32_t const output = section.tasks[at(i)].output; output >= 0) first_writer_[at(output)] = TaskId{i};
    std::int32_t loads = 0, stores = count;
    for (std::int32_t i = 0; i < count && may_stand_among_loads(section.tasks[at(i)].kind); ++i)
        if (section.tasks[at(i)].kind == TaskKind::load) loads = i + 1;
    while (stores > loads && may_stand_among_stores(section.tasks[at(stores - 1)].kind)) --stores;
    loads_end_ = TaskId{loads};
    stores_begin_ = TaskId{stores};
}

void TaskLinks::link_readers(Section const& section) {
    first_reader_.assign(section.blocks.size() + 1, 0);
    for (std::size_t i = 0; i < section.tasks.size(); ++i)
        for (std::int32_t input : section.inputs_of(section.tasks[i])) {
            ++first_reader_[at(input) + 1];
            ++waits_[i];
        }
    std::partial_sum(first_reader_.begin(), first_reader_.end(), first_reader_.begin());
    readers_.resize(first_reader_.back());
    std::vector<std::size_t> next(first_reader_.begin(), first_reader_.end() - 1);
    for (std::size_t i = 0; i < section.tasks.size(); ++i)
        for (std::int32_t input : section.inputs_of(section.tasks[i]))
            readers_[next[at(input)]++] = TaskId{static_cast<std::int32_t>(i)};
}

void TaskLinks::link_followers(Section const& section) {
    first_follower_.assign(section.tasks.size() + 1, 0);
    for (std::size_t i = 0; i < section.tasks.size(); ++i) {
        if (section.tasks[i].after < 0) continue;
        ++first_follower_[at(section.tasks[i].after) + 1];
        ++waits_[i];
    }
    std::partial_sum(first_follower_.begin(), first_follower_.end(), first_follower_.begin());
    followers_.resize(first_follower_.back());
    std::vector<std::size_t> next(first_follower_.begin(), first_follower_.end() - 1);
    for (std::size_t i = 0; i < section.tasks.size(); ++i)
        if (section.tasks[i].after >= 0)
            followers_[next[at(section.tasks[i].after)]++] = TaskId{static_cast<std::int32_t>(i)};
}

}  // namespace ein::schedule
