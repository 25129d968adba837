// The loops of gather_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in
// a namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake).
#include "executor/device/cpu/moves/gather_loops.hpp"

#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class Position>
Position load(std::byte const* from) {
    Position position;
    __builtin_memcpy(&position, from, sizeof position);
    return position;
}

/// @param at  of the first, in elements
template <class Position>
bool find_adjacent(PositionTile const& tile, std::byte const* __restrict from, Extent at, Offset* __restrict to) {
    Extent const first = tile.first, length = tile.length, step = tile.data_step, column_step = tile.columns.data;
    std::uint32_t absent = 0;
    for (Extent k = 0; k < tile.columns.count; ++k) {
        Extent const position = static_cast<Extent>(load<Position>(from + k * Extent{sizeof(Position)})) - first;
        bool const here = static_cast<std::uint64_t>(position) < static_cast<std::uint64_t>(length);
        to[k] = here ? static_cast<Offset>(at + k * column_step + position * step) : -1;
        absent |= here ? 0u : 1u;
    }
    return absent == 0;
}

/// One position for all columns.
template <class Position>
bool find_one(PositionTile const& tile, std::byte const* from, Extent at, Offset* to) {
    Extent const position = static_cast<Extent>(load<Position>(from)) - tile.first;
    bool const here = position >= 0 && position < tile.length;
    Extent const offset = here ? at + position * tile.data_step : -1, step = here ? tile.columns.data : 0;
    for (Extent k = 0; k < tile.columns.count; ++k) to[k] = static_cast<Offset>(offset + k * step);
    return here;
}

template <class Position>
bool find_apart(PositionTile const& tile, std::byte const* from, Extent at, Offset* to) {
    bool all_here = true;
    for (Extent k = 0; k < tile.columns.count; ++k) {
        Extent const position = static_cast<Extent>(load<Position>(from + k * tile.columns.positions)) - tile.first;
        bool const here = position >= 0 && position < tile.length;
        to[k] = here ? static_cast<Offset>(at + k * tile.columns.data + position * tile.data_step) : -1;
        all_here = all_here && here;
    }
    return all_here;
}

template <class Position>
bool find_all(PositionTile const& tile, Offset* to) {
    bool all_here = true;
    for (Extent row = 0; row < tile.rows.count; ++row, to += tile.columns.count) {
        std::byte const* const from = tile.positions + row * tile.rows.positions;
        Extent const at = row * tile.rows.data;
        bool const here = tile.columns.positions == 0 ? find_one<Position>(tile, from, at, to)
                          : tile.columns.positions == Extent{sizeof(Position)}
                              ? find_adjacent<Position>(tile, from, at, to)
                              : find_apart<Position>(tile, from, at, to);
        all_here = all_here && here;
    }
    return all_here;
}

bool find(PositionTile const& tile, Offset* offsets) {
    switch (tile.type) {
        case DType::u8: return find_all<std::uint8_t>(tile, offsets);
        case DType::i8: return find_all<std::int8_t>(tile, offsets);
        case DType::i16: return find_all<std::int16_t>(tile, offsets);
        case DType::i32: return find_all<std::int32_t>(tile, offsets);
        default: return find_all<std::int64_t>(tile, offsets);
    }
}

template <Extent Size>
void gather_elements(std::byte const* __restrict from, Offset const* __restrict at, Extent count,
                     std::byte const* __restrict absent, std::byte* __restrict to) {
    if (absent == nullptr) {
        for (Extent k = 0; k < count; ++k) __builtin_memcpy(to + k * Size, from + at[k] * Size, Size);
        return;
    }
    for (Extent k = 0; k < count; ++k) __builtin_memcpy(to + k * Size, at[k] < 0 ? absent : from + at[k] * Size, Size);
}

void gather(std::size_t size, std::byte const* from, Offset const* at, Extent count, std::byte const* absent,
            std::byte* to) {
    switch (size) {
        case 1: return gather_elements<1>(from, at, count, absent, to);
        case 2: return gather_elements<2>(from, at, count, absent, to);
        case 4: return gather_elements<4>(from, at, count, absent, to);
        case 8: return gather_elements<8>(from, at, count, absent, to);
        default: return gather_elements<16>(from, at, count, absent, to);
    }
}

}  // namespace

GatherLoops gather_loops() { return {find, gather}; }

}  // namespace ein::executor::EIN_INSTRUCTION_SET
