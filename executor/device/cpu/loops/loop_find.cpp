// Where a condition holds first, as argmin and argmax ask: values of a vector tile are bytes, 0 or 1, nearly all of
// them 0. Of up to 64 columns they become a word of a bit each.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "executor/device/cpu/loops/loop_walk.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"

namespace ein::executor {
namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t looked_at_together = 64;
/// Elements of several short rows that are passed over at once.
constexpr std::size_t passed_over_together = 512;

/// Places of 64 up to which each is looked at by itself.
constexpr int few_found = 12;

/// A loop of vectors.
bool is_any(std::uint8_t const* values, std::size_t count) {
    std::uint8_t any = 0;
    for (std::size_t i = 0; i < count; ++i) any |= values[i];
    return any != 0;
}

/// Whether all of these accumulators hold a smaller index already: many equal values are mostly found early.
bool all_before(std::int64_t first, std::int64_t const* held, std::size_t count) {
    std::int64_t later = 0;  // its sign; indices and what stands for none are not negative
    for (std::size_t i = 0; i < count; ++i) later |= first - held[i];
    return later >= 0;
}

/// Of eight zeros and ones, a bit each: the product brings them together in its highest byte.
std::uint64_t bits_of_eight(std::uint8_t const* values) {
    std::uint64_t bytes = 0;
    if constexpr (std::endian::native == std::endian::little)
        std::memcpy(&bytes, values, 8);
    else
        for (int i = 0; i < 8; ++i) bytes |= std::uint64_t{values[i]} << (8 * i);
    return (bytes * 0x0102040810204080u) >> 56;
}

/// Of at most 64.
std::uint64_t bits_of(std::uint8_t const* values, std::size_t count) {
    std::uint64_t bits = 0;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) bits |= bits_of_eight(values + i) << i;
    for (; i < count; ++i) bits |= std::uint64_t{values[i]} << i;
    return bits;
}

/// Where the first 1 of each of several short rows is, or none.
void first_of_rows(std::uint8_t const* values, std::size_t rows, std::size_t columns, int* places) {
    std::uint64_t words[passed_over_together / 64 + 2] = {};
    std::size_t const count = rows * columns;
    for (std::size_t i = 0; i < count; i += 64)
        words[i / 64] = bits_of(values + i, std::min<std::size_t>(64, count - i));
    std::uint64_t const of_row = columns == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << columns) - 1;
    for (std::size_t r = 0; r < rows; ++r) {
        std::size_t const at = r * columns, word = at / 64, bit = at % 64;
        std::uint64_t const next = bit == 0 ? 0 : words[word + 1] << (64 - bit);
        std::uint64_t const bits = ((words[word] >> bit) | next) & of_row;
        places[r] = bits == 0 ? -1 : std::countr_zero(bits);
    }
}

}  // namespace

/// Of small types many values are the best one: soon no output asks for more, and what follows is not even read. As
/// long as one does, that is asked first.
bool LoopKernel::Walk::is_found_before(Extent tile) {
    bool const rows_out = in_output(k_.plan_.outer), columns_out = in_output(k_.plan_.inner);
    std::size_t const outputs = (rows_out ? rows() : 1) * (columns_out ? columns() : 1);
    auto const begin = static_cast<std::size_t>(tile);
    std::int64_t const first = tile_indices_[k_.body_.finds].first;
    auto const* const held = reinterpret_cast<std::int64_t const*>(tile_.state);
    bool const is_among = not_found_ >= begin && not_found_ < begin + outputs;
    if (is_among && held[not_found_] >= first) return false;
    for (std::size_t at = begin; at < begin + outputs; at += looked_at_together) {
        std::size_t const count = std::min(looked_at_together, begin + outputs - at);
        if (all_before(first, held + at, count)) continue;
        for (not_found_ = at; held[not_found_] < first;) ++not_found_;
        return false;
    }
    return true;
}

void LoopKernel::Walk::find(Extent tile) {
    if (is_found_before(tile)) {
        if (k_.loop_ != nullptr) bring_some();  // as the loop would have
        return;
    }
    Values const values = join(nullptr);
    auto const at = static_cast<std::size_t>(tile);
    if (k_.truths_as_bytes_) return find(static_cast<std::uint8_t const*>(values.data), values.constant, at);
    std::byte* const bytes = scratch_ + k_.layout_.values;
    tile_convert(k_.body_.join_registers(), values.data, 1, DType::boolean, bytes,
                 values.constant ? 1 : rows() * columns());
    find(reinterpret_cast<std::uint8_t const*>(bytes), values.constant, at);
}

/// Several short rows at a time, since most of them have nothing, or all have one each.
void LoopKernel::Walk::find(std::uint8_t const* values, bool constant, std::size_t at) {
    std::size_t const r = rows(), c = columns();
    if (constant && *values == 0) return;
    auto const label = static_cast<std::size_t>(k_.body_.finds);
    auto const is_found = [&](std::size_t l) {
        return l != LoopPlan::none && k_.nest_.labels[l].index == k_.body_.finds;
    };
    bool const along = is_found(k_.plan_.inner), by_row = is_found(k_.plan_.outer);
    std::int64_t const begin = tile_indices_[label].first;
    auto const first_in = [&](std::size_t row) { return begin + (by_row ? static_cast<std::int64_t>(row) : 0); };
    if (constant || c > looked_at_together) {
        for (std::size_t row = 0; row < r; ++row) find_in_row(values, constant, at, {row, first_in(row), along});
        return;
    }
    bool const one_each = in_output(k_.plan_.outer) && !in_output(k_.plan_.inner);
    std::size_t const together = std::min(looked_at_together, passed_over_together / c);
    for (std::size_t row = 0; row < r; row += together) {
        std::size_t const count = std::min(together, r - row);
        if (!is_any(values + row * c, count * c)) continue;
        if (!one_each) {
            for (std::size_t i = 0; i < count; ++i) find_in_row(values, false, at, {row + i, first_in(row + i), along});
            continue;
        }
        int places[looked_at_together];
        first_of_rows(values + row * c, count, c, places);
        std::int64_t indices[looked_at_together];
        for (std::size_t i = 0; i < count; ++i)
            indices[i] = places[i] < 0 ? nowhere : first_in(row + i) + (along ? places[i] : 0);
        k_.aggregator_.combine(tile_, at + row, indices, count);
    }
}

void LoopKernel::Walk::find_in_row(std::uint8_t const* values, bool constant, std::size_t at, FoundRow const& of) {
    std::size_t const c = columns(), row = of.row;
    bool const columns_out = in_output(k_.plan_.inner), rows_out = in_output(k_.plan_.outer);
    std::size_t const begin = at + (rows_out ? row * (columns_out ? c : 1) : 0);
    auto* const held = reinterpret_cast<std::int64_t*>(tile_.state) + begin;
    if (!constant && !is_any(values + row * c, c)) return;
    for (std::size_t column = 0; column < c; column += looked_at_together) {
        std::size_t const count = std::min(looked_at_together, c - column);
        std::uint8_t const* const here = values + row * c + column;
        if (!constant && !is_any(here, count)) continue;
        std::uint64_t bits = constant ? ~std::uint64_t{0} >> (64 - count) : bits_of(here, count);
        std::int64_t const first = of.first + (of.along ? static_cast<std::int64_t>(column) : 0);
        if (!columns_out) {
            *held = std::min(*held, first + (of.along ? std::countr_zero(bits) : 0));
            return;
        }
        if (std::popcount(bits) <= few_found) {
            for (; bits != 0; bits &= bits - 1) {
                int const place = std::countr_zero(bits);
                std::int64_t& best = held[column + static_cast<std::size_t>(place)];
                best = std::min(best, first + (of.along ? place : 0));
            }
            continue;
        }
        if (!of.along && all_before(first, held + column, count)) continue;
        std::int64_t indices[looked_at_together];
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t const missing = constant ? 0 : std::int64_t{here[i]} - 1;  // no bits, or all
            indices[i] = (first + (of.along ? static_cast<std::int64_t>(i) : 0)) | (missing & nowhere);
        }
        k_.aggregator_.combine(tile_, begin + column, indices, count);
    }
}

}  // namespace ein::executor
