// Schedules of one rank that only copy: the smallest in which tasks follow one another, or compete for memory.
// Example: copied_twice() has tasks 0 to 3: a load, two applies, a store.
#pragma once

#include "tests/support/schedule_builder.hpp"

namespace ein::test {

/// Load x; y = x; z = y; store z.
inline schedule::Schedule copied_twice() {
    ScheduleBuilder b(1);
    b.tensor("X", {4}), b.tensor("Y", {4}), b.tensor("Z", {4});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', 4}}));
    b.load(0, "x", "X", {{0}, {4}});
    b.block(0, "y", "Y", {{0}, {4}}), b.block(0, "z", "Z", {{0}, {4}});
    b.apply(0, copy, {{0}, {4}}, {"x"}, "y");
    b.apply(0, copy, {{0}, {4}}, {"y"}, "z");
    b.store(0, "z");
    return b.finish();
}

/// Load x of 64 bytes; P = x; Q = x; R = x; store P, Q and R.
inline schedule::Schedule copied_thrice() {
    ScheduleBuilder b(1);
    b.tensor("X", {8}), b.tensor("P", {8}), b.tensor("Q", {8}), b.tensor("R", {8});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', 8}}));
    b.load(0, "x", "X", {{0}, {8}});
    for (std::string const z : {"P", "Q", "R"}) {
        b.block(0, z, z, {{0}, {8}});
        b.apply(0, copy, {{0}, {8}}, {"x"}, z);
    }
    for (std::string const z : {"P", "Q", "R"}) b.store(0, z);
    return b.finish();
}

}  // namespace ein::test
