// Names in a folder of checkpoints, and what of it is removed.
#include <algorithm>
#include <cerrno>

#include "executor/checkpoint/folder/checkpoint_fault.hpp"
#include "executor/checkpoint/folder/checkpoint_folder.hpp"
#include "executor/checkpoint/folder/checkpoint_number.hpp"
#include "executor/checkpoint/folder/folder_lock.hpp"
#include "lib/base/files/missing_path.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "lib/base/files/written_file.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view removed = ".removed-", partial = ".partial-";

/// "name7-..." of ".000004.partial-name7-...", "" of another name.
std::string unique_behind(std::string const& name, std::string_view mark) {
    bool const ours = name.size() > 7 + mark.size() && name.front() == '.' && is_checkpoint_number(name.substr(1, 6)) &&
                      name.compare(7, mark.size(), mark) == 0;
    return ours ? name.substr(7 + mark.size()) : "";
}

std::vector<std::string> names_in(fs::path const& dir, std::error_code& error) {
    std::vector<std::string> names;
    for (fs::directory_iterator entry(dir, error), end; !error && entry != end; entry.increment(error))
        names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// No error where there is no such folder: then there are none.
std::vector<std::string> numbers_in(fs::path const& dir, std::error_code& error) {
    std::vector<std::string> names = names_in(dir, error);
    if (error == std::errc::no_such_file_or_directory) error.clear();
    std::erase_if(names, [](std::string const& name) { return !is_checkpoint_number(name); });
    return names;
}

/// A folder with a manifest, as we make them: what else has such a name is not ours to remove.
bool is_checkpoint(fs::path const& path) {
    std::error_code error;
    return fs::is_directory(fs::symlink_status(path, error)) && fs::exists(fs::symlink_status(path / "manifest.json"));
}

void remove_checkpoint(fs::path const& dir, std::string const& number) {
    fs::path const nameless = dir / ("." + number + std::string(removed) + unique_name());
    std::error_code ignored;
    if (rename_complete(dir / number, nameless) == 0) fs::remove_all(nameless, ignored);
}

}  // namespace

std::string fix_without(fs::path const& checkpoint) {
    std::string before;
    std::error_code ignored;
    for (std::string const& name : names_in(checkpoint.parent_path(), ignored))
        if (is_checkpoint_number(name) && name < checkpoint.filename().string()) before = name;
    return "move " + checkpoint.string() + " out of " + checkpoint.parent_path().string() +
           (before.empty() ? " to go on from the beginning"
                           : " to go on from the one before, " + (checkpoint.parent_path() / before).string());
}

std::vector<std::string> checkpoint_numbers(fs::path const& dir) {
    std::error_code error;
    std::vector<std::string> numbers = numbers_in(dir, error);
    if (error)
        throw InputError(Fault{dir.string(), "", "a folder of checkpoints that can be read",
                               found_unopened(error.value()),
                               error == std::errc::no_such_file_or_directory ? mend_missing(dir, PathIs::folder)
                                                                             : "check the path and its permissions"});
    return numbers;
}

std::string next_number(fs::path const& dir) {
    std::error_code error;
    std::vector<std::string> const numbers = numbers_in(dir, error);
    if (error)
        throw RunError("cannot read the folder " + dir.string() + ": " + error.message() +
                       "; check its permissions, or choose another with --checkpoint");
    int const last = numbers.empty() ? 0 : number_value(numbers.back());
    if (last == last_number)
        throw RunError(dir.string() + ": expected fewer than 999999 checkpoints, found " + numbers.back() +
                       "; choose another folder with --checkpoint");
    return number_text(last + 1);
}

std::string free_number_before(fs::path const& dir, std::string const& number) {
    std::vector<std::string> const taken = checkpoint_numbers(dir);
    for (int before = number_value(number) - 1; before >= 0; --before)
        if (!std::binary_search(taken.begin(), taken.end(), number_text(before))) return number_text(before);
    return "";
}

void remove_older(fs::path const& dir, std::string const& keep, std::set<std::string> const& bases) noexcept {
    try {
        for (std::string const& number : checkpoint_numbers(dir))
            if (number < keep && !bases.contains(number) && is_checkpoint(dir / number)) remove_checkpoint(dir, number);
    } catch (std::exception const&) {  // what stays is swept or removed by the next run
    }
}

void sweep_partial(fs::path const& dir) {
    std::error_code error;
    bool const alone = locks_work(dir);
    for (std::string const& name : names_in(dir, error)) {
        std::string const writer = unique_behind(name, partial);
        bool const dead = !writer.empty() && (alone || boot_of(writer) == this_boot());
        if (dead || !unique_behind(name, removed).empty()) fs::remove_all(dir / name, error);
    }
}

}  // namespace ein::executor
