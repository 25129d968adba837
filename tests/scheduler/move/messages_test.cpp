#include "scheduler/move/messages.hpp"

#include <map>

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

constexpr Messages short_messages{.bytes = 64, .most = 1000, .window = 4096};
Box const row_block{{0, 0}, {8, 16}}, column_block{{0, 4}, {16, 4}}, shared{{0, 4}, {8, 4}};

}  // namespace

TEST_CASE("what lies in one run at both ends is one message", "[scheduler][messages]") {
    Box const half{{0, 0}, {4, 16}};
    CHECK(messages_of(half, row_block, half, 8, short_messages) == std::vector<Box>{half});
}

TEST_CASE("a region that lies apart is cut into messages of the size asked for", "[scheduler][messages]") {
    auto const messages = messages_of(shared, row_block, column_block, 8, short_messages);  // 32 elements of 8 bytes
    REQUIRE(messages.size() == 4);
    CHECK(messages.front() == Box{{0, 4}, {2, 4}});
    CHECK(messages.back() == Box{{6, 4}, {2, 4}});
    Extent elements = 0;
    for (Box const& message : messages) elements += intersection(message, shared).elements();
    CHECK(elements == shared.elements());
}

TEST_CASE("less than two messages are one, and large blocks have large messages", "[scheduler][messages]") {
    CHECK(messages_of(shared, row_block, column_block, 8, {.bytes = 129, .most = 1000}).size() == 1);
    CHECK(messages_of(shared, row_block, column_block, 8, {.bytes = 1, .most = 4}).size() ==
          2);  // half of the block's four
}

TEST_CASE("each rank gets one message of each region of the block it waits for in a round", "[scheduler][messages]") {
    BlockId const a{0}, b{1};
    std::vector<ExpectedRegion> const regions{
        {Rank{1}, a, 2}, {Rank{0}, a, 1}, {Rank{1}, a, 1}, {Rank{1}, b, 1}, {Rank{0}, b, 2}};
    using Messages = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    std::vector<Messages> rounds;
    for (Round const& round : message_rounds(regions)) {
        rounds.emplace_back();
        for (MessageNumber const& next : round) rounds.back().emplace_back(next.region, next.message);
    }
    CHECK(rounds == std::vector<Messages>{{{1, 0}, {0, 0}, {2, 0}},  // rank 0's block a; of rank 1's both regions
                                          {{4, 0}, {0, 1}},          // then b on rank 0, the rest of a on rank 1
                                          {{4, 1}, {3, 0}}});
    CHECK(message_rounds({}).empty());
}
