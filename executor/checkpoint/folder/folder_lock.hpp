// One run at a time writes checkpoints into a folder. The kernel gives the lock back however the process ends.
// Where the file system has no locks nobody is kept out. Example: FolderLock lock("ckpt"); a second one, of any
// process, throws "ckpt is being written by another run (node7, process 4711); ...".
#pragma once

#include <filesystem>

#include "lib/base/files/written_file.hpp"

namespace ein::executor {

class FolderLock {
public:
    /// Makes the folder where there is none. @throws RunError when another run has it, or it cannot be written
    explicit FolderLock(std::filesystem::path const& dir);

private:
    WrittenFile file_;  // DIR/.lock, which stays: removing it would let two runs hold two files of one name
};

/// Whether locks of this folder are seen by all who may write there.
bool locks_work(std::filesystem::path const& dir);

}  // namespace ein::executor
