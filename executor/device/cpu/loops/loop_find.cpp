// Where a condition holds first, as argmin and argmax ask: values of a vector tile are 0 or 1, nearly all of them 0.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "executor/device/cpu/loops/loop_walk.hpp"

namespace ein::executor {
namespace {

constexpr std::size_t looked_at_together = 64;

/// By their bits, since zeros have one sign here: a loop of vectors.
template <class T>
bool is_any(T const* values, std::size_t count) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Bits any = 0;
    for (std::size_t i = 0; i < count; ++i) any |= std::bit_cast<Bits>(values[i]);
    return any != 0;
}

}  // namespace

void LoopKernel::Walk::find(Values values, Extent tile) {
    auto const at = static_cast<std::size_t>(tile);
    if (k_.body_.compute == DType::f32)
        find(static_cast<float const*>(values.data), values.constant, at);
    else
        find(static_cast<double const*>(values.data), values.constant, at);
}

template <class T>
void LoopKernel::Walk::find(T const* values, bool constant, std::size_t at) {
    std::size_t const r = rows(), c = columns();
    if (constant && *values == 0) return;
    auto const label = static_cast<std::size_t>(k_.body_.finds);
    bool const along = k_.plan_.inner != LoopPlan::none && k_.nest_.labels[k_.plan_.inner].index == k_.body_.finds;
    bool const columns_out = in_output(k_.plan_.inner), rows_out = in_output(k_.plan_.outer);
    std::int64_t const first = tile_indices_[label].first;
    std::int64_t indices[looked_at_together];
    for (std::size_t row = 0; row < r; ++row) {
        std::size_t const begin = at + (rows_out ? row * (columns_out ? c : 1) : 0);
        for (std::size_t column = 0; column < c; column += looked_at_together) {
            std::size_t const count = std::min(looked_at_together, c - column);
            T const* const here = constant ? values : values + row * c + column;
            if (!constant && !is_any(here, count)) continue;
            for (std::size_t i = 0; i < count; ++i) {
                std::int64_t const index = along ? first + static_cast<std::int64_t>(column + i) : first;
                indices[i] = here[constant ? 0 : i] != 0 ? index : std::numeric_limits<std::int64_t>::max();
            }
            if (columns_out)
                k_.aggregator_.combine(tile_, begin + column, indices, count);
            else
                k_.aggregator_.rows(tile_, begin, indices, 1, count);
        }
    }
}

}  // namespace ein::executor
