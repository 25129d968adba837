#include "executor/spill/spill_file.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::executor {

namespace {

[[noreturn]] void fail(std::filesystem::path const& folder, std::string const& expected, int error,
                       std::string const& fix) {
    throw RunError("--spill-dir " + folder.string() + ": expected " + expected + ", found: " + std::strerror(error) +
                   "; " + fix);
}

/// In a folder that is made where there is none, as that of results is: on each host, maybe by several ranks.
int make_in(WrittenFile& file, std::filesystem::path const& folder) {
    int const error = file.make_unnamed(folder);
    if (error != ENOENT) return error;
    std::error_code none;
    std::filesystem::create_directories(folder, none);
    return none ? none.value() : file.make_unnamed(folder);
}

}  // namespace

SpillFile::SpillFile(std::filesystem::path folder, std::int64_t reserve) : folder_(std::move(folder)) {
    if (int const error = make_in(file_, folder_))
        fail(folder_, "a folder that files can be made in, for blocks", error, "give another --spill-dir");
    int const error = file_.reserve(static_cast<std::uint64_t>(std::max<std::int64_t>(reserve, 0)));
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)  // for others it cannot promise: writing will tell
        fail(folder_, "room for " + format_bytes(static_cast<double>(reserve)) + " of blocks of one rank", error,
             "free space there, or give another --spill-dir or more --memory");
}

void SpillFile::write(std::int64_t offset, std::span<std::byte const> bytes) const {
    if (int const error = file_.write_at(static_cast<std::uint64_t>(offset), bytes))
        fail(folder_, "to write a block of " + format_bytes(static_cast<double>(bytes.size())), error,
             "free space there, or give another --spill-dir or more --memory");
}

void SpillFile::read(std::int64_t offset, std::span<std::byte> bytes) const {
    if (int const error = file_.read_at(static_cast<std::uint64_t>(offset), bytes))
        fail(folder_, "to read back a block of " + format_bytes(static_cast<double>(bytes.size())), error,
             "give another --spill-dir");
}

bool SpillFile::in_memory() const {
    struct statfs status {};
    if (::fstatfs(file_.descriptor(), &status) != 0) return false;
    return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}

}  // namespace ein::executor
