#include "executor/checkpoint/folder/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/files/output_place.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

/// "node7, process 4711"
std::string this_process() {
    std::array<char, 65> host{};
    ::gethostname(host.data(), host.size() - 1);
    return std::string(host.data()) + ", process " + std::to_string(::getpid());
}

std::string holder_of(fs::path const& lock) {
    std::string line;
    std::getline(std::ifstream(lock), line);
    return line.empty() ? "it does not say which" : line;
}

[[noreturn]] void fail(fs::path const& dir, int error) {
    throw RunError("--checkpoint " + dir.string() + ": expected a folder that can be written, found: " +
                   std::strerror(error) + "; check its permissions, or choose another");
}

}  // namespace

FolderLock::FolderLock(fs::path const& dir) {
    make_lasting_folder(dir, "--checkpoint");
    fs::path const path = dir / ".lock";
    int error = file_.make(path);
    if (error == EEXIST) error = file_.open_made(path);
    if (error != 0) fail(dir, error);
    if (::flock(file_.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw RunError(dir.string() + " is being written by another run (" + printable(holder_of(path)) +
                       "); wait for its end, or choose another folder with --checkpoint");
    std::string const line = this_process() + "\n";  // for that message; who holds the lock is known by the kernel
    if (file_.set_length(0) == 0) (void)file_.write_at(0, std::as_bytes(std::span(line)));
}

bool locks_work(fs::path const& dir) {
    int const descriptor = ::open((dir / ".lock").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool const work = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK;
    ::close(descriptor);
    return work;
}

}  // namespace ein::executor
