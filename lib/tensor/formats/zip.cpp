#include "lib/tensor/formats/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "lib/base/error.hpp"
#include "lib/base/limits.hpp"
#include "lib/tensor/formats/file_kind.hpp"
#include "lib/tensor/storage/checked_storage.hpp"
#include "lib/tensor/storage/inflated_storage.hpp"

namespace ein::tensor {
namespace {

constexpr std::uint64_t end_record_bytes = 22, zip64_locator_bytes = 20, zip64_record_bytes = 56;
constexpr std::uint64_t central_bytes = 46, local_bytes = 30, longest_comment = 65535;

[[noreturn]] void damaged(Storage const& storage, std::string where, std::string expected, std::string found) {
    throw InputError(Fault{storage.name(), std::move(where), std::move(expected), std::move(found),
                           "the file is damaged or cut short: copy or write it again, for example with numpy.savez"});
}

/// Bytes of a record, read as little-endian numbers.
class Record {
public:
    Record(Storage const& storage, std::uint64_t offset, std::uint64_t length) : bytes_(length) {
        storage.read_at(offset, bytes_);
    }

    std::uint64_t number(std::size_t at, std::size_t bytes) const {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes && at + i < bytes_.size(); ++i)
            value |= std::uint64_t{std::to_integer<std::uint8_t>(bytes_[at + i])} << (8 * i);
        return value;
    }
    std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
    std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
    std::uint64_t u64(std::size_t at) const { return number(at, 8); }
    std::string text(std::size_t at, std::size_t length) const {
        return {reinterpret_cast<char const*>(bytes_.data()) + at, length};
    }
    std::size_t size() const { return bytes_.size(); }

private:
    std::vector<std::byte> bytes_;
};

struct DirectoryPlace {
    std::uint64_t offset = 0, bytes = 0, entries = 0;
};

/// Where in the file's tail the end record begins: the last place with its signature.
std::optional<std::size_t> find_end_record(Record const& tail) {
    if (tail.size() < end_record_bytes) return std::nullopt;
    for (std::size_t at = tail.size() - end_record_bytes + 1; at-- > 0;)
        if (tail.u32(at) == 0x06054b50) return at;
    return std::nullopt;
}

DirectoryPlace find_directory(Storage const& storage) {
    std::uint64_t const tail_bytes = std::min(storage.size(), end_record_bytes + longest_comment);
    Record const tail(storage, storage.size() - tail_bytes, tail_bytes);
    std::optional<std::size_t> const found = find_end_record(tail);
    if (!found) {
        bool const begins_so = storage.size() >= 4 && Record(storage, 0, 4).u32(0) == 0x04034b50;
        if (begins_so) damaged(storage, "", "a .npz (zip) file", "no zip directory at its end");
        refuse_kind(storage, "a .npz (zip) file", "no zip directory at its end", "write it with numpy.savez");
    }
    std::size_t const at = *found;
    DirectoryPlace place{tail.u32(at + 16), tail.u32(at + 12), tail.u16(at + 10)};
    std::uint64_t const end_offset = storage.size() - tail_bytes + at;
    if (end_offset < zip64_locator_bytes) return place;
    Record const locator(storage, end_offset - zip64_locator_bytes, zip64_locator_bytes);
    if (locator.u32(0) != 0x07064b50) return place;
    Record const end64(storage, locator.u64(8), zip64_record_bytes);
    if (end64.u32(0) != 0x06064b50) damaged(storage, "zip64 end record", "its signature", "other bytes");
    return {end64.u64(48), end64.u64(40), end64.u64(32)};
}

/// Takes sizes and offset that do not fit in 32 bits from the zip64 extra field.
void apply_zip64(Record const& directory, std::size_t at, std::size_t length, ZipEntry& entry) {
    std::size_t const end = std::min(directory.size(), at + length);
    while (at + 4 <= end) {
        std::size_t const field_end = std::min<std::size_t>(end, at + 4 + directory.u16(at + 2));
        std::size_t next = at + 4;
        if (directory.u16(at) == 1) {
            for (std::uint64_t* value : {&entry.bytes, &entry.packed_bytes, &entry.header_offset}) {
                if (*value != 0xffffffff || next + 8 > field_end) continue;
                *value = directory.u64(next);
                next += 8;
            }
        }
        at = field_end;
    }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(Storage const& storage) {
    DirectoryPlace const place = find_directory(storage);
    require_inside(storage, place.offset, place.bytes);
    check_header(storage.name(), Limit::npz_directory, place.bytes);
    Record const directory(storage, place.offset, place.bytes);
    std::vector<ZipEntry> entries;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < place.entries; ++i) {
        std::string const where = "zip directory, entry " + std::to_string(i);
        if (at + central_bytes > directory.size() || directory.u32(at) != 0x02014b50)
            damaged(storage, where, "an entry", "other bytes");
        std::size_t const name = directory.u16(at + 28), extra = directory.u16(at + 30),
                          comment = directory.u16(at + 32);
        if (at + central_bytes + name + extra + comment > directory.size())
            damaged(storage, where, "a whole entry", "a cut one");
        ZipEntry entry{directory.text(at + central_bytes, name),
                       directory.u16(at + 8),
                       directory.u16(at + 10),
                       directory.u32(at + 16),
                       directory.u32(at + 20),
                       directory.u32(at + 24),
                       directory.u32(at + 42)};
        apply_zip64(directory, at + central_bytes + name, extra, entry);
        entries.push_back(std::move(entry));
        at += central_bytes + name + extra + comment;
    }
    return entries;
}

namespace {

/// The bytes of an entry as they are packed.
std::shared_ptr<PieceStorage const> packed_entry(StoragePtr const& storage, ZipEntry const& entry) {
    std::string const where = "entry '" + entry.name + "'";
    std::string const full_name = storage->name() + ": " + where;
    auto refuse = [&](std::string found) {
        throw InputError(Fault{storage->name(), where, "a stored or deflated entry", std::move(found),
                               "write the file with numpy.savez or numpy.savez_compressed"});
    };
    if ((entry.flags & 1) != 0) refuse("an encrypted one");
    if (entry.method != 0 && entry.method != 8) refuse("packing method " + std::to_string(entry.method));
    require_inside(*storage, entry.header_offset, local_bytes);
    Record const local(*storage, entry.header_offset, local_bytes);
    if (local.u32(0) != 0x04034b50) damaged(*storage, where, "a local header", "other bytes");
    std::uint64_t const begin = entry.header_offset + local_bytes + local.u16(26) + local.u16(28);
    require_inside(*storage, begin, entry.packed_bytes);
    if (entry.method == 0 && entry.packed_bytes != entry.bytes)
        damaged(*storage, where, "a stored entry of " + std::to_string(entry.bytes) + " bytes",
                std::to_string(entry.packed_bytes));
    return std::make_shared<PieceStorage const>(storage, begin, entry.packed_bytes, full_name);
}

/// Inflates the beginning of `packed` into `out`. @return how many bytes it gave
std::size_t inflate_beginning(Storage const& packed, std::span<std::byte> out) {
    std::vector<std::byte> in(static_cast<std::size_t>(std::min<std::uint64_t>(packed.size(), out.size() + 1024)));
    packed.read_at(0, in);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw RunError("zlib cannot begin to inflate");
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    int const result = inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        throw InputError(Fault{packed.name(), "", "deflated bytes", "others", "the file is damaged: write it again"});
    return out.size() - stream.avail_out;
}

}  // namespace

StoragePtr open_entry(StoragePtr const& storage, ZipEntry const& entry) {
    auto packed = packed_entry(storage, entry);
    if (entry.method == 0) return std::make_shared<CheckedStorage const>(std::move(packed), entry.crc);
    return std::make_shared<InflatedStorage const>(std::move(packed), entry.bytes, entry.crc);
}

StoragePtr entry_beginning(StoragePtr const& storage, ZipEntry const& entry, std::uint64_t bytes) {
    auto const packed = packed_entry(storage, entry);
    std::vector<std::byte> out(static_cast<std::size_t>(std::min(bytes, entry.bytes)));
    if (entry.method == 0)
        packed->read_at(0, out);
    else
        out.resize(inflate_beginning(*packed, out));
    return std::make_shared<MemoryStorage const>(packed->name(), std::move(out));
}

}  // namespace ein::tensor
