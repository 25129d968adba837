// Finding and reading the entries of a .zip file (.npz is one): with zip64, entries stored or deflated.
// Leaves what an entry holds to others. Example: open_entry(file, directory.at(0))->size() is its size unpacked.
#pragma once

#include <string>
#include <vector>

#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

struct ZipEntry {
    std::string name;
    std::uint16_t flags = 0;
    std::uint16_t method = 0;  // 0 stored, 8 deflated
    std::uint32_t crc = 0;     // CRC-32 of the unpacked bytes
    std::uint64_t packed_bytes = 0;
    std::uint64_t bytes = 0;          // unpacked
    std::uint64_t header_offset = 0;  // of the entry's local header
};

/// Reads the central directory. @throws InputError when the file is not a zip file or is damaged
std::vector<ZipEntry> read_zip_directory(Storage const& storage);

/// The unpacked bytes of an entry, compared with their CRC-32 when they are first read.
/// @throws InputError for an entry that is encrypted or packed by another method
StoragePtr open_entry(StoragePtr const& storage, ZipEntry const& entry);

/// The first `bytes` unpacked bytes of an entry, or all of a shorter one: not compared with their CRC-32, so that a
/// header costs no pass over the whole.
StoragePtr entry_beginning(StoragePtr const& storage, ZipEntry const& entry, std::uint64_t bytes);

}  // namespace ein::tensor
