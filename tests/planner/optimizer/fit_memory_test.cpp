// How a schedule is fitted into memory, in a world of toys.
#include "tests/planner/optimizer/toy_schedules.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::test;

namespace {

using Gave = opt::Compromise::Kind;

/// In tiers the peak falls: 100 as asked, 90 in another order, 80 by b, 70 by c, 60 by any decomposition, 50 in 4
/// calls, 40 in 8, ...
opt::Cost falling(opt::Choices const& choices, relation::Plan const& plan) {
    if (plan.calls > 2) return {.bytes = 50, .peak = 50 - 10 * (plan.calls == 8) - 20 * (plan.calls > 8)};
    if (plan.strategy != "eindecomp") return {.bytes = 40, .peak = 60};
    if (choices.place == "b") return {.bytes = 20, .peak = 80};
    if (choices.place == "c") return {.bytes = 30, .peak = 70};
    return {.bytes = 10, .peak = choices.order == opt::NodeOrder::least_memory ? 90 : 100};
}

opt::Answer answer(ToySchedules& toys, opt::Question const& question) { return optimize(question, toys.functions()); }

/// The answer's schedule, and what was given up for it.
struct Found {
    std::string name, what;
    opt::Cost cost;
};
Found found(ToySchedules toys, opt::Question const& question) {
    opt::Answer const made = answer(toys, question);
    REQUIRE(std::holds_alternative<opt::Chosen>(made));
    auto const& chosen = std::get<opt::Chosen>(made);
    return {ToySchedules::name_of(chosen.candidate), chosen.compromises.empty() ? "" : chosen.compromises.at(0).what,
            chosen.candidate.cost};
}

}  // namespace

TEST_CASE("what fits as it was asked for is taken, and nothing else is made", "[planner][optimizer]") {
    ToySchedules toys{.cost = falling};
    std::optional<std::int64_t> const memory =
        GENERATE(std::optional<std::int64_t>{}, std::optional<std::int64_t>{100});
    auto const made = answer(toys, toy_question(memory));
    CHECK(std::get<opt::Chosen>(made).compromises.empty());
    CHECK(toys.made == std::vector<std::string>{"eindecomp a 2"});
}

TEST_CASE("the first tier in which one fits wins", "[planner][optimizer]") {
    ToySchedules const toys{.cost = falling};
    CHECK(found(toys, toy_question(99)).what == "its nodes in the order of least memory");
    CHECK(found(toys, toy_question(80)).what == "placed by b");
    CHECK(found(toys, toy_question(70)).what == "placed by c");
    CHECK(found(toys, toy_question(60)).what == "decomposed by exact");
    CHECK(found(toys, toy_question(50)).what == "its labels sliced into 4 kernel calls a node");
    CHECK(found(toys, toy_question(40)).what == "its labels sliced into 8 kernel calls a node");
    opt::Answer const made = optimize(toy_question(80), ToySchedules(toys).functions());
    opt::Compromise const& compromise = std::get<opt::Chosen>(made).compromises.at(0);
    CHECK(compromise.kind == Gave::variant);
    CHECK(compromise.needed == 100);
    CHECK(compromise.before.bytes == 10);
    CHECK(compromise.after.bytes == 20);
}

TEST_CASE("in a tier the one that moves least wins, the first of those that are alike", "[planner][optimizer]") {
    std::int64_t const bytes_of_c = GENERATE(6, 7, 8);
    ToySchedules const toys{.cost = [&](opt::Choices const& choices, relation::Plan const&) {
        if (choices.place == "b") return opt::Cost{.seconds = 9, .bytes = 7, .peak = 10};
        if (choices.place == "c") return opt::Cost{.seconds = 1, .bytes = bytes_of_c, .peak = 1};
        return opt::Cost{.peak = 100};
    }};
    CAPTURE(bytes_of_c);
    CHECK(found(toys, toy_question(10)).what == (bytes_of_c < 7 ? "placed by c" : "placed by b"));
}

TEST_CASE("a rival is taken where it moves less and is not slower, and looked at where much is moved",
          "[planner][optimizer]") {
    std::int64_t const much = std::int64_t{16} << 20;
    auto const toys = [&](std::int64_t bytes, double seconds_of_rival) {
        return ToySchedules{.cost =
                                [=](auto const&, relation::Plan const& plan) {
                                    bool const rival = plan.strategy == "rival";
                                    return opt::Cost{.seconds = rival ? seconds_of_rival : 1,
                                                     .busiest_bytes = rival ? bytes / 2 - 1 : bytes / 2,
                                                     .bytes = bytes};
                                },
                            .rivals = {"rival"}};
    };
    CHECK(found(toys(much, 1.05), toy_question()).name == "rival a 2");
    CHECK(found(toys(much, 1.06), toy_question()).name == "eindecomp a 2");
    CHECK(found(toys(much - 1, 1), toy_question()).name == "eindecomp a 2");
}

TEST_CASE("what fits in no tier spills, in the way that takes the least time", "[planner][optimizer]") {
    ToySchedules toys{.cost = falling};
    opt::Question question = toy_question(25);  // needs 25 at least where the peak is at most 100
    question.limits.most_slices = 1;
    opt::Answer const made = answer(toys, question);
    auto const& chosen = std::get<opt::Chosen>(made);
    CHECK(chosen.compromises.at(0).kind == Gave::spilled);
    CHECK(chosen.candidate.cost.peak == 25);
    // 10 + 100, 10 + 90, 20 + 80, 30 + 70, 40 + 60 bytes: the first of those that are alike
    CHECK(chosen.compromises.at(0).what == "its nodes in the order of least memory");
}

TEST_CASE("where blocks spill the answer has the number of ranks with which none need", "[planner][optimizer]") {
    ToySchedules toys{.cost = [](opt::Choices const& choices, relation::Plan const&) {
        return opt::Cost{.peak = 120 / choices.planner.ranks};
    }};
    opt::Question question = toy_question(20);  // 2 ranks hold 60 each, and can be spilled for 15
    auto const ranks = [&] {
        opt::Answer const made = optimize(question, ToySchedules(toys).functions());
        auto const& chosen = std::get<opt::Chosen>(made);
        REQUIRE(chosen.compromises.at(0).kind == Gave::spilled);
        return chosen.compromises.at(0).enough_ranks;
    };
    CHECK(ranks() == 6);
    SECTION("unless they are given") {
        question.ranks_are_given = true;
        CHECK(ranks() == 0);
    }
    SECTION("unless that takes long to find out") {
        question.nodes = 10'000;
        CHECK(ranks() == 0);
    }
}

TEST_CASE("where nothing fits the answer has the smallest budget and number of ranks that do", "[planner][optimizer]") {
    // A rank holds a share of 120 bytes, and can be spilled for a third of that.
    ToySchedules toys{.cost = [](opt::Choices const& choices, relation::Plan const&) {
        return opt::Cost{.peak = 120 / choices.planner.ranks};
    }};
    toys.spills_to_part = 3;
    opt::Question question = toy_question(11);
    auto const nothing = [&] { return std::get<opt::NothingFits>(optimize(question, ToySchedules(toys).functions())); };
    CHECK(nothing().smallest_budget == 20);
    CHECK(nothing().spills);
    CHECK(nothing().enough_ranks == 11);  // 120 / 11 is 10, 120 / 10 is 12
    SECTION("nothing can be spilled, as in loops") {
        toys.spills_to_part = 1;
        CHECK(nothing().smallest_budget == 60);
        CHECK_FALSE(nothing().spills);
    }
    SECTION("that budget does") {
        question.memory = 20;
        CHECK(std::holds_alternative<opt::Chosen>(optimize(question, ToySchedules(toys).functions())));
    }
    SECTION("the machines have fewer places") {
        question.room = 10;
        CHECK(nothing().enough_ranks == 0);
    }
    SECTION("all ranks together have too little for what they must hold") {
        question.least_held = 11 * 256;
        CHECK(nothing().enough_ranks == 0);
    }
    SECTION("ranks or parts are given") {
        (GENERATE(true, false) ? question.ranks_are_given : question.parts_are_given) = true;
        CHECK(nothing().enough_ranks == 0);
        CHECK(nothing().smallest_budget == 20);
    }
}
