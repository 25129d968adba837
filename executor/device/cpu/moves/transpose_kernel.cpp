#include "executor/device/cpu/moves/transpose_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr Extent vector_bytes = 16, line_bytes = machine::cache_line;

/// Edge of a square tile: rows of two cache lines, but for bytes, whose tiles would be too large.
constexpr Extent tile_edge(std::size_t size) { return size == 1 ? 64 : 128 / static_cast<Extent>(size); }

template <std::size_t Size>
using Unsigned = std::conditional_t<
    Size == 1, std::uint8_t,
    std::conditional_t<Size == 2, std::uint16_t, std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>>;

template <std::size_t Size>
using Vector [[gnu::vector_size(16)]] = Unsigned<Size>;

/// a0 b0 a1 b1 ... of the first halves, or of the second halves, of two vectors.
template <std::size_t Size, int Half, int... I>
Vector<Size> interleaved(Vector<Size> a, Vector<Size> b, std::integer_sequence<int, I...>) {
    constexpr int count = sizeof...(I);
    return __builtin_shufflevector(a, b, (Half * count / 2 + I / 2 + (I % 2) * count)...);
}

/// Iterations a square of one vector a row: `from_step` and `to_step` bytes from row to row. Interleaving row k with
/// row k + V/2 rotates the bits of (row, column) by one place; after log2 V times they have changed places.
template <std::size_t Size>
void turn_square(std::byte const* from, Extent from_step, std::byte* to, Extent to_step) {
    if constexpr (Size == 16) {
        std::memcpy(to, from, 16);
    } else {
        constexpr int count = 16 / Size;
        using Lanes = std::make_integer_sequence<int, count>;
        Vector<Size> rows[count], next[count];
#pragma GCC unroll 16
        for (int k = 0; k < count; ++k) std::memcpy(&rows[k], from + k * from_step, 16);
#pragma GCC unroll 16
        for (int done = 1; done < count; done *= 2) {
#pragma GCC unroll 16
            for (int k = 0; k < count / 2; ++k) {
                next[2 * k] = interleaved<Size, 0>(rows[k], rows[k + count / 2], Lanes{});
                next[2 * k + 1] = interleaved<Size, 1>(rows[k], rows[k + count / 2], Lanes{});
            }
#pragma GCC unroll 16
            for (int k = 0; k < count; ++k) rows[k] = next[k];
        }
#pragma GCC unroll 16
        for (int k = 0; k < count; ++k) std::memcpy(to + k * to_step, &rows[k], 16);
    }
}

/// One tile: the operand's rows run along `across`, the output's along `along`; steps are in bytes.
struct Tile {
    std::byte const* from;
    std::byte* to;
    Extent along, across, from_step, to_step;
    bool past_cache;  // the output's rows begin with a cache line
};

template <std::size_t Size>
void turn_part_of_tile(Tile const& tile) {
    constexpr Extent size = Size;
    for (Extent row = 0; row < tile.across; ++row)
        for (Extent k = 0; k < tile.along; ++k)
            std::memcpy(tile.to + row * tile.to_step + k * size, tile.from + k * tile.from_step + row * size, Size);
}

void write_row(std::byte* to, std::byte const* from, Extent bytes, bool past_cache) {
    auto const count = static_cast<std::size_t>(bytes);
    if (past_cache) return copy_past_cache(to, from, count);
    std::memcpy(to, from, count);
}

template <std::size_t Size>
void turn_tile(Tile const& tile) {
    constexpr Extent edge = tile_edge(Size), size = Size, count = vector_bytes / size;
    if (tile.along != edge || tile.across != edge) return turn_part_of_tile<Size>(tile);
    for (Extent k = 0; k < edge; ++k)  // the tile that follows
        for (Extent at = 0; at < edge * size; at += line_bytes)
            __builtin_prefetch(tile.from + k * tile.from_step + edge * size + at);
    alignas(64) std::byte turned[edge * edge * size];
    for (Extent k = 0; k < edge; k += count)
        for (Extent row = 0; row < edge; row += count)
            turn_square<Size>(tile.from + k * tile.from_step + row * size, tile.from_step,
                              turned + row * edge * size + k * size, edge * size);
    for (Extent row = 0; row < edge; ++row)
        write_row(tile.to + row * tile.to_step, turned + row * edge * size, edge * size, tile.past_cache);
}

void turn_tile(Tile const& tile, std::size_t size) {
    switch (size) {
        case 1: return turn_tile<1>(tile);
        case 2: return turn_tile<2>(tile);
        case 4: return turn_tile<4>(tile);
        case 8: return turn_tile<8>(tile);
        default: return turn_tile<16>(tile);
    }
}

/// A label of the copy and how far it moves, in bytes.
struct CopyLabel {
    Extent length, from, to;
};

class TransposeKernel final : public PreparedKernel {
public:
    TransposeKernel(std::size_t size, CopyLabel along, CopyLabel across, std::vector<CopyLabel> others)
        : size_(size), along_(along), across_(across), others_(std::move(others)) {
        squares_ = squares_along(along_) * squares_along(across_);
        Extent elements = along_.length * across_.length;
        for (CopyLabel const& label : others_) {
            squares_ *= label.length;
            elements *= label.length;
        }
        Extent const bytes = elements * static_cast<Extent>(size_);
        pieces_ = std::min<std::int64_t>(
            {machine::most_pieces, squares_, bytes / static_cast<Extent>(machine::bytes_of_a_move)});
        large_ = bytes >= machine::transposed_past_cache && across_.to % line_bytes == 0;
        for (CopyLabel const& label : others_) large_ = large_ && label.to % line_bytes == 0;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        if (pieces_ < 2) return turn_squares(call, 0, squares_);
        team.run(pieces_, [&](std::int64_t piece) {
            turn_squares(call, part_begin(squares_, pieces_, piece), part_begin(squares_, pieces_, piece + 1));
        });
    }

private:
    static Extent squares_along(CopyLabel const& label) {
        return (label.length + machine::transpose_square - 1) / machine::transpose_square;
    }

    void turn_squares(KernelCall const& call, Extent first, Extent last) const {
        auto const* const from = static_cast<std::byte const*>(call.operands[0]);
        auto* const to = static_cast<std::byte*>(call.output);
        Extent const columns = squares_along(along_), rows = squares_along(across_);
        bool const past_cache = large_ && reinterpret_cast<std::uintptr_t>(to) % line_bytes == 0;
        for (Extent square = first; square < last; ++square) {
            Extent const k = square % columns * machine::transpose_square,
                         row = square / columns % rows * machine::transpose_square;
            Extent from_at = k * along_.from + row * across_.from, to_at = k * along_.to + row * across_.to;
            Extent rest = square / columns / rows;
            for (auto label = others_.rbegin(); label != others_.rend(); ++label) {
                from_at += rest % label->length * label->from;
                to_at += rest % label->length * label->to;
                rest /= label->length;
            }
            turn_square_of_tiles({from + from_at, to + to_at, std::min(machine::transpose_square, along_.length - k),
                                  std::min(machine::transpose_square, across_.length - row), along_.from, across_.to,
                                  past_cache});
        }
        finish_past_cache();
    }

    void turn_square_of_tiles(Tile const& all) const {
        Extent const edge = tile_edge(size_), size = static_cast<Extent>(size_);
        for (Extent k = 0; k < all.along; k += edge)
            for (Extent row = 0; row < all.across; row += edge)  // along the operand's rows: they are fetched ahead
                turn_tile({all.from + k * all.from_step + row * size, all.to + row * all.to_step + k * size,
                           std::min(edge, all.along - k), std::min(edge, all.across - row), all.from_step, all.to_step,
                           all.past_cache},
                          size_);
    }

    std::size_t size_;
    CopyLabel along_, across_;  // along which the output's, and the operand's, elements follow one another
    std::vector<CopyLabel> others_;
    Extent squares_ = 1;
    bool large_ = false;  // and its rows can be written past the cache
    std::int64_t pieces_ = 1;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_transpose_kernel(Nest const& nest) {
    if (nest.accumulate || nest.aggregates() || nest.operand_dtypes[0] != nest.output_dtype) return nullptr;
    auto const size = static_cast<Extent>(size_of(nest.output_dtype));
    std::optional<CopyLabel> along, across;
    std::vector<CopyLabel> others;
    for (NestLabel const& label : nest.labels) {
        CopyLabel const copy{label.length, label.strides[0], label.output_stride};
        if (copy.to == size && copy.from != size && !along)
            along = copy;
        else if (copy.from == size && copy.to != size && !across)
            across = copy;
        else
            others.push_back(copy);
    }
    if (!along || !across || along->length < machine::least_transposed || across->length < machine::least_transposed)
        return nullptr;
    return std::make_unique<TransposeKernel>(static_cast<std::size_t>(size), *along, *across, std::move(others));
}

}  // namespace ein::executor
