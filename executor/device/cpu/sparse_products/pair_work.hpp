// How much work the rows of a product of two sparse matrices are, and pieces of about as much each: an element of the
// first operand meets all that a row of the second lists. Example: a row of two elements that meet rows of three and
// four has a work of 10: its products, its elements and itself.
#pragma once

#include <vector>

#include "executor/device/cpu/sparse/sparse_source.hpp"

namespace ein::executor {

class PairWork {
public:
    /// @param first, second  compressed; their second labels' indices are narrow
    PairWork(SparseSource const& first, SparseSource const& second, WorkerTeam& team);

    std::uint64_t of(Extent row) const { return before(row + 1) - before(row); }
    std::uint64_t before(Extent row) const { return before_[static_cast<std::size_t>(row)]; }
    std::uint64_t of_piece(std::size_t piece) const { return before(bounds_[piece + 1]) - before(bounds_[piece]); }
    /// Where pieces begin, and at last how many rows there are.
    std::vector<Extent> const& bounds() const { return bounds_; }

private:
    Extent weigh_some(SparseSource const& first, SparseSource const& second, Extent row, Extent last,
                      std::vector<std::uint64_t>& products);

    std::vector<std::uint64_t> before_;  // of all rows before one
    std::vector<Extent> bounds_;
};

}  // namespace ein::executor
