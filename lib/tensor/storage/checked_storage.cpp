#include "lib/tensor/storage/checked_storage.hpp"

#include <zlib.h>

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::tensor {

void CheckedStorage::check() const {
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(size(), 1 << 20)));
    uLong crc = crc32(0, nullptr, 0);
    for (std::uint64_t at = 0; at < size(); at += buffer.size()) {
        auto const piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size() - at));
        bytes_->read_at(at, piece);
        crc = crc32(crc, reinterpret_cast<Bytef const*>(piece.data()), static_cast<uInt>(piece.size()));
    }
    if (crc != crc_)
        throw InputError(Fault{name(), "", "bytes with the CRC-32 of the zip directory", "another CRC-32",
                               "the file is damaged: copy or write it again, for example with numpy.savez"});
}

void CheckedStorage::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    checked_([this] { check(); });
    bytes_->read_at(offset, out);
}

}  // namespace ein::tensor
