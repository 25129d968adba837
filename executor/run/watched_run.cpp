#include "executor/run/watched_run.hpp"

#include "executor/checkpoint/wishes.hpp"
#include "executor/trace/flight_record.hpp"
#include "lib/base/json.hpp"

namespace ein::executor {

WatchedRun::WatchedRun(EngineParts const& parts, EngineOptions const& how, OutputFiles& outputs, FlightFacts facts,
                       Messages messages)
    : parts_(parts),
      outputs_(outputs),
      facts_(std::move(facts)),
      messages_(std::move(messages)),
      who_("rank " + std::to_string(parts.transport.rank().value()) + ": "),
      may_be_stopped_(how.checkpoints != nullptr),
      engine_(parts, watched(how)) {}

EngineOptions WatchedRun::watched(EngineOptions how) {
    how.on_failure = [this](ExitCode, std::string const& message) {
        // Of what all ranks agreed on only rank 0 has the text.
        messages_.report(who_ + (message.empty() ? "ends with the other ranks; rank 0 says why" : message));
        fail(message);
    };
    how.explain = [this](std::string const& text) { messages_.report(who_ + text); };
    return how;
}

RunResult WatchedRun::run() {
    last_words_.emplace([this](Ending const& ending) { write_record(ending); });
    std::optional<StopSignals> signals;  // before what the last words are of
    if (may_be_stopped_) signals.emplace();
    try {
        RunResult result = engine_.run();
        signals.reset();
        last_words_.reset();
        return result;
    } catch (std::exception const& error) {
        signals.reset();
        last_words_->say(error.what());
        outputs_.discard();
        throw;
    }
}

void WatchedRun::fail(std::string const& message) {
    outputs_.discard();
    if (last_words_) last_words_->say(message);
}

/// Reported by the rank that failed; where a launcher ends all ranks, by the first that has something to report: any
/// other may be gone.
void WatchedRun::write_record(Ending const& ending) {
    if (ending.is_crash()) outputs_.discard();
    try {
        auto const [path, first] = write_record_file(ending);
        if (ending.signal == 0 || ending.is_crash() || first)
            messages_.report(who_ + (ending.signal != 0 ? ending.why + "; " : "") + "its last tasks are in " +
                             path.string() + (parts_.transport.size() > 1 ? ", those of other ranks beside it" : ""));
    } catch (std::exception const& error) {
        messages_.report(who_ + "warning: no flight record: " + error.what());
    }
}

FlightRecord WatchedRun::write_record_file(Ending const& ending) const {
    Rank const rank = parts_.transport.rank();
    Json const about{{"why", ending.why},
                     {"rank", rank.value()},
                     {"ranks", parts_.header.ranks},
                     {"graph", parts_.header.graph_file},
                     {"host", facts_.host},
                     {"schedule_hash", facts_.schedule_hash},
                     {"einrun", facts_.version}};
    return write_flight_record(flight_folder(facts_.out), rank, parts_.header, parts_.section, engine_.record(), about);
}

}  // namespace ein::executor
