#include "executor/watch.hpp"

#include <sstream>

#include "executor/progress.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using Advice = Watch::Advice;

namespace {
std::vector<Watch::Note> notes;
}

TEST_CASE("rank 0 adds up what all ranks have done", "[executor][watch]") {
    Watch first(Rank{0}, 2, 10, 0), second(Rank{1}, 2, 10, 0);
    notes.clear();
    CHECK(second.tick(1, {5, 2.5}, notes) == Advice::go_on);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].peer == Rank{0});
    first.hear({Rank{1}, notes[0].text}, 1);
    CHECK(first.tick(1, {2, 1}, notes) == Advice::go_on);
    CHECK(first.sum() == Done{7, 3.5});
}

TEST_CASE("a standstill is explained by all and then given up", "[executor][watch]") {
    Watch first(Rank{0}, 2, 10, 0), second(Rank{1}, 2, 10, 0);
    notes.clear();
    CHECK(first.tick(1, {2, 1}, notes) == Advice::go_on);
    CHECK(first.tick(10.5, {2, 1}, notes) == Advice::go_on);
    notes.clear();
    CHECK(first.tick(11.5, {2, 1}, notes) == Advice::explain);
    REQUIRE(notes.size() == 1);
    second.hear({Rank{0}, notes[0].text}, 11.5);
    CHECK(second.tick(12, {0, 0}, notes) == Advice::explain);
    CHECK(second.tick(12.5, {0, 0}, notes) == Advice::go_on);
    CHECK(first.tick(12.5, {2, 1}, notes) == Advice::give_up);
}

TEST_CASE("progress on any rank, however late, takes a warning back", "[executor][watch]") {
    Watch first(Rank{0}, 2, 10, 0);
    CHECK(first.tick(11, {0, 0}, notes) == Advice::explain);
    first.hear({Rank{1}, "done 1 0"}, 11.5);
    CHECK(first.tick(12, {0, 0}, notes) == Advice::go_on);
    CHECK(first.tick(21, {0, 0}, notes) == Advice::go_on);
}

TEST_CASE("a rank that rank 0 forgot gives up on its own", "[executor][watch]") {
    Watch other(Rank{3}, 4, 10, 0);
    CHECK(other.tick(19, {1, 0}, notes) == Advice::go_on);
    CHECK(other.tick(38, {1, 0}, notes) == Advice::go_on);
    other.hear({Rank{0}, "alive"}, 38.5);
    CHECK(other.tick(58, {1, 0}, notes) == Advice::go_on);
    CHECK(other.tick(59, {1, 0}, notes) == Advice::give_up);
}

TEST_CASE("plain progress is a line every five percent or thirty seconds", "[executor][watch]") {
    std::ostringstream out;
    Progress progress(ProgressMode::plain, out);
    for (int i = 0; i <= 100; ++i) progress.update({i, 0}, 100, i * 0.1);
    auto const lines = [&] {
        auto const text = out.str();
        return std::count(text.begin(), text.end(), '\n');
    };
    CHECK(lines() == 20);
    CHECK(out.str().find('\r') == std::string::npos);
    progress.update({100, 0}, 100, 50);
    CHECK(lines() == 21);
}

TEST_CASE("a bar is one line, and nothing is said when progress is off", "[executor][watch]") {
    std::ostringstream bar, off;
    Progress with_bar(ProgressMode::bar, bar), silent(ProgressMode::off, off);
    with_bar.update({1, 0}, 2, 1);
    with_bar.finish();
    CHECK(bar.str().find("\r[###############               ] 50 % (1/2 tasks)") == 0);
    CHECK(bar.str().back() == '\n');
    silent.update({1, 0}, 2, 1);
    silent.finish();
    CHECK(off.str().empty());
}

TEST_CASE("progress says percent, tasks, speed and time left", "[executor][watch]") {
    CHECK(progress_text({25, 5e9}, 100, 10) == "25 % (25/100 tasks), 0.5 GFLOP/s, about 0:30 left");
    CHECK(progress_text({0, 0}, 100, 0) == "0 % (0/100 tasks), 0 GFLOP/s");
    CHECK(progress_text({1, 0}, 1001, 10).find("about 2:46:40 left") != std::string::npos);
}
