// Two ways to write a contraction order. Linear (opt_einsum's): positions among the operands that are left, each result
// appended at the end. SSA: every operand and result has a number for good; the result of step k of n operands is n +
// k. Example: for three operands the SSA path ((0, 1), (2, 3)) is the linear path ((0, 1), (0, 1)).
#pragma once

#include <utility>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

using SsaPath = std::vector<std::pair<int, int>>;

/// The numbers of the operands that are left, in order; positions are found in logarithmic time (a Fenwick tree of
/// counts).
class LiveOperands {
public:
    explicit LiveOperands(std::size_t operands);
    std::size_t size() const { return live_; }
    int take(std::size_t position);  // removes the operand at a position
    std::size_t remove(int number);  // removes an operand; its position
    void append(int number);

private:
    void add(std::size_t slot, int change);
    std::size_t before(std::size_t slot) const;
    void grow();

    std::vector<int> number_;           // by slot
    std::vector<std::size_t> slot_of_;  // by number
    std::vector<int> tree_;
    std::size_t live_ = 0;
};

Path to_linear(SsaPath const& path, std::size_t operands);
SsaPath to_ssa(Path const& path, std::size_t operands);

}  // namespace ein::graph
