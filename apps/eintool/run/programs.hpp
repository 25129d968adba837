// Programs and files that "eintool run" looks for, and questions that it asks by running something.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/eintool/run/processes.hpp"
#include "apps/eintool/run/words.hpp"

namespace ein::apps::tool {

/// The one that lies beside eintool; else its name, for PATH.
std::string program_beside(std::string const& name);
bool on_path(std::string const& program);

/// Which of the commands end with code 0 within 30 s; they run at the same time, and say nothing.
std::vector<bool> all_succeed(Keeper const& keeper, std::vector<Words> const& commands,
                              std::function<void(int)> const& on_signal);

}  // namespace ein::apps::tool
