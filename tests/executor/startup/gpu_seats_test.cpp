#include "executor/startup/gpu_seats.hpp"

#include "tests/support/catch.hpp"

using ein::executor::GpuSeat;
using ein::executor::seats_on_gpus;
using Seats = std::vector<GpuSeat>;

TEST_CASE("ranks that see the same GPUs take turns, and know how many share each", "[executor]") {
    CHECK(seats_on_gpus({{"a"}}) == Seats{{0, 1}});
    CHECK(seats_on_gpus({{"a"}, {"a"}, {"a"}}) == Seats{{0, 3}, {0, 3}, {0, 3}});
    CHECK(seats_on_gpus({{"a", "b"}, {"a", "b"}, {"a", "b"}}) == Seats{{0, 2}, {1, 1}, {0, 2}});
}

TEST_CASE("a rank that sees a GPU of its own shares it with nobody", "[executor]") {
    CHECK(seats_on_gpus({{"a"}, {"b"}, {"c"}}) == Seats{{0, 1}, {0, 1}, {0, 1}});
    CHECK(seats_on_gpus({{"a", "b"}, {"c", "d"}, {"a", "b"}, {"c", "d"}}) == Seats{{0, 1}, {0, 1}, {1, 1}, {1, 1}});
    // A mask that lets one rank see less than another.
    CHECK(seats_on_gpus({{"a"}, {"a", "b"}, {"b", "a"}}) == Seats{{0, 1}, {1, 2}, {0, 2}});
}

TEST_CASE("GPUs of two hosts are told apart, and GPUs that will not do are left out", "[executor]") {
    CHECK(seats_on_gpus({{"x 1", "x 2"}, {"y 1", "y 2"}}) == Seats{{0, 1}, {0, 1}});
    CHECK(seats_on_gpus({{"", "b"}, {"", "b"}}) == Seats{{1, 2}, {1, 2}});
    CHECK(seats_on_gpus({{}, {"a"}, {""}}) == Seats{{0, 1}, {0, 1}, {0, 1}});
}
