// How a rank speaks to people during a run. What goes before a line and where it goes is up to the program.
// Example: messages.warn("4 ranks share 2 cores"); is "einrun: warning: 4 ranks share 2 cores" on stderr.
#pragma once

#include <functional>
#include <string>

#include "executor/transport/transport.hpp"

namespace ein::executor {

struct Messages {
    std::function<void(std::string const&)> report;
    std::function<void(std::string const&)> warn;  // may be left out, as the program's log level says
};

/// Collective. What the first rank says that says something; "" when none does.
std::string first_said(Transport& transport, std::string const& mine);

}  // namespace ein::executor
