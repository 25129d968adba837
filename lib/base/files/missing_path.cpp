#include "lib/base/files/missing_path.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <vector>

#include "lib/base/text/near_names.hpp"

namespace ein {
namespace {

namespace fs = std::filesystem;

/// Names in a folder, in order; of a large folder no more than are looked through at once. Hidden ones and ours that
/// are not complete yet begin with a dot: nobody means them.
std::vector<std::string> names_in(fs::path const& folder, PathIs wanted) {
    constexpr std::size_t most = 20'000;
    std::vector<std::string> names;
    std::error_code error, unknown;
    fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, error);
    for (fs::directory_iterator const end; !error && at != end && names.size() < most; at.increment(error)) {
        std::string name = at->path().filename().string();
        bool const folder_of_this_name = at->is_directory(unknown);
        bool const fits = wanted == PathIs::either || folder_of_this_name == (wanted == PathIs::folder);
        if (!name.starts_with('.') && fits) names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    return names;
}

/// Extensions apart, so that B.npy is not near A.npy, and graph is near graph.json.
std::string nearest_file(std::string const& name, std::vector<std::string> const& there) {
    std::string const stem = fs::path(name).stem().string();
    std::vector<std::string> near, same;
    for (std::string const& other : there) {
        std::vector<std::string> const its{fs::path(other).stem().string()};
        if (nearest_name(stem, its).empty()) continue;
        near.push_back(other);
        if (its.front() == stem) same.push_back(other);
    }
    std::string const found = nearest_name(name, near);
    return !found.empty() ? found : same.empty() ? "" : same.front();
}

std::string nearest_in(fs::path const& folder, std::string const& name, PathIs wanted, std::string_view extension) {
    std::vector<std::string> const there = names_in(folder, wanted);
    if (wanted == PathIs::folder) return nearest_name(name, there);
    std::vector<std::string> first;
    std::ranges::copy_if(there, std::back_inserter(first),
                         [&](std::string const& other) { return other.ends_with(extension); });
    std::string const found = extension.empty() ? "" : nearest_file(name, first);
    return found.empty() ? nearest_file(name, there) : found;
}

bool is_there(fs::path const& path) {
    std::error_code error;
    return fs::exists(path, error);
}

/// The first folder on the way to a path that is not there, or "".
std::string missing_folder(fs::path const& path) {
    fs::path folder;
    for (fs::path const& part : path.parent_path()) {
        folder /= part;
        if (!is_there(folder)) return folder.string();
    }
    return "";
}

}  // namespace

std::string near_path(fs::path const& path, PathIs wanted, std::string_view extension) {
    fs::path found;
    for (auto part = path.begin(); part != path.end(); ++part) {
        bool const last = std::next(part) == path.end();
        bool const there = part->empty() || is_there(found / *part);
        std::string const name =
            there ? part->string() : nearest_in(found, part->string(), last ? wanted : PathIs::folder, extension);
        if (name.empty() && !there) return "";
        found /= name;
    }
    return found.string();
}

namespace {

/// The file of a result whose name was written with its "/" as in the graph: results/fit/w0 is results/fit.w0.npy.
std::string file_of_result(fs::path const& path) {
    std::string name = path.filename().string();
    fs::path folder = path.parent_path();
    while (folder.has_filename()) {
        name = folder.filename().string() + "." + name;
        folder = folder.parent_path();
        for (char const* const ending : {"", ".npy", ".npz"})
            if (fs::path const file = folder / (name + ending); is_there(file)) return file.string();
    }
    return "";
}

/// Whether it is what stands before :// of an address, as file: or s3:, of more than a drive's letter.
bool is_scheme(std::string const& part) {
    return part.size() > 2 && part.ends_with(':') &&
           std::all_of(part.begin(), part.end() - 1, [](unsigned char c) { return std::isalnum(c) != 0; });
}

}  // namespace

std::string mend_no_path(std::filesystem::path const& path) {
    fs::path until;
    for (auto part = path.begin(); part != path.end(); ++part) {
        std::string const word = part->string();
        until /= *part;
        if (is_there(until)) continue;
        if (word.starts_with('~') || word.starts_with('$'))
            return word + " is what a shell replaces, and stands in quotes or in a file here: write the whole path";
        if (word.find_first_of("*?") != std::string::npos)
            return "name one file: " + word + " is what a shell replaces, and stands in quotes or in a file here";
        if (!is_scheme(word)) continue;
        fs::path rest("/");
        for (auto next = std::next(part); next != path.end(); ++next) rest /= *next;
        if (word == "file:") return "write the path alone: " + rest.string();
        return "download it: only files are read";
    }
    return "";
}

std::string mend_missing(fs::path const& path, PathIs wanted, std::string otherwise) {
    if (std::string mend = mend_no_path(path); !mend.empty()) return mend;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error)))
        return "it is a link to " + fs::read_symlink(path, error).string() + ", which is not there";
    if (std::string const file = wanted == PathIs::folder ? "" : file_of_result(path); !file.empty())
        return did_you_mean(file) + " \"/\" in the name of a result is \".\" in that of its file";
    if (std::string const near = near_path(path, wanted); !near.empty()) return did_you_mean(near);
    if (std::string const folder = missing_folder(path); !folder.empty())
        return "there is no folder " + folder + ": check the path";
    return otherwise;
}

std::string found_unopened(int error) { return error == ENOENT ? "none" : std::strerror(error); }

Fault unreadable(fs::path const& path, int error, std::string expected) {
    return {path.string(), "", std::move(expected), found_unopened(error),
            error == ENOENT ? mend_missing(path) : "check the path and its permissions"};
}

}  // namespace ein
