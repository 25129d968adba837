// Between a task's struct and its record: one field list (each kind's `fields`) is read in both directions.
// Example: pack(Send{...}, pools) gives the Task whose unpack<Send> is that Send.
#pragma once

#include "lib/schedule/model/task.hpp"

namespace ein::schedule {

/// Takes fields out of a record.
/// @tparam Pools  has operands (of all tasks) and box_at(coords, order)
template <class Pools>
class FieldReader {
public:
    FieldReader(Pools const& pools, Task::Record const& record) : pools_(pools), record_(record) {}

    void operand(BlockId& block) { block = pools_.operands[static_cast<std::size_t>(record_.first_operand)]; }
    void operands(std::span<BlockId const>& blocks) {
        blocks = {pools_.operands.data() + record_.first_operand, static_cast<std::size_t>(record_.operands)};
    }
    void result(BlockId& block) { block = *record_.result; }
    template <class IdType>
    void entry(IdType& id) {
        id = IdType{record_.entry};
    }
    void region(BoxView& box) { box = pools_.box_at(record_.coords, record_.order); }
    void part(std::optional<BoxView>& box) {
        if (record_.order > 0) box = pools_.box_at(record_.coords, record_.order);
    }
    void peer(Rank& rank) { rank = Rank{record_.peer}; }
    void tag(MessageTag& tag) { tag = MessageTag{record_.tag}; }
    void accumulates(bool& does) { does = record_.accumulates; }
    void follows(TaskId& task) { task = *record_.after; }

private:
    Pools const& pools_;
    Task::Record const& record_;
};

/// Puts fields into a record.
/// @tparam Pools  has add_operands(span) and add_box(view), which return where they are now
template <class Pools>
class FieldWriter {
public:
    FieldWriter(Pools& pools, Task::Record& record) : pools_(pools), record_(record) {}

    void operand(BlockId const& block) { operands({&block, 1}); }
    void operands(std::span<BlockId const> blocks) {
        record_.first_operand = pools_.add_operands(blocks);
        record_.operands = static_cast<std::int32_t>(blocks.size());
    }
    void result(BlockId block) { record_.result = block; }
    template <class IdType>
    void entry(IdType id) {
        record_.entry = id.value();
    }
    void region(BoxView const& box) {
        record_.order = static_cast<std::int32_t>(box.order());
        record_.coords = pools_.add_box(box);
    }
    void part(std::optional<BoxView> const& box) {
        if (box) region(*box);
    }
    void peer(Rank rank) { record_.peer = rank.value(); }
    void tag(MessageTag tag) { record_.tag = tag.value(); }
    void accumulates(bool does) { record_.accumulates = does; }
    void follows(TaskId task) { record_.after = task; }

private:
    Pools& pools_;
    Task::Record& record_;
};

template <class T, class Pools>
T unpack(Task const& task, Pools const& pools) {
    T out{};
    FieldReader<Pools> reader(pools, task.record());
    T::fields(out, reader);
    return out;
}

template <class T, class Pools>
Task pack(T const& task, Pools& pools) {
    Task::Record record;
    record.kind = kind_of<T>;
    record.first_operand = pools.add_operands({});
    FieldWriter<Pools> writer(pools, record);
    T::fields(task, writer);
    return Task(record);
}

}  // namespace ein::schedule
