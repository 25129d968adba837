#include "lib/tensor/sparse/output/archive_layout.hpp"

#include <zlib.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/tensor/formats/npy_header.hpp"

namespace ein::tensor {
namespace {

constexpr std::uint64_t local_bytes = 30 + 20, central_bytes = 46 + 28, end_bytes = 56 + 20 + 22;  // without names
constexpr std::uint32_t elsewhere = 0xffffffff;  // in a field of 32 bits: the number is in one of 64

std::string number(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
    return out;
}

std::uint32_t shifted(std::uint32_t crc, std::uint64_t zeros) {
    return static_cast<std::uint32_t>(crc32_combine(crc, 0, static_cast<z_off_t>(zeros)));
}

/// version needed 4.5 (zip64), flags, stored, 1980-01-01, CRC, sizes elsewhere, length of the name
std::string common_fields(ArchiveEntry const& entry, std::uint32_t crc) {
    return number(45, 2) + number(0, 2) + number(0, 2) + number(0, 2) + number(0x21, 2) + number(crc, 4) +
           number(elsewhere, 4) + number(elsewhere, 4) + number(entry.name.size(), 2);
}

}  // namespace

std::uint32_t crc_part(std::span<std::byte const> part, std::uint64_t after) {
    uLong crc = elsewhere;  // so that zlib begins with 0: then a CRC is linear
    while (!part.empty()) {
        auto const now = part.first(std::min<std::size_t>(part.size(), std::size_t{1} << 30));
        crc = crc32(crc, reinterpret_cast<Bytef const*>(now.data()), static_cast<uInt>(now.size()));
        part = part.subspan(now.size());
    }
    return shifted(static_cast<std::uint32_t>(crc) ^ 0xffffffff, after);
}

std::uint32_t whole_crc(std::uint32_t parts, std::uint64_t bytes) {
    return parts ^ shifted(0xffffffff, bytes) ^ 0xffffffff;  // the last two: the CRC of as many zeros
}

std::size_t ArchiveLayout::put(std::string const& name, std::string beginning, std::uint64_t bytes) {
    std::uint64_t const begin = entries_.empty() ? 0 : entries_.back().offset + entries_.back().bytes;
    ArchiveEntry entry{name + ".npy", std::move(beginning), bytes, 0};
    entry.offset = begin + local_bytes + entry.name.size();
    entries_.push_back(std::move(entry));
    return entries_.size() - 1;
}

std::size_t ArchiveLayout::add(std::string const& name, DType dtype, Shape const& shape, std::string_view text) {
    std::string const header = npy_header(dtype, shape);
    std::uint64_t const bytes = header.size() + static_cast<std::uint64_t>(element_count(shape)) * size_of(dtype);
    promise(text.empty() || header.size() + text.size() == bytes, "an array is given whole or not at all");
    return put(name, header + std::string(text), bytes);
}

std::size_t ArchiveLayout::add_text(std::string const& name, std::string const& text) {
    std::string out = "{'descr': '|S" + std::to_string(text.size()) + "', 'fortran_order': False, 'shape': (), }";
    out.append(64 - (10 + out.size() + 1) % 64, ' ');
    out = std::string("\x93NUMPY\1\0", 8) + number(out.size() + 1, 2) + out + "\n" + text;
    std::uint64_t const bytes = out.size();
    return put(name, std::move(out), bytes);
}

std::uint64_t ArchiveLayout::elements_begin(std::size_t entry) const {
    return entries_[entry].offset + entries_[entry].beginning.size();
}

std::uint64_t ArchiveLayout::directory_begin() const { return entries_.back().offset + entries_.back().bytes; }

std::uint64_t ArchiveLayout::bytes() const {
    std::uint64_t total = directory_begin() + end_bytes;
    for (ArchiveEntry const& entry : entries_) total += central_bytes + entry.name.size();
    return total;
}

std::string ArchiveLayout::local_header(std::size_t entry, std::uint32_t crc) const {
    ArchiveEntry const& it = entries_[entry];
    return "PK\3\4" + common_fields(it, crc) + number(20, 2) + it.name + number(1, 2) + number(16, 2) +
           number(it.bytes, 8) + number(it.bytes, 8);
}

std::string ArchiveLayout::directory(std::span<std::uint32_t const> crcs) const {
    std::string out;
    for (std::size_t k = 0; k < entries_.size(); ++k) {
        ArchiveEntry const& it = entries_[k];
        std::uint64_t const header = it.offset - local_bytes - it.name.size();
        out += "PK\1\2" + number(0x032d, 2) + common_fields(it, crcs[k]) + number(28, 2) + std::string(6, '\0') +
               number(0100644u << 16, 4) + number(elsewhere, 4) + it.name + number(1, 2) + number(24, 2) +
               number(it.bytes, 8) + number(it.bytes, 8) + number(header, 8);
    }
    std::uint64_t const size = out.size(), begin = directory_begin(), count = entries_.size();
    out += "PK\6\6" + number(44, 8) + number(0x032d, 2) + number(45, 2) + number(0, 8) + number(count, 8) +
           number(count, 8) + number(size, 8) + number(begin, 8);
    out += "PK\6\7" + number(0, 4) + number(begin + size, 8) + number(1, 4);
    return out + "PK\5\6" + number(0, 4) + number(0xffff, 2) + number(0xffff, 2) + number(elsewhere, 4) +
           number(elsewhere, 4) + number(0, 2);
}

}  // namespace ein::tensor
