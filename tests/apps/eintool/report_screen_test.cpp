#include "apps/eintool/report/report_screen.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using apps::tool::hints_of;
using apps::tool::report_screen;

namespace {

Json rank(int number, double busy, double communicating, double waiting) {
    return {{"rank", number},
            {"host", "n" + std::to_string(number)},
            {"bytes_sent", 1 << 20},
            {"peak_block_bytes", 2 << 20},
            {"seconds", {{"execute", 1.0}, {"busy", busy}, {"communicating", communicating}, {"waiting", waiting}}}};
}

Json report_of(std::vector<Json> const& ranks) {
    return {{"einrun", "0.1.0"},
            {"graph", "g.json"},
            {"strategy", "eindecomp"},
            {"place", "pattern"},
            {"device", "cpu"},
            {"ranks", ranks.size()},
            {"threads", 2},
            {"flops", 2e9},
            {"gflops_per_second", 2.0},
            {"bytes_sent", 4096},
            {"messages_sent", 3},
            {"peak_block_bytes", {100, 300, 200}},
            {"peak_predicted", {}},
            {"ranks_detail", ranks},
            {"spill", {{"bytes", 0}}},
            {"overlap", {{"hidden_share", nullptr}}},
            {"tasks", {{"apply", {{"count", 4}, {"seconds", 0.5}}}}},
            {"seconds", {{"load", 0.1}, {"execute", 1.0}, {"store", 0.1}, {"total", 1.2}}}};
}

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a report is one screen, the busiest ranks first", "[apps][report]") {
    std::vector<Json> ranks;
    for (int k = 0; k < 40; ++k) ranks.push_back(rank(k, 0.5 + 0.01 * k, 0.1, 0.4 - 0.01 * k));
    std::string const text = report_screen({{"r.json", report_of(ranks)}});
    INFO(text);
    CHECK(std::ranges::count(text, '\n') < 40);
    CHECK(has(text, "r.json: g.json on cpu, eindecomp placed by pattern"));
    CHECK(has(text, "execute                       1.00 s"));
    CHECK(has(text, "  2 GFLOP/s\n"));
    CHECK(has(text, "peak, fullest rank             300 B"));
    CHECK(has(text, "messages hidden                    -"));
    CHECK(has(text, "in apply tasks                500 ms"));
    CHECK(has(text, "   39  n39                    89.0 %"));
    CHECK_FALSE(has(text, "n31 "));
    CHECK(has(text, "and 32 more that compute less"));
    CHECK_FALSE(has(text, "spilled"));
}

TEST_CASE("a report says what was saved, and from where the run went on", "[apps][report]") {
    Json report = report_of({rank(0, 0.9, 0, 0.1)});
    CHECK_FALSE(has(report_screen({{"r.json", report}}), "checkpoint"));
    report["checkpoint"] = {{"saved", 3},         {"failed", 0},        {"bytes", 2048},
                            {"seconds_all", 0.5}, {"tasks_done", 1200}, {"resumed_from", "D/000002"}};
    std::string const text = report_screen({{"r.json", report}});
    INFO(text);
    CHECK(has(text, "  went on from D/000002, 1.20 k tasks done\n"));
    CHECK(has(text, "checkpoints saved                  3"));
    CHECK(has(text, "  the last one                 2 KiB"));
    CHECK(has(text, "  saving, in all              500 ms"));
    CHECK_FALSE(has(text, "  failed"));
    CHECK_FALSE(has(text, "stopped"));
    report["stopped"] = true;
    report["checkpoint"]["last"] = "D/000005";
    CHECK(
        has(report_screen({{"r.json", report}}), "  stopped before its end; the same command goes on from D/000005\n"));
}

TEST_CASE("two reports stand side by side with their ratio", "[apps][report]") {
    Json const first = report_of({rank(0, 0.9, 0, 0.1)});
    Json second = first;
    second["seconds"]["execute"] = 0.25;
    second["spill"]["bytes"] = 1024;
    second["tasks"]["reduce"] = {{"count", 1}, {"seconds", 0.125}};
    second.erase("messages_sent");
    std::string const text = report_screen({{"a.json", first}, {"b.json", second}});
    INFO(text);
    CHECK(has(text, "execute                       1.00 s          250 ms            0.25\n"));
    CHECK_FALSE(has(text, "they "));
    Json other = second;
    other["flops"] = 3e9;
    CHECK(has(report_screen({{"a.json", first}, {"b.json", other}}), "they did not do the same work: another graph"));
    other["graph"] = "h.json";
    CHECK(has(report_screen({{"a.json", first}, {"b.json", other}}),
              "they are of different graphs, g.json and h.json: "));
    CHECK(has(text, "in reduce tasks                    -          125 ms\n"));
    CHECK(has(text, "messages                           3               -\n"));
    CHECK(has(text, "spilled to disk                  0 B           1 KiB\n"));
}

TEST_CASE("hints follow from the figures", "[apps][report]") {
    CHECK(hints_of(report_of({rank(0, 0.9, 0.1, 0), rank(1, 0.9, 0.1, 0)})).empty());
    auto const only = [](Json const& report) {
        auto const hints = hints_of(report);
        REQUIRE(hints.size() == 1);
        return hints[0];
    };
    CHECK(has(only(report_of({rank(0, 0.5, 0, 0.1), rank(1, 0.9, 0.1, 0)})), "rank 1 computes 1.286 times the mean"));
    Json no_int = report_of({rank(0, 0.5, 0, 0.1), rank(1, 0.9, 0.1, 0)});
    no_int["ranks_detail"][1]["rank"] = 1e20;
    CHECK(has(only(no_int), "rank 100000000000000000000 computes"));
    CHECK(has(only(report_of({rank(0, 0.5, 0.5, 0)})), "messages 50.0 % of the time"));
    CHECK(has(only(report_of({rank(0, 0.5, 0, 0.5)})), "nothing to do 50.0 %"));
    Json slow_files = report_of({rank(0, 0.9, 0, 0.1)});
    slow_files["seconds"] = {{"load", 8.0}, {"execute", 1.0}, {"store", 1.0}, {"total", 10.0}};
    slow_files["seconds"]["store"] = 1.0;
    CHECK(has(only(slow_files), "loading inputs takes 80.0 % of the run, and is done once"));
    auto const mostly = [&](char const* from) {
        Json report = slow_files;
        report["loads"] = {{"made", 0.1}, {"files", 0.1}, {"archives", 0.1}, {"texts", 0.1}};
        report["loads"][from] = 7.5;
        return only(report);
    };
    CHECK(has(mostly("made"), "making random elements takes 80.0 %"));
    CHECK_FALSE(has(mostly("made"), "file system"));
    CHECK(has(mostly("files"), "a parallel file system reads faster"));
    CHECK(has(mostly("archives"), "reading npz archives takes"));
    CHECK(has(mostly("texts"), "scipy.sparse.save_npz"));
    slow_files["seconds"] = {{"load", 1.0}, {"execute", 1.0}, {"store", 8.0}, {"total", 10.0}};
    CHECK(has(only(slow_files), "writing results takes 80.0 %"));
    Json spilled = report_of({rank(0, 0.9, 0, 0.1)});
    spilled["spill"]["bytes"] = 8;
    CHECK(has(only(spilled), "go to disk"));
}

TEST_CASE("shares are of the time of the slowest rank, for whose end the others wait", "[apps][report]") {
    Json report = report_of({rank(0, 0.6, 0.2, 0), rank(1, 0.8, 0.1, 0.1)});
    std::string const text = report_screen({{"r.json", report}});
    INFO(text);
    CHECK(has(text, "60.0 %         20.0 %     20.0 %"));
    CHECK(has(text, "80.0 %         10.0 %     10.0 %"));
    CHECK(has(text, " 70.0 %\n"));
    report["shared_cores"] = true;
    auto const hints = hints_of(report_of({rank(0, 0.2, 0, 0.8), rank(1, 1, 0, 0)}));
    Json shared = report_of({rank(0, 0.2, 0, 0.8), rank(1, 1, 0, 0)});
    shared["shared_cores"] = true;
    CHECK(has(hints.at(0), "work is uneven"));
    CHECK(has(hints_of(shared).at(0), "ranks share cores"));
    for (std::string const& hint : hints_of(shared)) CHECK_FALSE(has(hint, "work is uneven"));
}

TEST_CASE("where kernels had no core, no plan and no rank is blamed", "[apps][report]") {
    Json report = report_of({rank(0, 0.2, 0.8, 0), rank(1, 1, 0, 0)});
    CHECK(has(hints_of(report).at(0), "work is uneven"));
    report["cores"] = {{"in_kernels", 1.2}, {"without", 0.6}, {"share", 0.5}};
    REQUIRE(hints_of(report).size() == 1);
    CHECK(has(hints_of(report)[0], "kernels had no core for 50.0 % of their time: other processes use these machines"));
    report["cores"]["share"] = 0.02;
    CHECK(has(hints_of(report).at(0), "work is uneven"));
}

TEST_CASE("what is no report is refused, and one without its keys is shown", "[apps][report]") {
    CHECK_THROWS_AS(report_screen({{"x.json", Json::array()}}), InputError);
    CHECK_THROWS_WITH(report_screen({{"x.json", Json{{"eingraph", 1}}}}), Catch::Contains("x.json: expected a run"));
    Json strange{{"einrun", "0.1.0"}, {"tasks", {{"~/x", {{"seconds", 2.0}}}}}};
    CHECK(has(report_screen({{"x.json", strange}}), "in ~/x tasks                  2.00 s"));
    CHECK(has(report_screen({{"x.json", Json{{"einrun", "0.1.0"}}}}), "execute                            -"));
}
