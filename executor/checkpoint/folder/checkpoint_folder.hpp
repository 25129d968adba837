// All checkpoints of a folder DIR: which is the newest and whether it is whole, what of them may go, and reading values
// back. A checkpoint is DIR/NNNNNN, six digits; a name that begins with a dot is nothing. Writing one is
// new_checkpoint.hpp. Example: DIR has 000003, 000004 and .000005.partial-...: newest_checkpoint(DIR)->number is
// "000004", next_number(DIR) is "000005".
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "executor/checkpoint/folder/manifest.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::executor {

struct FoundCheckpoint {
    std::string number;
    std::filesystem::path path;
    Manifest manifest;
};

/// Numbers of all that have the name of a checkpoint, ascending. None where DIR is not there.
/// @throws InputError when DIR cannot be listed
std::vector<std::string> checkpoint_numbers(std::filesystem::path const& dir);

/// One checkpoint: its manifest is read, its files are there and have their sizes.
/// @throws InputError that names file and fault, and as the fix the checkpoint to go on from instead
FoundCheckpoint open_checkpoint(std::filesystem::path const& dir, std::string const& number);
/// What is gone on from needs the checkpoints that its leaves are files of; of these their files alone, not theirs.
/// @throws InputError where one is not there
void require_bases(FoundCheckpoint const& found);
/// The one with the largest number, opened so, with its bases; nothing where there is none. @throws InputError as above
std::optional<FoundCheckpoint> newest_checkpoint(std::filesystem::path const& dir);

/// Reads every byte of one of `parts` parts of the files and compares: headers, and hashes of all boxes. The ranks
/// share the work, a part each; part 0 also looks at rest.json.
/// @throws InputError with all faults
void verify_files(FoundCheckpoint const& found, int part, int parts);

/// Files that others put into the folder of a checkpoint: they do no harm, and go when it goes. Hidden ones are
/// nothing.
std::vector<std::filesystem::path> strays_of(FoundCheckpoint const& found);

/// The same, and of the checkpoints that its leaves are files of.
void verify_with_bases(FoundCheckpoint const& found, int part, int parts);

/// Reads any box inside the union of a dense value's boxes, C order. Compares no hashes. @throws InputError
void load_box(FoundCheckpoint const& found, SavedValue const& value, Box const& box, std::span<std::byte> into);

/// The same of a sparse value, as a block. @throws InputError also where it has not the room
void load_list(FoundCheckpoint const& found, SavedValue const& value, Box const& box,
               tensor::SparseLayout const& layout, std::span<std::byte> into);

/// The text of rest.json; "" where the checkpoint has none. @throws InputError when it is not what was written
std::string read_rest(FoundCheckpoint const& found);

/// "000001" where DIR has none. @throws RunError after 999999, or when DIR cannot be listed
std::string next_number(std::filesystem::path const& dir);
/// The largest that is free and smaller, down to "000000"; "" where all are taken.
std::string free_number_before(std::filesystem::path const& dir, std::string const& number);

/// Removes the checkpoints before `keep`, but for those in `bases` (whose files the kept ones name). Each first loses
/// its name, so that one removed in part is never taken for a checkpoint.
void remove_older(std::filesystem::path const& dir, std::string const& keep,
                  std::set<std::string> const& bases) noexcept;

/// Removes what killed runs left: checkpoints that were being written or removed. To be called by the run that holds
/// the FolderLock of DIR (folder_lock.hpp): then nobody else is at work there.
void sweep_partial(std::filesystem::path const& dir);

}  // namespace ein::executor
