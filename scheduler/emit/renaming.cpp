#include "scheduler/emit/renaming.hpp"

namespace ein::scheduler {
namespace {

/// Fields of a task that name an entry of a table; others are passed over.
class EntryNames {
public:
    EntryNames(Renaming const& names, std::int32_t entry) : names_(names), entry_(entry) {}
    std::int32_t entry() const { return entry_; }

    void entry(schedule::InputId&) { become(names_.inputs); }
    void entry(schedule::KernelId&) { become(names_.kernels); }
    void entry(schedule::MovementId&) { become(names_.movements); }
    void entry(schedule::ReshapeId&) { become(names_.reshapes); }
    void entry(schedule::FillId&) { become(names_.fills); }
    template <class IdType>
    void entry(IdType&) {
        promise(false, "a task of a kind that no node is lowered to is made again");
    }
    void operand(BlockId&) {}
    void operands(std::span<BlockId const>&) {}
    void result(BlockId&) {}
    void region(BoxView&) {}
    void part(std::optional<BoxView>&) {}
    void peer(Rank&) {}
    void tag(schedule::MessageTag&) {}
    void accumulates(bool&) {}
    void follows(TaskId&) {}

private:
    template <class IdType>
    void become(Names<IdType> const& names) {
        entry_ = names.of(IdType{entry_}).value();
    }

    Renaming const& names_;
    std::int32_t entry_;
};

template <class First, class... Rest>
std::int32_t entry_of_kind(schedule::KindList<First, Rest...>, schedule::Task const& task, EntryNames& names) {
    if (task.is<First>()) {
        First fields{};
        First::fields(fields, names);
        return names.entry();
    }
    if constexpr (sizeof...(Rest) == 0)
        return names.entry();
    else
        return entry_of_kind(schedule::KindList<Rest...>(), task, names);
}

}  // namespace

std::int32_t Renaming::entry_of(schedule::Task const& task) const {
    EntryNames names(*this, task.record().entry);
    return entry_of_kind(schedule::TaskKinds(), task, names);
}

}  // namespace ein::scheduler
