#include "executor/io/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

/// The part of a run's name that is its boot; "" for a name of another form. Hosts may have '-' in their names.
std::string boot_of(std::string const& run) {
    std::vector<std::string> parts(1);
    for (char letter : run) {
        if (letter == '-')
            parts.emplace_back();
        else
            parts.back() += letter;
    }
    return parts.size() >= 4 ? parts[parts.size() - 3] : "";
}

/// Temporary outputs of one run.
struct FilesOfRun {
    std::vector<fs::path> all;   // to see whether one is locked
    std::vector<fs::path> ours;  // that we would write anew
};

/// Removes files of a run unless one is locked; while it holds all locks itself, so that a run that just begins sees
/// it.
void remove_if_dead(FilesOfRun const& files) {
    std::vector<int> held;
    bool dead = true;
    for (fs::path const& path : files.all) {
        int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) continue;  // gone
        held.push_back(descriptor);
        dead = dead && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;  // fails too where there are no locks
    }
    if (dead)
        for (fs::path const& path : files.ours) ::unlink(path.c_str());
    for (int const descriptor : held) ::close(descriptor);
}

}  // namespace

std::string this_boot() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id.substr(0, 8);
}

std::string name_of_this_run(std::string const& schedule_hash) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::string const boot = this_boot();
    return std::string(host) + "-" + (boot.empty() ? "unknown" : boot) + "-" + std::to_string(getpid()) + "-" +
           schedule_hash.substr(0, 8);
}

bool RunLock::hold(fs::path const& file) {
    release();
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) return false;
    ::flock(descriptor_, LOCK_EX);
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0;
}

void RunLock::release() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

std::vector<fs::path> sweep_leftovers(fs::path const& folder, std::vector<std::string> const& beginnings) {
    std::map<std::string, FilesOfRun> by_run;
    std::error_code ignored;
    for (fs::directory_entry const& entry : fs::directory_iterator(folder, ignored)) {
        std::string const name = entry.path().filename().string(), mark = ".npy.partial-";
        auto const at = name.rfind(mark);
        if (name.front() != '.' || at == std::string::npos) continue;
        FilesOfRun& run = by_run[name.substr(at + mark.size())];
        run.all.push_back(entry.path());
        if (std::find(beginnings.begin(), beginnings.end(), name.substr(0, at + mark.size())) != beginnings.end())
            run.ours.push_back(entry.path());
    }
    std::vector<fs::path> unknown;
    std::string const boot = this_boot();
    for (auto const& [run, files] : by_run) {
        if (!boot.empty() && boot_of(run) == boot)
            remove_if_dead(files);
        else
            unknown.insert(unknown.end(), files.ours.begin(), files.ours.end());
    }
    return unknown;
}

}  // namespace ein::executor
