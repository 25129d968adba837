// Values to save in a checkpoint, saving them as two ranks do, and comparing what is read back.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "executor/checkpoint/folder/checkpoint_folder.hpp"
#include "executor/checkpoint/folder/folder_lock.hpp"
#include "executor/checkpoint/folder/new_checkpoint.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"

namespace ein::test {

struct LiveValue {
    std::string name;
    tensor::HostTensor whole;
    std::vector<Box> boxes;
};

/// A value saved whole, one in boxes that overlap and leave some out, one of an element, one without any.
inline std::vector<LiveValue> live_values(unsigned seed) {
    using samples::sample;
    return {{"grad/W", sample(DType::f32, {6, 5}, seed), {Box::whole({6, 5})}},
            {"h", sample(DType::bf16, {4, 3, 4}, seed + 1), {{{0, 0, 0}, {2, 3, 3}}, {{1, 0, 1}, {3, 2, 3}}}},
            {"loss", sample(DType::c128, {}, seed + 2), {Box::whole({})}},
            {"none", sample(DType::i16, {0, 3}, seed + 3), {Box::whole({0, 3})}}};
}

inline std::vector<executor::SavedValue> described(std::vector<LiveValue> const& values) {
    std::vector<std::string> names;
    for (LiveValue const& value : values) names.push_back(value.name);
    std::vector<std::string> const files = executor::file_names(names);
    std::vector<executor::SavedValue> out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        out.push_back({values[i].name, files[i], values[i].whole.dtype(), values[i].whole.shape(), {}});
        for (Box const& box : values[i].boxes) out.back().boxes.push_back({box, 0});
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

/// Writes the values as two ranks: each opens the files itself, and the boxes are theirs in turn.
inline executor::Manifest save(std::filesystem::path const& dir, std::string const& number,
                               std::vector<LiveValue> const& values, std::string const& rest = "{\"nodes\": []}\n") {
    std::string const unique = unique_name();
    executor::NewCheckpoint first(dir, number, unique), second(dir, number, unique);
    std::vector<executor::SavedValue> saved = described(values);
    try {
        first.create(saved);
        std::size_t turn = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            for (executor::SavedBox& box : saved[i].boxes)
                box.hash = (turn++ % 2 == 0 ? first : second)
                               .write(saved[i], box.box, samples::take(values[i].whole, box.box));
        second.sync();
        first.sync();
        executor::Manifest const manifest = manifest_of(saved);
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
                std::vector<std::byte> out(static_cast<std::size_t>(read.elements()) * size_of(value.whole.dtype()));
                executor::load_box(found, *at, read, out);
                if (out != samples::take(value.whole, read)) return value.name + " " + to_string(read);
            }
        }
    }
    return "";
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
