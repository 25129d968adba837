#include "lib/base/table.hpp"

#include <concepts>
#include <string>

#include "tests/support/catch.hpp"

using namespace ein;

using Names = Table<BlockId, std::string>;

template <class Rows, class IdType>
concept can_be_read_by = requires(Rows& rows, IdType id) {
    rows[id];
};
static_assert(can_be_read_by<Names, BlockId>);
static_assert(!can_be_read_by<Names, TaskId> && !can_be_read_by<Names, int>, "a table is read by its own ids alone");

TEST_CASE("a table gives out ids as rows are added", "[lib][base][table]") {
    Names names;
    CHECK(names.empty());
    CHECK(names.end_id() == BlockId{0});
    CHECK(names.add("a") == BlockId{0});
    CHECK(names.add("b") == BlockId{1});
    names[BlockId{0}] = "c";
    CHECK(names.list() == std::vector<std::string>{"c", "b"});
    CHECK(names.last() == BlockId{1});
    CHECK(names.end_id() == BlockId{2});
    CHECK(names.has(BlockId{1}));
    CHECK_FALSE(names.has(BlockId{2}));
    CHECK_FALSE(names.has(BlockId{-1}));
}

TEST_CASE("a table's ids are in the order of its rows", "[lib][base][table]") {
    Names const names(std::vector<std::string>{"x", "y", "z"});
    std::string all;
    for (BlockId id : names.ids()) all += names[id];
    CHECK(all == "xyz");
    CHECK(names == Names(std::vector<std::string>{"x", "y", "z"}));
    CHECK(Names(2, "w").list() == std::vector<std::string>{"w", "w"});
}
