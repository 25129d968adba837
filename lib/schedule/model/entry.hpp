// The entry of a table of the header that a task names, as the id of that table: told from the fields of its kind.
// Example: visit_entry(task, [&](auto id) { promise(table_of(header, id).has(id), "..."); }).
#pragma once

#include <optional>

#include "lib/schedule/model/task.hpp"

namespace ein::schedule {

namespace detail {

/// Of all fields of a kind passes on the entry; others are passed over.
template <class Visitor>
class EntryField {
public:
    EntryField(Visitor& visitor, std::int32_t entry) : visitor_(visitor), entry_(entry) {}

    template <class IdType>
    void entry(IdType&) {
        visitor_(IdType{entry_});
    }
    void operand(BlockId&) {}
    void operands(std::span<BlockId const>&) {}
    void result(BlockId&) {}
    void region(BoxView&) {}
    void part(std::optional<BoxView>&) {}
    void peer(Rank&) {}
    void tag(MessageTag&) {}
    void accumulates(bool&) {}
    void follows(TaskId&) {}

private:
    Visitor& visitor_;
    std::int32_t entry_;
};

template <class First, class... Rest, class Visitor>
void visit_entry_of(KindList<First, Rest...>, Task const& task, EntryField<Visitor>& field) {
    if (task.is<First>()) {
        First fields{};
        First::fields(fields, field);
    } else if constexpr (sizeof...(Rest) > 0) {
        visit_entry_of(KindList<Rest...>(), task, field);
    }
}

}  // namespace detail

/// Calls the visitor with the task's entry, whatever table it is of; not at all for a kind that names none.
template <class Visitor>
void visit_entry(Task const& task, Visitor&& visitor) {
    detail::EntryField<std::remove_reference_t<Visitor>> field(visitor, task.record().entry);
    detail::visit_entry_of(TaskKinds(), task, field);
}

}  // namespace ein::schedule
