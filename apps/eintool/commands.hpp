// The commands of eintool. Each adds its own options to the program and says what it does; the chosen one runs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ein::apps::tool {

/// What to run once the command line is read; returns the exit code.
using Action = std::function<int()>;

void add_validate(CLI::App& app, Action& chosen);
void add_show(CLI::App& app, Action& chosen);
void add_eval(CLI::App& app, Action& chosen);
void add_diff(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
void add_trace(CLI::App& app, Action& chosen);
void add_make(CLI::App& app, Action& chosen);
void add_import(CLI::App& app, Action& chosen);
void add_preflight(CLI::App& app, Action& chosen);
void add_run(CLI::App& app, Action& chosen);

}  // namespace ein::apps::tool
