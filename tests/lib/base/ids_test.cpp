#include "lib/base/ids.hpp"

#include <concepts>
#include <unordered_set>

#include "tests/support/catch.hpp"

using namespace ein;

static_assert(!std::equality_comparable_with<Rank, BlockId>, "a rank is never a block");
static_assert(!std::convertible_to<int, Rank> && !std::convertible_to<Rank, int>, "ids are made and read on purpose");
static_assert(!std::convertible_to<Rank, TaskId>);

TEST_CASE("ids of one kind compare and hash by value", "[lib][base][ids]") {
    CHECK(Rank{3} == Rank{3});
    CHECK(Rank{2} < Rank{3});
    CHECK(Rank{}.value() == 0);
    std::unordered_set<BlockId> const blocks{BlockId{1}, BlockId{2}, BlockId{1}};
    CHECK(blocks.size() == 2);
    CHECK(blocks.contains(BlockId{2}));
}

TEST_CASE("an id that may be none takes no more memory than an id", "[lib][base][ids]") {
    static_assert(sizeof(OptionalId<TaskId>) == sizeof(TaskId));
    OptionalId<TaskId> none;
    CHECK_FALSE(none);
    CHECK(none == std::nullopt);
    OptionalId<TaskId> const three = TaskId{3};
    CHECK(three.has_value());
    CHECK(*three == TaskId{3});
    CHECK(three == TaskId{3});
    CHECK(none != three);
    none = TaskId{0};
    CHECK(none);
}
