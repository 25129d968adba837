#include "executor/trace/counters.hpp"

#include <algorithm>

namespace ein::executor {

namespace {

using schedule::Iterations;
using schedule::Loop;
using schedule::LoopId;
using schedule::Section;
using schedule::Task;
using schedule::TaskLinks;

/// Of one loop: the iterations of each time that it was entered, one after the other.
class TakenIterations {
public:
    explicit TakenIterations(std::vector<Iterations::Taken> taken = {}) : taken_(std::move(taken)) {}
    std::int64_t of_this_time() const { return at_ < taken_.size() ? taken_[at_].iterations : 1; }
    void next_time() {
        if (at_ < taken_.size() && ++times_ == taken_[at_].times) ++at_, times_ = 0;
    }

private:
    std::vector<Iterations::Taken> taken_;
    std::size_t at_ = 0;
    std::int64_t times_ = 0;
};

/// Blocks and tasks of a rank as tasks begin and end; counts as the dispatcher's
/// (lib/schedule/dispatch/dispatcher_steps.hpp), without deciding anything.
class Counting {
public:
    Counting(Section const& section, TaskLinks const& links, Record::Taken const& taken)
        : section_(section),
          links_(links),
          iterations_(section, links),
          waits_(section.tasks.size()),
          begun_(section.tasks.size()),
          readers_(section.blocks.size()),
          writers_(section.blocks.size()),
          held_(section.blocks.size()) {
        for (auto const& of_loop : taken) taken_.add(TakenIterations(of_loop));
        taken_.resize(section.loops.size());
    }

    void begin_round(RoundEvents const& round) {
        for (BlockId block : held_.ids()) set_counts(block);
        iterations_.begin_round();
        now_.ready = 0;
        for (TaskId t : section_.tasks.ids())
            expect(t, links_.waits(t), round.inputs_were_kept && t < links_.loads_end());
        for (TaskId t{0}; t < links_.loads_end(); t = following(t)) {
            OptionalId<BlockId> const block = section_.tasks[t].result();
            if (!block) continue;  // what spills an input
            readers_[*block] += round.inputs_stay;
            if (!round.inputs_were_kept) continue;
            for (TaskId const reader : links_.readers(*block)) count_down(reader);
            free_if_unread(*block);
        }
    }

    void begin(TaskId task) {
        begun_[task] = 1;
        --now_.ready;
        OptionalId<BlockId> const result = section_.tasks[task].result();
        if (!result || held_[*result] != 0) return;
        if (auto const taken = section_.taken_over(section_.tasks[task]))
            held_[*taken] = lent, held_[*result] = owned;
        else
            hold(*result);
    }

    void end(TaskId id) {
        Task const& task = section_.tasks[id];
        for (BlockId const block : section_.reads(task)) {
            --readers_[block];
            free_if_unread(block);
        }
        OptionalId<BlockId> const result = task.result();
        bool const written = result && --writers_[*result] == 0;
        if (written) {
            for (TaskId const reader : links_.readers(*result))
                if (reader <= iterations_.last_with(id)) count_down(reader);
            free_if_unread(*result);
        }
        for (TaskId const follower : links_.followers(id)) count_down(follower);
        if (!iterations_.any()) return;
        if (auto const loop = written ? iterations_.wrote(*result) : std::nullopt) end_iteration(*loop);
        if (auto const loop = iterations_.ended(id)) end_iteration(*loop);
    }

    /// Outputs that are not stored are dropped.
    void end_round(RoundEvents const& round) {
        now_.ready = 0;
        for (BlockId block : held_.ids())
            if (held_[block] != 0 && !(round.inputs_stay && links_.first_writer(block) < links_.loads_end()))
                free(block);
    }

    bool begun(TaskId task) const { return begun_[task] != 0; }
    CounterSample const& now() const { return now_; }

private:
    // ---- tasks: the end of an iteration is none that begins ----

    bool is_ready(TaskId task) const {
        return waits_[task] == 0 && begun_[task] == 0 &&
               section_.tasks[task].traits().runs_on != schedule::Site::dispatcher;
    }
    void expect(TaskId task, std::int32_t waits, bool begun) {
        waits_[task] = waits;
        begun_[task] = begun;
        now_.ready += is_ready(task);
    }
    void count_down(TaskId task) {
        --waits_[task];
        now_.ready += is_ready(task);
    }

    // ---- iterations ----

    void end_iteration(LoopId loop) {
        Loop const& ended = section_.loops[loop];
        if (iterations_.begin_next(loop, taken_[loop].of_this_time())) return begin_iteration(loop);
        taken_[loop].next_time();
        for (Loop::Carry const& carry : ended.carries)
            for (TaskId const reader : links_.readers(carry.next))
                if (reader > ended.last) count_down(reader);
        end(ended.last);
    }

    void begin_iteration(LoopId loop) {
        Loop const& begun = section_.loops[loop];
        Iterations::OfLoop const& made = iterations_.of(loop);
        for (Loop::Carry const& carry : begun.carries) {
            if (held_[carry.next] != 0) free(carry.next);
            if (held_[carry.inside] == 0) hold(carry.inside);
            readers_[carry.inside] = section_.blocks[carry.inside].readers;
            writers_[carry.inside] = 0;
            free_if_unread(carry.inside);
        }
        if (begun.condition && links_.first_writer(*begun.condition) >= begun.first && held_[*begun.condition] != 0)
            free(*begun.condition);
        for (BlockId const block : made.made) set_counts(block);
        for (auto const& [block, readers] : made.kept) readers_[block] += readers;
        auto waits = made.waits.begin();
        for (TaskId t = begun.first; t <= begun.last; t = following(t)) expect(t, *waits++, false);
    }

    // ---- blocks ----

    void set_counts(BlockId block) {
        readers_[block] = section_.blocks[block].readers;
        writers_[block] = section_.blocks[block].writers;
    }
    void free_if_unread(BlockId block) {
        if (readers_[block] == 0 && held_[block] != 0) free(block);
    }
    static constexpr std::uint8_t none = 0, owned = 1, lent = 2;  // lent: its memory is another block's by now
    void hold(BlockId block) {
        held_[block] = owned;
        now_.bytes += section_.bytes_of(block);
    }
    void free(BlockId block) {
        if (held_[block] == owned) now_.bytes -= section_.bytes_of(block);
        held_[block] = none;
    }

    Section const& section_;
    TaskLinks const& links_;
    Iterations iterations_;
    Table<LoopId, TakenIterations> taken_;
    Table<TaskId, std::int32_t> waits_;
    Table<TaskId, std::uint8_t> begun_;
    Table<BlockId, std::int32_t> readers_, writers_;
    Table<BlockId, std::uint8_t> held_;
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
                                 Record::Taken const& taken) {
    Counting counting(section, links, taken);
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
