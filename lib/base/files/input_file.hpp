// Data files that a graph, a schedule or --input names are opened in one place, so that --inputs-below holds for all of
// them: with it no file outside a folder is opened, wherever links and ".." lead. Files that the user names to a
// program as such (the graph, the schedule) are not data files. Example: keep_inputs_below("data");
// open_input("data/../secret.npy") throws "... expected a data file below /home/me/data (--inputs-below), found
// /home/me/secret.npy; ...".
#pragma once

#include <filesystem>
#include <string>

#include "lib/base/error.hpp"

namespace ein {

/// From now on, for this process; called before any file is read. An empty path sets nothing.
/// @throws UsageError unless it is a folder
void keep_inputs_below(std::filesystem::path const& folder);

/// Data files in this folder may be opened too: copies of files that might be, such as a checkpoint keeps.
/// @throws UsageError unless it is a folder
void keep_inputs_in_too(std::filesystem::path const& folder);

/// Opens a data file for reading, without waiting for a pipe's other end.
/// @return a descriptor, or -1 with errno  @throws InputError for a file outside the folder, which is not opened
int open_input(std::filesystem::path const& path);

/// The fault of a data file that open_input did not open; names that are near are shown of folders alone in which data
/// files may be. @param error  errno
Fault unreadable_input(std::filesystem::path const& path, int error);

/// Whether a file is there that open_input would open.
bool may_be_input(std::filesystem::path const& path);

/// Opens a file of a folder that this program keeps, such as a checkpoint: never through a link, so that it lies there.
/// @return a descriptor, or -1 with errno (ELOOP for a link)
int open_kept(std::filesystem::path const& path);

/// Reads a whole data file as text, such as the index of a folder. (read_text_file of lib/base/json.hpp reads files
/// that the user names.) @throws InputError when it cannot be read or is larger than Limit::text
std::string read_input_text(std::filesystem::path const& path);

}  // namespace ein
