// Results whose runs are no whole cache lines, for pair_loops.cpp: where the rows of a tile go on in c where its
// columns end, the tile's outputs are put together near by, and leave in whole lines once the next sliver is computed:
// what was just stored in pieces is not loaded together. Example: of columns in runs of 20, 20 apart from row to row, 8
// rows give 160 elements side by side for each run.
#pragma once

#include "executor/device/cpu/gemm/pair_blocks.hpp"
#include "executor/device/cpu/gemm/pair_rows.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Copies elements; with `stream` whole lines go past the cache.
template <class T>
void copy_out(T const* from, Index count, T* to, bool stream) {
    constexpr Index line = 64 / static_cast<Index>(sizeof(T));
    Index at = 0;
    if (stream) {
        Index const inside = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(T));
        at = at_most(inside == 0 ? 0 : line - inside, count);
        copy_rest<T, line / 2>(from, at, to);
        for (; at + line <= count; at += line)
            for (Index e = 0; e < line; e += lanes<T>)
                store_vector<T>(to + at + e, *(Anywhere<T> const*)(from + at + e), true);
    }
    for (; at + lanes<T> <= count; at += lanes<T>) store_vector<T>(to + at, *(Anywhere<T> const*)(from + at), false);
    if (at < count) copy_rest<T, lanes<T> / 2>(from + at, count - at, to + at);
}

template <class P>
class Stage {
public:
    using T = typename P::T;
    explicit Stage(StageMemory<T> const& memory) : memory_(memory) {}

    /// Whether a block's columns come in runs of one length that is no multiple of lines.
    bool find(Index const* adjacent, Index count, Index vectors) {
        constexpr Index line = 64 / static_cast<Index>(sizeof(T));
        run_ = adjacent[0];
        if (run_ * P::parts < least_lanes || run_ > most_staged_run || run_ * P::parts % line == 0 || count % run_ != 0)
            return false;
        for (Index w = 0; w < count; w += run_)
            if (adjacent[w] != run_) return false;
        slots_ = staged_columns<P> / run_;
        for (Index w = 0; w < count; ++w) {
            Index const inside = w % run_;
            memory_.at[w] = w / run_ % slots_ * P::rows * run_ + inside;
            memory_.adjacent[w] = run_ - inside;
        }
        for (Index r = 0; r < P::rows; ++r) memory_.row_at[r] = r * run_;
        return find_pieces<T>(memory_.at, memory_.adjacent, count, P::parts, vectors, memory_.piece,
                              memory_.first_piece);
    }

    /// Whether rows go on where runs end.
    bool takes(Index const* row_at, Index rows) const { return rows > 1 && even_step(row_at, rows) == run_; }

    /// Rows as they are, but that they go here. @param c  where run 0 of the first row belongs
    Rows<P> begin(Rows<P> rows, T* c, Index const* column_at) {
        c_ = c;
        column_at_ = column_at;
        count_ = rows.count * run_ * P::parts;
        stream_ = rows.stream;
        done_ = 0;
        side_ = 1 - side_;
        rows.c = held();
        rows.c_at = memory_.row_at;
        rows.stream = rows.combine = false;
        rows.is_near = true;
        return rows;
    }
    Columns columns(Index first, Index count) const {
        return {count, memory_.at + first, memory_.adjacent + first,
                Pieces{memory_.piece, memory_.first_piece + first / P::lane}};
    }
    /// Columns up to here were computed: what was before leaves.
    void computed(Index columns) {
        leave();
        waiting_ = {held(), c_, column_at_, done_, columns / run_, count_, stream_};
        done_ = columns / run_;
    }
    void leave() {
        for (Index q = waiting_.first; q < waiting_.last; ++q)
            copy_out(waiting_.from + q % slots_ * P::rows * run_ * P::parts, waiting_.count,
                     waiting_.c + waiting_.column_at[q * run_] * P::parts, waiting_.stream);
        waiting_.last = waiting_.first;
    }

private:
    /// Runs that are computed.
    struct Waiting {
        T const* from = nullptr;
        T* c = nullptr;
        Index const* column_at = nullptr;
        Index first = 0, last = 0, count = 0;
        bool stream = false;
    };
    T* held() const { return memory_.held + side_ * staged_columns<P> * P::rows * P::parts; }

    StageMemory<T> memory_;
    Index run_ = 1, slots_ = 1, done_ = 0, side_ = 0, count_ = 0;
    T* c_ = nullptr;
    Index const* column_at_ = nullptr;
    bool stream_ = false;
    Waiting waiting_;
};

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
