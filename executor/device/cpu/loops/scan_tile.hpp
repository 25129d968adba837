// Terms and outputs of a scan on their way between memory and the loops of scan_loops.hpp, which want columns side by
// side: tiles that lie so already stay where they are, rows become columns (moves/turned_tile.hpp), other types are
// converted. Example: of 16 rows of f16 along memory a tile of 64 terms is 64 rows of 16 f32.
#pragma once

#include <cstddef>

#include "executor/device/cpu/loops/scan_loops.hpp"
#include "executor/device/cpu/moves/turned_tile.hpp"

namespace ein::executor {

/// How the scanned label and the columns of a tile lie on one side, in bytes an index; either may run backwards. A
/// column is `run` elements side by side, that are scanned each by itself.
struct ScanSide {
    DType type = DType::f32;
    Extent step = 0, column_step = 0, run = 1;

    Extent size() const { return static_cast<Extent>(size_of(type)); }
    Extent column_bytes() const { return run * size(); }
    bool has_columns_side_by_side() const { return column_step == column_bytes(); }
    bool has_rows_along_memory() const { return step == column_bytes() || step == -column_bytes(); }
};

/// Rows of a tile as the loops see them.
struct ScanRows {
    std::byte* data;
    Extent step;
};

class ScanTiles {
public:
    /// @param held  the loops' type  @param past_cache  outputs are written past the cache where they can
    ScanTiles(ScanSide in, ScanSide out, DType held, bool past_cache);

    ScanSide const& in() const { return in_; }
    ScanSide const& out() const { return out_; }
    /// Bytes of working memory for tiles of so many columns and rows in all.
    std::size_t scratch_bytes(Extent columns) const;
    /// Terms of a tile, in memory or in scratch.
    ScanRows terms(std::byte const* from, Extent rows, Extent columns, std::byte* scratch) const;
    /// Where outputs of the tile are to be written; in scratch they may lie on its terms.
    ScanRows outputs(std::byte* to, Extent rows, Extent columns, ScanRows const& terms, std::byte* scratch) const;
    /// Brings outputs from there to memory.
    void store(ScanRows const& outputs, std::byte* to, Extent rows, Extent columns, std::byte* scratch) const;

private:
    bool reads_directly() const { return in_.type == held_ && in_.has_columns_side_by_side(); }
    bool writes_directly() const { return out_.type == held_ && out_.has_columns_side_by_side() && !past_cache_; }
    bool are_adjacent(Extent columns) const;
    void bring(std::byte const* from, Extent rows, Extent columns, std::byte* to) const;
    void take_back(std::byte const* from, Extent rows, Extent columns, std::byte* to) const;
    std::byte* own_outputs(std::byte* scratch, Extent columns) const;  // that do not lie on their terms
    std::byte* other_types(std::byte* scratch, Extent columns) const;

    ScanSide in_, out_;
    DType held_;
    bool past_cache_;
    TurnLoop turn_in_ = nullptr, turn_out_ = nullptr;  // null: columns are no rows along memory
};

}  // namespace ein::executor
