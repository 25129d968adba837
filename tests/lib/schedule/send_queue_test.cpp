#include "lib/schedule/send_queue.hpp"

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
    queue.push(TaskId{5}, 1, 6);
    queue.push(TaskId{9}, 1, 6);
    queue.push(TaskId{6}, 2, 6);
    queue.push(TaskId{7}, 1, 6);
    queue.push(TaskId{8}, 2, 2);
    CHECK(taken(queue) == std::vector{5, 6, 8});
    queue.ended(2, 6, six);
    CHECK(queue.empty());
    queue.ended(1, 6, six);
    CHECK(taken(queue) == std::vector{7});
    queue.ended(1, 6, six);
    CHECK(taken(queue) == std::vector{9});
}

TEST_CASE("a message larger than the window goes alone", "[schedule][send_queue]") {
    SendQueue queue(4);
    queue.push(TaskId{1}, 0, 6);
    queue.push(TaskId{2}, 0, 6);
    CHECK(taken(queue) == std::vector{1});
    queue.ended(0, 6, six);
    CHECK(taken(queue) == std::vector{2});
}

TEST_CASE("the first of all that have not ended may start whatever is open", "[schedule][send_queue]") {
    SendQueue queue(8);
    queue.push(TaskId{5}, 1, 6);
    queue.push(TaskId{3}, 1, 6);
    queue.push(TaskId{4}, 1, 6);
    CHECK(taken(queue) == std::vector{5});
    queue.release(TaskId{4}, 1, 6);  // it is not the first
    CHECK(queue.empty());
    queue.release(TaskId{3}, 1, 6);
    CHECK(taken(queue) == std::vector{3});
    queue.ended(1, 6, six);
    CHECK(queue.empty());  // 3 is still open
    queue.ended(1, 6, six);
    CHECK(taken(queue) == std::vector{4});
}
