#include "executor/health/stall_detector.hpp"

#include <sstream>

#include "executor/report/progress.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using Advice = StallDetector::Advice;

namespace {
std::vector<StallDetector::Note> notes;
}

TEST_CASE("rank 0 adds up what all ranks have done", "[executor][stall_detector]") {
    StallDetector first(Rank{0}, 2, 10, 0), second(Rank{1}, 2, 10, 0);
    notes.clear();
    CHECK(second.tick(1, {5, 2.5}, notes) == Advice::go_on);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].peer == Rank{0});
    first.hear({Rank{1}, notes[0].text}, 1);
    CHECK(first.tick(1, {2, 1}, notes) == Advice::go_on);
    CHECK(first.sum() == Done{7, 3.5});
    CHECK(first.rounds() == 1);
    first.tick(2, {4, 2}, notes);
    CHECK(first.rounds() == 1);
    first.hear({Rank{1}, "done 6 3"}, 2);
    CHECK(first.rounds() == 2);
}

TEST_CASE("a stall is given up when all have explained it", "[executor][stall_detector]") {
    StallDetector first(Rank{0}, 2, 10, 0), second(Rank{1}, 2, 10, 0);
    notes.clear();
    CHECK(first.tick(1, {2, 1}, notes) == Advice::go_on);
    CHECK(first.tick(10.5, {2, 1}, notes) == Advice::go_on);
    notes.clear();
    CHECK(first.tick(11.5, {2, 1}, notes) == Advice::explain);
    CHECK(first.tick(12, {2, 1}, notes) == Advice::go_on);  // the other has not said anything yet
    for (StallDetector::Note const& note : notes) second.hear({Rank{0}, note.text}, 12);
    notes.clear();
    CHECK(second.tick(12, {0, 0}, notes) == Advice::explain);
    for (StallDetector::Note const& note : notes) first.hear({Rank{1}, note.text}, 12.5);
    CHECK(second.tick(12.5, {0, 0}, notes) == Advice::go_on);
    CHECK(first.tick(12.5, {2, 1}, notes) == Advice::give_up);
}

TEST_CASE("a stopped rank has its time to explain and is then named", "[executor][stall_detector]") {
    StallDetector first(Rank{0}, 3, 10, 0);
    first.hear({Rank{1}, "done 1 0"}, 11);
    first.hear({Rank{2}, "done 1 0"}, 1);
    CHECK(first.tick(11.5, {2, 1}, notes) == Advice::go_on);
    first.hear({Rank{1}, "done 1 0"}, 22);
    CHECK(first.tick(22, {2, 1}, notes) == Advice::explain);
    CHECK(first.silence(22) == "rank 2 has not been heard of for 21.0 s; is its process stopped or its host gone?");
    first.hear({Rank{1}, "explained"}, 23);
    CHECK(first.tick(23, {2, 1}, notes) == Advice::go_on);
    CHECK(first.tick(25.5, {2, 1}, notes) == Advice::give_up);
    CHECK(first.silence(40).find("ranks 1, 2 have not been heard of") == 0);
}

TEST_CASE("progress on any rank, however late, takes a warning back", "[executor][stall_detector]") {
    StallDetector first(Rank{0}, 2, 10, 0);
    CHECK(first.tick(11, {0, 0}, notes) == Advice::explain);
    first.hear({Rank{1}, "done 1 0"}, 11.5);
    CHECK(first.tick(12, {0, 0}, notes) == Advice::go_on);
    CHECK(first.tick(21, {0, 0}, notes) == Advice::go_on);
}

TEST_CASE("ranks that rank 0 forgot explain it to one another and give up", "[executor][stall_detector]") {
    StallDetector one(Rank{1}, 3, 10, 0), two(Rank{2}, 3, 10, 0);
    CHECK(one.tick(19, {1, 0}, notes) == Advice::go_on);
    one.hear({Rank{0}, "alive"}, 38.5);
    two.hear({Rank{2}, "done 1 0"}, 50);  // not from rank 0
    CHECK(one.tick(58, {1, 0}, notes) == Advice::go_on);
    notes.clear();
    CHECK(one.tick(59, {1, 0}, notes) == Advice::explain);
    CHECK(one.silence(59).find("rank 0 has not been heard of") == 0);
    for (StallDetector::Note const& note : notes)
        if (note.peer == Rank{2}) two.hear({Rank{1}, note.text}, 59);
    CHECK(two.tick(59.5, {1, 0}, notes) == Advice::explain);
    CHECK(one.tick(60, {1, 0}, notes) == Advice::go_on);
    CHECK(one.tick(63, {1, 0}, notes) == Advice::give_up);
}

TEST_CASE("plain progress is a line every five percent or thirty seconds", "[executor][stall_detector]") {
    std::ostringstream out;
    Progress progress(ProgressMode::plain, out);
    for (int i = 0; i <= 100; ++i) progress.update({i, 0}, {100}, i * 0.1, i + 1);
    auto const lines = [&] {
        auto const text = out.str();
        return std::count(text.begin(), text.end(), '\n');
    };
    CHECK(lines() == 20);
    CHECK(out.str().find('\r') == std::string::npos);
    progress.update({100, 0}, {100}, 50, 102);
    CHECK(lines() == 21);
}

TEST_CASE("a bar is one line, and nothing is said when progress is off", "[executor][stall_detector]") {
    std::ostringstream bar, off;
    Progress with_bar(ProgressMode::bar, bar), silent(ProgressMode::off, off);
    with_bar.update({1, 0}, {2}, 1, 1);
    with_bar.finish();
    CHECK(bar.str().find("\r[###############               ] 50 % (1/2 tasks)") == 0);
    CHECK(bar.str().back() == '\n');
    silent.update({1, 0}, {2}, 1, 1);
    silent.finish();
    CHECK(off.str().empty());
}

TEST_CASE("progress says percent, tasks, speed and time left", "[executor][stall_detector]") {
    Pace const pace{.tasks = 2.5, .flops = 0.5e9};
    CHECK(progress_text({25, 5e9}, {100}, pace) == "25 % (25/100 tasks), 0.5 GFLOP/s, about 0:30 left");
    CHECK(progress_text({25, 5e9}, {100, 50}, pace) == "75 % (75/100 tasks), 0.5 GFLOP/s, about 0:10 left");
    CHECK(progress_text({25, 5e9}, {100}, {}) == "25 % (25/100 tasks)");
    CHECK(progress_text({1, 0}, {1001}, Pace{.tasks = 0.1}).find("about 2:46:40 left") != std::string::npos);
}

TEST_CASE("what comes before the first task, and ranks that are not heard of yet, lengthen no time left",
          "[executor][stall_detector]") {
    std::ostringstream out;
    Progress progress(ProgressMode::plain, out);
    AllTasks const all{1000, 500};              // four ranks that read for 20 s and do 10 tasks a second each then
    progress.update({0, 0}, all, 10, 10);       // all read
    progress.update({10, 1e9}, all, 21, 10);    // rank 0 alone has said that it did something
    progress.update({40, 4e9}, all, 21.1, 11);  // and now all have
    progress.update({50, 5e9}, all, 22, 11);
    progress.update({70, 7e9}, all, 22.05, 11);  // two others
    CHECK(out.str().empty());
    progress.update({80, 8e9}, all, 22.1, 12);
    CHECK(out.str() == "einrun: 58 % (580/1000 tasks), 4 GFLOP/s, about 0:11 left\n");
}

TEST_CASE("a run with a silent rank still says something", "[executor][stall_detector]") {
    std::ostringstream out;
    Progress progress(ProgressMode::plain, out);
    progress.update({1, 1e9}, {10}, 31, 0);
    CHECK(out.str() == "einrun: 10 % (1/10 tasks)\n");
}
