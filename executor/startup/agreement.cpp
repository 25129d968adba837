#include "executor/startup/agreement.hpp"

#include <algorithm>
#include <new>
#include <sstream>

namespace ein::executor {

namespace {

/// A verdict as text: the exit code, a blank, the message.
std::string verdict_of(std::function<void()> const& step) {
    auto text = [](ExitCode code, std::string const& message) {
        return std::to_string(static_cast<int>(code)) + " " + message;
    };
    try {
        step();
        return text(ExitCode::done, "");
    } catch (RunAborted const&) {
        throw;  // nobody is left to agree with
    } catch (Error const& error) {
        return text(error.code(), error.what());
    } catch (std::bad_alloc const&) {
        return text(ExitCode::no_memory, "memory ran out before the run began; use more ranks or smaller blocks");
    } catch (std::exception const& error) {
        return text(ExitCode::failure, error.what());
    }
}

}  // namespace

void agree(Transport& transport, std::function<void()> const& step) {
    ExitCode code = ExitCode::done;
    std::vector<std::string> messages;
    for (std::string const& verdict : transport.all_gather(verdict_of(step))) {
        std::size_t const blank = verdict.find(' ');
        auto const found = static_cast<ExitCode>(std::stoi(verdict.substr(0, blank)));
        if (found == ExitCode::done) continue;
        if (code == ExitCode::done) code = found;
        std::istringstream lines(verdict.substr(blank + 1));  // one fault a line: ranks may share some of theirs
        for (std::string line; std::getline(lines, line);)
            if (std::find(messages.begin(), messages.end(), line) == messages.end()) messages.push_back(line);
    }
    if (code == ExitCode::done) return;
    std::string all;
    if (transport.rank() == Rank{0})
        for (std::string const& message : messages) all += (all.empty() ? "" : "\n") + message;
    throw Disagreement(code, all);
}

void agree_on(Transport& transport, std::string const& mine, ExitCode code,
              std::function<std::string(std::vector<std::string> const& by_rank)> const& message) {
    std::vector<std::string> const all = transport.all_gather(mine);
    if (std::all_of(all.begin(), all.end(), [&](std::string const& each) { return each == all.front(); })) return;
    throw Disagreement(code, transport.rank() == Rank{0} ? message(all) : "");
}

}  // namespace ein::executor
