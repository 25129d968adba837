// Files that inputs are read from, copied into a checkpoint of the run's beginning (--checkpoint-inputs), so that the
// folder of checkpoints is enough to go on with; and which copy an input is read from. Ranks share the work, piece by
// piece of the files. Example: the X.npy of two inputs becomes ckpt/000001/X.npy, once.
// Source: docs/decisions/0110-a-folder-is-enough.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "executor/checkpoint/folder/manifest.hpp"
#include "executor/checkpoint/folder/new_checkpoint.hpp"
#include "executor/transport/transport.hpp"
#include "lib/schedule/model/header.hpp"

namespace ein::executor {

/// The file in the folder of checkpoints that each input is read from, as "000001/X.npy"; "" from its own source.
using CopyOf = Table<schedule::InputId, std::string>;

/// The same with inputs that are read from their copies. @param dir  the folder of checkpoints
schedule::Header with_copies(schedule::Header header, CopyOf const& copies, std::filesystem::path const& dir);

/// Has --inputs-below allow them: their originals were below.
void keep_copies_readable(CopyOf const& copies, std::filesystem::path const& dir);

/// Inputs as they are now, with the fingerprints of the files that they are read from. @param header  with the sources
/// that the run was given
std::vector<NamedInput> inputs_now(schedule::Header const& header, CopyOf const& copies,
                                   std::filesystem::path const& data_folder, std::filesystem::path const& dir);

/// Which copies a checkpoint names for inputs of the same sources.
CopyOf copies_of(schedule::Header const& header, std::vector<NamedInput> const& saved);

/// Originals that are there and are another file now than that which was copied: a message each.
std::vector<std::string> changed_originals(schedule::Header const& header, CopyOf const& copies,
                                           std::vector<NamedInput> const& saved,
                                           std::filesystem::path const& data_folder);

/// The number of the checkpoint in whose files an input lies; "" where it lies in none of that folder.
std::string checkpoint_of(schedule::Input const& input, std::filesystem::path const& data_folder,
                          std::filesystem::path const& dir);

/// What is to be copied, as rank 0 decides and all are told.
struct InputCopies {
    CopyOf copies;                           // of all inputs
    std::vector<SavedCopy> files;            // without hashes before they are made
    std::vector<schedule::InputId> read_by;  // one input for each of them

    /// Files of inputs that lie outside of the folder and have no copy yet, each once.
    /// @throws InputError for a file that is not there
    static InputCopies of(schedule::Header const& header, CopyOf copies, std::vector<NamedInput> const& inputs,
                          std::filesystem::path const& data_folder, std::filesystem::path const& dir,
                          std::string const& number);
    std::uint64_t bytes() const;
};

std::string to_text(InputCopies const& copies);
InputCopies input_copies_from(std::string const& text, std::size_t inputs);

/// Collective: every rank copies pieces of the files and syncs them; all know their hashes then.
/// @throws Disagreement
void write_copies(Transport& transport, schedule::Header const& header, std::filesystem::path const& data_folder,
                  InputCopies& copies, NewCheckpoint& anew);

/// One rank, when they are written. @param folder  in which they are
/// @throws InputError for one that is not the file that `inputs` tells of: it was changed meanwhile
void check_copies(schedule::Header const& header, std::vector<NamedInput> const& inputs, InputCopies const& copies,
                  std::filesystem::path const& data_folder, std::filesystem::path const& folder);

}  // namespace ein::executor
