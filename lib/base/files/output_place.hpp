// Where files are to be written: whether their folder is there or can be made, found before anything is tried, because
// the names of temporary files beside them mean nothing to the user. Example: require_folder_of("/nonexist/x.sched")
// throws "... expected the folder /nonexist, found none; make it, ...".
#pragma once

#include <filesystem>
#include <string>

namespace ein {

/// @throws RunError unless the folder that `path` lies in exists
void require_folder_of(std::filesystem::path const& path);
/// Makes a folder, and those that it lies in, where there is none. @param option  that names it  @throws RunError when
/// it cannot be made
void make_folder(std::filesystem::path const& folder, std::string const& option);

/// The same; the folders that it made are there whatever happens to the system then.
void make_lasting_folder(std::filesystem::path const& folder, std::string const& option);

}  // namespace ein
