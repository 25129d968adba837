// Files to remove when a signal ends the process: SIGTERM, SIGINT, SIGHUP and SIGUSR1 then do what they would have
// done. One set at a time.
#pragma once

#include <filesystem>
#include <vector>

namespace ein::executor {

void remember_unfinished(std::vector<std::filesystem::path> const& paths);
void forget_unfinished();

}  // namespace ein::executor
