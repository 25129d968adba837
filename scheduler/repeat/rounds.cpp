#include "scheduler/repeat/rounds.hpp"

#include <algorithm>
#include <unordered_map>

#include "lib/schedule/model/entry.hpp"

namespace ein::scheduler {
namespace {

using schedule::Block;
using schedule::Section;
using schedule::Task;

/// Ids from `first` on, before `end`.
template <class IdType>
struct Range {
    IdType first{0}, end{0};
    std::int32_t size() const { return end.value() - first.value(); }
    bool has(IdType id) const { return first <= id && id < end; }
};

struct Round {
    Range<TaskId> tasks, loads = {};
    Range<BlockId> blocks = {};
};

/// Messages with one peer, in one direction.
struct Exchange {
    std::int32_t before = 0, in_round = 0;  // how many before the second round, and in it
};

class Comparison {
public:
    Comparison(Section const& section, RoundMoments const& moments)
        : section_(section),
          moments_(moments),
          before_{.tasks = {section.moments[moments.before], section.moments[moments.first]}},
          round_{.tasks = {section.moments[moments.first], section.moments[moments.end]}},
          first_reader_(section.blocks.size()),
          last_reader_(section.blocks.size()) {
        while (section.tasks.has(loads_end_) && section.tasks[loads_end_].is<schedule::Load>())
            loads_end_ = following(loads_end_);
        for (TaskId t : section.tasks.ids())
            for (BlockId block : section.reads(t)) {
                if (!first_reader_[block]) first_reader_[block] = t;
                last_reader_[block] = t;
            }
    }

    std::optional<RankRounds> run() {
        bool const alike = find_loads(before_) && find_loads(round_) && find_blocks(before_) && find_blocks(round_) &&
                           follow_one_another() && count_messages() && same_blocks() &&
                           same_tasks(before_.loads, round_.loads) && same_tasks(before_.tasks, round_.tasks) &&
                           is_left_behind();
        if (!alike) return std::nullopt;
        out_.repeat = {.first_load = round_.loads.first,
                       .end_load = round_.loads.end,
                       .first_task = round_.tasks.first,
                       .end_task = round_.tasks.end,
                       .first_block = round_.blocks.first,
                       .end_block = round_.blocks.end,
                       .first_moving = first_moving_,
                       .first_moment = moments_.first,
                       .end_moment = moments_.end};
        return std::move(out_);
    }

private:
    /// Loads of what the round's tasks are the first to read: one behind the other.
    bool find_loads(Round& round) const {
        round.loads = {loads_end_, loads_end_};
        for (TaskId t{0}; t < loads_end_; t = following(t)) {
            OptionalId<TaskId> const reader = first_reader_[*section_.tasks[t].result()];
            if (!reader || !round.tasks.has(*reader)) continue;
            if (round.loads.size() == 0) round.loads = {t, t};
            if (t != round.loads.end) return false;
            round.loads.end = following(t);
        }
        return true;
    }

    /// Blocks that the round's tasks write: one behind the other, and none of them written by others.
    bool find_blocks(Round& round) const {
        std::vector<BlockId> made;
        std::int64_t writes = 0, writers = 0;
        for (Range<TaskId> const& tasks : {round.loads, round.tasks})
            for (TaskId t = tasks.first; t < tasks.end; t = following(t))
                if (auto const result = section_.tasks[t].result()) made.push_back(*result), ++writes;
        std::sort(made.begin(), made.end());
        made.erase(std::unique(made.begin(), made.end()), made.end());
        for (BlockId block : made) writers += section_.blocks[block].writers;
        if (made.empty()) {
            round.blocks = {section_.blocks.end_id(), section_.blocks.end_id()};
            return true;
        }
        round.blocks = {made.front(), following(made.back())};
        return writers == writes && round.blocks.size() == static_cast<std::int32_t>(made.size());
    }

    bool follow_one_another() const {
        auto const same_size = [](auto const& a, auto const& b) { return a.size() == b.size(); };
        return same_size(before_.tasks, round_.tasks) && same_size(before_.loads, round_.loads) &&
               same_size(before_.blocks, round_.blocks) &&
               (round_.blocks.size() == 0 || before_.blocks.end == round_.blocks.first) &&
               loads_end_ <= before_.tasks.first;
    }

    /// Messages are numbered in the order of their rounds.
    bool count_messages() {
        auto const each = [&](TaskId first, TaskId end, auto const& visit) {
            for (TaskId t = first; t < end; t = following(t))
                if (section_.tasks[t].traits().is_transfer() && !visit(section_.tasks[t].record().tag, exchange_of(t)))
                    return false;
            return true;
        };
        TaskId const first = round_.tasks.first, end = round_.tasks.end;
        each(TaskId{0}, first, [](std::int32_t, Exchange& with) { return ++with.before, true; });
        each(first, end, [](std::int32_t, Exchange& with) { return ++with.in_round, true; });
        return each(TaskId{0}, first, [](std::int32_t tag, Exchange& with) { return tag < with.before; }) &&
               each(first, end,
                    [](std::int32_t tag, Exchange& with) {
                        return with.before <= tag && tag < with.before + with.in_round;
                    }) &&
               each(end, section_.tasks.end_id(),
                    [](std::int32_t tag, Exchange& with) { return tag >= with.before + with.in_round; });
    }
    Exchange& exchange_of(TaskId t) {
        Task::Record const& record = section_.tasks[t].record();
        return exchanges_[std::uint64_t{index(record.kind)} << 32 | static_cast<std::uint32_t>(record.peer)];
    }

    bool same_blocks() {
        for (std::int32_t k = 0; k < round_.blocks.size(); ++k) {
            Block const& a = section_.blocks[BlockId{before_.blocks.first.value() + k}];
            Block const& b = section_.blocks[BlockId{round_.blocks.first.value() + k}];
            if (a.dtype != b.dtype || a.format != b.format || a.is_listed() || a.order != b.order ||
                !same_box(a.order, a.coords, b.coords) || !out_.partners.add(a.tensor, b.tensor))
                return false;
        }
        return true;
    }
    bool same_box(std::int32_t order, std::int64_t a, std::int64_t b) const {
        return a == b || std::equal(section_.coords.begin() + a, section_.coords.begin() + a + 2 * order,
                                    section_.coords.begin() + b);
    }

    bool same_tasks(Range<TaskId> const& before, Range<TaskId> const& round) {
        for (std::int32_t k = 0; k < round.size(); ++k)
            if (!same_task(TaskId{before.first.value() + k}, TaskId{round.first.value() + k})) return false;
        return true;
    }

    bool same_task(TaskId before, TaskId next) {
        Task::Record const &a = section_.tasks[before].record(), &b = section_.tasks[next].record();
        if (a.kind != b.kind || a.accumulates != b.accumulates || a.over != b.over || a.operands != b.operands ||
            a.order != b.order || a.peer != b.peer || a.result.has_value() != b.result.has_value() ||
            a.after.has_value() != b.after.has_value() || !same_box(a.order, a.coords, b.coords))
            return false;
        if (b.result && (*b.result).value() != (*a.result).value() + round_.blocks.size()) return false;
        if (b.after && (!before_.tasks.has(*a.after) || (*b.after).value() != (*a.after).value() + round_.tasks.size()))
            return false;
        if (b.peer >= 0 && b.tag != a.tag + exchange_of(next).in_round) return false;
        bool partners = true;
        visit_entry(section_.tasks[next], [&](auto id) { partners = out_.partners.add(decltype(id){a.entry}, id); });
        return partners && same_operands(section_.reads(before), section_.reads(next));
    }

    /// Each is the same in both rounds, or so many blocks further; those that move come behind those that do not.
    bool same_operands(std::span<BlockId const> before, std::span<BlockId const> next) {
        for (std::size_t k = 0; k < next.size(); ++k) {
            if (before[k] == next[k])
                staying_ = std::max(staying_, following(next[k]));
            else if (next[k].value() == before[k].value() + round_.blocks.size())
                moving_ = std::min(moving_, next[k]);
            else
                return false;
        }
        return true;
    }

    /// Of what moves only the last round's is read behind the rounds.
    bool is_left_behind() {
        first_moving_ = std::min(moving_, round_.blocks.first);
        if (first_moving_ < staying_) return false;
        for (BlockId block = first_moving_; block < round_.blocks.first; block = following(block))
            if (last_reader_[block] && *last_reader_[block] >= round_.tasks.end) return false;
        return true;
    }

    Section const& section_;
    RoundMoments const& moments_;
    Round before_, round_;
    Table<BlockId, OptionalId<TaskId>> first_reader_, last_reader_;
    TaskId loads_end_{0};
    std::unordered_map<std::uint64_t, Exchange> exchanges_;   // by direction and peer
    BlockId staying_{0}, moving_ = section_.blocks.end_id();  // after the last that stays; the first that moves
    BlockId first_moving_{0};
    RankRounds out_;
};

}  // namespace

bool Partners::add(std::size_t table, std::int32_t before, std::int32_t next) {
    auto const note = [](std::vector<std::int32_t>& list, std::int32_t key, std::int32_t value) {
        if (list.size() <= at(key)) list.resize(at(key) + 1, none);
        if (list[at(key)] == none) list[at(key)] = value;
        return list[at(key)] == value;
    };
    return note(before_[table], next, before) && note(next_[table], before, next);
}

bool Partners::add(Partners const& other) {
    for (std::size_t table = 0; table < before_.size(); ++table)
        for (std::size_t next = 0; next < other.before_[table].size(); ++next)
            if (other.before_[table][next] != none &&
                !add(table, other.before_[table][next], static_cast<std::int32_t>(next)))
                return false;
    return true;
}

std::optional<RankRounds> compare_rounds(Section const& section, RoundMoments const& moments) {
    return Comparison(section, moments).run();
}

}  // namespace ein::scheduler
