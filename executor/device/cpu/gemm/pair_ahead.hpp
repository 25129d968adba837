// What is packed next, for pair_loops.cpp: while tiles of one block are computed, lines of the next one come into the
// second-level cache, a few for each tile. Packing alone would wait for memory, and tiles leave memory idle. Example:
// of a block of 4096 lines and 512 tiles, eight lines a tile.
#pragma once

#include "executor/device/cpu/gemm/pair_pack.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Lines of a block, in the order in which memory has them: of each element of one direction those of the other.
template <class T>
class Ahead {
public:
    /// @param lines, places  room for as many as the block has columns, and terms  @param tiles  that share them
    void set(Source<T> const& source, Index* lines, Index* places, Index tiles) {
        from_ = source.from;
        Index const wide = period_of(source.wide_at, source.wide), terms = period_of(source.term_at, source.terms);
        bool const by_wide = wide > 0 || terms == 0;
        line_ = lines;
        lines_ = by_wide ? find_lines(source.wide_at, source.wide, wide, places)
                         : find_lines(source.term_at, source.terms, terms, places);
        outer_at_ = by_wide ? source.term_at : source.wide_at;
        outer_ = by_wide ? source.terms : source.wide;
        at_ = outer_number_ = 0;
        a_tile_ = parts_of(lines_ * outer_, tiles < 1 ? 1 : tiles);
    }
    /// The same lines of another place.
    void again(T const* from) {
        from_ = from;
        at_ = outer_number_ = 0;
    }
    void none() { outer_number_ = outer_; }

    /// Asks for the lines of one more tile.
    void fetch() {
        for (Index left = a_tile_; left > 0 && outer_number_ < outer_;) {
            T const* const from = from_ + outer_at_[outer_number_];
            Index const end = at_most(lines_, at_ + left);
            left -= end - at_;
            for (; at_ < end; ++at_) __builtin_prefetch(from + line_[at_], 0, 2);
            if (at_ < lines_) return;
            at_ = 0;
            ++outer_number_;
        }
    }

private:
    /// First elements, and every line further, of what lies side by side; last ones too.
    Index find_lines(Index const* at, Index count, Index period, Index* place) {
        constexpr Index line = 64 / static_cast<Index>(sizeof(T) < 64 ? sizeof(T) : 64);
        Index found = 0;
        for (Index i = 0; i < count; ++i) {
            bool const goes_on = period > 0 && i >= period && at[i - period] + 1 == at[i];
            bool const ends = period == 0 || i + period >= count || at[i] + 1 != at[i + period];
            place[i] = goes_on ? place[i - period] + 1 : 0;
            if (place[i] % line == 0 || ends) line_[found++] = at[i];
        }
        return found;
    }

    T const* from_ = nullptr;
    Index const* outer_at_ = nullptr;
    Index* line_ = nullptr;
    Index outer_ = 0, lines_ = 0, outer_number_ = 0, at_ = 0, a_tile_ = 0;
};

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
