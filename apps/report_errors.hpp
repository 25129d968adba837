// The one place that turns an error into a message and an exit code; each main ends here.
#pragma once

#include <functional>
#include <string>

namespace ein::apps {

/// Runs `body`; an exception becomes a message on stderr and its exit code: "program: message", or for bad input one
/// line a fault that begins with the file's name.
int report_errors(char const* program, std::function<int()> const& body);

/// "program: line" on stderr for each line of a message, in one piece.
void say(char const* program, std::string const& message);

}  // namespace ein::apps
