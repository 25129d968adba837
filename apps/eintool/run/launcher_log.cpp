#include "apps/eintool/run/launcher_log.hpp"

#include <regex>

namespace ein::apps::tool {
namespace {

constexpr std::size_t longest_line = 1024;  // of what is looked at; no launcher's message is longer

/// "1" of "[[4711,1],1]".
std::string rank_of(std::string const& process) {
    auto const comma = process.rfind(',');
    auto const end = process.rfind(']');
    return comma == std::string::npos || end == std::string::npos || end < comma
               ? process
               : process.substr(comma + 1, end - comma - 1);
}

}  // namespace

void LauncherLog::append(std::string_view text) {
    for (char const letter : text) {
        if (letter == '\n') {
            line(rest_);
            rest_.clear();
        } else if (rest_.size() < longest_line) {
            rest_ += letter;
        }
    }
}

void LauncherLog::blame(std::string text) {
    if (failure_.empty()) failure_ = std::move(text);
}

void LauncherLog::line(std::string_view text) {
    static std::regex const killed(
        R"(process rank (\d+) with PID \d+ on node (\S+) exited on (signal \d+(?: \([^)]*\))?))");
    static std::regex const named(R"(^\s*Process name:\s*(\S+))"), code(R"(^\s*Exit code:\s*(\d+))");
    static std::regex const aborted(R"(MPI_ABORT was invoked on rank (\d+) .*)");
    static std::regex const daemon(R"(^\s*Remote daemon:.* on node (\S+))");
    static std::regex const task(R"(^srun: error: (\S+): tasks? ([0-9,\-]+): (.+)$)");
    static std::regex const node(R"(^srun: error: .*Node failure on (\S+))");
    std::string const all(text);
    std::smatch found;
    if (all.find("lost communication with a remote daemon") != std::string::npos) lost_ = true;
    if (std::regex_search(all, found, killed))
        blame("rank " + found[1].str() + " on " + found[2].str() + " was ended by " + found[3].str());
    else if (std::regex_search(all, found, named))
        process_ = found[1].str();
    else if (!process_.empty() && std::regex_search(all, found, code))
        blame("rank " + rank_of(process_) + " ended with code " + found[1].str());
    else if (std::regex_search(all, found, aborted))
        blame("rank " + found[1].str() + " ended the job");
    else if (lost_ && std::regex_search(all, found, daemon))
        blame("host " + found[1].str() + " is lost");
    else if (std::regex_search(all, found, task))
        blame("rank " + found[2].str() + " on " + found[1].str() + ": " + found[3].str());
    else if (std::regex_search(all, found, node))
        blame("host " + found[1].str() + " is lost");
}

}  // namespace ein::apps::tool
