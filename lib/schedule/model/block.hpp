// A piece of a tensor that one rank holds, and the formats in which its elements may lie. A new format is a struct here
// and an entry at the end of BlockFormats; docs/extending.md says what else asks for it. Example: rows 2 and 3 of a
// tensor of 4 x 5 in f64 as a dense block: box [2:4, 0:5], 80 bytes.
#pragma once

#include <string_view>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/schedule/model/ids.hpp"
#include "lib/schedule/model/kind_list.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::schedule {

/// What is true of all blocks of a format. Whatever the format, a block is one run of bytes: so it is sent, spilled and
/// moved as a whole.
struct FormatTraits {
    std::string_view name;
    bool is_box = false;     // kernels and moves address its elements by the tensor's indices
    bool is_listed = false;  // its box is in the tensor's indices too, but elements are found by their coordinates
};

/// What a block has in Section::coords: a box, and what its format needs besides.
struct BlockCoords {
    BoxView box;
    Extent const* more = nullptr;  // of a sparse block: see SparseBlock
};

/// A box of the tensor, in C order.
struct DenseBlock {
    static constexpr FormatTraits traits{.name = "dense", .is_box = true};
    BoxView box;
    explicit DenseBlock(BlockCoords const& coords) : box(coords.box) {}
    Extent elements() const { return box.elements(); }
    std::int64_t bytes(DType dtype) const { return elements() * static_cast<std::int64_t>(size_of(dtype)); }
};

/// Elements that Pack gathered from somewhere in the tensor, one behind the other. Its coordinates are one axis [0,
/// elements).
struct PackedBlock {
    static constexpr FormatTraits traits{.name = "packed"};
    BoxView box;
    explicit PackedBlock(BlockCoords const& coords) : box(coords.box) {}
    Extent elements() const { return box.elements(); }
    std::int64_t bytes(DType dtype) const { return elements() * static_cast<std::int64_t>(size_of(dtype)); }
};

/// Elements of a box that are listed with their coordinates, others have the tensor's fill
/// (lib/tensor/sparse/sparse_block.hpp). There is room for `most`; what is sent and stored is what is listed.
struct SparseBlock {
    static constexpr FormatTraits traits{.name = "sparse", .is_listed = true};
    /// Numbers behind the box: `most`, whether the layout is compressed, its axes.
    static constexpr std::int64_t more_coords(std::int64_t order) { return 2 + order; }
    BoxView box;
    Extent most;
    bool compressed;
    std::span<Extent const> axes;

    explicit SparseBlock(BlockCoords const& coords)
        : box(coords.box), most(coords.more[0]), compressed(coords.more[1] != 0), axes(coords.more + 2, box.order()) {}
    Extent elements() const { return most; }
    tensor::SparseLayout layout() const { return {{axes.begin(), axes.end()}, compressed}; }
    std::int64_t bytes(DType dtype) const { return tensor::sparse_bytes(layout(), box.length, dtype, most); }
};

/// All of them, in the order of the numbers in schedule files: new formats come last.
using BlockFormats = KindList<DenseBlock, PackedBlock, SparseBlock>;

/// A format as a number: the place of its struct in BlockFormats. Like TaskKind it has no names of its own.
enum class BlockFormat : std::uint8_t {};
template <class T>
inline constexpr BlockFormat format_of{detail::place_in<T>(BlockFormats())};

inline constexpr auto format_traits = detail::traits_of_all(BlockFormats());
constexpr FormatTraits const& traits(BlockFormat format) { return format_traits[static_cast<std::size_t>(format)]; }

struct Block {
    TensorId tensor;
    DType dtype = DType::f32;  // partial results may be wider than their tensor
    BlockFormat format = format_of<DenseBlock>;
    std::int32_t readers =
        0;  // times that tasks read it (an operand that occurs twice counts twice): deleted after the last
    std::int32_t writers = 0;  // tasks that write it: it is ready when all have
    std::int32_t order = 0;
    CoordsPlace coords = 0;  // in Section::coords: `order` begins, then `order` lengths, then what the format adds

    template <class T>
    bool is() const {
        return format == format_of<T>;
    }
    bool is_box() const { return traits(format).is_box; }
    bool is_listed() const { return traits(format).is_listed; }
};

namespace detail {

template <class First, class... Rest, class Visitor>
decltype(auto) visit_formats(KindList<First, Rest...>, BlockFormat format, BlockCoords const& coords,
                             Visitor& visitor) {
    if constexpr (sizeof...(Rest) == 0) {
        return visitor(First(coords));
    } else {
        if (format == format_of<First>) return visitor(First(coords));
        return visit_formats(KindList<Rest...>(), format, coords, visitor);
    }
}

}  // namespace detail

/// Calls the visitor with the block as the struct of its format. A visitor that lacks a format does not compile.
template <class Visitor>
decltype(auto) visit_format(BlockFormat format, BlockCoords const& coords, Visitor&& visitor) {
    return detail::visit_formats(BlockFormats(), format, coords, visitor);
}

}  // namespace ein::schedule
