#include "executor/trace/counters.hpp"

#include <algorithm>

namespace ein::executor {

namespace {

using schedule::Section;
using schedule::Task;
using schedule::TaskLinks;

std::size_t at(TaskId task) { return static_cast<std::size_t>(task.value()); }
std::size_t at(std::int32_t block) { return static_cast<std::size_t>(block); }

/// Blocks and tasks of a rank as tasks begin and end; counts as the agenda's, without deciding anything.
class Counting {
public:
    Counting(Section const& section, TaskLinks const& links)
        : section_(section),
          links_(links),
          waits_(section.tasks.size()),
          begun_(section.tasks.size()),
          readers_(section.blocks.size()),
          writers_(section.blocks.size()),
          held_(section.blocks.size()) {}

    void begin_round(RoundEvents const& round) {
        for (std::size_t i = 0; i < held_.size(); ++i) {
            readers_[i] = section_.blocks[i].readers;
            writers_[i] = section_.blocks[i].writers;
        }
        now_.ready = 0;
        for (std::int32_t i = 0; i < links_.end().value(); ++i) {
            begun_[at(TaskId{i})] = round.inputs_were_kept && TaskId{i} < links_.loads_end();
            waits_[at(TaskId{i})] = links_.waits(TaskId{i});
            now_.ready += waits_[at(TaskId{i})] == 0 && begun_[at(TaskId{i})] == 0;
        }
        for (std::int32_t i = 0; i < links_.loads_end().value(); ++i) {
            std::int32_t const block = section_.tasks[at(i)].output;
            readers_[at(block)] += round.inputs_stay;
            if (!round.inputs_were_kept) continue;
            for (TaskId const reader : links_.readers(BlockId{block})) count_down(reader);
            free_if_unread(block);
        }
    }

    void begin(TaskId task) {
        begun_[at(task)] = 1;
        --now_.ready;
        std::int32_t const output = section_.tasks[at(task)].output;
        if (output < 0 || held_[at(output)] != 0) return;
        held_[at(output)] = 1;
        now_.bytes += bytes(output);
    }

    void end(TaskId id) {
        Task const& task = section_.tasks[at(id)];
        for (std::int32_t const input : section_.inputs_of(task)) {
            --readers_[at(input)];
            free_if_unread(input);
        }
        if (task.output >= 0 && --writers_[at(task.output)] == 0) {
            for (TaskId const reader : links_.readers(BlockId{task.output})) count_down(reader);
            free_if_unread(task.output);
        }
        for (TaskId const follower : links_.followers(id)) count_down(follower);
    }

    /// Outputs that are not stored are dropped.
    void end_round(RoundEvents const& round) {
        now_.ready = 0;
        for (std::size_t i = 0; i < held_.size(); ++i)
            if (held_[i] != 0 && !(round.inputs_stay && is_input(i))) free(static_cast<std::int32_t>(i));
    }

    bool begun(TaskId task) const { return begun_[at(task)] != 0; }
    CounterSample const& now() const { return now_; }

private:
    std::int64_t bytes(std::int32_t block) const { return section_.bytes_of(section_.blocks[at(block)]); }
    bool is_input(std::size_t block) const {
        return links_.first_writer(BlockId{static_cast<std::int32_t>(block)}) < links_.loads_end();
    }
    void count_down(TaskId task) { now_.ready += --waits_[at(task)] == 0 && begun_[at(task)] == 0; }
    void free_if_unread(std::int32_t block) {
        if (readers_[at(block)] == 0 && held_[at(block)] != 0) free(block);
    }
    void free(std::int32_t block) {
        held_[at(block)] = 0;
        now_.bytes -= bytes(block);
    }

    Section const& section_;
    TaskLinks const& links_;
    std::vector<std::int32_t> waits_;
    std::vector<std::uint8_t> begun_;
    std::vector<std::int32_t> readers_, writers_;
    std::vector<std::uint8_t> held_;
    CounterSample now_;
};

}  // namespace

std::vector<RoundEvents> rounds_of(std::vector<PhaseSpan> const& phases, std::vector<Event> events) {
    std::vector<RoundEvents> rounds;
    std::vector<double> begins;
    for (PhaseSpan const& span : phases) {
        if (static_cast<std::size_t>(span.round) == rounds.size()) {
            bool const kept = span.phase != schedule::Phase::load;
            if (!rounds.empty()) rounds.back().inputs_stay = kept;
            rounds.push_back({{}, kept, false, 0});
            begins.push_back(span.begin);
        }
        rounds.back().end = span.worked;
    }
    std::erase_if(events, [](Event const& event) { return event.piece >= 0; });
    std::sort(events.begin(), events.end(), [](Event const& a, Event const& b) { return a.begin < b.begin; });
    std::size_t round = 0;
    for (Event const& event : events) {
        while (round + 1 < rounds.size() && begins[round + 1] <= event.begin) ++round;
        rounds[round].events.push_back(event);
    }
    return rounds;
}

std::vector<CounterSample> count(Section const& section, TaskLinks const& links,
                                 std::vector<RoundEvents> const& rounds) {
    Counting counting(section, links);
    std::vector<CounterSample> samples;
    auto sample = [&](double time) {
        CounterSample const now{time, counting.now().bytes, counting.now().ready};
        if (!samples.empty() && samples.back().time == time) samples.pop_back();
        if (samples.empty() || samples.back().bytes != now.bytes || samples.back().ready != now.ready)
            samples.push_back(now);
    };
    for (RoundEvents const& round : rounds) {
        counting.begin_round(round);
        std::vector<Event> ends = round.events;
        std::sort(ends.begin(), ends.end(), [](Event const& a, Event const& b) { return a.end < b.end; });
        auto begin = round.events.begin();
        for (Event const& end : ends) {  // where times are equal ends come first: they let others begin
            while (begin != round.events.end() && (begin->begin < end.end || !counting.begun(end.task))) {
                counting.begin(begin->task);
                sample(begin->begin);
                ++begin;
            }
            counting.end(end.task);
            sample(end.end);
        }
        counting.end_round(round);
        sample(round.end);
    }
    return samples;
}

}  // namespace ein::executor
