// Values to save in a checkpoint, saving them as two ranks do, and comparing what is read back.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "executor/checkpoint/folder/checkpoint_folder.hpp"
#include "executor/checkpoint/folder/folder_lock.hpp"
#include "executor/checkpoint/folder/new_checkpoint.hpp"
#include "executor/checkpoint/folder/value_file.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"

namespace ein::test {

struct LiveValue {
    std::string name;
    tensor::HostTensor whole;
    std::vector<Box> boxes;
    bool sparse = false;  // it lists some of its elements (is_listed), whatever they are; boxes are disjoint
};

inline constexpr Extent every = 3;  // element is listed, zeros too

/// What a sparse value lists in a box, in a layout that results have.
inline std::vector<std::byte> block_of(LiveValue const& value, Box const& box, tensor::SparseLayout const& layout) {
    tensor::ListedElements listed;
    listed.coords.resize(box.order());
    std::vector<Extent> const strides = row_major_strides(value.whole.shape());
    std::size_t const size = size_of(value.whole.dtype());
    for_each_index(value.whole.shape(), [&](std::vector<Extent> const& index) {
        Extent linear = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) linear += index[axis] * strides[axis];
        if (linear % every != 0) return;
        for (std::size_t axis = 0; axis < index.size(); ++axis) listed.coords[axis].push_back(index[axis]);
        auto const element =
            value.whole.bytes().begin() + static_cast<std::ptrdiff_t>(linear * static_cast<Extent>(size));
        listed.values.insert(listed.values.end(), element, element + static_cast<std::ptrdiff_t>(size));
    });
    std::vector<std::byte> out(static_cast<std::size_t>(
        tensor::sparse_bytes(layout, box.length, value.whole.dtype(), listed.count(value.whole.dtype()))));
    Extent const inside = tensor::write_sparse_block(listed, value.whole.dtype(), box, layout, out);
    out.resize(static_cast<std::size_t>(tensor::sparse_bytes(layout, box.length, value.whole.dtype(), inside)));
    return out;
}

/// A value saved whole, one in boxes that overlap and leave some out, one of an element, one without any; sparse ones
/// in boxes that leave some out, whole, and without any element.
inline std::vector<LiveValue> live_values(unsigned seed) {
    using samples::sample;
    return {{"grad/W", sample(DType::f32, {6, 5}, seed), {Box::whole({6, 5})}},
            {"h", sample(DType::bf16, {4, 3, 4}, seed + 1), {{{0, 0, 0}, {2, 3, 3}}, {{1, 0, 1}, {3, 2, 3}}}},
            {"loss", sample(DType::c128, {}, seed + 2), {Box::whole({})}},
            {"none", sample(DType::i16, {0, 3}, seed + 3), {Box::whole({0, 3})}},
            {"S", sample(DType::f64, {7, 6}, seed + 4), {{{0, 0}, {3, 2}}, {{0, 2}, {7, 4}}, {{5, 0}, {2, 1}}}, true},
            {"T", sample(DType::bf16, {3, 4, 2}, seed + 5), {Box::whole({3, 4, 2})}, true},
            {"empty", sample(DType::i32, {4, 0}, seed + 6), {Box::whole({4, 0})}, true}};
}

/// The same with fewer sparse ones, for tests that try every system call.
inline std::vector<LiveValue> few_values(unsigned seed) {
    std::vector<LiveValue> out = live_values(seed);
    out.resize(5);
    out.back().boxes.resize(2);
    return out;
}

inline std::vector<executor::SavedValue> described(std::vector<LiveValue> const& values) {
    std::vector<std::string> names;
    for (LiveValue const& value : values) names.push_back(value.name);
    std::vector<std::string> const files = executor::file_names(names);
    std::vector<executor::SavedValue> out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        out.push_back({values[i].name, files[i], values[i].whole.dtype(), values[i].whole.shape(), {}});
        for (Box const& box : values[i].boxes) out.back().boxes.push_back({box, 0});
        if (!values[i].sparse) continue;
        out.back().file = executor::sparse_file_name(files[i]);
        out.back().frame = 0;
        out.back().fill.resize(size_of(values[i].whole.dtype()));
        for (executor::SavedBox& saved : out.back().boxes)
            saved.listed = tensor::listed_in(block_of(values[i], saved.box, tensor::in_order(saved.box.order())));
    }
    return out;
}

inline executor::Manifest manifest_of(std::vector<executor::SavedValue> values) {
    executor::Manifest out;
    out.version = "0.1.0";
    out.schedule_hash = "00c0ffee00c0ffee";
    out.graph_hash = "0123456789abcdef";
    out.device = "reference";
    out.ranks = 2;
    out.nodes = 7;
    out.iterations = {3};
    out.begun = {3, 12};
    out.tasks_done = 41;
    out.seconds = 1.5;
    out.time = "2026-01-02T03:04:05Z";
    out.params = {{"eta", 0.05}};
    out.inputs = {{"X", "X.npy", tensor::Fingerprint{216, 77}}, {"R", "random uniform -1 1 7", {}}};
    out.values = std::move(values);
    return out;
}

/// The file that each of these checkpoints has a copy of.
inline tensor::MemoryStorage original_of(std::string const& number) {
    std::vector<std::byte> bytes(300);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + number.back());
    return {"X.npy", std::move(bytes)};
}

/// Writes the values as two ranks: each opens the files itself, and the boxes are theirs in turn.
inline executor::Manifest save(std::filesystem::path const& dir, std::string const& number,
                               std::vector<LiveValue> const& values, std::string const& rest = "{\"nodes\": []}\n") {
    std::string const unique = unique_name();
    executor::NewCheckpoint first(dir, number, unique), second(dir, number, unique);
    std::vector<executor::SavedValue> saved = described(values);
    try {
        tensor::MemoryStorage const original = original_of(number);
        executor::SavedCopy copy{"X.npy", original.size(), {}};
        first.create(saved, {copy});
        copy.hashes.push_back(second.copy(copy, 0, original));
        std::size_t turn = 0;
        std::vector<tensor::SparseSums> sums(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            for (std::size_t b = 0; b < saved[i].boxes.size(); ++b) {
                executor::SavedBox& box = saved[i].boxes[b];
                executor::NewCheckpoint& writer = turn++ % 2 == 0 ? first : second;
                if (!values[i].sparse) {
                    box.hash = writer.write(saved[i], box.box, samples::take(values[i].whole, box.box));
                    continue;
                }
                Box const held = turn % 2 == 0 ? box.box : Box::whole(saved[i].shape);
                tensor::SparseLayout const layout = tensor::in_order(held.order());
                std::vector<std::byte> const block = block_of(values[i], held, layout);
                auto const written = writer.write_list(saved[i], b, {block, saved[i].dtype, held, layout});
                box.hash = written.hash;
                for (std::size_t k = 0; k < written.sums.size(); ++k) sums[i][k] ^= written.sums[k];
            }
        second.sync();
        first.sync();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i].sparse) saved[i].frame = first.finish_list(saved[i], sums[i]);
        executor::Manifest manifest = manifest_of(saved);
        manifest.copies = {copy};
        first.commit(manifest, rest);
        return manifest;
    } catch (RunError const&) {
        first.discard();
        throw;
    }
}

/// What a run does: takes the folder, sweeps it, saves and removes what is older. @return the number
inline std::string save_as_runs_do(std::filesystem::path const& dir, std::vector<LiveValue> const& values) {
    executor::FolderLock const lock(dir);
    executor::sweep_partial(dir);
    std::string number = executor::next_number(dir);
    save(dir, number, values);
    executor::remove_older(dir, number, {});
    return number;
}

/// The first value whose saved boxes, or a box inside one, are read otherwise than they were, or "".
inline std::string wrong_value(executor::FoundCheckpoint const& found, std::vector<LiveValue> const& values,
                               unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<executor::SavedValue> const& saved = found.manifest.values;
    for (LiveValue const& value : values) {
        auto const at = std::find_if(saved.begin(), saved.end(), [&](auto const& s) { return s.name == value.name; });
        if (at == saved.end()) return value.name + " is not there";
        for (Box const& box : value.boxes) {
            Box part = samples::random_box(box.length, random);
            for (std::size_t axis = 0; axis < part.order(); ++axis) part.begin[axis] += box.begin[axis];
            for (Box const& read : {box, part}) {
                if (value.sparse) {
                    tensor::SparseLayout layout{std::vector<int>(read.order()), (seed % 2) == 0};
                    for (std::size_t axis = 0; axis < read.order(); ++axis)
                        layout.axes[axis] = static_cast<int>((axis + seed) % read.order());
                    std::vector<std::byte> const expected = block_of(value, read, layout);
                    std::vector<std::byte> block(expected.size());
                    executor::load_list(found, *at, read, layout, block);
                    if (block != expected) return value.name + " " + to_string(read);
                    continue;
                }
                std::vector<std::byte> out(static_cast<std::size_t>(read.elements()) * size_of(value.whole.dtype()));
                executor::load_box(found, *at, read, out);
                if (out != samples::take(value.whole, read)) return value.name + " " + to_string(read);
            }
        }
    }
    return "";
}

/// Whether its copy is the original.
inline bool has_copy(executor::FoundCheckpoint const& found) {
    if (found.manifest.copies.size() != 1) return false;
    executor::SavedCopy const& copy = found.manifest.copies[0];
    std::uint64_t const hash = executor::hash_of_piece(original_of(found.number), copy, 0);
    return executor::hash_of_piece(tensor::HeldFile(found.path / copy.file), copy, 0) == hash;
}

inline void verify_all(executor::FoundCheckpoint const& found, int parts = 3) {
    for (int part = 0; part < parts; ++part) executor::verify_files(found, part, parts);
}

inline std::set<std::string> names_in(std::filesystem::path const& dir) {
    std::set<std::string> out;
    for (auto const& entry : std::filesystem::directory_iterator(dir)) out.insert(entry.path().filename().string());
    return out;
}

}  // namespace ein::test
