#include "executor/run/finish.hpp"

#include <algorithm>
#include <optional>

#include "executor/startup/agreement.hpp"
#include "lib/base/files/replaced_file.hpp"
#include "lib/base/json.hpp"

namespace ein::executor {

namespace {

constexpr std::size_t most_outputs = 8;  // that a summary names

bool lost_cores(RunResult const& result) {
    CoreTimes cores;
    for (TaskTimes const& times : result.workers) cores += times.cores;
    return cores.without > much_without_core * cores.looked_at;
}

/// @return why there is none, which was reported
std::optional<Error> write_trace_if_asked(Transport& transport, RunEnd const& end, EndActions const& actions,
                                          Messages const& messages) {
    if (end.settings.trace.empty()) return std::nullopt;
    try {
        write_trace(end.settings.trace, transport,
                    {end.schedule.header, end.schedule.section, end.record, end.clock, end.facts.shared_cores,
                     end.result.iterations, end.result.stopped, lost_cores(end.result)},
                    actions.forecast);
    } catch (Disagreement const& error) {
        if (transport.rank() == Rank{0}) messages.report(error.what());
        return error;
    }
    return std::nullopt;
}

/// Of a run that ended early: what there is in place of results.
std::string stopped_lines(RunEnd const& end) {
    std::string const folder = end.settings.checkpoints.folder.string();
    return "  results    none yet: the run stopped early, with " + (end.checkpoint ? end.checkpoint->last : folder) +
           "\n  go on      the same command; on another number of ranks: einplan --resume " + folder + " -n RANKS\n";
}

/// @return why there is none, which was reported
std::optional<Error> write_report_if_asked(RunSettings const& settings, Json const& report, Messages const& messages) {
    if (settings.report.empty()) return std::nullopt;
    try {
        ReplacedFile("--report", settings.report).write(report.dump(2) + "\n");
    } catch (RunError const& error) {
        messages.report(error.what());
        return error;
    }
    return std::nullopt;
}

std::string output_lines(std::vector<std::filesystem::path> const& outputs) {
    std::string out;
    for (std::size_t i = 0; i < std::min(outputs.size(), most_outputs); ++i)
        out += "  output     " + outputs[i].string() + "\n";
    if (outputs.size() > most_outputs)
        out += "  output     and " + std::to_string(outputs.size() - most_outputs) + " more\n";
    return out;
}

/// @throws MismatchError for elements that differ, and for outputs of which nothing could be checked: what was asked to
/// be verified and was not does not look as if it had been
void demand_verified(relation::Verification const& verified) {
    std::vector<std::string> messages = verified.mismatches;
    messages.insert(messages.end(), verified.unchecked.begin(), verified.unchecked.end());
    if (!messages.empty()) throw MismatchError(joined(messages, "\n"));
}

/// At rank 0, where results are not finite though they should be: there is nothing to verify.
/// @throws RunError that says in which node
[[noreturn]] void conclude_at_fault(Json const& report, RunEnd const& end, EndActions const& actions,
                                    Messages const& messages) {
    write_report_if_asked(end.settings, report, messages);
    if (actions.summarize) actions.summarize(report_summary(report) + summary_of(end.non_finite));
    throw RunError(fault_of(end.non_finite, end.schedule.header));
}

/// Loops that ended because they had as many iterations as they may, not because their condition said so.
std::vector<std::string> loops_that_ran_out(Json const& report) {
    std::vector<std::string> out;
    for (Json const& loop : report.value("loops", Json::array()))
        if (loop.contains("ran_out"))
            out.push_back("loop '" + loop.at("name").get<std::string>() + "' had all of its " +
                          std::to_string(loop.at("turns").get<std::int64_t>()) +
                          " iterations, and its condition still asks for another: results are those so far; raise "
                          "\"max\", or see why \"while\" stays true");
    return out;
}

/// Loops whose condition ended them at once: an "until" that was written as "while".
std::vector<std::string> loops_that_ended_at_once(Json const& report) {
    std::vector<std::string> out;
    for (Json const& loop : report.value("loops", Json::array()))
        if (loop.contains("ended_at_once"))
            out.push_back("loop '" + loop.at("name").get<std::string>() +
                          "' ended after its first iteration: its \"while\" was 0 there; it goes on as long as that is "
                          "not 0");
    return out;
}

/// At rank 0. @return why there is no report  @throws RunError for results that are not finite, MismatchError, or what
/// verify throws
std::optional<Error> conclude(Json& report, RunEnd const& end, EndActions const& actions,
                              std::optional<relation::CheckedCalls> const& calls, Messages const& messages) {
    if (end.checkpoint) report["checkpoint"] = to_json(*end.checkpoint);
    report["non_finite"] = to_json(end.non_finite, end.schedule.header);
    if (!fault_of(end.non_finite, end.schedule.header).empty()) conclude_at_fault(report, end, actions, messages);
    std::optional<relation::Verification> verified;
    bool const complete = !end.result.stopped;
    if (actions.verify && complete) verified = actions.verify(report["tf32"].get<bool>());
    if (verified && calls) add_calls(*verified, *calls);
    if (verified) report["verify"] = to_json(*verified);
    std::optional<Error> unwritten = write_report_if_asked(end.settings, report, messages);
    if (actions.summarize)
        actions.summarize(
            report_summary(report) + summary_of(end.non_finite) + (end.checkpoint ? summary_of(*end.checkpoint) : "") +
            (verified ? verified_lines(*verified) : "") + (complete ? output_lines(end.outputs) : stopped_lines(end)));
    for (std::string const& message : warnings_of(end.non_finite, end.schedule.header)) messages.warn(message);
    for (std::string const& message : loops_that_ran_out(report)) messages.warn(message);
    if (complete)
        for (std::string const& message : loops_that_ended_at_once(report)) messages.warn(message);
    if (verified) demand_verified(*verified);
    return unwritten;
}

}  // namespace

void check_report_and_trace(RunSettings const& settings) {
    if (!settings.report.empty()) ReplacedFile("--report", settings.report).check();
    if (!settings.trace.empty()) ReplacedFile("--trace", settings.trace).check();
}

void finish_run(Transport& transport, RunEnd const& end, EndActions const& actions, Messages const& messages) {
    std::optional<Error> unwritten = write_trace_if_asked(transport, end, actions, messages);
    Json report = gather_report(transport, end.schedule.header, end.facts, end.result);
    std::optional<relation::CheckedCalls> calls;
    if (end.result.calls) calls = gather_checked_calls(transport, *end.result.calls);
    agree(transport, [&] {
        if (transport.rank() != Rank{0}) return;
        if (std::optional<Error> const error = conclude(report, end, actions, calls, messages)) unwritten = error;
    });
    agree(transport, [&] {
        if (unwritten) throw Error(unwritten->code(), "");  // it was reported
    });
}

}  // namespace ein::executor
