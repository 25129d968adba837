#include "planner/optimizer/budget.hpp"

#include "tests/planner/optimizer/toy_schedules.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::test;

TEST_CASE("a work budget counts kernel calls", "[planner][optimizer]") {
    opt::WorkBudget budget({.calls_a_schedule = 60, .calls_in_all = 100});
    CHECK(budget.affords(60));
    CHECK_FALSE(budget.affords(61));
    budget.spend(50);
    CHECK_FALSE(budget.exhausted());
    CHECK(budget.affords(60));  // what is begun is ended
    budget.spend(50);
    CHECK(budget.exhausted());
    CHECK_FALSE(budget.affords(1));
    CHECK(budget.spent() == 100);
}

TEST_CASE("a search whose work is spent ends with the same answer, each time", "[planner][optimizer]") {
    auto const answer = [](double calls_in_all) {
        // Every variant needs a little less than the one before; none fits.
        ToySchedules toys{.cost = [n = std::int64_t{0}](auto const&, auto const&) mutable {
            return opt::Cost{.bytes = 1, .peak = 1000 - n++};
        }};
        toys.spills_to_part = 1;
        opt::Question question = toy_question(10);
        question.limits.calls_in_all = calls_in_all;
        auto const made = opt::optimize(question, toys.functions());
        return std::pair(std::get<opt::NothingFits>(made).smallest_budget, toys.made);
    };
    auto const whole = answer(1e10);
    for (double const calls : {2.0, 4.0, 7.0, 20.0}) {
        CAPTURE(calls);
        auto const part = answer(calls);
        CHECK(part == answer(calls));
        CHECK(part.second.size() < whole.second.size());
        CHECK(std::equal(part.second.begin(), part.second.end(), whole.second.begin()));
    }
    CHECK(answer(2).second.size() == 1);  // what was asked for is always scheduled
    CHECK(answer(7).second.size() == 4);  // of 2 kernel calls each
    CHECK(answer(2).first == 1000);
    CHECK(answer(7).first == 997);
}

TEST_CASE("of a plan with very many kernel calls one is scheduled: the one that moves least by the model",
          "[planner][optimizer]") {
    ToySchedules toys{.cost = [](auto const&, auto const&) { return opt::Cost{.bytes = 1 << 30}; },
                      .rivals = {"first rival", "last rival"}};
    toys.nodes = 3;
    opt::Question question = toy_question();
    SECTION("few calls") {
        question.limits.calls_a_schedule = 6;
        opt::optimize(question, toys.functions());
        CHECK(toys.made == std::vector<std::string>{"eindecomp a 2", "first rival a 2", "last rival a 2"});
    }
    SECTION("many calls") {
        question.limits.calls_a_schedule = 5;
        opt::optimize(question, toys.functions());
        CHECK(toys.made == std::vector<std::string>{"last rival a 2"});
    }
}
