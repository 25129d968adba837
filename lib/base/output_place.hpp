// Where a file is to be written: whether its folder is there, told before anything is tried, because the names of
// temporary files beside it mean nothing to the user.
// Example: require_folder_of("/nonexist/x.sched") throws "... expected the folder /nonexist, found none; make it, ...".
#pragma once

#include <filesystem>

namespace ein {

/// @throws RunError unless the folder that `path` lies in exists
void require_folder_of(std::filesystem::path const& path);

}  // namespace ein
