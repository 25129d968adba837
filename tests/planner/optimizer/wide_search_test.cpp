// The search among all plans, over toy costs.
#include "planner/optimizer/wide_search.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tests/planner/optimizer/toy_schedules.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::test;

namespace {

/// Seconds by name; a plan on fewer ranks is "name/calls", one that is placed in all ways "name!".
struct Toys {
    std::map<std::string, double> seconds;
    std::map<std::string, double> bounds = {};
    double floor = 0;
    ToySchedules schedules = {};
    std::map<std::string, std::int64_t> bytes = {};  // as many as calls but one, where none are said

    static std::string key(relation::Plan const& plan) {
        return plan.calls < plan.ranks ? plan.strategy + "/" + std::to_string(plan.calls) : plan.strategy;
    }
    double of(relation::Plan const& plan, opt::Effort effort) const {
        auto found = effort == opt::Effort::thorough ? seconds.find(key(plan) + "!") : seconds.end();
        if (found == seconds.end()) found = seconds.find(key(plan));
        return found == seconds.end() ? 100 : found->second;
    }
    opt::Functions functions() {
        schedules.cost = [this](opt::Choices const& choices, relation::Plan const& plan) {
            auto const said = bytes.find(key(plan));
            std::int64_t const moved = said == bytes.end() ? plan.calls - 1 : said->second;
            return opt::Cost{.seconds = of(plan, choices.effort), .busiest_bytes = moved, .bytes = moved, .peak = 8};
        };
        opt::Functions out = schedules.functions();
        auto const named = [](std::string const& name, int ranks, std::int64_t calls) {
            relation::Plan plan;
            plan.ranks = ranks, plan.calls = calls, plan.strategy = name;
            plan.nodes.resize(1);
            return planner::Alternative{name, plan};
        };
        out.alternatives = [=, this](opt::Choices const& choices, relation::Plan const&) {
            std::vector<planner::Alternative> list;
            for (std::string const& name : schedules.rivals)
                list.push_back(named(name, choices.planner.ranks, choices.planner.ranks));
            return list;
        };
        out.on_fewer_ranks = [=](opt::Choices const& choices, std::string const& name, int used) {
            return named(name, choices.planner.ranks, used);
        };
        out.fewer_ranks = planner::fewer_ranks;
        out.nearly_all_ranks = planner::nearly_all_ranks;
        out.variations = [=, this](relation::Plan const& plan, auto const&, std::size_t most) {
            std::vector<relation::Plan> list;
            relation::Plan varied = plan;
            varied.strategy += "'";
            if (most > 0 && seconds.contains(varied.strategy)) list.push_back(varied);
            return list;
        };
        out.bound = [this](relation::Plan const& plan) {
            auto const found = bounds.find(key(plan));
            return found == bounds.end() ? 0 : found->second;
        };
        out.floor = [this] { return floor; };
        return out;
    }
    opt::Chosen chosen(int ranks, std::optional<std::int64_t> memory = std::nullopt) {
        opt::Question question = toy_question(memory);
        question.asked.planner.ranks = ranks;
        question.wide = true;
        return std::get<opt::Chosen>(opt::optimize(question, functions()));
    }
};

}  // namespace

TEST_CASE("of all plans the fastest is taken, whichever way that was found", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 3}, {"x", 2}, {"y", 1}, {"eindecomp/1", 4}},
              .schedules = {.rivals = {"x", "y"}}};
    opt::Chosen const chosen = toys.chosen(4);
    CHECK(chosen.report.taken == "y");
    CHECK(chosen.report.seconds == 1);
    CHECK(chosen.report.used == 4);
    CHECK(chosen.report.looked_at.size() >= 4);
}

TEST_CASE("fewer ranks are used where they are predicted to be faster", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 3}, {"eindecomp/1", 2}, {"eindecomp/2", 1}, {"eindecomp/4", 1.5}}};
    CHECK(toys.chosen(8).report.used == 2);
    toys.seconds["eindecomp/2"] = 2.5;
    CHECK(toys.chosen(8).report.used == 1);
    toys.seconds["eindecomp"] = 1;
    CHECK(toys.chosen(8).report.used == 8);
}

TEST_CASE("of an awkward number of ranks the plan that moves least goes first", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 3}, {"eindecomp/96", 2}, {"eindecomp/95", 1}}};
    opt::Chosen const some = toys.chosen(97);  // by the model of toys 95 ranks move least
    CHECK(some.report.looked_at.front().calls == 95);
    CHECK(some.report.used == 95);
    CHECK(some.report.looked_at.size() > 2);
    toys.schedules.tasks = 1e9;  // one schedule is more than the budget
    opt::Chosen const one = toys.chosen(97);
    CHECK(one.report.looked_at.size() == 1);
    CHECK(one.report.used == 95);
    CHECK(one.report.not_reached >= 2);
    opt::Question question = toy_question({});
    question.limits.most_searched_calls = 0;  // no search: one plan, and its rivals
    question.asked.planner.ranks = 97;
    question.wide = true;
    opt::Chosen const alone = std::get<opt::Chosen>(opt::optimize(question, toys.functions()));
    CHECK(alone.report.taken.empty());
    CHECK(alone.report.used == 95);
}

TEST_CASE("where none fits, what is made to fit is compared with the fastest", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 3}, {"x", 2}, {"eindecomp/1", 9}}, .schedules = {.rivals = {"x"}}};
    opt::Question question = toy_question(4);  // each needs 8
    question.asked.planner.ranks = 2;
    question.wide = true;
    opt::Chosen const chosen = std::get<opt::Chosen>(opt::optimize(question, toys.functions()));
    CHECK(chosen.report.taken == "x");
    REQUIRE(chosen.compromises.size() == 1);
    CHECK(chosen.compromises[0].before.seconds == 2);
    for (opt::SearchReport::Plan const& plan : chosen.report.looked_at) CHECK_FALSE(plan.fits);
    CHECK(toys.chosen(2).report.looked_at.front().fits);
}

TEST_CASE("what a bound rules out is not scheduled, and that is said", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 3}, {"eindecomp/1", 9}},
              .bounds = {{"x", 3.1}, {"y", 2.9}, {"eindecomp/1", 8}, {"eindecomp/2", 4}},
              .schedules = {.rivals = {"x", "y"}}};
    opt::Chosen const chosen = toys.chosen(4);
    REQUIRE(chosen.report.left_out.size() == 3);
    CHECK(chosen.report.left_out[1].name == "x");
    CHECK(chosen.report.left_out[1].seconds == 3.1);
    for (std::string const& made : toys.schedules.made) CHECK(made.find("x ") == std::string::npos);
}

TEST_CASE("a plan at the bound that moves nothing ends the search", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 3}, {"eindecomp/1", 2}}, .floor = 1.99, .schedules = {.rivals = {"x", "y"}}};
    opt::Chosen const chosen = toys.chosen(4);
    CHECK(chosen.report.looked_at.size() == 2);
    CHECK(chosen.report.bound == 1.99);
}

TEST_CASE("beside a plan at the bound those are looked at that may move less", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 2}, {"x", 2.01}}, .floor = 1.99, .schedules = {.rivals = {"x"}}};
    CHECK(toys.chosen(4).report.looked_at.size() >= 3);
}

TEST_CASE("variations are gone to step by step while they are worth their work", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 3}, {"eindecomp'", 2}, {"eindecomp''", 1}, {"eindecomp'''", 1.5}}};
    opt::Chosen const chosen = toys.chosen(2);
    CHECK(chosen.report.taken == "eindecomp, varied");
    CHECK(chosen.report.steps == 2);
    CHECK(chosen.report.variations == 3);
    CHECK(chosen.candidate.cost.seconds == 1);
}

TEST_CASE("of plans that take about as long the one that moves less is taken", "[planner][optimizer]") {
    opt::Cost const fast{.seconds = 1, .busiest_bytes = 9, .bytes = 9, .peak = 1};
    opt::Cost const lean{.seconds = 1.005, .busiest_bytes = 3, .bytes = 3, .peak = 2};
    opt::Cost const slow{.seconds = 1.02, .busiest_bytes = 1, .bytes = 1, .peak = 1};
    CHECK(opt::better(lean, fast, opt::alike_up_to(1)));
    CHECK_FALSE(opt::better(slow, fast, opt::alike_up_to(1)));
}

TEST_CASE("what simulations cannot tell apart goes by bytes, yet no named strategy is 1 % faster",
          "[planner][optimizer]") {
    opt::Cost const fast{.seconds = 1, .busiest_bytes = 9, .bytes = 9, .peak = 1};
    opt::Cost const lean{.seconds = 1.04, .busiest_bytes = 3, .bytes = 3, .peak = 2};
    opt::Cost const slow{.seconds = 1.06, .busiest_bytes = 1, .bytes = 1, .peak = 1};
    CHECK(opt::better(lean, fast, opt::alike_up_to(1, {.seconds = 1.04})));
    CHECK_FALSE(opt::better(lean, fast, opt::alike_up_to(1, {.seconds = 1.02})));
    CHECK_FALSE(opt::better(lean, fast, opt::alike_up_to(1)));
    CHECK_FALSE(opt::better(slow, fast, opt::alike_up_to(1, {.seconds = 2})));
}

TEST_CASE("a variation that moves more must be faster by more than simulations err", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 1}, {"eindecomp'", 0.97}}};
    toys.bytes["eindecomp'"] = 50;
    CHECK(toys.chosen(2).report.steps == 0);
    toys.seconds["eindecomp'"] = 0.9;
    CHECK(toys.chosen(2).report.steps == 1);
    toys.seconds["eindecomp'"] = 0.97;
    toys.bytes["eindecomp'"] = 0;
    CHECK(toys.chosen(2).report.steps == 1);
}

TEST_CASE("schedules of very many tasks are made one at a time, each once, within the budget", "[planner][optimizer]") {
    double const tasks = GENERATE(1e5, 6e5);
    bool const is_large = tasks > opt::Limits{}.most_placed_tasks;
    Toys toys{.seconds = {{"eindecomp", 3}, {"x", 2}, {"y", 1}, {"z", 0.5}, {"eindecomp/1", 4}},
              .schedules = {.rivals = {"x", "y", "z"}, .tasks = tasks}};
    opt::Chosen const chosen = toys.chosen(4);
    CHECK(chosen.report.taken == (is_large ? "x" : "z"));
    std::vector<std::string> const& made = toys.schedules.made;
    CHECK((std::set(made.begin(), made.end()).size() == made.size()) == is_large);
    CHECK((made.size() == 3) == is_large);  // then one more would be beyond the budget
}

TEST_CASE("a variation that cannot gain enough beside a known schedule is not scheduled", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 3}, {"eindecomp'", 2}}};
    opt::Question question = toy_question();
    question.wide = true;
    opt::Functions functions = toys.functions();
    auto const plain = functions.schedule;
    functions.schedule = [&](relation::Plan const& plan, opt::Choices const& choices) {
        opt::Candidate made = plain(plan, choices);
        made.held_up = std::make_shared<std::vector<double> const>(1, 1.0);
        return made;
    };
    double gain = 0;
    functions.bound_beside = [&](relation::Plan const&, relation::Plan const&, double seconds,
                                 std::vector<double> const&) { return seconds - gain; };
    auto const report = [&] { return std::get<opt::Chosen>(opt::optimize(question, functions)).report; };
    CHECK(report().variations == 0);
    CHECK(report().variations_left_out == 1);
    gain = 1;
    CHECK(report().steps == 1);
}

TEST_CASE("every placement is tried of plans that come near the best with some, not of others",
          "[planner][optimizer]") {
    double const other = GENERATE(2.9, 3.1);
    Toys toys{.seconds = {{"eindecomp", 2}, {"x", other}, {"eindecomp/1", 4}}, .schedules = {.rivals = {"x"}}};
    toys.chosen(4);
    auto const& made = toys.schedules.made;
    auto const times = std::count_if(made.begin(), made.end(), [](std::string const& name) { return name[0] == 'x'; });
    CHECK(times == (other < 3 ? 3 : 1));  // one placement, several, all
}

TEST_CASE("a named strategy is not 1 % faster either where all its placements are tried", "[planner][optimizer]") {
    Toys toys{.seconds = {{"eindecomp", 2}, {"x", 2.05}, {"x!", 1.92}, {"eindecomp/1", 4}},
              .schedules = {.rivals = {"x"}}};
    toys.bytes["x"] = 50;
    CHECK(toys.chosen(4).report.taken == "x");
    toys.seconds["x!"] = 1.985;
    CHECK(toys.chosen(4).report.taken == "eindecomp");  // as fast, and moves less
}
