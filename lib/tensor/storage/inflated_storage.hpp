// Any place of a deflated piece without unpacking all before it: one pass checks the whole and remembers, every MiB,
// what inflating needs to start there (32 KiB each), so memory stays small however large the entry is.
// Example: reading the last row of a deflated matrix of 4 GiB inflates at most about 1 MiB.
// Source: the access points of zlib's examples/zran.c.
#pragma once

#include "lib/base/threads/once.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

class InflatedStorage : public Storage {
public:
    /// @param bytes, crc  size and CRC-32 of the unpacked bytes, checked when first read
    InflatedStorage(StoragePtr packed, std::uint64_t bytes, std::uint32_t crc);
    std::string const& name() const override { return packed_->name(); }
    std::uint64_t size() const override { return bytes_; }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    Habit habit() const override { return {1 << 20, 8 << 20}; }  // what lies between is inflated anyway

private:
    /// Inflating can start here.
    struct AccessPoint {
        std::uint64_t packed_offset = 0, offset = 0;
        int bits = 0;                       // of the byte before packed_offset that are still to be used
        std::vector<unsigned char> window;  // the 32 KiB unpacked before it
    };
    class Inflater;

    void build_index() const;
    [[noreturn]] void fail(std::string expected, std::string found) const;

    StoragePtr packed_;
    std::uint64_t bytes_;
    std::uint32_t crc_;
    mutable Once indexed_;
    mutable std::vector<AccessPoint> points_;
};

}  // namespace ein::tensor
