// The folder of checkpoints of a job as "eintool run" uses it: which checkpoint is the newest, and which schedule the
// job is at, so that the same command goes on with it, also where ranks were given up since. Checkpoints themselves are
// einrun's and einplan's to read.
// Example: DIR/000003, DIR/eintool.json {"eintool": 1, "ranks": 3, "request": "90f8...", "schedule": "eintool.sched"}.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ein::apps::tool {

/// What eintool.json holds.
struct PlannedState {
    std::string request;             // a hash of what was asked for; another request has another schedule
    int ranks = 0;                   // that the schedule is for
    std::filesystem::path schedule;  // relative to the folder
    friend bool operator==(PlannedState const&, PlannedState const&) = default;
};

class RunFolder {
public:
    explicit RunFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path const& path() const { return folder_; }
    /// The largest name of six digits; "" where there is none.
    std::string newest_checkpoint() const;

    std::filesystem::path schedule() const { return folder_ / "eintool.sched"; }
    std::filesystem::path hostfile() const { return folder_ / "eintool.hosts"; }

    /// Nothing where there is none, or where it cannot be read: then everything is planned as on the first day.
    std::optional<PlannedState> planned() const;
    void remember(PlannedState const& state) const;
    /// Removes what eintool has put there.
    void forget() const;

private:
    std::filesystem::path folder_;
};

/// Removes what a job that has ended did not finish writing into a folder: ".NAME.partial-..." of processes that are
/// dead. @return what was left by another host
std::vector<std::filesystem::path> remove_partial_files(std::filesystem::path const& folder);

}  // namespace ein::apps::tool
