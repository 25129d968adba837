// Where results are written beside checkpoints: a checkpoint's own folder is removed once there is a later one, and
// what is written into it may replace what was saved. Example: --out ck/000001 is refused; --out ck --checkpoint ck is
// warned of.
#pragma once

#include <filesystem>
#include <string>

namespace ein::apps {

/// @param checkpoints  the folder of checkpoints; empty without
/// @return a warning, or ""  @throws UsageError for a place in a checkpoint
std::string check_result_folder(std::filesystem::path const& results, std::filesystem::path const& checkpoints);

}  // namespace ein::apps
