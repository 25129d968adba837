// How ranks leave what they do together: with which code, and what each would report.
// Example: leave(2, [](Transport& t) { agree(t, [] { throw UsageError("no"); }); }) is {{usage, "no"}, {usage, ""}}.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "executor/startup/agreement.hpp"
#include "tests/support/rank_threads.hpp"

namespace ein::test {

struct Left {
    ExitCode code = ExitCode::done;
    std::string message;
    friend bool operator==(Left const&, Left const&) = default;
};

inline std::vector<Left> leave(int ranks, std::function<void(executor::Transport&)> const& body) {
    return on_ranks(ranks, {}, [&](executor::Transport& transport) -> Left {
        try {
            body(transport);
            return {};
        } catch (executor::Disagreement const& error) {
            return {error.code(), error.what()};
        }
    });
}

/// Environment variables of a test, and no others.
inline executor::Environment with(std::map<std::string, std::string> variables) {
    return [variables = std::move(variables)](char const* name) -> char const* {
        auto const found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
}

}  // namespace ein::test
