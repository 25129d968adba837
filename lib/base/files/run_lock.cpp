#include "lib/base/files/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <unordered_set>
#include <utility>

#include "lib/base/files/temporary_name.hpp"

namespace ein {

namespace fs = std::filesystem;

namespace {

/// Temporary files of one process.
struct FilesOfRun {
    std::vector<fs::path> all;   // to see whether one is locked
    std::vector<fs::path> ours;  // that we would write anew
};

int open_for_lock(fs::path const& path) { return ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); }

/// Removes files of a process unless one is locked; while it holds all locks itself, so that a run that just begins
/// sees it.
void remove_if_dead(FilesOfRun const& files) {
    std::vector<int> held;
    bool dead = true;
    for (fs::path const& path : files.all) {
        int const descriptor = open_for_lock(path);
        if (descriptor < 0) continue;  // gone, or no file of ours
        held.push_back(descriptor);
        dead = dead && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;  // fails too where there are no locks
    }
    if (dead)
        for (fs::path const& path : files.ours) ::unlink(path.c_str());
    for (int const descriptor : held) ::close(descriptor);
}

/// What is in a folder, by the process that wrote it.
std::map<std::string, FilesOfRun> files_by_run(fs::path const& folder, std::vector<fs::path> const& finals) {
    constexpr std::string_view mark = ".partial-";
    std::unordered_set<std::string> beginnings;
    for (fs::path const& path : finals) beginnings.insert(temporary_beginning(path));
    std::map<std::string, FilesOfRun> by_run;
    std::error_code error;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::string const name = entry->path().filename().string();
        auto const at = name.rfind(mark);
        if (name.front() != '.' || at == std::string::npos) continue;
        FilesOfRun& run = by_run[name.substr(at + mark.size())];
        run.all.push_back(entry->path());
        if (beginnings.contains(name.substr(0, at + mark.size()))) run.ours.push_back(entry->path());
    }
    return by_run;
}

}  // namespace

RunLock::RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

bool RunLock::hold(fs::path const& file) {
    release();
    descriptor_ = open_for_lock(file);
    if (descriptor_ < 0) return errno != ENOENT;  // what cannot be opened is not locked, but it is still there
    ::flock(descriptor_, LOCK_EX);
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0;
}

void RunLock::release() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

std::vector<fs::path> sweep_leftovers(fs::path const& folder, std::vector<fs::path> const& finals) {
    std::vector<fs::path> unknown;
    std::string const boot = this_boot();
    for (auto const& [run, files] : files_by_run(folder, finals)) {
        if (files.ours.empty()) continue;
        if (!boot.empty() && boot_of(run) == boot)
            remove_if_dead(files);
        else
            unknown.insert(unknown.end(), files.ours.begin(), files.ours.end());
    }
    return unknown;
}

}  // namespace ein
