// A checkpoint that is being written: a folder under a temporary name in which one rank makes a .npy file for each
// value, every rank writes its boxes, and which gets its final name when all of it is on the disk. Until then it is
// nothing, and the next run sweeps it (checkpoint_folder.hpp). Example of the calls, in order: one rank create(), then
// all write() and sync(), then one rank commit().
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "executor/checkpoint/folder/manifest.hpp"
#include "lib/tensor/formats/npy_write.hpp"

namespace ein::executor {

/// Every process of the run has one, and uses it in one thread.
class NewCheckpoint {
public:
    /// Writes dir/.NNNNNN.partial-UNIQUE. @param unique  unique_name() of one rank, which told it to the others
    NewCheckpoint(std::filesystem::path dir, std::string number, std::string unique);
    NewCheckpoint(NewCheckpoint const&) = delete;
    NewCheckpoint& operator=(NewCheckpoint const&) = delete;

    /// One rank: makes the folder and all files, and takes the disk space that their boxes need. Hashes are not looked
    /// at. @throws RunError
    void create(std::vector<SavedValue> const& values);
    /// Any rank: writes the elements of a box (C order). @return their hash  @throws RunError
    std::uint64_t write(SavedValue const& value, Box const& box, std::span<std::byte const> bytes);
    /// Any rank: waits until all that it wrote is on the disk. @throws RunError
    void sync();
    /// One rank, when all have synced: writes rest.json ("": none) and manifest.json and gives the folder its final
    /// name. @throws RunError; the checkpoint before is then as it was, and discard() removes what is unfinished
    void commit(Manifest const& manifest, std::string const& rest);
    /// Removes what is unfinished. After commit() nothing is.
    void discard() noexcept;

    /// dir/NNNNNN
    std::filesystem::path final_path() const { return dir_ / number_; }

private:
    tensor::NpyWriter& opened(SavedValue const& value);
    void write_text(std::string const& name, std::string const& text) const;

    std::filesystem::path dir_;
    std::string number_;
    std::filesystem::path partial_;
    std::map<std::string, tensor::NpyWriter> open_;  // by file; what is written and not yet known to be on the disk
    bool committed_ = false;
};

}  // namespace ein::executor
