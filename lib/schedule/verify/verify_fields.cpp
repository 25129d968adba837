#include "lib/schedule/verify/verify_fields.hpp"

#include <algorithm>

namespace ein::schedule {
namespace {

/// Goes through the field list of a kind (see tasks.hpp).
class FieldCheck {
public:
    FieldCheck(Header const& header, Rank self, Task::Record const& record)
        : header_(header), self_(self), record_(record) {}

    void operand(BlockId const&) { reads_ = true, check(record_.operands == 1); }
    void operands(std::span<BlockId const> const&) { reads_ = true; }
    void result(BlockId const&) { writes_ = true, check(record_.result.has_value()); }
    template <class IdType>
    void entry(IdType const&) {
        check(table_of(header_, IdType{}).has(IdType{record_.entry}));
    }
    void region(BoxView const&) {}
    void part(std::optional<BoxView> const&) {}
    void peer(Rank const&) {
        check(record_.peer >= 0 && record_.peer < header_.ranks && record_.peer != self_.value());
    }
    void tag(MessageTag const&) { check(record_.tag >= 0); }
    void accumulates(bool const&) { may_accumulate_ = true; }
    void follows(TaskId const&) { check(record_.after.has_value()); }

    bool sound() const {
        return sound_ && (reads_ || record_.operands == 0) && writes_ == record_.result.has_value() &&
               (may_accumulate_ || !record_.accumulates);
    }

private:
    void check(bool holds) { sound_ = sound_ && holds; }

    Header const& header_;
    Rank self_;
    Task::Record const& record_;
    bool sound_ = true, reads_ = false, writes_ = false, may_accumulate_ = false;
};

template <class... Kind>
bool check_kind(KindList<Kind...>, Task const& task, FieldCheck& check) {
    auto const run = [&]<class T>(T const& none) { T::fields(none, check); };
    (void)((task.is<Kind>() && (run(Kind{}), true)) || ...);
    return check.sound();
}

}  // namespace

bool is_in_range(Section const& section, Task const& task, TaskId id) {
    Task::Record const& record = task.record();
    std::int64_t const first = record.first_operand, count = record.operands;
    auto const pool = static_cast<std::int64_t>(section.coords.size());
    bool const sound =
        first >= 0 && count >= 0 && first + count <= static_cast<std::int64_t>(section.operands.size()) &&
        record.order >= 0 && record.coords >= 0 && record.coords <= pool &&
        2 * std::int64_t{record.order} <= pool - record.coords &&
        (!record.after || (*record.after >= TaskId{0} && *record.after < id)) &&
        (!record.result || section.blocks.has(*record.result)) && record.over >= -1 && record.over < count;
    if (!sound) return false;
    auto const reads = section.reads(task);
    return std::all_of(reads.begin(), reads.end(), [&](BlockId block) { return section.blocks.has(block); });
}

bool has_its_fields(Header const& header, Rank rank, Task const& task) {
    FieldCheck check(header, rank, task.record());
    return check_kind(TaskKinds(), task, check);
}

}  // namespace ein::schedule
