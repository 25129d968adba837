// The fields of a section, each with its column and what it is expected to be: said once, for writing and for reading.
// What is expected is what the record before had, or, of a task, the one before of its kind: ranks do the same again
// and again at the next block, with the next peer. Whatever a field holds is written; the unexpected takes more bytes.
// Fields is what they are passed to (section_codec.cpp):
//   number(column, n, expected)      writes n, or reads it
//   choice(column, e, count, what)   an enum of so many values
//   resize(column, list, each)       a list's size; each of its elements has a number in the column `each`
//   keep(place, record)              where it is read
#pragma once

#include <array>
#include <unordered_map>

#include "lib/schedule/model/section.hpp"

namespace ein::schedule {

enum class Column : std::uint8_t {
    sizes,
    block_tensor,
    block_dtype,
    block_format,
    block_readers,
    block_writers,
    block_order,
    block_coords,
    kind,
    accumulates,
    entry,
    first_operand,
    operands,
    result,
    after,
    order,
    coords,
    peer,
    tag,
    operand,
    coordinate,
    loops,
    moments,
    over,
    repeat,
    room,
    count  // of columns
};

/// An id, or -1 for none.
template <class Fields, class IdType>
void pass_id(Fields& fields, Column column, OptionalId<IdType>& id, std::int32_t expected) {
    std::int32_t number = id ? (*id).value() : -1;
    fields.number(column, number, expected);
    id = number == -1 ? OptionalId<IdType>() : OptionalId(IdType{number});
}
template <class Fields, class IdType>
void pass_id(Fields& fields, Column column, IdType& id, std::int32_t expected) {
    std::int32_t number = id.value();
    fields.number(column, number, expected);
    id = IdType{number};
}

class BlockFields {
public:
    template <class Fields>
    void pass(Fields& fields, Block& block) {
        pass_id(fields, Column::block_tensor, block.tensor, before_.tensor.value());
        fields.choice(Column::block_dtype, block.dtype, dtype_count, "dtype");
        fields.choice(Column::block_format, block.format, format_traits.size(), "block format");
        fields.number(Column::block_readers, block.readers, 0);
        fields.number(Column::block_writers, block.writers, 0);
        fields.number(Column::block_order, block.order, before_.order);
        fields.number(Column::block_coords, block.coords, before_.coords);
        before_ = block;
    }

private:
    Block before_;
};

class TaskFields {
public:
    template <class Fields>
    void pass(Fields& fields, Task::Record& task) {
        fields.choice(Column::kind, task.kind, task_kinds, "kind of task");
        Task::Record& before = before_[index(task.kind)];
        fields.choice(Column::accumulates, task.accumulates, 2, "flag of a task");
        fields.number(Column::over, task.over, before.over);
        fields.number(Column::entry, task.entry, before.entry);
        fields.number(Column::first_operand, task.first_operand, next_operand_);
        fields.number(Column::operands, task.operands, before.operands);
        pass_id(fields, Column::result, task.result, number_of(before.result));
        pass_after(fields, task);
        fields.number(Column::order, task.order, before.order);
        fields.number(Column::coords, task.coords, task.order == 0 ? 0 : coords_);
        fields.number(Column::peer, task.peer, before.peer);
        if (task.peer == -1) {
            fields.number(Column::tag, task.tag, -1);
        } else {
            std::int64_t& tag = tags_[std::uint64_t{index(task.kind)} << 32 | static_cast<std::uint32_t>(task.peer)];
            fields.number(Column::tag, task.tag, tag);
            tag = std::int64_t{task.tag} + 1;
        }
        if (task.order != 0) coords_ = task.coords;
        next_operand_ = std::int64_t{task.first_operand} + task.operands;
        before = task;
        ++position_;
    }

private:
    template <class IdType>
    static std::int32_t number_of(OptionalId<IdType> id) {
        return id ? (*id).value() : -1;
    }
    /// How far back, counted from 1; 0: after none.
    template <class Fields>
    void pass_after(Fields& fields, Task::Record& task) {
        std::int64_t back = 0;
        if (task.after) {
            back = position_ - (*task.after).value();
            if (back <= 0) --back;
        }
        fields.number(Column::after, back, 0);
        auto const after =
            static_cast<std::uint64_t>(position_) - static_cast<std::uint64_t>(back < 0 ? back + 1 : back);
        task.after = back == 0 ? OptionalId<TaskId>() : OptionalId(TaskId{static_cast<std::int32_t>(after)});
    }

    std::array<Task::Record, task_kinds> before_{};
    std::unordered_map<std::uint64_t, std::int64_t> tags_;  // the next one, by kind and peer
    std::int64_t next_operand_ = 0, coords_ = 0, position_ = 0;
};

template <class Fields>
void pass_loop(Fields& fields, Loop& loop) {
    pass_id(fields, Column::loops, loop.spec, 0);
    pass_id(fields, Column::loops, loop.first, 0);
    pass_id(fields, Column::loops, loop.last, 0);
    pass_id(fields, Column::loops, loop.condition, 0);
    fields.resize(Column::loops, loop.carries, Column::loops);
    for (Loop::Carry& carry : loop.carries) {
        pass_id(fields, Column::loops, carry.inside, 0);
        pass_id(fields, Column::loops, carry.next, 0);
    }
}

/// One after another, each as how far it is from the one before.
template <class Fields>
void pass_repeat(Fields& fields, Repeat& repeat) {
    std::int32_t before = 0;
    auto const pass = [&](auto&... ids) {
        ((pass_id(fields, Column::repeat, ids, before), before = ids.value()), ...);
    };
    fields.number(Column::repeat, repeat.times, 0);
    pass(repeat.first_load, repeat.end_load, repeat.first_task, repeat.end_task);
    before = 0;
    pass(repeat.first_moving, repeat.first_block, repeat.end_block);
    before = 0;
    pass(repeat.first_moment, repeat.end_moment);
}

/// A record of a list: passed as a copy, and kept where it is read.
template <class Fields, class Place, class Pass>
void pass_record(Fields& fields, Place& place, Pass const& pass) {
    auto record = place;
    pass(record);
    fields.keep(place, record);
}

/// All of a section, whose lists have their sizes.
/// @tparam Of  Section const where it is written
template <class Fields, class Of>
void pass_section(Fields& fields, Of& section) {
    BlockFields blocks;
    for (auto& each : section.blocks) pass_record(fields, each, [&](Block& block) { blocks.pass(fields, block); });
    TaskFields tasks;
    for (auto& each : section.tasks)
        pass_record(fields, each, [&](Task& task) {
            Task::Record record = task.record();
            tasks.pass(fields, record);
            task = Task(record);
        });
    pass_record(fields, section.room, [&](std::int64_t& room) { fields.number(Column::room, room, 0); });
    std::int32_t before = 0;
    auto const pass_next = [&](Column column) {
        return [&, column](auto& id) {
            pass_id(fields, column, id, before);
            before = id.value();
        };
    };
    for (auto& each : section.operands) pass_record(fields, each, pass_next(Column::operand));
    for (auto& each : section.coords)
        pass_record(fields, each, [&](Extent& coordinate) { fields.number(Column::coordinate, coordinate, 0); });
    for (auto& each : section.loops) pass_record(fields, each, [&](Loop& loop) { pass_loop(fields, loop); });
    before = 0;
    for (auto& each : section.moments) pass_record(fields, each, pass_next(Column::moments));
    pass_record(fields, section.repeat, [&](std::optional<Repeat>& repeat) {
        bool repeats = repeat.has_value();
        fields.choice(Column::repeat, repeats, 2, "flag of a section");
        if (repeats != repeat.has_value()) repeat.emplace();
        if (repeats) pass_repeat(fields, *repeat);
    });
}

}  // namespace ein::schedule
