// The file of a sparse value: an archive (.npz) of all that its boxes list, box after box, so that each box's elements
// lie together in every array. The hash of a box is that of where it lies and of its columns' hashes: of
// coordinates along each axis, and values. Example: ListFile("ckpt/000003", value).read(box, layout, block).
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "executor/checkpoint/folder/element_hash.hpp"
#include "executor/checkpoint/folder/manifest.hpp"
#include "lib/tensor/sparse/output/sparse_archive.hpp"
#include "lib/tensor/storage/held_file.hpp"

namespace ein::executor {

/// As an archive is made of it.
tensor::SparseOutput list_of(SavedValue const& value);
/// Number of the first element of a box.
Extent first_of(SavedValue const& value, std::size_t box);

/// The hash of a box, from elements that come in parts.
class ListHash {
public:
    explicit ListHash(Box box) : box_(std::move(box)) {}
    void add(std::span<std::vector<std::byte> const> columns);
    std::uint64_t value() const;

private:
    Box box_;
    std::vector<ElementHash> columns_;
};

class ListFile {
public:
    /// @param folder  of the checkpoint  @throws InputError unless the length is that of the value
    ListFile(std::filesystem::path const& folder, SavedValue const& value);

    /// Of all that is no element: headers, shape, fill.
    std::uint64_t frame() const;
    std::uint64_t hash(std::size_t box) const;
    /// Writes the block of a box inside the value. @param out  the room that it has
    /// @throws InputError also where the room is too small
    void read(Box const& box, tensor::SparseLayout const& layout, std::span<std::byte> out) const;

private:
    template <class Visit>
    void for_each_part(std::size_t box, Visit const& visit) const;
    void read_at(std::uint64_t offset, std::span<std::byte> into) const;

    SavedValue const& value_;
    tensor::SparseArchive archive_;
    std::shared_ptr<tensor::HeldFile const> file_;
};

}  // namespace ein::executor
