#include "executor/run/finish.hpp"

#include "lib/base/json.hpp"
#include "tests/executor/run/one_rank.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/left_ranks.hpp"

using namespace ein;
using namespace ein::executor;
using ein::test::Left;

namespace {

/// How one rank leaves finish_run, with what it was told to do.
Left finish(test::OneRank& one, EndActions const& actions) {
    one.prepare();
    Ran const ran = one.run->run();
    one.run->publish_outputs();
    try {
        finish_run(*one.transport, one.end_of(ran), actions, one.messages);
        return {};
    } catch (Disagreement const& error) {
        return {error.code(), error.what()};
    }
}

relation::Verification compared(std::vector<std::string> mismatches) {
    relation::Verification out;
    out.outputs.push_back({.name = "Z", .elements = 4, .of = 4});
    out.mismatches = std::move(mismatches);
    return out;
}

}  // namespace

TEST_CASE("a report is written, and what verify found is in it and in the summary", "[executor][run]") {
    test::OneRank one;
    one.settings.report = one.folder.path() / "report.json";
    std::string summary;
    EndActions actions;
    actions.verify = [](bool tf32) {
        CHECK_FALSE(tf32);
        return compared({});
    };
    actions.summarize = [&](std::string const& text) { summary = text; };
    CHECK(finish(one, actions) == Left{});
    Json const report = parse_json(read_text_file(one.settings.report), "report");
    CHECK(report.at("schedule_hash") == "0123456789abcdef");
    CHECK(report.at("reproducible") == false);
    CHECK(report.at("stopped") == false);
    CHECK(report.at("verify").at("elements") == 4);
    CHECK_THAT(summary, Catch::Contains("verified   Z: 4 of 4 elements, 0 differ"));
    CHECK_THAT(summary, Catch::Contains("output     " + one.run->output_files()[0].string()));
}

TEST_CASE("a mismatch ends the run with its code, after the report", "[executor][run]") {
    test::OneRank one;
    one.settings.report = one.folder.path() / "report.json";
    EndActions actions;
    actions.verify = [](bool) { return compared({"Z differs", "so does Y"}); };
    CHECK(finish(one, actions) == Left{ExitCode::mismatch, "Z differs\nso does Y"});
    CHECK(std::filesystem::exists(one.settings.report));
}

TEST_CASE("a node that makes NaN of finite inputs ends the run, after the report and unverified", "[executor][run]") {
    test::OneRank one;
    one.settings.report = one.folder.path() / "report.json";
    one.prepare();
    Ran const ran = one.run->run();
    RunEnd end = one.end_of(ran);
    end.non_finite.origins.push_back({.node = "Z", .count = {.nan = 1}, .first = {}, .ranks = {0}});
    EndActions actions;
    actions.verify = [](bool) {
        FAIL("there is nothing to verify");
        return compared({});
    };
    try {
        finish_run(*one.transport, end, actions, one.messages);
        FAIL("accepted");
    } catch (Disagreement const& error) {
        CHECK(error.code() == ExitCode::failure);
        CHECK_THAT(error.what(), Catch::StartsWith("--check-finite: node 'Z': expected finite elements"));
    }
    Json const report = parse_json(read_text_file(one.settings.report), "report");
    CHECK(report.at("non_finite").at("nodes")[0].at("node") == "Z");
    CHECK(report.at("verify").is_null());
}

TEST_CASE("an output of which nothing was checked ends the run as a mismatch does", "[executor][run]") {
    test::OneRank one;
    one.settings.report = one.folder.path() / "report.json";
    EndActions actions;
    actions.verify = [](bool) {
        relation::Verification out = compared({"Z differs"});
        out.outputs.push_back({.name = "L", .of = 1});
        out.unchecked = {"L was not checked"};
        return out;
    };
    CHECK(finish(one, actions) == Left{ExitCode::mismatch, "Z differs\nL was not checked"});
    CHECK(parse_json(read_text_file(one.settings.report), "report").at("verify").at("unchecked").size() == 1);
}

TEST_CASE("a report that cannot be written is reported, and ends the run when the rest is done", "[executor][run]") {
    test::OneRank one;
    one.settings.report = one.folder.path() / "none" / "report.json";
    CHECK_THROWS_AS(check_report_and_trace(one.settings), RunError);
    bool summarized = false;
    EndActions actions;
    actions.summarize = [&](std::string const&) { summarized = true; };
    CHECK(finish(one, actions) == Left{ExitCode::failure, ""});
    CHECK(summarized);
    REQUIRE(one.said.sorted().size() == 1);
    CHECK_THAT(one.said.sorted()[0], Catch::Contains("--report"));
}

TEST_CASE("a run that stopped says so first, and how to go on last", "[executor][run]") {
    test::OneRank one;
    one.settings.report = one.folder.path() / "report.json";
    one.settings.checkpoints.folder = "ckpt";
    one.prepare();
    Ran ran = one.run->run();
    ran.result.stopped = true;
    RunEnd end = one.end_of(ran);
    CheckpointReport checkpoint;
    checkpoint.saved = 1;
    checkpoint.last = "ckpt/000003";
    end.checkpoint = checkpoint;
    std::string summary;
    EndActions actions;
    actions.summarize = [&](std::string const& text) { summary = text; };
    finish_run(*one.transport, end, actions, one.messages);
    CHECK_THAT(summary.substr(0, summary.find('\n')), Catch::Contains(": stopped before its end, on 1 rank x "));
    CHECK_THAT(summary, Catch::Contains("results    none yet: the run stopped early, with ckpt/000003\n"));
    CHECK_THAT(summary, Catch::EndsWith("einplan --resume ckpt -n RANKS\n"));
    CHECK_THAT(summary, !Catch::Contains("  output "));
    CHECK(parse_json(read_text_file(one.settings.report), "report").at("stopped") == true);
}

TEST_CASE("many outputs are summed up", "[executor][run]") {
    test::OneRank one;
    one.prepare();
    Ran const ran = one.run->run();
    RunEnd end = one.end_of(ran);
    end.outputs.assign(11, "Z.npy");
    std::string summary;
    EndActions actions;
    actions.summarize = [&](std::string const& text) { summary = text; };
    finish_run(*one.transport, end, actions, one.messages);
    CHECK_THAT(summary, Catch::Contains("output     and 3 more"));
}
