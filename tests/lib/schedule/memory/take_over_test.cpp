#include "lib/schedule/memory/take_over.hpp"

#include <functional>

#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;
using schedule::Section;
using test::ScheduleBuilder;

namespace {

Box const whole{{0, 0}, {4, 4}}, part{{0, 0}, {4, 2}};

/// "ij,ij->ij" and the like of extents 4, with a join.
graph::EinSum einsum(std::string const& text, scalar::Expr join) {
    graph::EinSum out = test::sum_of_products(text, {{'i', 4}, {'j', 4}});
    out.join = std::move(join);
    return out;
}
scalar::Expr sum() { return scalar::Expr::call(scalar::Op::add, {scalar::Expr::operand(0), scalar::Expr::operand(1)}); }

/// X and Y of 128 bytes are loaded, `make` makes z of Z, which is stored.
schedule::Schedule with(std::function<void(ScheduleBuilder&)> const& make, DType result = DType::f64) {
    ScheduleBuilder b(1);
    b.tensor("X", {4, 4});
    b.tensor("Y", {4, 4});
    b.tensor("Z", {4, 4}, result);
    b.load(0, "x", "X", whole);
    b.load(0, "y", "Y", whole);
    b.block(0, "z", "Z", whole);
    make(b);
    b.store(0, "z");
    return b.finish();
}

/// Of the first task behind the loads.
bool may(schedule::Schedule const& of, std::size_t k) {
    Section const& section = of.sections[Rank{0}];
    return schedule::may_take_over(of.header, section, section.tasks[TaskId{2}], k);
}

}  // namespace

TEST_CASE("an elementwise kernel may write over an operand that lies as its result does", "[schedule][take_over]") {
    auto const of = [&](std::string const& text, DType result = DType::f64) {
        return with([&](auto& b) { b.apply(0, b.kernel("Z", einsum(text, sum())), whole, {"x", "y"}, "z"); }, result);
    };
    auto const plain = of("ij,ij->ij");
    CHECK(may(plain, 0));
    CHECK(may(plain, 1));
    CHECK_FALSE(may(plain, 2));
    CHECK_FALSE(may(of("ji,ij->ij"), 0));
    CHECK(may(of("ji,ij->ij"), 1));
    CHECK_FALSE(may(of("ij,ij->ij", DType::f32), 0));
    auto const self = [&](std::string const& text) {
        return with([&](auto& b) { b.apply(0, b.kernel("Z", einsum(text, sum())), whole, {"x", "x"}, "z"); });
    };
    CHECK(may(self("ij,ij->ij"), 0));
    CHECK_FALSE(may(self("ij,ji->ij"), 0));  // what the other place reads was written over
}

TEST_CASE("a reshape may leave elements where they are if both blocks are one run of the same",
          "[schedule][take_over]") {
    auto const of = [](Shape const& from_shape, Box const& from, Shape const& to_shape, Box const& to) {
        ScheduleBuilder b(1);
        b.tensor("X", from_shape);
        b.tensor("Z", to_shape);
        b.load(0, "x", "X", from);
        b.block(0, "z", "Z", to);
        b.reshape(0, b.reshape_spec("Z", from_shape, to_shape), "x", "z");
        b.store(0, "z");
        schedule::Schedule const made = b.finish();
        Section const& section = made.sections[Rank{0}];
        return schedule::may_take_over(made.header, section, section.tasks[TaskId{1}], 0);
    };
    CHECK(of({6, 4}, {{0, 0}, {6, 4}}, {2, 12}, {{0, 0}, {2, 12}}));
    CHECK(of({6, 4}, {{3, 0}, {3, 4}}, {2, 12}, {{1, 0}, {1, 12}}));        // the second half of either
    CHECK(of({6, 4}, {{1, 0}, {1, 4}}, {2, 12}, {{0, 4}, {1, 4}}));         // a row is a part of one
    CHECK_FALSE(of({6, 4}, {{0, 0}, {6, 2}}, {2, 12}, {{0, 0}, {1, 12}}));  // half a row each
    CHECK_FALSE(of({6, 4}, {{0, 0}, {3, 4}}, {2, 12}, {{1, 0}, {1, 12}}));  // others
    CHECK_FALSE(of({6, 4}, {{0, 0}, {6, 4}}, {2, 12}, {{0, 0}, {1, 12}}));  // more than it writes
}

TEST_CASE("a kernel that aggregates, accumulates or writes a part writes over nothing", "[schedule][take_over]") {
    CHECK_FALSE(may(with([](auto& b) {
                        b.apply(0, b.kernel("Z", test::sum_of_products("ik,kj->ij", {{'i', 4}, {'j', 4}, {'k', 4}})),
                                {{0, 0, 0}, {4, 4, 4}}, {"x", "y"}, "z");
                    }),
                    0));
    CHECK_FALSE(may(with([](auto& b) {
                        auto const kernel = b.kernel("Z", einsum("ij,ij->ij", sum()));
                        b.apply(0, kernel, part, {"x", "y"}, "z");
                        b.apply(0, kernel, {{0, 2}, {4, 2}}, {"x", "y"}, "z");
                    }),
                    0));
    CHECK_FALSE(may(with([](auto& b) {
                        auto const kernel = b.kernel("Z", einsum("ij,ij->ij", sum()));
                        b.apply(0, kernel, whole, {"x", "y"}, "z");
                        b.apply(0, kernel, whole, {"x", "y"}, "z", true);
                    }),
                    0));
}

TEST_CASE("a copy of a whole block to its own place moves nothing", "[schedule][take_over]") {
    auto const copied = [](graph::AxisMap map) {
        return with([&](auto& b) { b.copy(0, b.movement("Z", {{0, 1}, map}), whole, "x", "z"); });
    };
    CHECK(may(copied({0, 1}), 0));
    CHECK_FALSE(may(copied({3, -1}), 0));
}

TEST_CASE("products that must have the same bits everywhere keep their kernels", "[schedule][take_over]") {
    auto of = [](scalar::Expr join) {
        return with([&](auto& b) { b.apply(0, b.kernel("Z", einsum("ij,ij->ij", join)), whole, {"x", "y"}, "z"); });
    };
    auto product = of(scalar::product(2)), total = of(sum());
    CHECK(may(product, 0));
    product.header.reproducible = total.header.reproducible = true;
    CHECK_FALSE(may(product, 0));
    CHECK(may(total, 0));
}

namespace {

/// Z = X + Y in place of X, and what reads X besides.
schedule::Schedule in_place(std::string const& also, bool before) {
    return with([&](auto& b) {
        b.tensor("W", {4, 4});
        if (!also.empty()) b.block(0, "w", "W", whole);
        auto const kernel = b.kernel("Z", einsum("ij,ij->ij", sum()));
        if (!also.empty() && before) b.apply(0, kernel, whole, {also, "y"}, "w");
        b.apply(0, kernel, whole, {"x", "y"}, "z");
        b.over(0, 0);
        if (!also.empty() && !before) b.apply(0, kernel, whole, {also, "y"}, "w");
    });
}

}  // namespace

TEST_CASE("a block whose memory is taken over counts once", "[schedule][take_over]") {
    auto const one = in_place("", true);
    Section section = one.sections[Rank{0}];
    schedule::Profile const profile = schedule::replay(section);
    CHECK(profile.live == std::vector<std::int64_t>{128, 256, 256, 128});
    CHECK(profile.at_end == 0);
    CHECK(schedule::smallest_budget(section) == 256);
    CHECK(schedule::replay(schedule::with_spills(section, 256)).peak == 256);
    schedule::keep_inputs(section);
    CHECK(schedule::replay(section).peak == 384);
    section = one.sections[Rank{0}];
    schedule::keep_all(section);
    CHECK(schedule::replay(section).peak == 384);
}

TEST_CASE("a block is taken over by its last reader alone", "[schedule][take_over]") {
    CHECK_NOTHROW(in_place("x", true));
    CHECK_NOTHROW(in_place("y", false));
    CHECK_THROWS_AS(in_place("x", false), std::logic_error);
    try {
        in_place("x", false);
    } catch (std::logic_error const& error) {
        CHECK(std::string(error.what()).find("to take over a block that it reads last") != std::string::npos);
    }
}

TEST_CASE("a task takes over no more than an operand that it has", "[schedule][take_over]") {
    auto one = in_place("", true);
    one.sections[Rank{0}].tasks[TaskId{2}].set_over(2);
    CHECK_FALSE(schedule::faults_of(one).empty());
    one.sections[Rank{0}].tasks[TaskId{2}].set_over({});
    one.sections[Rank{0}].tasks[TaskId{3}].set_over(0);  // a store has no result
    CHECK_FALSE(schedule::faults_of(one).empty());
}
