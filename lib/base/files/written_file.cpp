#include "lib/base/files/written_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "lib/base/files/temporary_name.hpp"

namespace ein {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 30;  // Linux moves 2 GiB in one call at most
constexpr int never_through_a_link = O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;

/// Calls move(done, count) until `size` bytes have been moved; it says how many, as pread and pwrite do.
/// @param at_end  the error when it moves none
template <class Move>
int move_all(std::size_t size, int at_end, Move move) {
    for (std::size_t done = 0; done < size;) {
        ssize_t const moved = move(done, std::min(size - done, most_at_once));
        if (moved < 0 && errno == EINTR) continue;
        if (moved < 0) return errno;
        if (moved == 0) return at_end;
        done += static_cast<std::size_t>(moved);
    }
    return 0;
}

/// Calls until no signal comes in between. @return 0, or what errno was
template <class Call>
int until_done(Call call) {
    while (call() != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/// A descriptor that stands for what has a name, without opening it: a pipe's other end does not notice.
int locate(fs::path const& path) { return ::open(path.c_str(), O_PATH | O_CLOEXEC); }

/// Whether a name is one of those under which the system shows this process its own open files.
bool names_own_stream(fs::path const& path) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return false;
    fs::path const folder = fs::weakly_canonical(path.parent_path().empty() ? "." : path.parent_path(), error);
    if (error) return false;
    auto part = folder.begin();
    return folder == "/dev" || (part != folder.end() && ++part != folder.end() && *part == "proc");
}

bool is_stream(int located, fs::path const& path) {
    struct stat status {};
    if (::fstat(located, &status) != 0 || S_ISDIR(status.st_mode)) return false;
    return !S_ISREG(status.st_mode) || names_own_stream(path);
}

}  // namespace

bool is_stream(fs::path const& path) {
    int const located = locate(path);
    if (located < 0) return false;
    bool const found = is_stream(located, path);
    ::close(located);
    return found;
}

int rename_complete(fs::path const& temporary, fs::path const& path) {
    return ::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}

WrittenFile::~WrittenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

WrittenFile::WrittenFile(WrittenFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), appends_(other.appends_) {}

WrittenFile& WrittenFile::operator=(WrittenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(appends_, other.appends_);
    return *this;
}

int WrittenFile::take(int descriptor) {
    int const error = descriptor < 0 ? errno : 0;
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = descriptor;
    appends_ = false;
    return error;
}

int WrittenFile::make(fs::path const& path) {
    return take(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | never_through_a_link, 0666));
}

int WrittenFile::open_made(fs::path const& path) { return take(::open(path.c_str(), O_WRONLY | never_through_a_link)); }

int WrittenFile::open_stream(fs::path const& path) {
    int const located = locate(path);
    if (located < 0) return errno;
    bool const stream = is_stream(located, path);  // it may have become something else since it was asked
    std::string const itself = "/proc/self/fd/" + std::to_string(located);
    int const error = stream ? take(::open(itself.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY)) : EEXIST;
    struct stat status {};
    appends_ = error == 0 && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    ::close(located);
    return error;
}

int WrittenFile::make_unnamed(fs::path const& folder) {
    int const error = take(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (error != EOPNOTSUPP && error != EISDIR && error != EINVAL) return error;
    fs::path const path = temporary_path(folder / "einloom-unnamed", unique_name());
    int const made = take(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | never_through_a_link, 0600));
    if (made == 0) ::unlink(path.c_str());
    return made;
}

int WrittenFile::go_to_end() { return ::lseek(descriptor_, 0, SEEK_END) < 0 ? errno : 0; }

int WrittenFile::append(std::span<std::byte const> bytes) {
    return move_all(bytes.size(), ENOSPC, [&](std::size_t done, std::size_t count) {
        return ::write(descriptor_, bytes.data() + done, count);
    });
}

int WrittenFile::write_at(std::uint64_t offset, std::span<std::byte const> bytes) const {
    if (appends_) return ESPIPE;
    return move_all(bytes.size(), ENOSPC, [&](std::size_t done, std::size_t count) {
        return ::pwrite(descriptor_, bytes.data() + done, count, static_cast<off_t>(offset + done));
    });
}

int WrittenFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
    return move_all(bytes.size(), EIO, [&](std::size_t done, std::size_t count) {
        return ::pread(descriptor_, bytes.data() + done, count, static_cast<off_t>(offset + done));
    });
}

int WrittenFile::reserve(std::uint64_t bytes) const {
    if (int const error = reserve_range(0, bytes)) return error;
    return set_length(bytes);
}

int WrittenFile::reserve_range(std::uint64_t offset, std::uint64_t bytes) const {
    if (bytes == 0) return 0;
    int const error =
        until_done([&] { return ::fallocate(descriptor_, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)); });
    return error == EOPNOTSUPP || error == ENOSYS ? 0 : error;
}

int WrittenFile::set_length(std::uint64_t bytes) const {
    return until_done([&] { return ::ftruncate(descriptor_, static_cast<off_t>(bytes)); });
}

void WrittenFile::begin_sync(std::uint64_t offset, std::uint64_t bytes) const {
    ::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
}

int WrittenFile::sync() const {
    return until_done([&] { return ::fsync(descriptor_); });
}

int WrittenFile::close() {
    int const result = ::close(std::exchange(descriptor_, -1));
    return result != 0 && errno != EINTR ? errno : 0;
}

}  // namespace ein
