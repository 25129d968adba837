#include "scheduler/moments/forecast.hpp"

#include <algorithm>
#include <map>

#include "lib/base/saturating.hpp"

namespace ein::scheduler {
namespace {

using schedule::MomentId;
using schedule::Section;

/// Moments [first, end) at which a box is live somewhere.
struct Life {
    std::size_t first, end;
    std::int64_t bytes;
};
using Lives = std::map<std::pair<schedule::TensorId, Box>, Life>;

/// How many moments stand before a task, or right before it.
std::size_t moments_before(Section const& section, TaskId task) {
    return static_cast<std::size_t>(std::upper_bound(section.moments.begin(), section.moments.end(), task) -
                                    section.moments.begin());
}

void add_lives(Section const& section, std::vector<bool> const& given, Lives& lives) {
    Table<BlockId, OptionalId<TaskId>> written(section.blocks.size()), read(section.blocks.size());
    for (TaskId t : section.tasks.ids()) {
        if (auto const result = section.tasks[t].result(); result && !written[*result]) written[*result] = t;
        for (BlockId block : section.reads(t)) read[block] = t;
    }
    for (BlockId id : section.blocks.ids()) {
        schedule::Block const& block = section.blocks[id];
        if (!block.is_box() || given[at(block.tensor)] || !written[id] || !read[id]) continue;
        std::size_t const first = moments_before(section, *written[id]), end = moments_before(section, *read[id]);
        if (first >= end) continue;
        Life const life{first, end, section.bytes_of(block)};
        auto const [found, is_new] = lives.try_emplace({block.tensor, section.box_of(block)}, life);
        if (is_new) continue;
        found->second.first = std::min(found->second.first, first);
        found->second.end = std::max(found->second.end, end);
    }
}

/// When all tasks before a moment have ended on one rank: the latest end among those before it.
std::vector<double> times_of_moments(Section const& section, Table<TaskId, TaskSpan> const& spans) {
    std::vector<double> out;
    double latest = 0;
    TaskId next{0};
    for (TaskId moment : section.moments) {
        for (; next < moment; next = following(next)) latest = std::max(latest, spans[next].end);
        out.push_back(latest);
    }
    return out;
}

}  // namespace

Table<MomentId, std::int64_t> live_bytes(schedule::Schedule const& schedule) {
    std::vector<bool> given(schedule.header.tensors.size(), false);
    for (schedule::Input const& input : schedule.header.inputs) given[at(input.tensor)] = true;
    Lives lives;
    for (Section const& section : schedule.sections) add_lives(section, given, lives);
    std::size_t const moments = schedule.header.moments.size();
    std::vector<std::int64_t> change(moments + 1, 0);
    for (auto const& [what, life] : lives) {
        change[life.first] = saturating_sum(change[life.first], life.bytes);
        change[life.end] -= life.bytes;
    }
    Table<MomentId, std::int64_t> out;
    std::int64_t live = 0;
    for (std::size_t moment = 0; moment < moments; ++moment) out.add(live += change[moment]);
    return out;
}

CheckpointForecast checkpoint_forecast(schedule::Schedule const& schedule, Simulation const& simulation) {
    CheckpointForecast out;
    for (std::int64_t bytes : live_bytes(schedule)) out.largest = std::max(out.largest, bytes);
    std::vector<double> reached(schedule.header.moments.size(), 0);
    for (Rank rank : schedule.sections.ids()) {
        std::vector<double> const here = times_of_moments(schedule.sections[rank], simulation.spans[rank]);
        for (std::size_t moment = 0; moment < reached.size(); ++moment)
            reached[moment] = std::max(reached[moment], here[moment]);
    }
    double last = 0;
    for (double time : reached) {
        out.longest_between = std::max(out.longest_between, time - last);
        last = std::max(last, time);
    }
    out.longest_between = std::max(out.longest_between, simulation.makespan - last);
    return out;
}

}  // namespace ein::scheduler
