#include "lib/tensor/storage/stored_array.hpp"

#include <algorithm>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/tensor/box_runs.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

/// Gathers small pieces that lie close together and reads them at once.
class PieceReader {
public:
    PieceReader(Storage const& storage, std::span<std::byte> out)
        : storage_(storage), out_(out), habit_(storage.habit()) {}

    /// Pieces come in ascending order of `offset`.
    void add(std::uint64_t offset, std::size_t to, std::size_t bytes) {
        bool const joins = !pieces_.empty() && offset - end_ <= habit_.gap && offset + bytes - begin_ <= habit_.window;
        if (!joins) flush();
        if (bytes >= tuning::large_run && pieces_.empty()) {
            storage_.read_at(offset, out_.subspan(to, bytes));
            return;
        }
        if (pieces_.empty()) begin_ = offset;
        pieces_.push_back({offset, to, bytes});
        end_ = offset + bytes;
        if (pieces_.size() == tuning::most_pieces) flush();
    }

    void flush() {
        if (pieces_.size() == 1) {
            storage_.read_at(begin_, out_.subspan(pieces_.front().to, pieces_.front().bytes));
        } else if (!pieces_.empty()) {
            buffer_.resize(std::max<std::size_t>(buffer_.size(), end_ - begin_));
            storage_.read_at(begin_, std::span(buffer_).first(end_ - begin_));
            for (Piece const& piece : pieces_)
                std::memcpy(out_.data() + piece.to, buffer_.data() + (piece.offset - begin_), piece.bytes);
        }
        pieces_.clear();
    }

private:
    struct Piece {
        std::uint64_t offset;
        std::size_t to, bytes;
    };
    Storage const& storage_;
    std::span<std::byte> out_;
    Storage::Habit habit_;
    std::uint64_t begin_ = 0, end_ = 0;
    std::vector<Piece> pieces_;
    std::vector<std::byte> buffer_;
};

void read_c_order(StoredArray const& array, Shape const& shape, Box const& box, std::span<std::byte> out) {
    PieceReader reader(*array.storage, out);
    std::size_t const size = array.element_bytes;
    for_each_run(shape, box, [&](Run const& run) {
        reader.add(array.offset + static_cast<std::uint64_t>(run.in_array) * size,
                   static_cast<std::size_t>(run.in_box) * size, static_cast<std::size_t>(run.count) * size);
    });
    reader.flush();
}

template <class T>
T reversed(T values) {
    std::reverse(values.begin(), values.end());
    return values;
}

/// Copies a matrix into its transpose, square by square. Strides in elements.
/// from[j * from_stride + i] goes to to[i * to_stride + j], for i < rows, j < columns.
template <std::size_t Size>
void transpose(std::byte const* from, Extent from_stride, std::byte* to, Extent to_stride, Extent rows,
               Extent columns) {
    constexpr Extent square = tuning::transposed_square;
    constexpr Extent size = Size;
    for (Extent i0 = 0; i0 < rows; i0 += square)
        for (Extent j0 = 0; j0 < columns; j0 += square)
            for (Extent i = i0; i < std::min(rows, i0 + square); ++i)
                for (Extent j = j0; j < std::min(columns, j0 + square); ++j)
                    std::memcpy(to + (i * to_stride + j) * size, from + (j * from_stride + i) * size, Size);
}

auto transpose_of(std::size_t element_bytes) {
    switch (element_bytes) {
        case 1: return transpose<1>;
        case 2: return transpose<2>;
        case 4: return transpose<4>;
        case 8: return transpose<8>;
        case 16: return transpose<16>;
        default: throw InternalError("no element has " + std::to_string(element_bytes) + " bytes");
    }
}

/// Reads boxes of an array in Fortran order: as boxes of the C-order array with its axes reversed, then transposed.
class FortranReader {
public:
    FortranReader(StoredArray const& array, Box const& whole, std::span<std::byte> out)
        : array_(array), whole_(whole), out_(out), strides_(row_major_strides(whole.length)) {}

    /// Reads a part of the box in pieces small enough to transpose in cache.
    void read(Box const& part) {
        Extent const size = static_cast<Extent>(array_.element_bytes);
        std::size_t const axis = axis_to_halve(part);
        if (part.elements() * size <= tuning::transposed_bytes || part.length[axis] < 2) return read_piece(part);
        Box first = part, second = part;
        first.length[axis] /= 2;
        second.begin[axis] += first.length[axis];
        second.length[axis] -= first.length[axis];
        read(first);
        read(second);
    }

private:
    /// The last axis that stays wide enough: the first axis is the one that is adjacent in the file.
    static std::size_t axis_to_halve(Box const& part) {
        for (std::size_t axis = part.order(); axis-- > 1;)
            if (part.length[axis] >= 2 * tuning::transposed_edge) return axis;
        return static_cast<std::size_t>(std::max_element(part.length.begin(), part.length.end()) - part.length.begin());
    }

    void read_piece(Box const& part) {
        std::size_t const size = array_.element_bytes;
        buffer_.resize(static_cast<std::size_t>(part.elements()) * size);
        read_c_order(array_, reversed(array_.shape), Box{reversed(part.begin), reversed(part.length)}, buffer_);
        place(part);
    }

    /// Transposes the first with the last axis for every index of those between.
    void place(Box const& part) {
        Extent const size = static_cast<Extent>(array_.element_bytes);
        std::size_t const last = part.order() - 1;
        std::vector<Extent> const from_strides = reversed(row_major_strides(reversed(part.length)));
        Shape const middle(part.length.begin() + 1, part.length.end() - 1);
        Extent start = 0;
        for (std::size_t axis = 0; axis <= last; ++axis)
            start += (part.begin[axis] - whole_.begin[axis]) * strides_[axis];
        auto const transpose_matrix = transpose_of(array_.element_bytes);
        for_each_index(middle, [&](std::vector<Extent> const& index) {
            Extent from = 0, to = start;
            for (std::size_t axis = 0; axis < index.size(); ++axis) {
                from += index[axis] * from_strides[axis + 1];
                to += index[axis] * strides_[axis + 1];
            }
            transpose_matrix(buffer_.data() + from * size, from_strides[last], out_.data() + to * size, strides_[0],
                             part.length[0], part.length[last]);
        });
    }

    StoredArray const& array_;
    Box const& whole_;
    std::span<std::byte> out_;
    std::vector<Extent> strides_;
    std::vector<std::byte> buffer_;
};

void swap_bytes(std::span<std::byte> bytes, std::size_t number_bytes) {
    for (std::size_t i = 0; i + number_bytes <= bytes.size(); i += number_bytes)
        std::reverse(bytes.data() + i, bytes.data() + i + number_bytes);
}

}  // namespace

void read_box(StoredArray const& array, Box const& box, std::span<std::byte> out) {
    promise(box.order() == array.shape.size() && Box::whole(array.shape).contains(box),
            "a box inside its tensor is read");
    promise(out.size() == static_cast<std::size_t>(box.elements()) * array.element_bytes, "a buffer of the box's size");
    if (box.empty()) return;
    bool const same_in_both_orders = box.order() < 2;
    if (array.axis_order == AxisOrder::c || same_in_both_orders)
        read_c_order(array, array.shape, box, out);
    else
        FortranReader(array, box, out).read(box);
    if (array.byte_order == ByteOrder::big && array.number_bytes > 1) swap_bytes(out, array.number_bytes);
}

}  // namespace ein::tensor
