#include "lib/base/files/output_place.hpp"

#include "lib/base/error.hpp"

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

}  // namespace ein
