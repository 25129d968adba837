// A file for bytes that have no room in memory. It has no name, so that nothing is left of it however the run ends.
// Reads and writes may come from many threads at once. No checksums: what comes back was written by this process, and
// lasts no longer than it. Example: SpillFile file("/scratch", 1 << 30); file.write(0, bytes); file.read(0, bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "lib/base/files/written_file.hpp"

namespace ein::executor {

class SpillFile {
public:
    /// @param reserve  bytes that are wanted of the disk from the beginning, where the file system can promise them
    /// @throws RunError when `folder` is none, cannot be written, or has less room
    SpillFile(std::filesystem::path folder, std::int64_t reserve);

    /// @throws RunError, as when the disk is full
    void write(std::int64_t offset, std::span<std::byte const> bytes) const;
    void read(std::int64_t offset, std::span<std::byte> bytes) const;

    bool in_memory() const;  // on a file system that is kept in memory, which spilling is to save

private:
    std::filesystem::path folder_;
    WrittenFile file_;
};

}  // namespace ein::executor
