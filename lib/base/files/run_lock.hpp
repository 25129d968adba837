// Which temporary files belong to a process that still lives. Their names say on which booted system they are written
// (temporary_name.hpp), and the writer keeps one of them locked; the kernel unlocks it when the process ends, however
// it ends. Only what was made since the same boot of the same kernel, and of which no file is locked, is known to be
// dead: a lock held on another host may not be seen here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ein {

/// A file kept locked until this is destroyed. Where the file system has no locks, or the file may not be opened for
/// reading, nothing is locked.
class RunLock {
public:
    RunLock() = default;
    ~RunLock() { release(); }
    RunLock(RunLock&& other) noexcept;
    RunLock& operator=(RunLock&& other) noexcept;

    /// False when the file was swept away before it was locked: make it again.
    bool hold(std::filesystem::path const& file);
    void release();

private:
    int descriptor_ = -1;
};

/// Removes what dead processes left of files that were to become one of `finals`, all of one folder.
/// @return what was left by processes of which it cannot be known from here
std::vector<std::filesystem::path> sweep_leftovers(std::filesystem::path const& folder,
                                                   std::vector<std::filesystem::path> const& finals);

}  // namespace ein
