#include "executor/spill/spill_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::executor {

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 30;  // Linux moves 2 GiB in one call at most

[[noreturn]] void fail(std::filesystem::path const& folder, std::string const& expected, int error,
                       std::string const& mend) {
    throw RunError("--spill-dir " + folder.string() + ": expected " + expected + ", found: " + std::strerror(error) +
                   "; " + mend);
}

/// Without a name from the beginning, where the file system can do that.
int open_unnamed(std::filesystem::path const& folder) {
    int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
    std::string name = (folder / ".einrun-spill-XXXXXX").string();
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) ::unlink(name.c_str());
    return fd;
}

/// Calls move(done) until `size` bytes have been moved; it says how many, as pread and pwrite do. @return 0, or what
/// errno was
template <class Move>
int move_all(std::size_t size, Move move) {
    for (std::size_t done = 0; done < size;) {
        ssize_t const moved = move(done, std::min(size - done, most_at_once));
        if (moved < 0 && errno == EINTR) continue;
        if (moved < 0) return errno;
        if (moved == 0) return EIO;  // the file ends where it must not
        done += static_cast<std::size_t>(moved);
    }
    return 0;
}

}  // namespace

SpillFile::SpillFile(std::filesystem::path folder, std::int64_t reserve)
    : folder_(std::move(folder)), fd_(open_unnamed(folder_)) {
    if (fd_ < 0)
        fail(folder_, "a folder that files can be made in, for blocks", errno,
             "create it, or give another --spill-dir");
    if (reserve <= 0 || ::fallocate(fd_, 0, 0, reserve) == 0) return;
    int const error = errno;
    if (error != ENOSPC && error != EDQUOT && error != EFBIG) return;  // it cannot promise: writing will show
    ::close(fd_);
    fail(folder_, "room for " + format_bytes(static_cast<double>(reserve)) + " of blocks of one rank", error,
         "free space there, or give another --spill-dir or more --memory");
}

SpillFile::~SpillFile() { ::close(fd_); }

void SpillFile::write(std::int64_t offset, std::span<std::byte const> bytes) const {
    int const error = move_all(bytes.size(), [&](std::size_t done, std::size_t count) {
        return ::pwrite(fd_, bytes.data() + done, count, offset + static_cast<std::int64_t>(done));
    });
    if (error != 0)
        fail(folder_, "to write a block of " + format_bytes(static_cast<double>(bytes.size())), error,
             "free space there, or give another --spill-dir or more --memory");
}

void SpillFile::read(std::int64_t offset, std::span<std::byte> bytes) const {
    int const error = move_all(bytes.size(), [&](std::size_t done, std::size_t count) {
        return ::pread(fd_, bytes.data() + done, count, offset + static_cast<std::int64_t>(done));
    });
    if (error != 0)
        fail(folder_, "to read back a block of " + format_bytes(static_cast<double>(bytes.size())), error,
             "give another --spill-dir");
}

bool SpillFile::in_memory() const {
    struct statfs status {};
    if (::fstatfs(fd_, &status) != 0) return false;
    return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}

}  // namespace ein::executor
