#include "apps/eintool/run/retry_policy.hpp"

#include "apps/eintool/run/ends.hpp"
#include "tests/support/catch.hpp"

using namespace ein::apps::tool;

namespace {

using StepKind = NextStep::Kind;

/// What is done after each of some ends, up to the last.
NextStep after(RetryPolicy& policy, std::vector<std::pair<int, std::string>> const& ends) {
    NextStep step;
    for (auto const& [code, newest] : ends) step = policy.after(code, newest);
    return step;
}

}  // namespace

TEST_CASE("only what may end otherwise the next time is a failure", "[apps][run]") {
    CHECK(verdict_of(0) == Verdict::done);
    for (int const code : {2, 3, 4, 5}) CHECK(verdict_of(code) == Verdict::refused);
    CHECK(verdict_of(75) == Verdict::stopped);
    for (int const code : {1, 6, 74, 76, 127, 137, 139, 143, 205}) CHECK(verdict_of(code) == Verdict::failed);
}

TEST_CASE("codes above 128 are said with their signal", "[apps][run]") {
    CHECK(code_text(1) == "code 1");
    CHECK(code_text(137) == "code 137 (signal 9, Killed)");
    CHECK(code_text(205) == "code 205");
}

TEST_CASE("what is done, refused or stopped is passed on", "[apps][run]") {
    for (int const code : {0, 2, 3, 4, 5, 75}) {
        RetryPolicy policy({});
        CHECK(policy.after(code, "") == NextStep{StepKind::end, code, ""});
        CHECK(policy.tried_again() == 0);
    }
}

TEST_CASE("two retries without progress, then the first failure's code", "[apps][run]") {
    RetryPolicy policy({});
    CHECK(policy.after(137, "").kind == StepKind::again);
    CHECK(policy.after(1, "").kind == StepKind::again);
    NextStep const last = policy.after(205, "");
    CHECK(last.kind == StepKind::give_up);
    CHECK(last.code == 137);
    CHECK_THAT(last.why, Catch::Contains("up to a first checkpoint"));
}

TEST_CASE("a new checkpoint gives two retries anew", "[apps][run]") {
    RetryPolicy policy({});
    CHECK(after(policy, {{137, ""}, {137, ""}, {1, "000001"}}).kind == StepKind::again);
    CHECK(policy.after(137, "000001").kind == StepKind::again);
    NextStep const last = policy.after(137, "000001");
    CHECK(last.kind == StepKind::give_up);
    CHECK(last.code == 1);
    CHECK_THAT(last.why, Catch::Contains("beyond checkpoint 000001"));
}

TEST_CASE("progress at each failure goes on as long as retries do", "[apps][run]") {
    RetryPolicy forever({}), three(3);
    for (int number = 1; number <= 50; ++number)
        CHECK(forever.after(137, std::to_string(100000 + number)).kind == StepKind::again);
    CHECK(after(three, {{137, "000001"}, {137, "000002"}, {137, "000003"}}).kind == StepKind::again);
    CHECK(three.after(1, "000004").kind == StepKind::give_up);
    CHECK(RetryPolicy(0).after(137, "").kind == StepKind::give_up);
}

TEST_CASE("a failure and then an end that is passed on", "[apps][run]") {
    RetryPolicy policy({});
    CHECK(after(policy, {{137, ""}, {75, "000001"}}) == NextStep{StepKind::end, 75, ""});
    CHECK(policy.tried_again() == 1);
}
