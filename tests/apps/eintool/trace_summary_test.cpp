#include "apps/eintool/trace/trace_summary.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::apps::tool;
using Catch::Detail::Approx;

namespace {

/// Rank 0 computes A for 2 s and sends it; rank 1 computes B for 1 s, waits for A (1 s until it is sent, 0.5 s until it
/// has come), computes C for 1.5 s on two workers, of which one computes a piece. Predicted is rank 1's C.
std::string const text = R"json({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":0,"tid":0,"name":"process_name","args":{"name":"rank 0"}},
{"ph":"X","pid":0,"tid":3,"ts":0,"dur":4000000,"name":"execute","cat":"phase","args":{"round":0}},
{"ph":"X","pid":0,"tid":3,"ts":4000000,"dur":1000000,"name":"store","cat":"phase","args":{"round":0}},
{"ph":"X","pid":0,"tid":0,"ts":0,"dur":2000000,"name":"apply A","cat":"apply","args":{"task":"task 0 (apply of node 'A', block A[0:2])"}},
{"ph":"X","pid":0,"tid":1,"ts":2000000,"dur":500000,"name":"send to 1","cat":"send","args":{"task":"task 1 (send to rank 1, message 0, block A[0:2])"}},
{"ph":"s","pid":0,"tid":1,"ts":2000000,"id":"0x1","name":"block","cat":"transfer"},
{"ph":"C","pid":0,"ts":1,"name":"memory of blocks","args":{"bytes":16}}
,
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"rank 1"}},
{"ph":"X","pid":1,"tid":4,"ts":0,"dur":4000000,"name":"execute","cat":"phase","args":{"round":0}},
{"ph":"X","pid":1,"tid":0,"ts":0,"dur":1000000,"name":"apply B","cat":"apply","args":{"task":"task 0 (apply of node 'B', block B[0:2])"}},
{"ph":"X","pid":1,"tid":2,"ts":0,"dur":2500000,"name":"receive from 0","cat":"receive","args":{"task":"task 1 (receive from rank 0, message 0, block A[0:2])"}},
{"ph":"t","pid":1,"tid":2,"ts":2499999.999,"id":"0x1","name":"block","cat":"transfer"},
{"ph":"f","pid":1,"tid":0,"ts":2500000,"id":"0x1","name":"block","cat":"transfer","bp":"e"},
{"ph":"X","pid":1,"tid":0,"ts":2500000,"dur":1500000,"name":"apply C","cat":"apply","args":{"task":"task 2 (apply of node 'C', block C[0:2])"}},
{"ph":"X","pid":1,"tid":0,"ts":2500000,"dur":500000,"name":"apply C","cat":"piece","args":{"task":"task 2 (apply of node 'C', block C[0:2])","piece":0}},
{"ph":"X","pid":1,"tid":1,"ts":2500000,"dur":500000,"name":"apply C","cat":"piece","args":{"task":"task 2 (apply of node 'C', block C[0:2])","piece":1}},
{"ph":"M","pid":3,"tid":0,"name":"process_name","args":{"name":"rank 1, predicted"}},
{"ph":"M","pid":3,"tid":0,"name":"process_labels","args":{"labels":"on mine.json"}},
{"ph":"M","pid":3,"tid":0,"name":"predicted_seconds","args":{"seconds":1}},
{"ph":"X","pid":3,"tid":0,"ts":0,"dur":1000000,"name":"apply C","cat":"apply","args":{"task":"task 2 (apply of node 'C', block C[0:2])","operations":4e9,"limit_us":500000}}
]}
)json";

TraceFile trace_of(std::string const& content) {
    TemporaryFolder const folder;
    return read_trace(folder.write("t.json", content));
}

}  // namespace

TEST_CASE("a rank's time is put down to computing, messages and waiting", "[apps][trace]") {
    TraceSummary const summary = summary_of(trace_of(text));
    REQUIRE(summary.ranks.size() == 2);
    TimeOfRank const& one = summary.ranks[0];  // computes least
    CHECK(one.rank == 1);
    CHECK(one.workers == 2);
    CHECK(one.executing == Approx(4));
    CHECK(one.computing == Approx((2.5 + 0.5) / 2));
    CHECK(one.communicating == Approx((1.5 + 2.5) / 2));  // without a task while the receive was open
    CHECK(one.waiting == Approx((0 + 1) / 2.0));
    CHECK(summary.ranks[1].computing == Approx(2));
    CHECK(summary.ranks[1].communicating == Approx(0.5));
}

TEST_CASE("waiting is put down to who made the block late, and to its way", "[apps][trace]") {
    std::vector<Wait> const waits = summary_of(trace_of(text)).waits;
    REQUIRE(waits.size() == 3);
    CHECK(waits[0].rank == 0);
    CHECK(waits[0].reason == Wait::For::end);
    CHECK(waits[0].seconds == Approx(2));
    CHECK(waits[1].rank == 1);
    CHECK(waits[1].peer == 0);
    CHECK(waits[1].tensor == "A");
    CHECK(waits[1].reason == Wait::For::making);
    CHECK(waits[1].seconds == Approx(1));
    CHECK(waits[2].reason == Wait::For::arrival);
    CHECK(waits[2].seconds == Approx(0.5));
}

TEST_CASE("kernels count their pieces on other workers, and are compared with the machine's limit", "[apps][trace]") {
    TraceFile const trace = trace_of(text);
    TraceSummary const summary = summary_of(trace);
    REQUIRE(summary.kernels.size() == 3);
    auto const c = std::ranges::find(summary.kernels, "apply C", &KernelTime::name);
    CHECK(c->calls == 1);
    CHECK(c->seconds == Approx(2.0));
    CHECK(*c->operations == Approx(4e9));
    CHECK(*c->limit == Approx(0.5));
    std::string const screen = to_text(trace, summary);
    INFO(screen);
    CHECK(screen.find("rank 0 to make A") != std::string::npos);
    CHECK(screen.find("A on its way from rank 0") != std::string::npos);
    CHECK(screen.find("2 GFLOP/s     25.0 %") != std::string::npos);
    CHECK(screen.find("predicted 1.00 s on mine.json") != std::string::npos);
}

TEST_CASE("ranks that share cores are told, and none is blamed for being late", "[apps][trace]") {
    std::string shared = text;
    std::string const rank = R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"rank 1"}},)";
    std::string const label = R"({"ph":"M","pid":1,"tid":0,"name":"process_labels",)"
                              R"("args":{"labels":"clock within 2 us of rank 0's; shares cores"}},)";
    shared.replace(shared.find(rank), rank.size(), rank + "\n" + label);
    TraceFile const trace = trace_of(shared);
    std::string const screen = to_text(trace, summary_of(trace));
    INFO(screen);
    CHECK(trace.shared_cores);
    CHECK(screen.find("  ranks share cores: there are more threads than cores") != std::string::npos);
    CHECK(screen.find("rank 0 to make A") == std::string::npos);
    CHECK(screen.find("A, which rank 0 makes when it has a core") != std::string::npos);
    CHECK(to_text(trace_of(text), summary_of(trace_of(text))).find("share cores") == std::string::npos);
}

TEST_CASE("a run is compared with what was predicted for as many iterations", "[apps][trace]") {
    std::string looped = text;
    looped.replace(looped.find("predicted\"}"), 9, "predicted, one iteration of each loop");
    std::string const seconds = "\"seconds\":1}";
    looped.replace(looped.find(seconds), seconds.size(), "\"seconds\":20}");
    auto const screen = [](std::string const& of) { return to_text(trace_of(of), summary_of(trace_of(of))); };
    CHECK(screen(looped).find("executes 4.00 s; predicted 20.0 s on mine.json") != std::string::npos);
    std::string const line = R"({"ph":"M","pid":3,"tid":0,"name":"predicted_seconds","args":{"seconds":20}},)";
    looped.erase(looped.find(line), line.size() + 1);  // of a part of a run nothing was predicted
    CHECK(screen(looped).find(
              "executes 4.00 s; the whole graph, each loop once, was predicted to take 1.00 s on mine.json") !=
          std::string::npos);
}

TEST_CASE("kernels that lost their cores are told, and no rank is blamed", "[apps][trace]") {
    std::string lost = text;
    std::string const rank = R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"rank 1"}},)";
    lost.replace(
        lost.find(rank), rank.size(),
        rank + "\n" +
            R"({"ph":"M","pid":1,"tid":0,"name":"process_labels","args":{"labels":"kernels often had no core"}},)");
    TraceFile const trace = trace_of(lost);
    std::string const screen = to_text(trace, summary_of(trace));
    INFO(screen);
    CHECK(trace.lost_cores);
    CHECK(screen.find("kernels often had no core: other processes use these machines too") != std::string::npos);
    CHECK(screen.find("rank 0 to make A") == std::string::npos);
}

TEST_CASE("stops for checkpoints are no rounds", "[apps][trace]") {
    std::string stopped = text;
    std::string const execute = R"("ts":0,"dur":4000000,"name":"execute","cat":"phase","args":{"round":0}})";
    std::string const parts = R"("ts":0,"dur":1000000,"name":"execute","cat":"phase","args":{"round":0}},
{"ph":"X","pid":0,"tid":3,"ts":1000000,"dur":500000,"name":"saves a checkpoint","cat":"checkpoint"},
{"ph":"X","pid":0,"tid":3,"ts":1500000,"dur":2500000,"name":"execute","cat":"phase","args":{"round":0}})";
    stopped.replace(stopped.find(execute), execute.size(), parts);
    TraceFile const trace = trace_of(stopped);
    std::string const screen = to_text(trace, summary_of(trace));
    INFO(screen);
    CHECK(screen.find("executes 4.00 s; predicted") != std::string::npos);
    CHECK(screen.find("  stopped 1 time to save one, 500 ms in all\n") != std::string::npos);
    CHECK(to_text(trace_of(text), summary_of(trace_of(text))).find("stopped") == std::string::npos);
}

TEST_CASE("what is no trace is refused with its place", "[apps][trace]") {
    CHECK_THROWS_WITH(trace_of("{\"eingraph\": 1}\n"), Catch::Contains("expected a trace that einrun --trace wrote"));
    CHECK_THROWS_WITH(trace_of(text.substr(0, text.find("\"ts\":2000000"))), Catch::Contains("line 6: expected"));
    for (char const* rank : {"rank 1000000000", "rank -1", "rank 99999999999999999999", "nobody"}) {
        CAPTURE(rank);
        std::string hostile = text;
        hostile.replace(hostile.find("rank 0"), 6, rank);
        CHECK_THROWS_WITH(trace_of(hostile), Catch::Contains("line 2: expected"));
    }
    for (char const* pid : {"1e300", "-7", "4294967296", "\"0\""}) {
        CAPTURE(pid);
        std::string hostile = text;
        hostile.replace(hostile.find("\"pid\":0") + 6, 1, pid);
        CHECK_THROWS_WITH(trace_of(hostile), Catch::Contains("line 2: expected"));
    }
    CHECK_THROWS_AS(read_trace("/nonexistent/t.json"), InputError);
}
