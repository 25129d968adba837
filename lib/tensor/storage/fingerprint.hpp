// What tells one state of a file from another without reading all of it: its size, and a checksum of sampled pages (the
// first, the last, and some in between; all of a small file). The same bytes have the same fingerprint wherever they
// lie and whenever they were written, so that what records it stays the same too. A change of a large file that keeps
// its size and touches no sampled page is not seen; no defence against malice.
// Example: fingerprint(*open_file("A.npy")) == fingerprint(*open_file("copy of A.npy")).
#pragma once

#include <cstdint>
#include <string>

#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

struct Fingerprint {
    std::uint64_t size = 0;  // bytes
    std::uint64_t checksum = 0;
    friend bool operator==(Fingerprint const&, Fingerprint const&) = default;
};

/// @throws InputError, RunError as reading does
Fingerprint fingerprint(Storage const& storage);

/// "216 bytes, checksum 00f3a2b1c4d5e6f7".
std::string to_text(Fingerprint const& fingerprint);

}  // namespace ein::tensor
