// What a walk writes: vector tiles of results, brought to the output's type and spread to its strides.
#include <cstring>

#include "executor/device/cpu/loops/loop_walk.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/loops/tile_gather.hpp"
#include "executor/device/cpu/past_cache.hpp"

namespace ein::executor {
namespace {

template <class T>
void scatter_elements(std::byte const* from, std::byte* to, Extent stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        std::memcpy(to + static_cast<Extent>(i) * stride, from + i * sizeof(T), sizeof(T));
}

/// Spreads adjacent elements to every `stride` bytes.
void scatter(void const* values, std::byte* to, Extent stride, std::size_t size, std::size_t count, bool past_cache) {
    struct Sixteen {
        std::uint64_t words[2];
    };
    auto const* const from = static_cast<std::byte const*>(values);
    if (stride == static_cast<Extent>(size)) {
        if (past_cache) return copy_past_cache(to, from, size * count);
        std::memcpy(to, from, size * count);
        return;
    }
    switch (size) {
        case 1: return scatter_elements<std::uint8_t>(from, to, stride, count);
        case 2: return scatter_elements<std::uint16_t>(from, to, stride, count);
        case 4: return scatter_elements<std::uint32_t>(from, to, stride, count);
        case 8: return scatter_elements<std::uint64_t>(from, to, stride, count);
        default: return scatter_elements<Sixteen>(from, to, stride, count);
    }
}

}  // namespace

void LoopKernel::Walk::copy_vector_tile(std::byte* output) {
    std::byte const* from = pointers(k_.levels_.size())[0];
    DType const type = k_.nest_.operand_dtypes[0], to = k_.nest_.output_dtype;
    Extent const from_stride = in_elements(k_.step_along(0), type), to_stride = output_stride(k_.plan_.inner);
    bool const adjacent = to_stride == static_cast<Extent>(size_of(to));
    std::size_t const count = columns(), row_count = rows(), all = row_count * count;
    TileAxis const row_axis{row_count, stride(k_.plan_.outer, 0)}, column_axis{count, k_.step_along(0)};
    bool const one_run = adjacent && k_.is_one_run(to_stride, output_stride(k_.plan_.outer));
    bool const together = type == to || !is_of_long_rows(size_of(type), row_axis, column_axis);
    if (one_run && together && (row_count > 1 || from_stride != 1)) {
        std::byte* const values = k_.past_cache_ ? scratch_ + k_.layout_.values : output;
        if (type == to) {
            gather_tile(size_of(type), from, row_axis, column_axis, values);
        } else {
            std::byte* const gathered = scratch_ + k_.layout_.values + 16 * k_.vector_tile_;
            tile_convert(type, side_by_side(size_of(type), from, row_axis, column_axis, gathered), 1, to, values, all);
        }
        if (values != output) copy_past_cache(output, values, all * size_of(to));
        return;
    }
    for (std::size_t row = 0; row < row_count; ++row) {
        bool const as_it_is = type == to && from_stride == 1;
        std::byte* const values = adjacent && !k_.past_cache_ ? output : scratch_ + k_.layout_.values;
        if (!as_it_is || values == output) tile_convert(type, from, from_stride, to, values, count);
        if (values != output) scatter(as_it_is ? from : values, output, to_stride, size_of(to), count, k_.past_cache_);
        from += stride(k_.plan_.outer, 0);
        output += output_stride(k_.plan_.outer);
    }
}

void LoopKernel::Walk::store(void const* values, std::byte* output, std::size_t row_count, std::size_t column_count) {
    bool const columns_out = in_output(k_.plan_.inner), rows_out = in_output(k_.plan_.outer);
    Extent const column =
        columns_out ? output_stride(k_.plan_.inner) : static_cast<Extent>(size_of(k_.nest_.output_dtype));
    Extent const row = rows_out ? output_stride(k_.plan_.outer) : 0;
    if (row_count > 1 && row == column * static_cast<Extent>(column_count))
        return store_run(values, output, column, row_count * column_count);
    if (column_count == 1) return store_run(values, output, row_count > 1 ? row : column, row_count);
    std::size_t const row_bytes = column_count * k_.aggregator_.element_bytes();
    for (std::size_t r = 0; r < row_count; ++r)
        store_run(static_cast<std::byte const*>(values) + r * row_bytes, output + static_cast<Extent>(r) * row, column,
                  column_count);
}

/// Stores adjacent values to every `stride` bytes, brought to the output's type.
void LoopKernel::Walk::store_run(void const* values, std::byte* output, Extent stride, std::size_t count) {
    DType const type = k_.nest_.output_dtype, from = k_.body_.accumulate;
    std::size_t const size = size_of(type);
    if (k_.nest_.accumulate) values = merged(values, output, stride, count);
    if (type == from) return scatter(values, output, stride, size, count, k_.past_cache_);
    auto const convert = [&](std::byte* to) {
        if (!k_.body_.key) return tile_convert(from, values, 1, type, to, count);
        bool const stay = type == k_.body_.key->half;
        std::byte* const halves = stay ? to : scratch_ + k_.layout_.values + 16 * k_.vector_tile_;
        halves_of(*k_.body_.key, values, halves, count);
        if (!stay) tile_convert(k_.body_.key->half, halves, 1, type, to, count);
    };
    if (stride == static_cast<Extent>(size) && !k_.past_cache_) return convert(output);
    std::byte* const converted = scratch_ + k_.layout_.values + 32 * k_.vector_tile_;
    convert(converted);
    scatter(converted, output, stride, size, count, k_.past_cache_);
}

/// What the output holds, combined with new values.
void const* LoopKernel::Walk::merged(void const* values, std::byte const* output, Extent stride, std::size_t count) {
    DType const type = k_.nest_.output_dtype;
    std::byte* const held = scratch_ + k_.layout_.merged;
    if (k_.body_.key)
        keys_of(*k_.body_.key, output, in_elements(stride, type), held, count);
    else
        tile_convert(type, output, in_elements(stride, type), k_.body_.accumulate, held, count);
    k_.aggregator_.merge(held, values, count, tile_.scratch);
    return held;
}

}  // namespace ein::executor
