// One task as it lies in memory and in the file: a record of 40 bytes, whatever its kind. It says to all who only count
// and order what it writes and what it comes after; its own fields come out as the struct of its kind (Section::as,
// Section::visit). Example: if (task.is<Send>()) ... section.as<Send>(task).to
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "lib/schedule/model/tasks.hpp"

namespace ein::schedule {

/// A kind as a number: the place of its struct in TaskKinds. It has no names of its own, so nothing can switch over it
/// but Section::visit.
enum class TaskKind : std::uint8_t {};

template <class T>
inline constexpr TaskKind kind_of{detail::place_in<T>(TaskKinds())};

inline constexpr auto task_traits = detail::traits_of_all(TaskKinds());
inline constexpr std::size_t task_kinds = task_traits.size();
constexpr std::size_t index(TaskKind kind) { return static_cast<std::size_t>(kind); }
constexpr TaskTraits const& traits(TaskKind kind) { return task_traits[index(kind)]; }
constexpr std::string_view name(TaskKind kind) { return traits(kind).name; }

class Task {
public:
    /// How a task lies in memory. What a kind lacks is -1 or 0. For the file (lib/schedule/file) and for packing.hpp.
    struct Record {
        TaskKind kind{};
        bool accumulates = false;
        std::int16_t over = -1;          // of its operands
        std::int32_t entry = -1;         // of a table of the header
        std::int32_t first_operand = 0;  // in Section::operands
        std::int32_t operands = 0;       // how many
        OptionalId<BlockId> result = {};
        OptionalId<TaskId> after = {};
        std::int32_t order = 0;  // of the region
        CoordsPlace coords = 0;  // in Section::coords: `order` begins, then `order` lengths
        std::int32_t peer = -1;
        std::int32_t tag = -1;
    };

    Task() = default;
    explicit Task(Record const& record) : record_(record) {}

    TaskKind kind() const { return record_.kind; }
    template <class T>
    bool is() const {
        return record_.kind == kind_of<T>;
    }
    TaskTraits const& traits() const { return task_traits[index(record_.kind)]; }

    /// How many blocks it reads; one that it names twice counts twice.
    std::int32_t operands() const { return record_.operands; }
    /// The block that it writes.
    OptionalId<BlockId> result() const { return record_.result; }
    bool writes(BlockId block) const { return record_.result == OptionalId(block); }
    /// A task that must have ended: the writer of its result before this one, in an order that is fixed; of a fetch its
    /// spill.
    OptionalId<TaskId> after() const { return record_.after; }
    /// It combines what it computes with what its result holds.
    bool accumulates() const { return record_.accumulates; }
    std::int32_t order() const { return record_.order; }  // of its region

    /// The operand whose memory its result takes over, as its last reader (memory/take_over.hpp). Others that read that
    /// block stand before it and have ended when it starts.
    std::optional<std::size_t> over() const {
        return record_.over < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(record_.over));
    }

    // A section that is made from another names blocks and tasks anew.
    void set_result(BlockId block) { record_.result = block; }
    void set_after(OptionalId<TaskId> task) { record_.after = task; }
    void set_operands(std::size_t first, std::size_t count) {
        record_.first_operand = static_cast<std::int32_t>(first);
        record_.operands = static_cast<std::int32_t>(count);
    }
    void set_over(std::optional<std::size_t> operand) {
        record_.over = operand ? static_cast<std::int16_t>(*operand) : std::int16_t{-1};
    }
    void set_tag(MessageTag tag) { record_.tag = tag.value(); }
    void set_entry(std::int32_t entry) { record_.entry = entry; }
    void set_kernel(KernelId kernel) { record_.entry = kernel.value(); }

    Record const& record() const { return record_; }

private:
    Record record_;
};
static_assert(sizeof(Task) == 40, "schedules of large clusters have hundreds of millions of tasks");

}  // namespace ein::schedule
