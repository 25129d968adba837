#include "executor/checkpoint/folder/checkpoint_folder.hpp"

#include "executor/checkpoint/folder/box_cover.hpp"
#include "executor/checkpoint/folder/checkpoint_fault.hpp"
#include "executor/checkpoint/folder/element_hash.hpp"
#include "executor/checkpoint/folder/list_file.hpp"
#include "executor/checkpoint/folder/value_file.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

void require_folder(fs::path const& path) {
    std::error_code error;
    fs::file_status const status = fs::symlink_status(path, error);
    if (fs::is_directory(status)) return;
    throw InputError(Fault{path.string(), "", "the folder of a checkpoint",
                           fs::is_symlink(status) ? "a link"
                           : fs::exists(status)   ? "something else"
                                                  : "none",
                           ""});
}

/// A checkpoint whose files are leaves of the schedule of this one.
void require_base(fs::path const& path, std::string const& base) {
    fs::path const folder = path.parent_path() / base;
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(folder, error))) return;
    throw InputError(
        Fault{folder.string(), "", "the checkpoint whose files " + path.string() + " goes on with", "none", ""});
}

void require_files(FoundCheckpoint const& found) {
    std::vector<Fault> faults;
    for (SavedValue const& value : found.manifest.values)
        collect(faults, [&] { check_file(found.path / value.file, file_bytes(value)); });
    for (SavedCopy const& copy : found.manifest.copies)
        collect(faults, [&] { check_file(found.path / copy.file, copy.bytes); });
    if (found.manifest.rest) collect(faults, [&] { check_file(found.path / "rest.json", found.manifest.rest->bytes); });
    if (!faults.empty()) throw InputError(std::move(faults));
}

enum class Storage { dense, sparse };

/// Refuses what is not there, or is stored otherwise.
void require_boxes(FoundCheckpoint const& found, SavedValue const& value, Box const& box, Storage storage) {
    promise(box.order() == value.shape.size() && Box::whole(value.shape).contains(box), "a box inside its value");
    std::string const file = (found.path / value.file).string(), what = "value '" + value.name + "'";
    if (value.is_sparse() != (storage == Storage::sparse))
        throw InputError(Fault{file, what, storage == Storage::sparse ? "a sparse one" : "a dense one",
                               value.is_sparse() ? "a sparse one" : "a dense one", ""});
    if (!is_covered(box, value.boxes)) throw InputError(Fault{file, what, to_string(box), "only a part", ""});
}

}  // namespace

FoundCheckpoint open_checkpoint(fs::path const& dir, std::string const& number) {
    fs::path const path = dir / number;
    return within(path, [&] {
        require_folder(path);
        fs::path const file = path / "manifest.json";
        FoundCheckpoint found{number, path, manifest_from(text_of_file(file), file.string())};
        require_files(found);
        return found;
    });
}

void require_bases(FoundCheckpoint const& found) {
    within(found.path, [&] {
        std::vector<Fault> faults;
        for (std::string const& base : found.manifest.bases) collect(faults, [&] { require_base(found.path, base); });
        if (!faults.empty()) throw InputError(std::move(faults));
    });
}

std::optional<FoundCheckpoint> newest_checkpoint(fs::path const& dir) {
    std::vector<std::string> const numbers = checkpoint_numbers(dir);
    if (numbers.empty()) return std::nullopt;
    FoundCheckpoint found = open_checkpoint(dir, numbers.back());
    require_bases(found);
    return found;
}

std::string read_rest(FoundCheckpoint const& found) {
    if (!found.manifest.rest) return "";
    return within(found.path, [&] {
        fs::path const file = found.path / "rest.json";
        std::string text = text_of_file(file);
        SavedRest const& rest = *found.manifest.rest;
        if (text.size() != rest.bytes || hash_of(std::as_bytes(std::span(text))) != rest.hash)
            throw InputError(Fault{file.string(), "", "the text that was written", "another", ""});
        return text;
    });
}

void load_box(FoundCheckpoint const& found, SavedValue const& value, Box const& box, std::span<std::byte> into) {
    within(found.path, [&] {
        require_boxes(found, value, box, Storage::dense);
        if (!box.empty()) ValueFile(found.path, value).read(box, into);
    });
}

void load_list(FoundCheckpoint const& found, SavedValue const& value, Box const& box,
               tensor::SparseLayout const& layout, std::span<std::byte> into) {
    within(found.path, [&] {
        require_boxes(found, value, box, Storage::sparse);
        ListFile(found.path, value).read(box, layout, into);
    });
}

}  // namespace ein::executor
