// Zip archives as numpy.savez and numpy.savez_compressed write them, for tests.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>

namespace ein::samples {

enum class Packing { stored = 0, deflated = 8 };
enum class ZipSizes { bits32, bits64 };  // bits64: sizes and offsets are in zip64 fields, as in archives beyond 4 GiB

class ZipMaker {
public:
    ZipMaker(Packing packing, ZipSizes sizes) : packing_(packing), wide_(sizes == ZipSizes::bits64) {}

    void add(std::string const& name, std::string const& bytes) {
        std::string const packed = packing_ == Packing::stored ? bytes : deflate(bytes);
        auto const crc = static_cast<std::uint32_t>(
            crc32(0, reinterpret_cast<Bytef const*>(bytes.data()), static_cast<uInt>(bytes.size())));
        std::uint64_t const offset = file_.size();
        std::string const middle = number(0, 2) + number(static_cast<std::uint64_t>(packing_), 2) + number(0, 4) +
                                   number(crc, 4) + number(wide_ ? 0xffffffff : packed.size(), 4) +
                                   number(wide_ ? 0xffffffff : bytes.size(), 4) + number(name.size(), 2);
        std::string const sizes = number(bytes.size(), 8) + number(packed.size(), 8);
        std::string const local_extra = wide_ ? number(1, 2) + number(16, 2) + sizes : "";
        std::string const extra =
            wide_ ? number(0x7777, 2) + number(1, 2) + "?" + number(1, 2) + number(24, 2) + sizes + number(offset, 8)
                  : "";
        file_ += "PK\3\4" + number(45, 2) + middle + number(local_extra.size(), 2) + name + local_extra + packed;
        directory_ += "PK\1\2" + number(45, 2) + number(45, 2) + middle + number(extra.size(), 2) +
                      std::string(10, '\0') + number(wide_ ? 0xffffffff : offset, 4) + name + extra;
        ++entries_;
    }

    std::string finish(std::string const& comment = "") const {
        std::string out = file_ + directory_;
        if (wide_) {
            out += "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(entries_, 8) +
                   number(entries_, 8) + number(directory_.size(), 8) + number(file_.size(), 8);
            out += "PK\6\7" + number(0, 4) + number(file_.size() + directory_.size(), 8) + number(1, 4);
        }
        return out + "PK\5\6" + number(0, 4) + number(wide_ ? 0xffff : entries_, 2) +
               number(wide_ ? 0xffff : entries_, 2) + number(wide_ ? 0xffffffff : directory_.size(), 4) +
               number(wide_ ? 0xffffffff : file_.size(), 4) + number(comment.size(), 2) + comment;
    }

private:
    static std::string number(std::uint64_t value, int bytes) {
        std::string out;
        for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
        return out;
    }

    static std::string deflate(std::string const& bytes) {
        z_stream stream{};
        deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
        std::string out(deflateBound(&stream, bytes.size()), '\0');
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream.avail_in = static_cast<uInt>(bytes.size());
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        ::deflate(&stream, Z_FINISH);
        out.resize(stream.total_out);
        deflateEnd(&stream);
        return out;
    }

    Packing packing_;
    bool wide_;
    std::string file_, directory_;
    std::uint64_t entries_ = 0;
};

}  // namespace ein::samples
