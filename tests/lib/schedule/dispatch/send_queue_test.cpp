#include "lib/schedule/dispatch/send_queue.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace ein;
using schedule::SendQueue;

namespace {

std::int64_t six(TaskId) { return 6; }

std::vector<int> taken(SendQueue& queue) {
    std::vector<int> out;
    while (!queue.empty()) out.push_back(queue.pop().value());
    return out;
}

}  // namespace

TEST_CASE("sends to one rank start a few bytes at a time, in order", "[schedule][send_queue]") {
    SendQueue queue(8);
    queue.push(TaskId{5}, Rank{1}, 6);
    queue.push(TaskId{9}, Rank{1}, 6);
    queue.push(TaskId{6}, Rank{2}, 6);
    queue.push(TaskId{7}, Rank{1}, 6);
    queue.push(TaskId{8}, Rank{2}, 2);
    CHECK(taken(queue) == std::vector{5, 6, 8});
    queue.ended(TaskId{6}, Rank{2}, six);
    CHECK(queue.empty());
    queue.ended(TaskId{5}, Rank{1}, six);
    CHECK(taken(queue) == std::vector{7});
    queue.ended(TaskId{7}, Rank{1}, six);
    CHECK(taken(queue) == std::vector{9});
}

TEST_CASE("a message larger than the window goes alone", "[schedule][send_queue]") {
    SendQueue queue(4);
    queue.push(TaskId{1}, Rank{0}, 6);
    queue.push(TaskId{2}, Rank{0}, 6);
    CHECK(taken(queue) == std::vector{1});
    queue.ended(TaskId{1}, Rank{0}, six);
    CHECK(taken(queue) == std::vector{2});
}

TEST_CASE("what comes later in the list holds nothing up", "[schedule][send_queue]") {
    SendQueue queue(8);
    queue.push(TaskId{9}, Rank{1}, 6);
    queue.push(TaskId{11}, Rank{1}, 6);
    CHECK(taken(queue) == std::vector{9});
    queue.push(TaskId{3}, Rank{1}, 6);
    queue.push(TaskId{4}, Rank{1}, 6);
    CHECK(taken(queue) == std::vector{3});
    queue.ended(TaskId{9}, Rank{1}, six);
    CHECK(queue.empty());
    queue.ended(TaskId{3}, Rank{1}, six);
    CHECK(taken(queue) == std::vector{4});
    queue.ended(TaskId{4}, Rank{1}, six);
    CHECK(taken(queue) == std::vector{11});
}

TEST_CASE("the first of all that have not ended may start whatever is open", "[schedule][send_queue]") {
    SendQueue queue(8);
    queue.push(TaskId{2}, Rank{1}, 6);
    queue.push(TaskId{3}, Rank{1}, 6);
    queue.push(TaskId{4}, Rank{1}, 6);
    CHECK(taken(queue) == std::vector{2});
    queue.release(TaskId{4}, Rank{1}, 6);  // it is not the first that waits
    CHECK(queue.empty());
    queue.release(TaskId{3}, Rank{1}, 6);
    CHECK(taken(queue) == std::vector{3});
    queue.ended(TaskId{2}, Rank{1}, six);
    CHECK(queue.empty());  // 3 is still open
    queue.ended(TaskId{3}, Rank{1}, six);
    CHECK(taken(queue) == std::vector{4});
}
