// The engine with what a run that ends abnormally leaves: a message, no unfinished outputs, and a flight record of what
// this rank did last. One at a time runs in a process (see CrashHandler).
// Example: a kernel of rank 1 throws: "rank 1: ..." is reported, and results.flight/rank-1.json has its last tasks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "executor/engine/engine.hpp"
#include "executor/health/crash_handler.hpp"
#include "executor/io/output_files.hpp"
#include "executor/run/messages.hpp"
#include "executor/trace/flight_record.hpp"

namespace ein::executor {

/// What a flight record says of its run.
struct FlightFacts {
    std::filesystem::path out;  // folder of the outputs; the records' stands beside it
    std::string host, schedule_hash, version;
};

class WatchedRun {
public:
    /// @param how  what is done on failure and on a stall is added  @param outputs  the sink of `parts`
    /// @throws as Engine
    WatchedRun(EngineParts const& parts, EngineOptions const& how, OutputFiles& outputs, FlightFacts facts,
               Messages messages);
    WatchedRun(WatchedRun const&) = delete;
    WatchedRun& operator=(WatchedRun const&) = delete;

    /// @throws as Engine::run, when all is said and unfinished outputs are gone
    RunResult run();

    Record const& record() const { return engine_.record(); }

private:
    EngineOptions watched(EngineOptions how);
    void fail(std::string const& message);
    void write_record(Ending const& ending);
    FlightRecord write_record_file(Ending const& ending) const;

    EngineParts parts_;
    OutputFiles& outputs_;
    FlightFacts facts_;
    Messages messages_;
    std::string who_;  // "rank 3: "
    bool may_be_stopped_;
    Engine engine_;
    std::optional<CrashHandler> last_words_;  // while it runs
};

}  // namespace ein::executor
