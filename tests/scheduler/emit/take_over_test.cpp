#include "scheduler/emit/take_over.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;
using test::ScheduleBuilder;

namespace {

Box const whole{{0}, {8}};

schedule::KernelId twice(ScheduleBuilder& b) {
    graph::EinSum einsum = test::sum_of_products("i->i", {{'i', 8}});
    einsum.join = scalar::Expr::call(scalar::Op::add, {scalar::Expr::operand(0), scalar::Expr::operand(0)});
    return b.kernel("Z", std::move(einsum));
}

void blocks(ScheduleBuilder& b, std::vector<std::string> const& names) {
    for (std::string const& name : names) {
        b.tensor(name, {8});
        b.block(0, name, name, whole);
    }
}

/// The results of rank 0 that take something over.
std::vector<std::string> taken(schedule::Schedule& of, std::int64_t least = 1) {
    schedule::Section& section = of.sections[Rank{0}];
    scheduler::take_over(of.header, section, least);
    std::vector<std::string> out;
    for (schedule::Task const& task : section.tasks)
        if (task.over()) out.push_back(of.header.tensors[section.blocks[*task.result()].tensor].name);
    CHECK(schedule::faults_of(of.header, section, Rank{0}).empty());
    return out;
}

}  // namespace

TEST_CASE("the last reader of a block writes over it, where blocks are large enough", "[scheduler][take_over]") {
    auto const chain = [] {
        ScheduleBuilder b(1);
        b.tensor("X", {8});
        b.load(0, "X", "X", whole);
        blocks(b, {"A", "B", "C"});
        auto const kernel = twice(b);
        b.apply(0, kernel, whole, {"X"}, "A");
        b.apply(0, kernel, whole, {"X"}, "B");
        b.apply(0, kernel, whole, {"A"}, "C");
        b.store(0, "A");
        b.store(0, "B");
        b.store(0, "C");
        return b.finish();
    };
    auto one = chain(), other = chain();
    CHECK(taken(one) == std::vector<std::string>{"B"});  // not A, which reads X first; not C: A is stored
    CHECK(taken(other, 65).empty());
}

TEST_CASE("a block that may be under way to another rank is kept", "[scheduler][take_over]") {
    auto const sent = [](int between) {
        ScheduleBuilder b(2);
        b.tensor("X", {8});
        b.load(0, "X", "X", whole);
        blocks(b, {"Z", "T"});
        auto const kernel = twice(b);
        b.apply(0, kernel, whole, {"X"}, "T");
        b.transfer(0, "X", 1);
        b.store(1, "X");
        for (int k = 0; k < between; ++k) {
            std::string const from = k == 0 ? "T" : "T" + std::to_string(k), to = "T" + std::to_string(k + 1);
            blocks(b, {to});
            b.apply(0, kernel, whole, {from}, to);
        }
        b.apply(0, kernel, whole, {"X"}, "Z");
        b.store(0, "Z");
        return b.finish();
    };
    auto at_once = sent(0), later = sent(8);
    CHECK(taken(at_once).empty());
    auto const found = taken(later);
    CHECK(std::find(found.begin(), found.end(), "Z") != found.end());
}

TEST_CASE("what a loop carries is written over, what it reads every time is not", "[scheduler][take_over]") {
    ScheduleBuilder b(1);
    for (auto const* name : {"W", "C"}) {
        b.tensor(name, {8});
        b.load(0, name, name, whole);
    }
    blocks(b, {"inside", "next", "other"});
    auto const copy = b.movement("loop", {{0, 1}});
    auto const kernel = twice(b);
    b.copy(0, copy, whole, "W", "inside");
    b.begin_loop(0, b.loop("loop", 3));
    b.apply(0, kernel, whole, {"C"}, "other");
    b.apply(0, kernel, whole, {"inside"}, "next");
    b.end_loop(0, {{"inside", "next"}});
    b.store(0, "next");
    auto one = b.finish();
    CHECK(taken(one) == std::vector<std::string>{"inside", "next"});
}
