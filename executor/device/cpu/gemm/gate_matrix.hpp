// The small operand of gate_kernel.hpp, in the order in which tiles read it. Example: 3 terms and 10 columns in tiles
// of 8 are two blocks of 5 columns: 3 times 5 numbers, and again.
#pragma once

#include <cstddef>
#include <vector>

#include "executor/device/cpu/gemm/gate_plan.hpp"

namespace ein::executor {

class GateMatrix {
public:
    GateMatrix() = default;
    /// @param element  bytes of one  @param tile_columns  at most
    GateMatrix(GateKinds const& kinds, GatePlan const& plan, std::size_t element, Extent tile_columns);

    std::size_t bytes() const { return bytes_of(term_at_.size()); }
    /// Where the matrices of a part of the terms begin.
    std::size_t begin(Extent part) const { return bytes_of(part_begin_[static_cast<std::size_t>(part)]); }
    /// @param from  the small operand  @param to  room for bytes()
    void pack(std::byte const* from, std::byte* to) const;

private:
    template <std::size_t Element>
    void pack_elements(std::byte const* from, std::byte* to) const;
    std::size_t bytes_of(std::size_t terms) const { return terms * column_at_.size() * batch_at_.size() * element_; }

    std::size_t element_ = 0;
    Extent tile_columns_ = 1;
    std::vector<GateIndex> batch_at_, term_at_, column_at_;  // bytes in the small operand
    std::vector<std::size_t> part_begin_;                    // terms before each part, and all
};

}  // namespace ein::executor
