// The file of a dense value, open for reading: exactly the file that NewCheckpoint makes for that value, never through
// a link. Example: ValueFile("ckpt/000003", value).read(box, bytes).
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "executor/checkpoint/folder/manifest.hpp"
#include "lib/tensor/storage/held_file.hpp"

namespace ein::executor {

/// Bytes that the file of a value has.
std::uint64_t file_bytes(SavedValue const& value);

/// Refuses a file of another length, or none, or a link; it is not opened.
/// @throws InputError
void check_file(std::filesystem::path const& file, std::uint64_t bytes);

/// @throws InputError for a file of another length
void check_length(tensor::HeldFile const& file, std::uint64_t bytes);

/// Reads a piece of a copy. @throws InputError, RunError
std::uint64_t hash_of_piece(tensor::Storage const& file, SavedCopy const& copy, std::size_t piece);

class ValueFile {
public:
    /// @param folder  of the checkpoint  @throws InputError unless length and header are those of the value
    ValueFile(std::filesystem::path const& folder, SavedValue const& value);

    /// Elements of a box inside the value, in C order, as they are in memory. @throws InputError, RunError
    void read(Box const& box, std::span<std::byte> into) const;
    /// The hash of a box, read in parts that take little memory.
    std::uint64_t hash(Box const& box) const;

private:
    SavedValue const& value_;
    std::string header_;
    std::shared_ptr<tensor::HeldFile const> file_;
};

/// All of a file as text. @throws InputError also where it is larger than Limit::text
std::string text_of_file(std::filesystem::path const& file);

}  // namespace ein::executor
