// What to do about a file or folder that is to be read and cannot be: the near names that its folder has, the folder
// on the way that is not there, the link that leads nowhere. Whether a file may be read at all is decided in
// input_file. Example: of "grpah.json" beside graph.json: unreadable("grpah.json", ENOENT).text() is
// "grpah.json: expected a file that can be read, found none; did you mean "graph.json"?".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lib/base/error.hpp"

namespace ein {

enum class PathIs { file, folder, either };

/// A path that is there and like this one, which is not: each of its names that is missing becomes a near one. "" where
/// there is none. @param extension  names that end so are taken before others
std::string near_path(std::filesystem::path const& path, PathIs wanted, std::string_view extension = "");

/// What to do about words that are no path, as "~/A.npy", "*.npy" or "file:///A.npy" in a graph; "" for a path.
std::string mend_no_path(std::filesystem::path const& path);

/// What to do about a path that is not there. @param otherwise  where nothing is near and its folder is there
std::string mend_missing(std::filesystem::path const& path, PathIs wanted = PathIs::file,
                         std::string otherwise = "check its name");

/// The fault of a file that open(2) did not open. @param error  errno
Fault unreadable(std::filesystem::path const& path, int error, std::string expected = "a file that can be read");

/// What such a fault says was found: "none", or the system's words.
std::string found_unopened(int error);

}  // namespace ein
