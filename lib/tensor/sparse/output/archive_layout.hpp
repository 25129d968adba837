// Where everything lies in a .npz file whose arrays are stored as they are, known before any element is written; and
// its CRC-32s, put together from parts that were written anywhere, in any order, by anybody: a CRC is linear, so each
// part adds (xor) what it is with zeros around it. Example: arrays "shape" and "data" of 2 and 5 elements are two local
// headers, each before its array, and a directory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"

namespace ein::tensor {

/// What a part of an array adds to its CRC. @param after  bytes of the array behind the part
std::uint32_t crc_part(std::span<std::byte const> part, std::uint64_t after);
/// The CRC of an array of `bytes` from what its parts add, all xored.
std::uint32_t whole_crc(std::uint32_t parts, std::uint64_t bytes);

/// An array of the archive.
struct ArchiveEntry {
    std::string name;          // with .npy
    std::string beginning;     // the .npy header, and elements that are known
    std::uint64_t bytes = 0;   // all of it
    std::uint64_t offset = 0;  // of its first byte in the file, behind its local header
};

class ArchiveLayout {
public:
    /// Adds an array behind those before. @param text  its elements where they are known now
    /// @return its number
    std::size_t add(std::string const& name, DType dtype, Shape const& shape, std::string_view text = {});
    /// One text, as NumPy has it: |S3.
    std::size_t add_text(std::string const& name, std::string const& text);

    std::vector<ArchiveEntry> const& entries() const { return entries_; }
    std::uint64_t elements_begin(std::size_t entry) const;  // in the file, in bytes
    std::uint64_t bytes() const;                            // of the file

    std::string local_header(std::size_t entry, std::uint32_t crc) const;
    /// What is behind the last array.
    std::string directory(std::span<std::uint32_t const> crcs) const;

private:
    std::size_t put(std::string const& name, std::string beginning, std::uint64_t bytes);
    std::uint64_t directory_begin() const;

    std::vector<ArchiveEntry> entries_;
};

}  // namespace ein::tensor
