#include "executor/checkpoint/folder/new_checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "executor/checkpoint/folder/box_cover.hpp"
#include "executor/checkpoint/folder/element_hash.hpp"
#include "executor/checkpoint/tuning.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/folder.hpp"
#include "lib/base/files/output_place.hpp"
#include "lib/base/files/temporary_name.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

constexpr char const* option = "--checkpoint";
constexpr std::size_t most_open = 64;  // far below the usual limit of 1024 descriptors

void check(int error, fs::path const& path, std::string const& what) {
    if (error == 0) return;
    bool const full = error == ENOSPC || error == EDQUOT;
    throw RunError("cannot write " + path.string() + " (" + what + "): " + std::strerror(error) + "; " +
                   (full ? "free some space" : "check the folder and its permissions") +
                   ", or choose another folder with " + option);
}

}  // namespace

NewCheckpoint::NewCheckpoint(fs::path dir, std::string number, std::string unique)
    : dir_(std::move(dir)), number_(std::move(number)), partial_(temporary_path(dir_ / number_, unique)) {}

void NewCheckpoint::create(std::vector<SavedValue> const& values) {
    make_lasting_folder(dir_, option);
    check(make_new_folder(partial_), partial_, "a folder");
    try {
        for (SavedValue const& value : values) {
            std::vector<Box> boxes;
            for (SavedBox const& saved : value.boxes) boxes.push_back(saved.box);
            tensor::NpyWriter file(partial_ / value.file, value.dtype, value.shape, {option});
            file.make(boxes);
            file.sync();
            file.close();
        }
    } catch (RunError const&) {
        discard();
        throw;
    }
}

tensor::NpyWriter& NewCheckpoint::opened(SavedValue const& value) {
    if (auto const at = open_.find(value.file); at != open_.end()) return at->second;
    if (open_.size() >= most_open) sync();
    tensor::NpyWriter file(partial_ / value.file, value.dtype, value.shape, {option});
    file.open_made();
    return open_.emplace(value.file, std::move(file)).first->second;
}

std::uint64_t NewCheckpoint::write(SavedValue const& value, Box const& box, std::span<std::byte const> bytes) {
    tensor::NpyWriter& file = opened(value);
    auto const size = static_cast<Extent>(size_of(value.dtype));
    ElementHash hash;
    std::size_t done = 0;
    for_each_part(box, std::max<Extent>(1, tuning::begun_syncs / size), [&](Box const& some) {
        for_each_part(some, std::max<Extent>(1, tuning::written_at_once / size), [&](Box const& part) {
            auto const elements = bytes.subspan(done, static_cast<std::size_t>(part.elements() * size));
            file.write(part, elements);
            hash.add(elements);
            done += elements.size();
        });
        file.begin_sync(some);
    });
    return hash.value();
}

void NewCheckpoint::sync() {
    auto files = std::exchange(open_, {});
    for (auto& [name, file] : files) {
        file.sync();
        file.close();
    }
}

void NewCheckpoint::write_text(std::string const& name, std::string const& text) const {
    fs::path const path = partial_ / name;
    std::string const what = std::to_string(text.size()) + " bytes";
    WrittenFile file;
    check(file.make(path), path, what);
    check(file.append(std::as_bytes(std::span(text))), path, what);
    check(file.sync(), path, what);
    check(file.close(), path, what);
}

void NewCheckpoint::commit(Manifest const& manifest, std::string const& rest) {
    sync();
    Manifest complete = manifest;
    complete.rest.reset();
    if (!rest.empty()) {
        write_text("rest.json", rest);
        complete.rest = {rest.size(), hash_of(std::as_bytes(std::span(rest)))};
    }
    write_text("manifest.json", to_text(complete));
    check(sync_folder(partial_), partial_, "its files");
    check(rename_complete(partial_, final_path()), final_path(), "its final name");
    committed_ = true;
    check(sync_folder(dir_), dir_, "the name of a checkpoint");
}

void NewCheckpoint::discard() noexcept {
    open_.clear();
    std::error_code ignored;
    try {
        if (!committed_) fs::remove_all(partial_, ignored);
    } catch (std::exception const&) {  // no memory: the next run sweeps it
    }
}

}  // namespace ein::executor
