// Bytes whose CRC-32 is known: the first read goes through all of them once and compares, later reads go straight to
// them. So a damaged byte is found whichever box is read, at the price of one pass by each process that reads any.
// Chosen over checking only entries that are read whole: blocks of cut tensors never are, and their faults would pass.
// Example: CheckedStorage(piece, crc).read_at(0, out) fails when any byte of `piece` was damaged, not only in `out`.
#pragma once

#include "lib/base/threads/once.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

class CheckedStorage : public Storage {
public:
    CheckedStorage(StoragePtr bytes, std::uint32_t crc) : bytes_(std::move(bytes)), crc_(crc) {}
    std::string const& name() const override { return bytes_->name(); }
    std::uint64_t size() const override { return bytes_->size(); }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override;  // @throws InputError when damaged
    bool reads_anywhere() const override { return bytes_->reads_anywhere(); }
    Habit habit() const override { return bytes_->habit(); }

private:
    void check() const;

    StoragePtr bytes_;
    std::uint32_t crc_;
    mutable Once checked_;
};

}  // namespace ein::tensor
