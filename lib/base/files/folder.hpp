// Folders that become whole all at once: made under a temporary name, filled, synced, renamed (rename_complete of
// written_file.hpp) and their own folder synced. Functions return 0, or what errno was: the caller says what it means.
// Example: if (int error = make_new_folder("ckpt/.000004.partial-...")) fail(error);
#pragma once

#include <filesystem>

namespace ein {

/// EEXIST where anything has its name, a link too.
[[nodiscard]] int make_new_folder(std::filesystem::path const& folder);

/// Waits until names that were made, changed or removed in a folder are so on the disk. Not every file system knows
/// such waiting; where it is unknown, this is 0.
[[nodiscard]] int sync_folder(std::filesystem::path const& folder);

}  // namespace ein
