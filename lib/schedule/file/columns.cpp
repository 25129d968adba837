#include "lib/schedule/file/columns.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/base/limits.hpp"
#include "lib/schedule/file/damaged.hpp"

namespace ein::schedule {
namespace {

// Columns: the digits of how many bytes each one has, then their bytes one after another, deflated.
constexpr int fastest = 1;                     // higher levels of zlib save a tenth and take three times as long
constexpr int no_header = -MAX_WBITS;          // nor a checksum: the file has its own
constexpr std::uint64_t most_deflated = 1032;  // times that zlib makes anything shorter

std::uint64_t number_at(std::span<std::uint8_t const>& bytes, std::string const& file) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (bytes.empty()) damaged(file, "a column cut short");
        std::uint8_t const digit = bytes.front();
        bytes = bytes.subspan(1);
        number |= std::uint64_t{digit & 127U} << shift;
        if (digit < 128) return number;
    }
    damaged(file, "a number of more than 64 bits");
}

/// zlib counts in 32 bits: what is to be done is given to it piece by piece.
uInt piece(std::size_t left) {
    return static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max() / 2));
}

/// Feeds a column after the other into one stream.
class Deflater {
public:
    explicit Deflater(std::vector<std::uint8_t>& out) : out_(out) {
        promise(deflateInit2(&stream_, fastest, Z_DEFLATED, no_header, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK,
                "zlib cannot begin");
    }
    ~Deflater() { deflateEnd(&stream_); }
    Deflater(Deflater const&) = delete;
    Deflater& operator=(Deflater const&) = delete;

    void add(std::span<std::uint8_t const> bytes) {
        while (!bytes.empty()) {
            uInt const now = piece(bytes.size());
            stream_.next_in = const_cast<std::uint8_t*>(bytes.data());
            stream_.avail_in = now;
            run(Z_NO_FLUSH);
            bytes = bytes.subspan(now);
        }
    }
    void finish() { run(Z_FINISH); }

private:
    void run(int flush) {
        do {
            std::size_t const before = out_.size();
            out_.resize(before + std::max<std::size_t>(before / 2, 4096));
            stream_.next_out = out_.data() + before;
            uInt const room = piece(out_.size() - before);
            stream_.avail_out = room;
            promise(deflate(&stream_, flush) != Z_STREAM_ERROR, "zlib cannot go on");
            out_.resize(before + room - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

    std::vector<std::uint8_t>& out_;
    z_stream stream_{};
};

/// @return whether the bytes are such a stream, the whole of it, and fill `out`
bool inflate_all(std::span<std::uint8_t const> bytes, std::vector<std::uint8_t>& out) {
    z_stream stream{};
    promise(inflateInit2(&stream, no_header) == Z_OK, "zlib cannot begin");
    int state = Z_OK;
    std::size_t in = 0, made = 0;
    while (state == Z_OK) {
        stream.next_in = const_cast<std::uint8_t*>(bytes.data() + in);
        stream.next_out = out.data() + made;
        uInt const more_in = piece(bytes.size() - in), more_out = piece(out.size() - made);
        stream.avail_in = more_in;
        stream.avail_out = more_out;
        state = inflate(&stream, Z_NO_FLUSH);
        in += more_in - stream.avail_in;
        made += more_out - stream.avail_out;
        if (more_in == stream.avail_in && more_out == stream.avail_out) break;  // no progress
    }
    inflateEnd(&stream);
    return state == Z_STREAM_END && in == bytes.size() && made == out.size();
}

}  // namespace

std::vector<std::uint8_t> ColumnsWriter::finish() const {
    std::vector<std::uint8_t> out;
    for (Digits const& column : columns_) add_digits(out, column.size());
    Deflater deflater(out);
    for (Digits const& column : columns_) deflater.add(column);
    deflater.finish();
    return out;
}

ColumnsReader::ColumnsReader(std::span<std::uint8_t const> bytes, std::size_t columns, std::string const& file)
    : file_(file) {
    std::vector<std::size_t> sizes;
    std::uint64_t all = 0;
    for (std::size_t column = 0; column < columns; ++column) {
        std::uint64_t const size = number_at(bytes, file);
        all += std::min<std::uint64_t>(size, std::uint64_t{1} << 56);
        sizes.push_back(size);
    }
    if (all > (bytes.size() + 1) * most_deflated) damaged(file, "columns that cannot be as long as they say");
    check_header(file, Limit::schedule_section, all);
    raw_.reserve(all + 1);  // zlib wants a place even for nothing
    raw_.resize(all);
    if (!inflate_all(bytes, raw_)) damaged(file, "columns that are not deflated");
    Digits rest = raw_;
    for (std::size_t size : sizes) {
        columns_.push_back(rest.first(size));
        rest = rest.subspan(size);
    }
}

std::uint64_t ColumnsReader::next_digits(Digits& from) const {
    if (!from.empty() && from.front() < 128) [[likely]] {
        std::uint64_t const digit = from.front();
        from = from.subspan(1);
        return digit;
    }
    return number_at(from, file_);
}

void ColumnsReader::finish() const {
    if (std::any_of(columns_.begin(), columns_.end(), [](Digits const& left) { return !left.empty(); }))
        damaged(file_, "columns of different lengths");
}

}  // namespace ein::schedule
