// The loops of best_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a
// namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake). The best of several rows, or of a run, is
// found first as any other minimum is; only where it is better than what is held so far its index is looked for, which
// soon is seldom.
#include "executor/device/cpu/loops/best_loops.hpp"

#include <limits>
#include <type_traits>

#include "executor/device/cpu/loops/folded_rows.hpp"  // of the set
#include "executor/device/cpu/loops/middle_rows.hpp"  // of the set
#include "executor/device/cpu/loops/tile_reduce.hpp"  // of the set
#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Lane by lane of vectors; all integers are numbers.
template <class T>
auto is_nan(T value) {
    return value != value;  // NOLINT(misc-redundant-expression)
}
template <class T>
auto is_number(T value) {
    return value == value;  // NOLINT(misc-redundant-expression)
}

/// Whether a value takes the place of the one that is held: lane by lane too. Of reals a nan does, but not of another.
template <class Op, class T>
auto takes_place(T value, T held) {
    if constexpr (std::is_same_v<Op, Min>)
        return (value < held) | (is_nan(value) & is_number(held));
    else
        return (value > held) | (is_nan(value) & is_number(held));
}

/// Whether any lane of a comparison holds.
template <class Lanes>
bool any_of_lanes(Lanes const& lanes) {
    std::uint64_t words[sizeof(Lanes) / sizeof(std::uint64_t)], any = 0;
    __builtin_memcpy(words, &lanes, sizeof lanes);
    for (std::uint64_t word : words) any |= word;
    return any != 0;
}

template <class T>
constexpr std::size_t lanes_of = vector_bytes / sizeof(T);

template <std::size_t Bytes>
using LaneOf = std::conditional_t<
    Bytes == 1, std::int8_t,
    std::conditional_t<Bytes == 2, std::int16_t, std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;

/// Rows whose number fits a lane, however narrow.
constexpr std::size_t most_rows = 64;

/// Of one vector of columns: `of_rows` is the best of them, and `taken` says where it takes the place of what is held.
template <class Op, class T, class Taken>
[[gnu::noinline]] void take_place(T* best, std::int64_t* held, Vector<T, lanes_of<T>> const& of_rows,
                                  Taken const& taken, char const* first_row, std::ptrdiff_t step, std::size_t rows,
                                  std::int64_t first) {
    constexpr std::size_t lanes = lanes_of<T>;
    using Number = Vector<LaneOf<sizeof(T)>, lanes>;
    Vector<T, lanes> next;
    Number place{};
    for (std::size_t r = rows; r-- > 0;) {
        __builtin_memcpy(&next, first_row + static_cast<std::ptrdiff_t>(r) * step, sizeof next);
        Number const here = Number{} + static_cast<LaneOf<sizeof(T)>>(r);
        place = (next == of_rows) | is_nan(next) ? here : place;
    }
    __builtin_memcpy(&next, best, sizeof next);
    next = taken ? of_rows : next;
    __builtin_memcpy(best, &next, sizeof next);
    place = taken ? place : Number{} - 1;
    LaneOf<sizeof(T)> places[lanes];
    __builtin_memcpy(places, &place, sizeof place);
    LaneOf<sizeof(T) < 4 ? 4 : sizeof(T)> wider[lanes];  // narrow ones in two steps, each of which is a loop of vectors
    for (std::size_t l = 0; l < lanes; ++l) wider[l] = places[l];
    for (std::size_t l = 0; l < lanes; ++l) held[l] = wider[l] < 0 ? held[l] : first + wider[l];
}

/// Parts of a vector each; all rows of one after the other, in registers.
template <class Op, class T, std::size_t Parts>
void best_of_vectors(T* best, std::int64_t* held, char const* from, std::ptrdiff_t step, std::size_t rows,
                     std::int64_t first) {
    constexpr std::size_t lanes = lanes_of<T>;
    Vector<T, lanes> part[Parts], next;
    __builtin_memcpy(part, from, sizeof part);
    char const* row = from;
    for (std::size_t r = 1; r < rows; ++r) {
        row += step;
#pragma GCC unroll 4
        for (std::size_t p = 0; p < Parts; ++p) {
            __builtin_memcpy(&next, row + p * sizeof next, sizeof next);
            part[p] = Op::of(part[p], next);
        }
    }
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Parts; ++p) {
        __builtin_memcpy(&next, best + p * lanes, sizeof next);
        auto const taken = takes_place<Op>(part[p], next);
        if (any_of_lanes(taken))
            take_place<Op, T>(best + p * lanes, held + p * lanes, part[p], taken, from + p * sizeof next, step, rows,
                              first);
    }
}

template <class Op, class T>
void best_columns(void* best, std::int64_t* held, void const* values, std::ptrdiff_t step, std::size_t rows,
                  std::size_t columns, std::int64_t first) {
    constexpr std::size_t lanes = lanes_of<T>, parts = 4;
    auto* const so_far = static_cast<T*>(best);
    auto const* from = static_cast<char const*>(values);
    for (; rows > 0; rows -= rows < most_rows ? rows : most_rows) {
        std::size_t const now = rows < most_rows ? rows : most_rows;
        std::size_t c = 0;
        for (; c + parts * lanes <= columns; c += parts * lanes)
            best_of_vectors<Op, T, parts>(so_far + c, held + c, from + c * sizeof(T), step, now, first);
        for (; c + lanes <= columns; c += lanes)
            best_of_vectors<Op, T, 1>(so_far + c, held + c, from + c * sizeof(T), step, now, first);
        for (; c < columns; ++c)
            for (std::size_t r = 0; r < now; ++r) {
                T value;
                __builtin_memcpy(&value, from + static_cast<std::ptrdiff_t>(r) * step + c * sizeof(T), sizeof value);
                if (!takes_place<Op>(value, so_far[c])) continue;
                so_far[c] = value;
                held[c] = first + static_cast<std::int64_t>(r);
            }
        from += static_cast<std::ptrdiff_t>(now) * step;
        first += static_cast<std::int64_t>(now);
    }
}

/// Where `wanted`, which is among the values, is first. A nan is found as one.
template <class T>
std::size_t place_of(T const* values, T wanted) {
    std::size_t at = 0;
    if (is_nan(wanted)) {
        while (!is_nan(values[at])) ++at;
        return at;
    }
    while (values[at] != wanted) ++at;
    return at;
}

/// The same, a vector at a time as long as there are whole ones.
template <class T>
std::size_t place_among(T const* values, std::size_t count, T wanted) {
    Vector<T, lanes_of<T>> next;
    std::size_t at = 0;
    for (; at + lanes_of<T> <= count; at += lanes_of<T>) {
        __builtin_memcpy(&next, values + at, sizeof next);
        auto const found = is_nan(wanted) ? is_nan(next) : next == wanted;
        if (any_of_lanes(found)) break;
    }
    return at + place_of(values + at, wanted);
}

/// Values that are better as greater integers, twice as wide, with their places in the lower half: of equal values the
/// first is the greatest. Example: for the greatest, 5 at place 2 of bytes is 0x05fd.
template <class Op, class T>
struct PlacedKeys {
    using Order = LaneOf<sizeof(T)>;
    using Key = LaneOf<2 * sizeof(T)>;
    static constexpr int bits = 8 * sizeof(T);
    static constexpr Key places = (Key{1} << bits) - 1;
    static constexpr Order least = std::numeric_limits<Order>::min(), most = std::numeric_limits<Order>::max();

    static Order turned(Order order) { return std::is_same_v<Op, Min> ? static_cast<Order>(~order) : order; }
    static Order of_bits(Order raw) { return raw ^ ((raw >> (bits - 1)) & most); }  // of a real, and back

    static Order order(T value) {
        if constexpr (std::is_floating_point_v<T>) {
            T const unsigned_zero = value + T(0);
            Order raw;
            __builtin_memcpy(&raw, &unsigned_zero, sizeof raw);
            return is_nan(value) ? most : turned(of_bits(raw));
        } else {
            return turned(static_cast<Order>(static_cast<Order>(value) ^ (std::is_unsigned_v<T> ? least : Order{0})));
        }
    }
    static T value(Order order) {
        if constexpr (std::is_floating_point_v<T>) {
            Order const raw = order == most ? most : of_bits(turned(order));
            T made;
            __builtin_memcpy(&made, &raw, sizeof made);
            return made;
        } else {
            return static_cast<T>(turned(order) ^ (std::is_unsigned_v<T> ? least : Order{0}));
        }
    }
    static Key key(T of, Key place) { return static_cast<Key>(static_cast<Key>(order(of)) * (places + 1)) | place; }
};

/// Bytes of keys of several rows, and elements of a row that has keys.
constexpr std::size_t bytes_of_keys = 4096;
template <class T>
constexpr std::size_t longest_keyed_row = sizeof(T) == 8   ? 0
                                          : sizeof(T) == 1 ? 256
                                                           : 512 / sizeof(T);

/// The best of some outputs from the greatest of their keys.
template <class Op, class T, class Key>
void take_keys(Key const* found, std::size_t count, T* best, std::int64_t* held, std::int64_t first) {
    using Keys = PlacedKeys<Op, T>;
    constexpr std::size_t together = 64;
    std::int32_t here[together];
    for (std::size_t n; count > 0; count -= n, found += n, best += n, held += n) {
        n = count < together ? count : together;
        for (std::size_t r = 0; r < n; ++r) {
            auto const order = static_cast<typename Keys::Order>(found[r] >> Keys::bits);
            bool const better = order > Keys::order(best[r]);
            here[r] = better ? static_cast<std::int32_t>(Keys::places - (found[r] & Keys::places)) : -1;
            best[r] = better ? Keys::value(order) : best[r];
        }
        for (std::size_t r = 0; r < n; ++r) held[r] = here[r] < 0 ? held[r] : first + here[r];
    }
}

/// Of rows of `terms` times `columns` values: the best of each column.
template <class Op, class T>
void best_keyed(void* best, std::int64_t* held, void const* values, std::size_t rows, std::size_t terms,
                std::size_t columns, std::int64_t first) {
    using Keys = PlacedKeys<Op, T>;
    using Key = typename Keys::Key;
    constexpr std::size_t room = bytes_of_keys / sizeof(Key), most = FoldedRows<Max, Key>::together;
    Key places[room], keys[room], found[room];
    std::size_t const elements = terms * columns, fitting = room / elements;
    std::size_t const together = fitting < most ? fitting : most;
    for (std::size_t r = 0, i = 0; r < together && r < rows; ++r)
        for (std::size_t t = 0; t < terms; ++t)
            for (std::size_t c = 0; c < columns; ++c) places[i++] = Keys::places - static_cast<Key>(t);
    auto* so_far = static_cast<T*>(best);
    auto const* row = static_cast<T const*>(values);
    for (std::size_t n; rows > 0; rows -= n, so_far += n * columns, held += n * columns, row += n * elements) {
        n = rows < together ? rows : together;
        for (std::size_t i = 0; i < n * elements; ++i) keys[i] = Keys::key(row[i], places[i]);
        if (columns == 1) {
            FoldedRows<Max, Key>::run(keys, n, terms, room, found);
        } else {
            for (std::size_t i = 0; i < n * columns; ++i) found[i] = std::numeric_limits<Key>::min();
            MiddleRows<Max, Key>::run(found, keys, n, terms, columns);
        }
        take_keys<Op, T>(found, n * columns, so_far, held, first);
    }
}

/// Of values whose best one is found before it is looked at whether that is any better.
constexpr std::size_t bytes_of_a_run = 4096;

template <class Op, class T>
void best_rows(void* best, std::int64_t* held, void const* values, std::size_t rows, std::size_t columns,
               std::int64_t first) {
    if constexpr (longest_keyed_row < T >> 0)
        if (columns > 1 && columns <= longest_keyed_row<T> && rows > 1)
            return best_keyed<Op, T>(best, held, values, rows, columns, 1, first);
    auto* const so_far = static_cast<T*>(best);
    auto const* row = static_cast<T const*>(values);
    constexpr std::size_t run = bytes_of_a_run / sizeof(T);
    for (std::size_t r = 0; r < rows; ++r, row += columns) {
        std::size_t found = columns;  // the first of the run that has it
        for (std::size_t at = 0; at < columns; at += run) {
            T const of_run = reduce<Op>(row + at, columns - at < run ? columns - at : run);
            if (!takes_place<Op>(of_run, so_far[r])) continue;
            so_far[r] = of_run;
            found = at;
        }
        if (found < columns)
            held[r] = first + static_cast<std::int64_t>(found + place_among(row + found, columns - found, so_far[r]));
    }
}

template <class Op, class T>
BestLoops loops_of() {
    BestLoops made{best_columns<Op, T>, best_rows<Op, T>};
    made.longest_short_row = longest_keyed_row<T>;
    if constexpr (longest_keyed_row < T >> 0) made.middle = best_keyed<Op, T>;
    return made;
}

template <class T>
BestLoops loops_for(Better better) {
    return better == Better::less ? loops_of<Min, T>() : loops_of<Max, T>();
}

}  // namespace

BestLoops best_tile_loops(Better better, DType register_type) {
    switch (register_type) {
        case DType::f32: return loops_for<float>(better);
        case DType::f64: return loops_for<double>(better);
        case DType::i8: return loops_for<std::int8_t>(better);
        case DType::i16: return loops_for<std::int16_t>(better);
        case DType::i32: return loops_for<std::int32_t>(better);
        case DType::u8: return loops_for<std::uint8_t>(better);
        case DType::i64: return loops_for<std::int64_t>(better);
        default: return {};
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
