#include "executor/io/unfinished_files.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <string>

namespace ein::executor {

namespace {

/// Paths one after another, each ended by '\0', the last by another: a handler may neither allocate nor lock.
std::unique_ptr<std::string> storage;
std::atomic<char const*> paths_to_remove{nullptr};

void remove_and_end(int signal) {
    for (char const* path = paths_to_remove.load(); path != nullptr && *path != '\0';) {
        unlink(path);
        while (*path != '\0') ++path;
        ++path;
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

void remember_unfinished(std::vector<std::filesystem::path> const& paths) {
    auto text = std::make_unique<std::string>();
    for (auto const& path : paths) text->append(path.string()).push_back('\0');
    paths_to_remove = nullptr;
    storage = std::move(text);
    paths_to_remove = storage->c_str();
    for (int const signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) std::signal(signal, remove_and_end);
}

void forget_unfinished() { paths_to_remove = nullptr; }

}  // namespace ein::executor
