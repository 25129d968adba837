#include "apps/eintool/run/programs.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <list>
#include <sstream>

namespace ein::apps::tool {
namespace {

namespace fs = std::filesystem;

constexpr auto time_to_answer = std::chrono::seconds(30), time_to_leave = std::chrono::seconds(3);

}  // namespace

std::string program_beside(std::string const& name) {
    std::error_code error;
    fs::path const beside = fs::read_symlink("/proc/self/exe", error).parent_path() / name;
    return !error && access(beside.c_str(), X_OK) == 0 ? beside.string() : name;
}

bool on_path(std::string const& program) {
    char const* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
    return false;
}

std::vector<bool> all_succeed(Keeper const& keeper, std::vector<Words> const& commands,
                              std::function<void(int)> const& on_signal) {
    auto const end = std::chrono::steady_clock::now() + time_to_answer;
    std::list<Child> running;
    for (Words const& words : commands)
        running.emplace_back(Program{.words = words, .variables = launch_variables(), .quiet = true});
    std::vector<bool> out;
    for (Child& child : running) {
        out.push_back(keeper.wait(child, {.on_signal = on_signal, .until = end}) == 0);
        if (!out.back()) child.signal(SIGTERM);
    }
    for (Child& child : running)
        keeper.wait(child, {.on_signal = on_signal, .until = std::chrono::steady_clock::now() + time_to_leave});
    return out;
}

}  // namespace ein::apps::tool
