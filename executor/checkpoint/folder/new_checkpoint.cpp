#include "executor/checkpoint/folder/new_checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "executor/checkpoint/folder/box_cover.hpp"
#include "executor/checkpoint/folder/element_hash.hpp"
#include "executor/checkpoint/folder/list_file.hpp"
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

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

void sync_and_close(WrittenFile& file, fs::path const& path) {
    check(file.sync(), path, "what was written");
    check(file.close(), path, "what was written");
}

/// What a box selects of a block that holds it.
tensor::SparseSelection inside(Box const& block, Box region) {
    promise(block.contains(region), "a block holds the box that is saved of it");
    return tensor::SparseSelection::of(std::move(region));
}

}  // namespace

NewCheckpoint::NewCheckpoint(fs::path dir, std::string number, std::string unique)
    : dir_(std::move(dir)), number_(std::move(number)), partial_(temporary_path(dir_ / number_, unique)) {}

void NewCheckpoint::create(std::vector<SavedValue> const& values, std::vector<SavedCopy> const& copies) {
    make_lasting_folder(dir_, option);
    check(make_new_folder(partial_), partial_, "a folder");
    try {
        for (SavedValue const& value : values) {
            if (value.is_sparse()) {
                tensor::SparseWriter file(partial_ / value.file, list_of(value), option);
                file.make();
                made_.insert(value.file);
                file.close();
                continue;
            }
            std::vector<Box> boxes;
            for (SavedBox const& saved : value.boxes) boxes.push_back(saved.box);
            tensor::NpyWriter file(partial_ / value.file, value.dtype, value.shape, {option});
            file.make(boxes);
            made_.insert(value.file);
            file.close();
        }
        for (SavedCopy const& copy : copies) {
            fs::path const path = partial_ / copy.file;
            WrittenFile file;
            check(file.make(path), path, bytes_text(copy.bytes));
            made_.insert(copy.file);
            check(file.reserve(copy.bytes), path, bytes_text(copy.bytes));
            check(file.close(), path, bytes_text(copy.bytes));
        }
    } catch (RunError const&) {
        discard();
        throw;
    }
}

void NewCheckpoint::keep_few_open() {
    if (open_.size() + open_lists_.size() + open_copies_.size() >= most_open) sync_open();
}

tensor::NpyWriter& NewCheckpoint::opened(SavedValue const& value) {
    if (auto const at = open_.find(value.file); at != open_.end()) return at->second;
    keep_few_open();
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

tensor::SparseWriter& NewCheckpoint::opened_list(SavedValue const& value) {
    if (auto const at = open_lists_.find(value.file); at != open_lists_.end()) return at->second;
    keep_few_open();
    tensor::SparseWriter file(partial_ / value.file, list_of(value), option);
    file.open_made();
    return open_lists_.emplace(value.file, std::move(file)).first->second;
}

NewCheckpoint::WrittenList NewCheckpoint::write_list(SavedValue const& value, std::size_t box,
                                                     tensor::SparseBlockView const& block) {
    Box const& region = value.boxes[box].box;
    std::vector<std::byte> cut;
    tensor::SparseBlockView part = block;
    if (block.box != region) {
        tensor::SparseLayout const layout{block.layout.axes, false};
        cut = tensor::select(block, inside(block.box, region), layout);
        part = {cut, block.dtype, region, layout};
    }
    Extent const listed = tensor::listed_in(part.bytes), first = first_of(value, box);
    promise(listed == value.boxes[box].listed, "a box lists what was counted");
    tensor::SparseArchive const archive(list_of(value));
    tensor::SparseWriter& file = opened_list(value);
    ListHash hash(region);
    WrittenList out;
    for (Extent done = 0; done < listed; done += tuning::elements_at_once) {
        Extent const count = std::min<Extent>(tuning::elements_at_once, listed - done);
        std::vector<std::vector<std::byte>> const columns =
            archive.columns_of(tensor::elements_of(part.bytes, part.dtype, part.box, part.layout, done, count));
        tensor::SparseSums const sums = file.write_list(first + done, columns);
        for (std::size_t k = 0; k < sums.size(); ++k) out.sums[k] ^= sums[k];
        hash.add(columns);
    }
    file.begin_sync(first, listed);
    out.hash = hash.value();
    return out;
}

WrittenFile& NewCheckpoint::opened_copy(SavedCopy const& copy) {
    if (auto const at = open_copies_.find(copy.file); at != open_copies_.end()) return at->second;
    keep_few_open();
    WrittenFile file;
    check(file.open_made(partial_ / copy.file), partial_ / copy.file, bytes_text(copy.bytes));
    return open_copies_.emplace(copy.file, std::move(file)).first->second;
}

std::uint64_t NewCheckpoint::copy(SavedCopy const& to, std::size_t piece, tensor::Storage const& from) {
    WrittenFile& file = opened_copy(to);
    std::uint64_t const begin = piece * copied_piece, size = piece_bytes(to, piece);
    ElementHash hash;
    std::vector<std::byte> bytes;
    std::uint64_t begun = 0;  // of this piece, what the disk was told to begin with
    for (std::uint64_t done = 0; done < size;) {
        bytes.resize(std::min<std::uint64_t>(tuning::written_at_once, size - done));
        from.read_at(begin + done, bytes);
        check(file.write_at(begin + done, bytes), partial_ / to.file, bytes_text(to.bytes));
        hash.add(bytes);
        done += bytes.size();
        if (done - begun < tuning::begun_syncs && done < size) continue;
        file.begin_sync(begin + begun, done - begun);
        begun = done;
    }
    return hash.value();
}

std::uint64_t NewCheckpoint::finish_list(SavedValue const& value, tensor::SparseSums const& sums) {
    tensor::SparseWriter& file = opened_list(value);
    file.finish(sums);
    try {
        return ListFile(partial_, value).frame();
    } catch (InputError const& error) {  // it is our own: to read it is a part of writing it
        throw RunError("cannot read what was written: " + std::string(error.what()));
    }
}

void NewCheckpoint::sync_open() {
    auto const close = [this](auto files) {
        for (auto& [name, file] : files) {
            file.sync();
            file.close();
            made_.erase(name);
        }
    };
    close(std::exchange(open_, {}));
    close(std::exchange(open_lists_, {}));
    for (auto& [name, file] : std::exchange(open_copies_, {})) {
        sync_and_close(file, partial_ / name);
        made_.erase(name);
    }
}

/// What this process has made is synced with what it wrote there, once.
void NewCheckpoint::sync() {
    sync_open();
    for (std::string const& name : std::exchange(made_, {})) {
        WrittenFile file;
        check(file.open_made(partial_ / name), partial_ / name, "its header");
        sync_and_close(file, partial_ / name);
    }
}

/// All are written before the disk is waited for: what the first one waits for is then most of it.
void NewCheckpoint::write_texts(std::map<std::string, std::string> const& texts) const {
    std::vector<WrittenFile> files(texts.size());
    auto file = files.begin();
    for (auto const& [name, text] : texts) {
        fs::path const path = partial_ / name;
        check(file->make(path), path, bytes_text(text.size()));
        check(file->append(std::as_bytes(std::span(text))), path, bytes_text(text.size()));
        (file++)->begin_sync(0, text.size());
    }
    file = files.begin();
    for (auto const& [name, text] : texts) sync_and_close(*file++, partial_ / name);
}

void NewCheckpoint::commit(Manifest const& manifest, std::string const& rest) {
    sync();
    Manifest complete = manifest;
    complete.rest.reset();
    std::map<std::string, std::string> texts;
    if (!rest.empty()) {
        texts["rest.json"] = rest;
        complete.rest = {rest.size(), hash_of(std::as_bytes(std::span(rest)))};
    }
    texts["manifest.json"] = to_text(complete);
    write_texts(texts);
    check(sync_folder(partial_), partial_, "its files");
    check(rename_complete(partial_, final_path()), final_path(), "its final name");
    committed_ = true;
    check(sync_folder(dir_), dir_, "the name of a checkpoint");
}

void NewCheckpoint::discard() noexcept {
    open_.clear();
    open_lists_.clear();
    open_copies_.clear();
    made_.clear();
    std::error_code ignored;
    try {
        if (!committed_) fs::remove_all(partial_, ignored);
    } catch (std::exception const&) {  // no memory: the next run sweeps it
    }
}

}  // namespace ein::executor
