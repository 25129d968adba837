#include "executor/device/cpu/moves/transpose_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/turned_tile.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr Extent line_bytes = machine::cache_line;

/// Bytes of a tile's rows in the output, and of the whole tile: in the first-level cache.
constexpr Extent row_bytes = 512, tile_bytes = 32 << 10;

/// A label of the copy and how far it moves, in bytes.
struct CopyLabel {
    Extent length, from, to;
};

/// What one tile takes: the operand's rows run along `across`, the output's along `along`, and on along `further`.
struct Sides {
    Extent along, further, across;
};

class TransposeKernel final : public PreparedKernel {
public:
    /// @param further  the label along which the output goes on where `along` ends; of length 1: none
    TransposeKernel(std::size_t size, CopyLabel along, CopyLabel further, CopyLabel across,
                    std::vector<CopyLabel> others)
        : size_(size), along_(along), further_(further), across_(across), others_(std::move(others)) {
        choose_sides();
        std::stable_sort(others_.begin(), others_.end(),
                         [](CopyLabel const& a, CopyLabel const& b) { return a.from > b.from; });
        Extent elements = along_.length * further_.length * across_.length;
        squares_ = squares_along(along_) * squares_along(across_) * rounds_of_further();
        for (CopyLabel const& label : others_) {
            squares_ *= label.length;
            elements *= label.length;
        }
        Extent const bytes = elements * static_cast<Extent>(size_);
        pieces_ = std::min<std::int64_t>(
            {machine::most_pieces, squares_, bytes / static_cast<Extent>(machine::bytes_of_a_move)});
        bool const whole_lines = across_.to % line_bytes == 0 &&
                                 std::all_of(others_.begin(), others_.end(),
                                             [](CopyLabel const& label) { return label.to % line_bytes == 0; });
        bool const long_rows = sides_.along * sides_.further * static_cast<Extent>(size_) >= row_bytes / 2;
        large_ = bytes >= machine::transposed_past_cache && (whole_lines || long_rows);
        bool const across_at_once = across_.length <= sides_.across && !others_.empty();
        ahead_ = across_at_once ? others_.back().from : sides_.across * static_cast<Extent>(size_);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        if (pieces_ < 2) return turn_squares(call, 0, squares_);
        team.run(pieces_, [&](std::int64_t piece) {
            turn_squares(call, part_begin(squares_, pieces_, piece), part_begin(squares_, pieces_, piece + 1));
        });
    }

private:
    static Extent squares_along(CopyLabel const& label) {
        return (label.length + machine::transpose_square - 1) / machine::transpose_square;
    }
    Extent rounds_of_further() const { return (further_.length + sides_.further - 1) / sides_.further; }

    void choose_sides() {
        Extent const row = row_bytes / static_cast<Extent>(size_), all = tile_bytes / static_cast<Extent>(size_);
        sides_.along = std::min(row, along_.length);
        sides_.further = std::clamp<Extent>(row / sides_.along, 1, further_.length);
        sides_.across = std::min(all / (sides_.along * sides_.further), across_.length);
    }

    /// Of a square, the operand's neighbours last: what is asked for ahead is wanted next.
    void turn_squares(KernelCall const& call, Extent first, Extent last) const {
        auto const* const from = static_cast<std::byte const*>(call.operands[0]);
        auto* const to = static_cast<std::byte*>(call.output);
        for (Extent square = first; square < last; ++square) {
            Extent rest = square, from_at = 0, to_at = 0;
            auto const take = [&rest](Extent count) {
                Extent const index = rest % count;
                rest /= count;
                return index;
            };
            auto const go = [&](CopyLabel const& label, Extent index) {
                from_at += index * label.from;
                to_at += index * label.to;
            };
            for (auto label = others_.rbegin(); label != others_.rend(); ++label) go(*label, take(label->length));
            Extent const row = take(squares_along(across_)) * machine::transpose_square;
            Extent const k = take(squares_along(along_)) * machine::transpose_square;
            Extent const on = take(rounds_of_further()) * sides_.further;
            go(across_, row);
            go(along_, k);
            go(further_, on);
            turn_square_of_tiles(
                from + from_at, to + to_at,
                {std::min(machine::transpose_square, along_.length - k), std::min(sides_.further, further_.length - on),
                 std::min(machine::transpose_square, across_.length - row)});
        }
        finish_past_cache();
    }

    void turn_square_of_tiles(std::byte const* from, std::byte* to, Sides const& all) const {
        for (Extent k = 0; k < all.along; k += sides_.along)
            for (Extent row = 0; row < all.across; row += sides_.across)  // along the operand's rows
                turn_tile(
                    from + k * along_.from + row * across_.from, to + k * along_.to + row * across_.to,
                    {std::min(sides_.along, all.along - k), all.further, std::min(sides_.across, all.across - row)});
    }

    void turn_tile(std::byte const* from, std::byte* to, Sides const& tile) const {
        alignas(64) std::byte turned[tile_bytes];
        Extent const size = static_cast<Extent>(size_), row = tile.along * tile.further * size;
        for (Extent k = 0; k < tile.further; ++k)
            loop_({from + k * further_.from, along_.from, turned + k * tile.along * size, row, tile.along, tile.across,
                   ahead_});
        for (Extent k = 0; k < tile.across; ++k) {
            auto const bytes = static_cast<std::size_t>(row);
            if (large_)
                copy_past_cache(to + k * across_.to, turned + k * row, bytes);
            else
                std::memcpy(to + k * across_.to, turned + k * row, bytes);
        }
    }

    std::size_t size_;
    TurnLoop loop_ = turn_loop(size_);
    CopyLabel along_, further_, across_;  // along which the output's, and the operand's, elements follow one another
    std::vector<CopyLabel> others_;
    Sides sides_{};
    Extent squares_ = 1, ahead_ = 0;
    bool large_ = false;  // and its rows are written past the cache
    std::int64_t pieces_ = 1;
};

/// Takes the label along which the output goes on after `along`, where rows along that alone would be short.
CopyLabel take_further(CopyLabel const& along, Extent size, std::vector<CopyLabel>& others) {
    CopyLabel further{1, 0, 0};
    auto const found = std::find_if(others.begin(), others.end(), [&](CopyLabel const& label) {
        return label.to == along.to * along.length && along.length * size <= row_bytes / 2;
    });
    if (found == others.end()) return further;
    further = *found;
    others.erase(found);
    return further;
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_transpose_kernel(Nest const& nest) {
    if (nest.accumulate || nest.aggregates() || nest.operand_dtypes[0] != nest.output_dtype) return nullptr;
    auto const size = static_cast<Extent>(size_of(nest.output_dtype));
    std::optional<CopyLabel> along, across;
    std::vector<CopyLabel> others;
    for (NestLabel const& label : nest.labels) {
        CopyLabel const copy{label.length, label.strides[0], label.output_stride};
        if (copy.to == size && copy.from != size && !along)
            along = copy;
        else if (copy.from == size && copy.to != size && !across)
            across = copy;
        else
            others.push_back(copy);
    }
    if (!along || !across || along->length < machine::least_transposed || across->length < machine::least_transposed)
        return nullptr;
    CopyLabel const further = take_further(*along, size, others);
    return std::make_unique<TransposeKernel>(static_cast<std::size_t>(size), *along, further, *across,
                                             std::move(others));
}

}  // namespace ein::executor
