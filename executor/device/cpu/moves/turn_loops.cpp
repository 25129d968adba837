// The loops of turned_tile.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a
// namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake).
#include <cstdint>
#include <type_traits>
#include <utility>

#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/turned_tile.hpp"
#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <int Size>
using Element = std::conditional_t<
    Size == 1, std::uint8_t,
    std::conditional_t<Size == 2, std::uint16_t, std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>>;

/// Rows of a square: as many as there are registers for.
template <int Size>
constexpr int side = vector_bytes / Size < (vector_bytes == 32 ? 8 : 16) ? vector_bytes / Size
                                                                         : (vector_bytes == 32 ? 8 : 16);

template <int Size, int Count>
using Row [[gnu::vector_size(Count * Size)]] = Element<Size>;

/// a0 b0 a1 b1 ... of the first halves, or of the second halves, of two vectors.
template <int Size, int Half, int... I>
Row<Size, sizeof...(I)> interleaved(Row<Size, sizeof...(I)> const& a, Row<Size, sizeof...(I)> const& b,
                                    std::integer_sequence<int, I...>) {
    constexpr int count = sizeof...(I);
    return __builtin_shufflevector(a, b, (Half * count / 2 + I / 2 + (I % 2) * count)...);
}

/// Interleaving row k with row k + half the rows rotates the bits of (row, column) by one place; after as many times as
/// a row's number has bits they have changed places.
template <int Size, int count>
__attribute__((always_inline)) inline void turn_square(std::byte const* from, Extent from_step, std::byte* to,
                                                       Extent to_step) {
    using Lanes = std::make_integer_sequence<int, count>;
    Row<Size, count> rows[count], next[count];
#pragma GCC unroll 16
    for (int k = 0; k < count; ++k) __builtin_memcpy(&rows[k], from + k * from_step, sizeof rows[k]);
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
    for (int k = 0; k < count; ++k) __builtin_memcpy(to + k * to_step, &rows[k], sizeof rows[k]);
}

template <int Size>
void turn_elements(TurnedTile const& tile, Extent first_row, Extent last_row, Extent first_column, Extent last_column) {
    for (Extent row = first_row; row < last_row; ++row)
        for (Extent column = first_column; column < last_column; ++column)
            __builtin_memcpy(tile.to + column * tile.to_step + row * Size,
                             tile.from + row * tile.from_step + column * Size, Size);
}

void ask_for(TurnedTile const& tile, Extent row, Extent rows, Extent at) {
    for (Extent k = row; k < row + rows; ++k)
        __builtin_prefetch(tile.from + k * tile.from_step + at + tile.ahead, 0, 2);
}

/// What squares leave is turned in smaller ones as long as these are worth it.
template <int Size, int Count>
void turn_squares(TurnedTile const& tile, Extent first_row, Extent last_row, Extent first_column, Extent last_column) {
    if constexpr (Count < 4 || Count * Size < 8) {
        return turn_elements<Size>(tile, first_row, last_row, first_column, last_column);
    } else {
        constexpr Extent line = static_cast<Extent>(machine::cache_line);
        Extent const rows = first_row + (last_row - first_row) / Count * Count,
                     columns = first_column + (last_column - first_column) / Count * Count;
        for (Extent row = first_row; row < rows; row += Count)
            for (Extent column = first_column; column < columns; column += Count) {
                if (tile.ahead != 0 && column * Size % line == 0) ask_for(tile, row, Count, column * Size);
                turn_square<Size, Count>(tile.from + row * tile.from_step + column * Size, tile.from_step,
                                         tile.to + column * tile.to_step + row * Size, tile.to_step);
            }
        if (columns < last_column) turn_squares<Size, Count / 2>(tile, first_row, rows, columns, last_column);
        if (rows < last_row) turn_squares<Size, Count / 2>(tile, rows, last_row, first_column, last_column);
    }
}

template <int Size>
void turn(TurnedTile const& tile) {
    if constexpr (Size == 16)
        turn_elements<Size>(tile, 0, tile.rows, 0, tile.columns);
    else
        turn_squares<Size, side<Size>>(tile, 0, tile.rows, 0, tile.columns);
}

}  // namespace

TurnLoop turn_loop(std::size_t size) {
    switch (size) {
        case 1: return turn<1>;
        case 2: return turn<2>;
        case 4: return turn<4>;
        case 8: return turn<8>;
        default: return turn<16>;
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
