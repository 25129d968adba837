// That the run of a folder of checkpoints is finished, DIR/finished.json: which run it was, and which results it wrote.
// The same command has nothing to do then, as long as the results are there as they were written.
// Example: after note_finished("ckpt", {"1a2b...", "2026-01-02T03:04:05Z", "results", {"P.npy"}}) is
// finished_run("ckpt")->run "1a2b...", and has_results(*finished_run("ckpt"), "results").
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/tensor/storage/fingerprint.hpp"

namespace ein::executor {

struct WrittenResult {
    std::string file;  // in the folder of results
    tensor::Fingerprint contents;
};

struct FinishedRun {
    std::string run;     // a hash of all that decides the results
    std::string time;    // ISO 8601, UTC
    std::string folder;  // of the results, as it was given
    std::vector<WrittenResult> results;
};

/// The results as they are now. @throws InputError, RunError when one cannot be read
std::vector<WrittenResult> results_now(std::filesystem::path const& folder, std::vector<std::string> const& files);

/// @throws RunError
void note_finished(std::filesystem::path const& dir, FinishedRun const& run);

/// Nothing where none is noted, or what is noted cannot be read: then the run goes on from its checkpoint.
std::optional<FinishedRun> finished_run(std::filesystem::path const& dir);

/// Whether all of them are in a folder as they were written.
bool has_results(FinishedRun const& run, std::filesystem::path const& folder);

}  // namespace ein::executor
