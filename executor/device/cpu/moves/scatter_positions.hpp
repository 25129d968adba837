// The positions of a scatter, some at a time: which rows they name, and where the data of each lies. Leaves what
// becomes of the data to scatter_kernel.hpp and scatter_table.hpp. Example: of u8 positions 2 0 2, whose data lies 16
// bytes apart, the rows are 2, 0 and 2, at the offset 0 in steps of 16.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/kernel/position_labels.hpp"

namespace ein::executor {

class ScatterPositions {
public:
    static constexpr Extent run = 256;  // positions that are read at a time

    /// @param labels  of positions that go to the same outputs
    ScatterPositions(std::vector<PositionLabel> labels, DType type) : labels_(std::move(labels)), type_(type) {
        std::erase_if(labels_, [](PositionLabel const& label) { return label.length == 1; });
        for (std::size_t k = labels_.size(); k-- > 1;) {  // labels that run through both as one are one: longer runs
            PositionLabel& outer = labels_[k - 1];
            PositionLabel const inner = labels_[k];
            if (outer.positions != inner.length * inner.positions || outer.data != inner.length * inner.data) continue;
            outer = {outer.length * inner.length, inner.positions, inner.data, 0};
            labels_.erase(labels_.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }

    Extent count() const { return count_of(labels_); }
    /// Whether the data of positions in order lies in order.
    bool ascend() const { return labels_.empty() || (labels_.size() == 1 && labels_[0].data > 0); }
    /// Bytes from the data of the first position to that of the last one, where they ascend.
    Extent reach() const { return labels_.empty() ? 0 : (labels_[0].length - 1) * labels_[0].data; }

    /// visit(rows, offset, step): of the next positions the rows that they name, and where their data is.
    /// @param begin  the first row of the block at hand
    template <class Visit>
    void for_each_run(std::byte const* positions, Extent begin, Extent first, Extent last, Visit const& visit) const {
        auto const size = static_cast<Extent>(size_of(type_));
        PositionLabel const along = labels_.empty() ? PositionLabel{1, 0, 0, 0} : labels_.back();
        for (Extent k = first, n = 0; k < last; k += n) {
            n = std::min({run, last - k, along.length - k % along.length});
            PositionOffsets const at = offsets_of(labels_, k);
            Extent rows[run];
            tile_convert(type_, positions + at.positions, along.positions / size, DType::i64, rows,
                         static_cast<std::size_t>(n));
            for (Extent i = 0; i < n; ++i) rows[i] -= begin;
            visit(std::span<Extent const>(rows, static_cast<std::size_t>(n)), at.data, along.data);
        }
    }

private:
    std::vector<PositionLabel> labels_;
    DType type_;
};

}  // namespace ein::executor
