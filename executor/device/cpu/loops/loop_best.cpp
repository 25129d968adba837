// The best values of a tile's outputs and where they are first, as argmin and argmax ask where nobody has computed the
// best values yet: each vector tile is looked at once.
#include <algorithm>

#include "executor/device/cpu/loops/loop_walk.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/reference/element.hpp"

namespace ein::executor {

void* LoopKernel::Walk::best_so_far(Extent tile) const {
    return scratch_ + k_.layout_.best + static_cast<std::size_t>(tile) * size_of(k_.body_.join_registers());
}

/// An output of which nothing is better than the identity has nothing else: the first index is meant.
void LoopKernel::Walk::start_best() {
    DType const registers = k_.body_.join_registers();
    std::byte identity[16] = {};
    store_element(scalar::identity(*k_.body_.best, k_.body_.compute), identity, registers);
    repeat_element(best_so_far(0), identity, size_of(registers), tile_.size);
    std::fill_n(found_so_far(0), tile_.size, tile_indices_[k_.body_.finds].first);
}

void LoopKernel::Walk::find_best_in_strip(void const* rows, Extent step, std::size_t count, Extent tile,
                                          std::int64_t first) {
    k_.best_.columns(best_so_far(tile), found_so_far(tile), rows, step, count, columns(),
                     tile_indices_[k_.body_.finds].first + first);
}

/// Rows without keys, and those of whole squares of small types.
bool LoopKernel::Walk::becomes_columns(std::size_t rows, std::size_t columns, std::size_t size) const {
    if (rows < machine::rows_turned || columns > machine::longest_row_turned) return false;
    bool const squares = size <= sizeof(std::int16_t) && columns % machine::rows_turned == 0;
    return squares || columns > k_.best_.longest_short_row;
}

/// One label is not in the output: it runs along vector tiles, from row to row of them, or outside.
void LoopKernel::Walk::find_best(Values values, Extent tile) {
    std::size_t const r = rows(), c = columns();
    std::size_t const size = size_of(k_.body_.join_registers());
    void const* const here = spread(values, r * c, size);
    std::int64_t const first = tile_indices_[k_.body_.finds].first;
    void* const best = best_so_far(tile);
    std::int64_t* const found = found_so_far(tile);
    bool const columns_out = in_output(k_.plan_.inner), rows_out = in_output(k_.plan_.outer);
    bool const one_row = k_.plan_.outer == LoopPlan::none;
    if (k_.plan_.middle != LoopPlan::none) {
        k_.best_.middle(best, found, here, r, terms(), c / terms(), first);
    } else if (columns_out && !rows_out && !one_row) {
        k_.best_.columns(best, found, here, static_cast<Extent>(c * size), r, c, first);
    } else if (columns_out || k_.plan_.inner == LoopPlan::none) {
        k_.best_.columns(best, found, here, 0, 1, r * c, first);
    } else if (becomes_columns(r, c, size)) {
        std::byte* const turned = scratch_ + k_.layout_.values;
        turn_rows(size, here, r, c, turned);
        k_.best_.columns(best, found, turned, static_cast<Extent>(r * size), c, r, first);
    } else {
        k_.best_.rows(best, found, here, r, c, first);
    }
}

}  // namespace ein::executor
