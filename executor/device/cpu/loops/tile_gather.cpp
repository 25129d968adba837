#include "executor/device/cpu/loops/tile_gather.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/short_runs.hpp"

namespace ein::executor {
namespace {

struct Sixteen {
    std::uint64_t words[2];
};

template <class T>
T load(std::byte const* from) {
    T element;
    std::memcpy(&element, from, sizeof element);
    return element;
}

/// Of a count that is known when compiling: several elements become one store.
template <std::size_t Count, class T>
void repeat_few(std::byte const* __restrict from, TileAxis rows, T* __restrict to) {
    for (std::size_t r = 0; r < rows.count; ++r) {
        T const element = load<T>(from + static_cast<Extent>(r) * rows.step);
        for (std::size_t c = 0; c < Count; ++c) to[r * Count + c] = element;
    }
}

template <class T>
void repeat_elements(std::byte const* __restrict from, TileAxis rows, std::size_t columns, T* __restrict to) {
    switch (columns) {
        case 2: return repeat_few<2>(from, rows, to);
        case 3: return repeat_few<3>(from, rows, to);
        case 4: return repeat_few<4>(from, rows, to);
        case 5: return repeat_few<5>(from, rows, to);
        case 6: return repeat_few<6>(from, rows, to);
        case 7: return repeat_few<7>(from, rows, to);
        case 8: return repeat_few<8>(from, rows, to);
        default: break;
    }
    for (std::size_t r = 0; r < rows.count; ++r) {
        T const element = load<T>(from + static_cast<Extent>(r) * rows.step);
        std::fill(to + r * columns, to + (r + 1) * columns, element);
    }
}

template <class T>
void gather_apart(std::byte const* __restrict from, TileAxis rows, TileAxis columns, T* __restrict to) {
    for (std::size_t r = 0; r < rows.count; ++r) {
        std::byte const* const row = from + static_cast<Extent>(r) * rows.step;
        for (std::size_t c = 0; c < columns.count; ++c) *to++ = load<T>(row + static_cast<Extent>(c) * columns.step);
    }
}

template <class T>
void gather_elements(std::byte const* from, TileAxis rows, TileAxis columns, std::byte* to) {
    auto* const elements = reinterpret_cast<T*>(to);
    if (columns.step == 0) return repeat_elements<T>(from, rows, columns.count, elements);
    gather_apart<T>(from, rows, columns, elements);
}

/// The first bytes, again and again.
void repeat_run(std::byte* to, std::size_t bytes, std::size_t total) {
    for (std::size_t done = bytes; done < total;) {
        std::size_t const more = std::min(done, total - done);
        std::memcpy(to + done, to, more);
        done += more;
    }
}

void gather_rows(std::byte const* from, TileAxis rows, std::size_t bytes, std::byte* to) {
    std::size_t const apart = rows.step == static_cast<Extent>(bytes) ? 1 : rows.count;
    if (apart == 1 || rows.step == 0) {
        std::size_t const once = rows.step == 0 ? bytes : bytes * rows.count;
        std::memcpy(to, from, once);
        return repeat_run(to, once, bytes * rows.count);
    }
    with_run_copy(bytes, [&](auto const& copy) {
        for (std::size_t r = 0; r < rows.count; ++r) copy(to + r * bytes, from + static_cast<Extent>(r) * rows.step);
    });
}

}  // namespace

void gather_tile(std::size_t size, std::byte const* from, TileAxis rows, TileAxis columns, std::byte* to) {
    if (columns.count == 1) std::swap(rows, columns);
    if (columns.step == static_cast<Extent>(size)) return gather_rows(from, rows, columns.count * size, to);
    if (rows.step == 0 && rows.count > 1) {
        gather_tile(size, from, {1, 0}, columns, to);
        return repeat_run(to, columns.count * size, rows.count * columns.count * size);
    }
    switch (size) {
        case 1: return gather_elements<std::uint8_t>(from, rows, columns, to);
        case 2: return gather_elements<std::uint16_t>(from, rows, columns, to);
        case 4: return gather_elements<std::uint32_t>(from, rows, columns, to);
        case 8: return gather_elements<std::uint64_t>(from, rows, columns, to);
        default: return gather_elements<Sixteen>(from, rows, columns, to);
    }
}

namespace {

bool is_one_run(std::size_t size, TileAxis rows, TileAxis columns) {
    bool const adjacent = columns.count == 1 || columns.step == static_cast<Extent>(size);
    return adjacent && (rows.count == 1 || rows.step == static_cast<Extent>(columns.count * size));
}

}  // namespace

bool is_of_long_rows(std::size_t size, TileAxis rows, TileAxis columns) {
    return columns.count >= machine::shortest_run_apart && !is_one_run(size, rows, columns);
}

std::byte const* side_by_side(std::size_t size, std::byte const* from, TileAxis rows, TileAxis columns, std::byte* to) {
    if (is_one_run(size, rows, columns)) return from;
    gather_tile(size, from, rows, columns, to);
    return to;
}

}  // namespace ein::executor
