// A piece of a tensor that one rank holds, and the formats in which its elements may lie. A new format is a struct here
// and an entry at the end of BlockFormats; docs/extending.md says what else asks for it. Example: rows 2 and 3 of a
// tensor of 4 x 5 in f64 as a dense block: box [2:4, 0:5], 80 bytes.
#pragma once

#include <string_view>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/schedule/model/ids.hpp"
#include "lib/schedule/model/kind_list.hpp"

namespace ein::schedule {

/// What is true of all blocks of a format. Whatever the format, a block is one run of bytes: so it is sent, spilled and
/// moved as a whole.
struct FormatTraits {
    std::string_view name;
    bool is_box = false;  // kernels and moves address its elements by the tensor's indices; else only Unpack reads it
};

/// A box of the tensor, in C order.
struct DenseBlock {
    static constexpr FormatTraits traits{.name = "dense", .is_box = true};
    BoxView box;
    Extent elements() const { return box.elements(); }
};

/// Elements that Pack gathered from somewhere in the tensor, one behind the other. Its coordinates are one axis [0,
/// elements).
struct PackedBlock {
    static constexpr FormatTraits traits{.name = "packed"};
    BoxView box;
    Extent elements() const { return box.elements(); }
};

/// All of them, in the order of the numbers in schedule files: new formats come last.
using BlockFormats = KindList<DenseBlock, PackedBlock>;

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
    std::int64_t coords = 0;  // in Section::coords: `order` begins, then `order` lengths

    template <class T>
    bool is() const {
        return format == format_of<T>;
    }
    bool is_box() const { return traits(format).is_box; }
};

namespace detail {

template <class First, class... Rest, class Visitor>
decltype(auto) visit_formats(KindList<First, Rest...>, BlockFormat format, BoxView box, Visitor& visitor) {
    if constexpr (sizeof...(Rest) == 0) {
        return visitor(First{box});
    } else {
        if (format == format_of<First>) return visitor(First{box});
        return visit_formats(KindList<Rest...>(), format, box, visitor);
    }
}

}  // namespace detail

/// Calls the visitor with the block as the struct of its format. A visitor that lacks a format does not compile.
/// @param box  its coordinates
template <class Visitor>
decltype(auto) visit_format(BlockFormat format, BoxView box, Visitor&& visitor) {
    return detail::visit_formats(BlockFormats(), format, box, visitor);
}

}  // namespace ein::schedule
