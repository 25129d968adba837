#include "lib/tensor/storage/inflated_storage.hpp"

#include <zlib.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

constexpr std::size_t window_bytes = 32 << 10;  // how far back deflate refers

}  // namespace

/// A zlib stream over the packed bytes from some access point on.
class InflatedStorage::Inflater {
public:
    Inflater(InflatedStorage const& owner, AccessPoint const& from)
        : owner_(owner), next_(from.packed_offset), input_(tuning::packed_bytes) {
        promise(inflateInit2(&stream_, -MAX_WBITS) == Z_OK, "zlib starts");
        if (from.bits != 0) prime(from);
        if (!from.window.empty())
            inflateSetDictionary(&stream_, from.window.data(), static_cast<uInt>(from.window.size()));
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(Inflater const&) = delete;
    Inflater& operator=(Inflater const&) = delete;

    /// Inflates into the output that the stream has. @return true at the end of the data
    bool step(int flush) {
        if (stream_.avail_in == 0) fill();
        int const result = inflate(&stream_, flush);
        if (result == Z_STREAM_END) return true;
        bool const stuck = result == Z_BUF_ERROR && stream_.avail_in == 0 && next_ == owner_.packed_->size();
        if ((result != Z_OK && result != Z_BUF_ERROR) || stuck)
            owner_.fail("deflated data", stream_.msg != nullptr ? stream_.msg : "data that ends early");
        return false;
    }

    /// Inflates exactly `count` bytes to `out`.
    void inflate_to(unsigned char* out, std::uint64_t count) {
        while (count > 0) {
            uInt const wanted = static_cast<uInt>(std::min<std::uint64_t>(count, 1 << 30));
            stream_.next_out = out;
            stream_.avail_out = wanted;
            bool ended = false;
            while (stream_.avail_out > 0 && !ended) ended = step(Z_NO_FLUSH);
            if (stream_.avail_out > 0) owner_.fail("more deflated data", "its end");
            out += wanted;
            count -= wanted;
        }
    }

    z_stream& stream() { return stream_; }
    std::uint64_t consumed() const { return next_ - stream_.avail_in; }

private:
    void fill() {
        std::size_t const wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), owner_.packed_->size() - next_));
        owner_.packed_->read_at(next_, std::span(input_).first(wanted));
        next_ += wanted;
        stream_.next_in = reinterpret_cast<unsigned char*>(input_.data());
        stream_.avail_in = static_cast<uInt>(wanted);
    }

    void prime(AccessPoint const& from) {
        std::byte last{};
        owner_.packed_->read_at(from.packed_offset - 1, std::span(&last, 1));
        inflatePrime(&stream_, from.bits, std::to_integer<int>(last) >> (8 - from.bits));
    }

    InflatedStorage const& owner_;
    std::uint64_t next_;  // packed byte that is read next
    std::vector<std::byte> input_;
    z_stream stream_{};
};

InflatedStorage::InflatedStorage(StoragePtr packed, std::uint64_t bytes, std::uint32_t crc)
    : packed_(std::move(packed)), bytes_(bytes), crc_(crc) {}

void InflatedStorage::fail(std::string expected, std::string found) const {
    throw InputError(Fault{name(), "", std::move(expected), std::move(found),
                           "the file is damaged: copy or write it again, for example with numpy.savez_compressed"});
}

/// One pass over everything: notes access points at block ends and checks size and CRC.
void InflatedStorage::build_index() const {
    points_.assign(1, AccessPoint{});
    Inflater inflater(*this, points_.front());
    z_stream& stream = inflater.stream();
    std::vector<unsigned char> window(window_bytes, 0);  // filled round and round
    std::uint64_t total = 0;
    uLong crc = crc32(0, nullptr, 0);
    for (bool ended = false; !ended;) {
        if (stream.avail_out == 0) {
            stream.next_out = window.data();
            stream.avail_out = static_cast<uInt>(window.size());
        }
        unsigned char const* const begin = stream.next_out;
        ended = inflater.step(Z_BLOCK);
        auto const produced = static_cast<uInt>(stream.next_out - begin);
        crc = crc32(crc, begin, produced);
        total += produced;
        if (total > bytes_) break;
        bool const block_ended = (stream.data_type & 128) != 0 && (stream.data_type & 64) == 0;
        if (!block_ended || total - points_.back().offset < tuning::access_distance) continue;
        AccessPoint point{inflater.consumed(), total, stream.data_type & 7, window};
        std::rotate(point.window.begin(), point.window.end() - stream.avail_out, point.window.end());
        points_.push_back(std::move(point));
    }
    if (total != bytes_)
        fail(std::to_string(bytes_) + " unpacked bytes", (total > bytes_ ? "more" : std::to_string(total)));
    if (crc != crc_) fail("unpacked bytes with the CRC-32 of the zip directory", "another CRC-32");
}

void InflatedStorage::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    require_inside(*this, offset, out.size());
    if (out.empty()) return;
    indexed_([this] { build_index(); });
    auto const after =
        std::upper_bound(points_.begin(), points_.end(), offset,
                         [](std::uint64_t place, AccessPoint const& point) { return place < point.offset; });
    AccessPoint const& from = *(after - 1);
    Inflater inflater(*this, from);
    std::vector<unsigned char> skipped(std::min<std::uint64_t>(offset - from.offset, 64 << 10));
    for (std::uint64_t left = offset - from.offset; left > 0;) {
        std::uint64_t const count = std::min<std::uint64_t>(left, skipped.size());
        inflater.inflate_to(skipped.data(), count);
        left -= count;
    }
    inflater.inflate_to(reinterpret_cast<unsigned char*>(out.data()), out.size());
}

}  // namespace ein::tensor
