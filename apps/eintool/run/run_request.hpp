// What "eintool run" is asked to do, as a value.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apps/eintool/run/words.hpp"

namespace ein::apps::tool {

struct RunRequest {
    std::filesystem::path graph;            // or a schedule
    int ranks = 0;                          // 0: as many as the schedule is for
    std::filesystem::path checkpoint;       // folder; empty: one run, and no other
    std::optional<int> retries;             // in all
    bool shrink = false;                    // leaves out hosts that do not answer
    std::filesystem::path schedule;         // that -o names
    Words plan_words, run_words, launcher;  // options of einplan, einrun and the launcher
    Words plan_only;                        // names of options that einplan alone has, but -o
};

/// Nothing when --help was asked for and printed. @throws UsageError
std::optional<RunRequest> run_request(Words const& words);

}  // namespace ein::apps::tool
