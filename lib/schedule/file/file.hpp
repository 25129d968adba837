// The schedule file: a magic word and version, then one header (a FlatBuffer) and a section a rank (deflated columns,
// columns.hpp), each with its own checksum, so that a rank maps the file and reads its own section only. The same
// schedule always gives the same bytes.
// A damaged file is refused where it is read, never followed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Writes under a temporary name, then renames; streams (/dev/stdout) directly. @throws RunError
void write_file(Schedule const& schedule, std::filesystem::path const& path);

/// A schedule file, mapped. Header and sections are checked (checksums, FlatBuffers verifier, verify.hpp) when they are
/// read.
class File {
public:
    /// @throws InputError when it is no schedule, of another version, cut short or damaged
    explicit File(std::filesystem::path const& path);
    ~File();
    File(File const&) = delete;
    File& operator=(File const&) = delete;

    Header header() const;
    /// @param header  of this file, as header() gave it: it is decoded and checked once, not for every section
    Section section(Rank rank, Header const& header) const;
    std::uint64_t hash() const;  // of the whole file: ranks compare it
    std::filesystem::path const& path() const { return path_; }

private:
    std::filesystem::path path_;
    void const* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Whether a regular file begins as schedules do; no pipe is read, and none throws.
bool is_schedule_file(std::filesystem::path const& path);

Schedule read_file(std::filesystem::path const& path);

}  // namespace ein::schedule
