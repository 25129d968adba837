#include "lib/base/files/output_place.hpp"

#include <cstring>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/files/folder.hpp"

namespace ein {

void require_folder_of(std::filesystem::path const& path) {
    std::filesystem::path const folder = path.parent_path();
    std::error_code error;
    if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
    bool const there = std::filesystem::exists(folder, error);
    throw RunError(path.string() + ": expected the folder " + folder.string() + " to write it in, found " +
                   (there ? "something else of that name" : "none") +
                   (there ? "; choose another place" : "; make it, or choose another place"));
}

void make_folder(std::filesystem::path const& folder, std::string const& option) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        throw RunError(option + " " + folder.string() +
                       ": expected a folder that can be made, found: " + error.message() + "; choose another");
}

void make_lasting_folder(std::filesystem::path const& folder, std::string const& option) {
    std::vector<std::filesystem::path> outer;  // of those that are to be made
    std::error_code error;
    for (std::filesystem::path at = std::filesystem::absolute(folder);
         !std::filesystem::exists(at, error) && at.has_relative_path(); at = at.parent_path())
        outer.push_back(at.parent_path());
    make_folder(folder, option);
    for (std::filesystem::path const& path : outer)
        if (int const failed = sync_folder(path))
            throw RunError(option + " " + folder.string() + ": expected to sync " + path.string() +
                           ", found: " + std::strerror(failed) + "; choose another");
}

}  // namespace ein
