#include "executor/device/cpu/scratch.hpp"

#include <cstring>

#include "tests/support/catch.hpp"

using namespace ein::executor;

TEST_CASE("working memory lies on one stack, whose peak is told once", "[executor][device]") {
    Scratch::take_peak();
    std::byte* first = nullptr;
    {
        Scratch const outer(1000);
        first = outer.data();
        Scratch const inner(10);
        CHECK(inner.data() == outer.data() + lines(1000));
    }
    CHECK(Scratch(1).data() == first);
    CHECK(Scratch::take_peak() == lines(1000) + lines(10));
    CHECK(Scratch::take_peak() == 0);
    Scratch const held(1);
    Scratch::take_peak();
    CHECK(Scratch::take_peak() == lines(1));  // what is still taken
}

TEST_CASE("what does not fit on the stack is allocated, and is no part of its peak", "[executor][device]") {
    Scratch::take_peak();
    Scratch const large(machine::scratch_stack + 1);
    std::memset(large.data(), 1, machine::scratch_stack + 1);
    CHECK(Scratch(1).data() != large.data());
    CHECK(Scratch::take_peak() == lines(1));
}
