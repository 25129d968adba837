// A checkpoint that is being written: a folder under a temporary name in which one rank makes a file for each
// value, every rank writes its boxes, and which gets its final name when all of it is on the disk. Until then it is
// nothing, and the next run sweeps it (checkpoint_folder.hpp). Example of the calls, in order: one rank create(), then
// all write() and sync(), then one rank commit().
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "executor/checkpoint/folder/manifest.hpp"
#include "lib/base/files/written_file.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/sparse/output/sparse_output.hpp"
#include "lib/tensor/sparse/sparse_moves.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::executor {

/// Every process of the run has one, and uses it in one thread.
class NewCheckpoint {
public:
    /// Writes dir/.NNNNNN.partial-UNIQUE. @param unique  unique_name() of one rank, which told it to the others
    NewCheckpoint(std::filesystem::path dir, std::string number, std::string unique);
    NewCheckpoint(NewCheckpoint const&) = delete;
    NewCheckpoint& operator=(NewCheckpoint const&) = delete;

    /// One rank: makes the folder and all files, and takes the disk space that their boxes need. Hashes are not looked
    /// at, but what boxes of sparse values list is known. @throws RunError
    void create(std::vector<SavedValue> const& values, std::vector<SavedCopy> const& copies = {});
    /// Any rank: writes the elements of a box (C order). @return their hash  @throws RunError
    std::uint64_t write(SavedValue const& value, Box const& box, std::span<std::byte const> bytes);
    /// What was written of a box of a sparse value, for those who complete its file.
    struct WrittenList {
        std::uint64_t hash = 0;
        tensor::SparseSums sums{};
    };
    /// Any rank: writes what a block lists in a box of a sparse value. @param block  holds that box  @throws RunError
    WrittenList write_list(SavedValue const& value, std::size_t box, tensor::SparseBlockView const& block);
    /// Any rank: copies a piece of a file. @return its hash  @throws RunError, InputError as reading does
    std::uint64_t copy(SavedCopy const& to, std::size_t piece, tensor::Storage const& from);
    /// One rank, when all have written and synced: completes the file of a sparse value.
    /// @param sums  of all its boxes, xored  @return SavedValue::frame  @throws RunError
    std::uint64_t finish_list(SavedValue const& value, tensor::SparseSums const& sums);
    /// Any rank: waits until all that it wrote is on the disk. @throws RunError
    void sync();
    /// One rank, when all have synced: writes rest.json ("": none) and manifest.json and gives the folder its final
    /// name. @throws RunError; the checkpoint before is then as it was, and discard() removes what is unfinished
    void commit(Manifest const& manifest, std::string const& rest);
    /// Removes what is unfinished. After commit() nothing is.
    void discard() noexcept;

    /// Where it is until then.
    std::filesystem::path const& partial_path() const { return partial_; }
    /// dir/NNNNNN
    std::filesystem::path final_path() const { return dir_ / number_; }

private:
    tensor::NpyWriter& opened(SavedValue const& value);
    tensor::SparseWriter& opened_list(SavedValue const& value);
    WrittenFile& opened_copy(SavedCopy const& copy);
    void keep_few_open();
    void sync_open();
    void write_texts(std::map<std::string, std::string> const& texts) const;

    std::filesystem::path dir_;
    std::string number_;
    std::filesystem::path partial_;
    std::map<std::string, tensor::NpyWriter> open_;  // by file; what is written and not yet known to be on the disk
    std::map<std::string, tensor::SparseWriter> open_lists_;  // the same of sparse values
    std::map<std::string, WrittenFile> open_copies_;          // of files that are copied
    std::set<std::string> made_;                              // files of which nothing is known to be on the disk
    bool committed_ = false;
};

}  // namespace ein::executor
