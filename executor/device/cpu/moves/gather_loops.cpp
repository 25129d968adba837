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

/// A row of at least one word, at most two: its first and its last word, which may overlap.
template <class Word>
struct TwoWords {
    Extent last;  // where the last word begins
    void operator()(std::byte* to, std::byte const* from) const {
        Word const begin = load<Word>(from), end = load<Word>(from + last);
        __builtin_memcpy(to, &begin, sizeof begin);
        __builtin_memcpy(to + last, &end, sizeof end);
    }
};
template <class Word>
struct OneWord {
    void operator()(std::byte* to, std::byte const* from) const {
        Word const word = load<Word>(from);
        __builtin_memcpy(to, &word, sizeof word);
    }
};
/// Whole lines, and the last one, which may overlap with those.
template <int Lines>
struct LinesAndLast {
    Extent last;
    void operator()(std::byte* to, std::byte const* from) const {
#pragma GCC unroll 4
        for (int k = 0; k < Lines; ++k) __builtin_memcpy(to + k * 64, from + k * 64, 64);
        __builtin_memcpy(to + last, from + last, 64);
    }
};

template <class Position, class Copy>
void copy_rows(RowsByPosition const& rows, Copy const& copy) {
    RowsByPosition const r = rows;  // a copy: what is written might be part of it for all that the compiler knows
    std::byte const *position = r.positions, *data = r.data;
    std::byte* to = r.to;
    for (Extent k = 0; k < r.count; ++k, position += r.position_step, data += r.data_step, to += r.to_step) {
        Extent const row = static_cast<Extent>(load<Position>(position)) - r.first;
        if (static_cast<std::uint64_t>(row) < static_cast<std::uint64_t>(r.length))
            copy(to, data + row * r.row_step);
        else
            __builtin_memset(to, 0, static_cast<std::size_t>(r.row_bytes));
    }
}

template <class Position>
void copy_rows_at(RowsByPosition const& rows) {
    struct Sixteen {
        std::uint64_t words[2];
    };
    struct ThirtyTwo {
        std::uint64_t words[4];
    };
    Extent const bytes = rows.row_bytes;
    switch (bytes) {
        case 1: return copy_rows<Position>(rows, OneWord<std::uint8_t>{});
        case 2: return copy_rows<Position>(rows, OneWord<std::uint16_t>{});
        case 4: return copy_rows<Position>(rows, OneWord<std::uint32_t>{});
        case 8: return copy_rows<Position>(rows, OneWord<std::uint64_t>{});
        case 16: return copy_rows<Position>(rows, OneWord<Sixteen>{});
        default: break;
    }
    if (bytes < 4) return copy_rows<Position>(rows, TwoWords<std::uint16_t>{bytes - 2});
    if (bytes < 8) return copy_rows<Position>(rows, TwoWords<std::uint32_t>{bytes - 4});
    if (bytes < 16) return copy_rows<Position>(rows, TwoWords<std::uint64_t>{bytes - 8});
    if (bytes <= 32) return copy_rows<Position>(rows, TwoWords<Sixteen>{bytes - 16});
    if (bytes < 64) return copy_rows<Position>(rows, TwoWords<ThirtyTwo>{bytes - 32});
    if (bytes <= 128) return copy_rows<Position>(rows, LinesAndLast<1>{bytes - 64});
    if (bytes <= 192) return copy_rows<Position>(rows, LinesAndLast<2>{bytes - 64});
    copy_rows<Position>(rows, LinesAndLast<3>{bytes - 64});
}

void copy_all_rows(RowsByPosition const& rows) {
    switch (rows.type) {
        case DType::u8: return copy_rows_at<std::uint8_t>(rows);
        case DType::i8: return copy_rows_at<std::int8_t>(rows);
        case DType::i16: return copy_rows_at<std::int16_t>(rows);
        case DType::i32: return copy_rows_at<std::int32_t>(rows);
        default: return copy_rows_at<std::int64_t>(rows);
    }
}

}  // namespace

GatherLoops gather_loops() { return {find, gather, copy_all_rows}; }

}  // namespace ein::executor::EIN_INSTRUCTION_SET
