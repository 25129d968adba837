// The option --inputs-below DIR of every program that opens data files (see lib/base/files/input_file.hpp).
#pragma once

#include <CLI/CLI.hpp>

namespace ein::apps {

/// It takes effect where it is parsed. @throws UsageError, when it is parsed, for what is no folder
CLI::Option* add_inputs_below(CLI::App& app);

}  // namespace ein::apps
