#include "executor/trace/counters.hpp"

#include <algorithm>

namespace ein::executor {

namespace {

using schedule::Loop;
using schedule::Section;
using schedule::Task;
using schedule::TaskLinks;
using schedule::Iterations;

std::size_t at(TaskId task) { return static_cast<std::size_t>(task.value()); }
std::size_t at(std::int32_t block) { return static_cast<std::size_t>(block); }

/// Of one loop: the turns of each time that it was entered, one after the other.
class TakenTurns {
public:
    explicit TakenTurns(std::vector<Iterations::Taken> taken) : taken_(std::move(taken)) {}
    std::int64_t of_this_time() const { return at_ < taken_.size() ? taken_[at_].turns : 1; }
    void next_time() {
        if (at_ < taken_.size() && ++times_ == taken_[at_].times) ++at_, times_ = 0;
    }

private:
    std::vector<Iterations::Taken> taken_;
    std::size_t at_ = 0;
    std::int64_t times_ = 0;
};

/// Blocks and tasks of a rank as tasks begin and end; counts as the dispatcher's (lib/schedule/dispatch/dispatcher_steps.hpp), without deciding anything.
class Counting {
public:
    Counting(Section const& section, TaskLinks const& links, std::vector<std::vector<Iterations::Taken>> const& taken)
        : section_(section),
          links_(links),
          turns_(section, links),
          taken_(taken.begin(), taken.end()),
          waits_(section.tasks.size()),
          begun_(section.tasks.size()),
          readers_(section.blocks.size()),
          writers_(section.blocks.size()),
          held_(section.blocks.size()) {
        taken_.resize(section.loops.size(), TakenTurns({}));
    }

    void begin_round(RoundEvents const& round) {
        for (std::size_t i = 0; i < held_.size(); ++i) set_counts(static_cast<std::int32_t>(i));
        turns_.begin_round();
        now_.ready = 0;
        for (std::int32_t i = 0; i < links_.end().value(); ++i)
            expect(TaskId{i}, links_.waits(TaskId{i}), round.inputs_were_kept && TaskId{i} < links_.loads_end());
        for (std::int32_t i = 0; i < links_.loads_end().value(); ++i) {
            std::int32_t const block = section_.tasks[at(i)].output;
            if (block < 0) continue;  // what spills an input
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
        if (output >= 0 && held_[at(output)] == 0) hold(output);
    }

    void end(TaskId id) {
        Task const& task = section_.tasks[at(id)];
        for (std::int32_t const input : section_.inputs_of(task)) {
            --readers_[at(input)];
            free_if_unread(input);
        }
        bool const written = task.output >= 0 && --writers_[at(task.output)] == 0;
        if (written) {
            for (TaskId const reader : links_.readers(BlockId{task.output}))
                if (reader <= turns_.last_with(id)) count_down(reader);
            free_if_unread(task.output);
        }
        for (TaskId const follower : links_.followers(id)) count_down(follower);
        if (!turns_.any()) return;
        if (std::int32_t const loop = written ? turns_.wrote(BlockId{task.output}) : -1; loop >= 0) end_turn(loop);
        if (std::int32_t const loop = turns_.ended(id); loop >= 0) end_turn(loop);
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

    // ---- tasks: the turn of a loop is none that begins ----

    bool is_ready(TaskId task) const {
        return waits_[at(task)] == 0 && begun_[at(task)] == 0 &&
               section_.tasks[at(task)].kind != schedule::TaskKind::turn;
    }
    void expect(TaskId task, std::int32_t waits, bool begun) {
        waits_[at(task)] = waits;
        begun_[at(task)] = begun;
        now_.ready += is_ready(task);
    }
    void count_down(TaskId task) {
        --waits_[at(task)];
        now_.ready += is_ready(task);
    }

    // ---- turns ----

    void end_turn(std::int32_t loop) {
        Loop const& ended = section_.loops[at(loop)];
        if (turns_.begin_turn(loop, taken_[at(loop)].of_this_time())) return begin_turn(loop);
        taken_[at(loop)].next_time();
        for (Loop::Carry const& carry : ended.carries)
            for (TaskId const reader : links_.readers(BlockId{carry.next}))
                if (reader > TaskId{ended.turn}) count_down(reader);
        end(TaskId{ended.turn});
    }

    void begin_turn(std::int32_t loop) {
        Loop const& begun = section_.loops[at(loop)];
        Iterations::OfLoop const& made = turns_.of(loop);
        for (Loop::Carry const& carry : begun.carries) {
            if (held_[at(carry.next)] != 0) free(carry.next);
            if (held_[at(carry.inside)] == 0) hold(carry.inside);
            readers_[at(carry.inside)] = section_.blocks[at(carry.inside)].readers;
            writers_[at(carry.inside)] = 0;
            free_if_unread(carry.inside);
        }
        if (begun.condition >= 0 && links_.first_writer(BlockId{begun.condition}) >= TaskId{begun.first} &&
            held_[at(begun.condition)] != 0)
            free(begun.condition);
        for (BlockId const block : made.made) set_counts(block.value());
        for (auto const& [block, readers] : made.kept) readers_[at(block.value())] += readers;
        for (std::int32_t i = begun.first; i <= begun.turn; ++i)
            expect(TaskId{i}, made.waits[at(i - begun.first)], false);
    }

    // ---- blocks ----

    void set_counts(std::int32_t block) {
        readers_[at(block)] = section_.blocks[at(block)].readers;
        writers_[at(block)] = section_.blocks[at(block)].writers;
    }
    void free_if_unread(std::int32_t block) {
        if (readers_[at(block)] == 0 && held_[at(block)] != 0) free(block);
    }
    void hold(std::int32_t block) {
        held_[at(block)] = 1;
        now_.bytes += bytes(block);
    }
    void free(std::int32_t block) {
        held_[at(block)] = 0;
        now_.bytes -= bytes(block);
    }

    Section const& section_;
    TaskLinks const& links_;
    Iterations turns_;
    std::vector<TakenTurns> taken_;
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

std::vector<CounterSample> count(Section const& section, TaskLinks const& links, std::vector<RoundEvents> const& rounds,
                                 std::vector<std::vector<Iterations::Taken>> const& turns) {
    Counting counting(section, links, turns);
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
