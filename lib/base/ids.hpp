// Numbers that mean different things have different types: a Rank is never a BlockId.
// Example: Rank{3} == BlockId{3} does not compile.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace ein {

template <class Tag, class Rep>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(Rep value) : value_(value) {}
    constexpr Rep value() const { return value_; }
    friend constexpr auto operator<=>(Id, Id) = default;

private:
    Rep value_{};
};

/// An id or none, in the memory of the id alone: none is -1, which no id is. Written and read as std::optional is.
/// Example: OptionalId<TaskId>() == std::nullopt; *OptionalId(TaskId{3}) == TaskId{3}.
template <class IdType>
class OptionalId {
public:
    constexpr OptionalId() = default;
    constexpr OptionalId(std::nullopt_t) {}
    constexpr OptionalId(IdType id) : id_(id) {}
    constexpr bool has_value() const { return id_ != none(); }
    constexpr explicit operator bool() const { return has_value(); }
    constexpr IdType operator*() const { return id_; }
    friend constexpr bool operator==(OptionalId, OptionalId) = default;

private:
    static constexpr IdType none() { return IdType{-1}; }
    IdType id_ = none();
};

using Rank = Id<struct RankTag, int>;               // a process of the run
using ValueId = Id<struct ValueTag, std::int32_t>;  // a tensor of a graph: a leaf or the output of a node
using NodeId = Id<struct NodeTag, std::int32_t>;    // a node of a graph, in topological order
using BlockId = Id<struct BlockTag, std::int32_t>;  // a block of one rank's section of a schedule
using TaskId = Id<struct TaskTag, std::int32_t>;    // a task of one rank's section, in schedule order

/// Where the row of an id, or of a number known not to be negative, lies in a list: rows[at(task)].
template <class Tag, class Rep>
constexpr std::size_t at(Id<Tag, Rep> id) {
    return static_cast<std::size_t>(id.value());
}
constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// The id after this one.
template <class Tag, class Rep>
constexpr Id<Tag, Rep> following(Id<Tag, Rep> id) {
    return Id<Tag, Rep>{id.value() + 1};
}

}  // namespace ein

template <class Tag, class Rep>
struct std::hash<ein::Id<Tag, Rep>> {
    std::size_t operator()(ein::Id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value()); }
};
