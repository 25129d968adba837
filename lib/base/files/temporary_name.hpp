// Names for files that are being written: nobody can guess them, and they say for which file and by which process
// ("node7-1a2b3c4d-4711-90f8e7d6c5b4a392": host, boot, process, random digits), so that what a killed process left is
// recognised (run_lock.hpp). Example: temporary_path("results/Z.npy", unique_name()) is
// "results/.Z.npy.partial-node7-1a2b3c4d-4711-90f8e7d6c5b4a392".
#pragma once

#include <filesystem>
#include <string>

namespace ein {

/// Eight digits that are another after each boot and on each machine; "" where the system does not tell.
std::string this_boot();

/// A name unlike any other, of this process.
std::string unique_name();
/// The part of such a name that is its boot; "" for a name of another form.
std::string boot_of(std::string const& unique);

/// How the names of all temporary files for `path` begin, without the folder: ".Z.npy.partial-". Long names are cut, so
/// that file systems take what follows.
std::string temporary_beginning(std::filesystem::path const& path);
/// In the folder of `path`, where it can be renamed to it.
std::filesystem::path temporary_path(std::filesystem::path const& path, std::string const& unique);

}  // namespace ein
