// How kernel calls are fitted into a device's memory, after the host's.
#include "planner/optimizer/optimize.hpp"

#include "tests/planner/optimizer/toy_schedules.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::test;

namespace {

using Gave = opt::Compromise::Kind;

opt::Cost costs_calls(opt::Choices const&, relation::Plan const& plan) { return {.bytes = plan.calls, .peak = 64}; }

opt::Question on_device(std::int64_t memory) {
    opt::Question question = toy_question();
    question.device_memory = memory;
    return question;
}

}  // namespace

TEST_CASE("labels are sliced until one kernel call fits on a device", "[planner][optimizer]") {
    ToySchedules toys{.cost = costs_calls, .working_set = 1024};
    SECTION("as it is") {
        auto const made = opt::optimize(on_device(512), toys.functions());
        CHECK(std::get<opt::Chosen>(made).compromises.empty());
        CHECK(toys.made.size() == 1);
    }
    SECTION("in 4 times as many calls") {
        auto const made = opt::optimize(on_device(200), toys.functions());
        auto const& compromise = std::get<opt::Chosen>(made).compromises.at(0);
        CHECK(compromise.kind == Gave::sliced);
        CHECK(compromise.what == "labels sliced into 8 kernel calls a node");
        CHECK(compromise.needed == 512);
        CHECK(compromise.before.bytes == 2);
        CHECK(compromise.after.bytes == 8);
    }
}

TEST_CASE("slicing for a device ends where no call becomes smaller, or schedules too large", "[planner][optimizer]") {
    ToySchedules toys{.cost = costs_calls, .working_set = 1024};
    opt::Question question = on_device(1);
    SECTION("no progress") {
        toys.least_working_set = 256;  // of 4 calls and more
        auto const made = opt::optimize(question, toys.functions());
        CHECK(ToySchedules::name_of(std::get<opt::CallTooLarge>(made).smallest) == "eindecomp a 4");
        CHECK(toys.made.size() == 5);  // 2 calls, 4, and in vain 8, 16 and 32
    }
    SECTION("as many slices as there may be") {
        question.limits.most_device_slices = 8;
        auto const made = opt::optimize(question, toys.functions());
        CHECK(ToySchedules::name_of(std::get<opt::CallTooLarge>(made).smallest) == "eindecomp a 16");
    }
    SECTION("too many calls") {
        question.nodes = 10;
        question.limits.calls_a_schedule = 50;
        auto const made = opt::optimize(question, toys.functions());
        CHECK(ToySchedules::name_of(std::get<opt::CallTooLarge>(made).smallest) == "eindecomp a 4");
    }
    SECTION("parts are given") {
        question.parts_are_given = true;
        auto const made = opt::optimize(question, toys.functions());
        CHECK(ToySchedules::name_of(std::get<opt::CallTooLarge>(made).smallest) == "eindecomp a 2");
    }
}

TEST_CASE("both memories are kept: each slicing for a device is fitted into the host's", "[planner][optimizer]") {
    ToySchedules toys{.cost =
                          [](opt::Choices const& choices, relation::Plan const& plan) {
                              return opt::Cost{.bytes = plan.calls, .peak = choices.place == "c" ? 30 : 64};
                          },
                      .working_set = 1024};
    opt::Question question = on_device(300);
    question.memory = 32;
    auto const made = opt::optimize(question, toys.functions());
    auto const& chosen = std::get<opt::Chosen>(made);
    CHECK(ToySchedules::name_of(chosen.candidate) == "eindecomp c saving 4");
    REQUIRE(chosen.compromises.size() == 2);
    CHECK(chosen.compromises[0].what == "placed by c");
    CHECK(chosen.compromises[1].kind == Gave::sliced);
}
