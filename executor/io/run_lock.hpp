// Which temporary outputs belong to a run that still lives. A run's name says on which booted system it runs
// ("node7-1a2b3c4d-4711-9f8e7d6c": host, boot, process, schedule), and the run keeps one of its files locked; the
// kernel unlocks it when the process ends, however it ends. Only what was made since the same boot of the same kernel,
// and of which no file is locked, is known to be dead: a lock held on another host may not be seen here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ein::executor {

/// Eight digits that are another after each boot and on each machine; "" where the system does not say.
std::string this_boot();

/// A name for this process's run, unlike that of any other run.
std::string name_of_this_run(std::string const& schedule_hash);

/// A file kept locked until this is destroyed. Where the file system has no locks, nothing is locked (and others will
/// not sweep).
class RunLock {
public:
    RunLock() = default;
    ~RunLock() { release(); }
    RunLock(RunLock const&) = delete;
    RunLock& operator=(RunLock const&) = delete;

    /// False when the file was swept away before it was locked: make it again.
    bool hold(std::filesystem::path const& file);
    void release();

private:
    int descriptor_ = -1;
};

/// Removes temporary outputs of dead runs: files that begin with one of `beginnings` (".NAME.npy.partial-") and end
/// with a run's name.
/// @return those of runs of which it cannot be known from here
std::vector<std::filesystem::path> sweep_leftovers(std::filesystem::path const& folder,
                                                   std::vector<std::string> const& beginnings);

}  // namespace ein::executor
