#include "executor/device/cpu/loops/scan_tile.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/moves/short_runs.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/cpu/scratch.hpp"

namespace ein::executor {
namespace {

/// Adjacent rows of which the first lies at the end where the label runs backwards.
ScanRows rows_in(std::byte* scratch, Extent rows, Extent row_bytes, bool backwards) {
    return backwards ? ScanRows{scratch + (rows - 1) * row_bytes, -row_bytes} : ScanRows{scratch, row_bytes};
}

/// Where the rows of a tile begin in memory.
Extent lowest(Extent rows, Extent step) { return step < 0 ? (rows - 1) * step : 0; }

/// What makes rows along memory columns, and back; null where they do not lie so, or columns are no power of two.
TurnLoop turn_of(ScanSide const& side) {
    Extent const bytes = side.column_bytes();
    bool const has_loop = bytes <= 16 && (bytes & (bytes - 1)) == 0;
    return has_loop && side.has_rows_along_memory() && !side.has_columns_side_by_side()
               ? turn_loop(static_cast<std::size_t>(bytes))
               : nullptr;
}

}  // namespace

ScanTiles::ScanTiles(ScanSide in, ScanSide out, DType held, bool past_cache)
    : in_(in),
      out_(out),
      held_(held),
      past_cache_(past_cache && out.has_columns_side_by_side()),
      turn_in_(turn_of(in)),
      turn_out_(turn_of(out)) {}

std::size_t ScanTiles::scratch_bytes(Extent columns) const {
    auto const count = static_cast<std::size_t>(columns * in_.run);
    return 2 * lines(count * size_of(held_)) + lines(count * std::max(size_of(in_.type), size_of(out_.type)));
}

/// Whether rows of outputs that are converted lie one behind the other, either way, so that one conversion does.
bool ScanTiles::are_adjacent(Extent columns) const {
    return !past_cache_ && out_.type != held_ && std::abs(out_.step) == columns * out_.column_bytes();
}

std::byte* ScanTiles::own_outputs(std::byte* scratch, Extent columns) const {
    return scratch + lines(static_cast<std::size_t>(columns * in_.run) * size_of(held_));
}
std::byte* ScanTiles::other_types(std::byte* scratch, Extent columns) const {
    return scratch + 2 * lines(static_cast<std::size_t>(columns * in_.run) * size_of(held_));
}

/// Terms as they are in memory, row after row; of columns that are turned the first is the lowest.
void ScanTiles::bring(std::byte const* from, Extent rows, Extent columns, std::byte* to) const {
    Extent const bytes = in_.column_bytes();
    if (turn_in_ != nullptr)
        return turn_in_(
            {from + lowest(rows, in_.step), in_.column_step, to, columns * bytes, columns, rows, rows * bytes});
    with_run_copy(static_cast<std::size_t>(bytes), [&](auto const& copy) {
        for (Extent row = 0; row < rows; ++row)
            for (Extent c = 0; c < columns; ++c, to += bytes) copy(to, from + row * in_.step + c * in_.column_step);
    });
}

void ScanTiles::take_back(std::byte const* from, Extent rows, Extent columns, std::byte* to) const {
    Extent const bytes = out_.column_bytes();
    if (turn_out_ != nullptr)
        return turn_out_({from, columns * bytes, to + lowest(rows, out_.step), out_.column_step, rows, columns, 0});
    with_run_copy(static_cast<std::size_t>(bytes), [&](auto const& copy) {
        for (Extent row = 0; row < rows; ++row)
            for (Extent c = 0; c < columns; ++c, from += bytes) copy(to + row * out_.step + c * out_.column_step, from);
    });
}

ScanRows ScanTiles::terms(std::byte const* from, Extent rows, Extent columns, std::byte* scratch) const {
    if (reads_directly()) return {const_cast<std::byte*>(from), in_.step};  // never written: see outputs()
    auto const count = static_cast<std::size_t>(columns * in_.run);
    Extent const row_bytes = static_cast<Extent>(count * size_of(held_));
    bool const converts = in_.type != held_;
    bool const beside = in_.has_columns_side_by_side();
    if (beside && std::abs(in_.step) != columns * in_.column_bytes()) {
        for (Extent row = 0; row < rows; ++row)
            tile_convert(in_.type, from + row * in_.step, 1, held_, scratch + row * row_bytes, count);
        return {scratch, row_bytes};
    }
    if (beside) {
        from += lowest(rows, in_.step);
    } else {
        std::byte* const together = converts ? other_types(scratch, rows * columns) : scratch;
        bring(from, rows, columns, together);
        from = together;
    }
    if (converts) tile_convert(in_.type, from, 1, held_, scratch, count * static_cast<std::size_t>(rows));
    return rows_in(scratch, rows, row_bytes, (beside || turn_in_ != nullptr) && in_.step < 0);
}

ScanRows ScanTiles::outputs(std::byte* to, Extent rows, Extent columns, ScanRows const& terms,
                            std::byte* scratch) const {
    if (writes_directly()) return {to, out_.step};
    bool const whole = out_.has_columns_side_by_side() && are_adjacent(columns);
    bool const backwards = (whole || turn_out_ != nullptr) && out_.step < 0;
    if (!reads_directly() && backwards == (terms.step < 0)) return terms;
    std::byte* const rows_of_outputs = reads_directly() ? scratch : own_outputs(scratch, rows * columns);
    return rows_in(rows_of_outputs, rows, columns * out_.run * static_cast<Extent>(size_of(held_)), backwards);
}

void ScanTiles::store(ScanRows const& outputs, std::byte* to, Extent rows, Extent columns, std::byte* scratch) const {
    if (writes_directly()) return;
    auto const count = static_cast<std::size_t>(columns * out_.run);
    std::byte* const converted = other_types(scratch, rows * columns);
    bool const converts = out_.type != held_, beside = out_.has_columns_side_by_side();
    if (!beside || are_adjacent(columns)) {
        std::byte const* all = outputs.data + std::min<Extent>(0, (rows - 1) * outputs.step);
        if (converts) {
            tile_convert(held_, all, 1, out_.type, beside ? to + lowest(rows, out_.step) : converted,
                         count * static_cast<std::size_t>(rows));
            all = converted;
        }
        if (!beside) take_back(all, rows, columns, to);
        return;
    }
    for (Extent row = 0; row < rows; ++row) {
        std::byte const* from = outputs.data + row * outputs.step;
        std::byte* const place = to + row * out_.step;
        if (converts) tile_convert(held_, from, 1, out_.type, past_cache_ ? converted : place, count);
        if (past_cache_) copy_past_cache(place, converts ? converted : from, count * size_of(out_.type));
    }
}

}  // namespace ein::executor
