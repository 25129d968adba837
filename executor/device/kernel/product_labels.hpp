// The labels of a product of two operands by what they are to it, and the fewest runs that their places in memory
// allow. Leaves what is done with them to gemm_plan.hpp. Example: in "bij,bjk->bik" b is batch, i left, k right and j
// contracted.
#pragma once

#include <array>
#include <vector>

#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

enum class Role { batch, left, right, contracted, alone, broadcast };

/// Of the two operands and the output.
using Sides = std::array<bool, 3>;

/// Labels of the nest that run as one, outermost first; strides in elements, of sides in place.
struct Run {
    std::vector<std::size_t> labels;
    Extent length = 1;
    std::array<Extent, 3> strides{};
};

/// What is multiplied: labels by role are found from strides that are not 0.
struct GemmProblem {
    Nest const& nest;
    std::size_t left, right;                           // operands
    DType type;                                        // of the calls
    bool pack_output = false;                          // even where it could be written in place
    bool sums_products = true;                         // else no sum of one operand alone may be taken first
    std::array<DType, 3> stored = {type, type, type};  // of the matrices that calls read and write
};

class ProductLabels {
public:
    explicit ProductLabels(GemmProblem const& problem);

    /// Something is contracted, and something is in one operand and the output alone: else loops stream it.
    bool is_product() const { return is_product_; }
    /// Sides of another type, or with labels that only they have.
    Sides const& must_pack() const { return must_pack_; }
    /// The labels of a role, in the nest's order.
    std::vector<Run> runs_of(Role role, Sides const& packed) const;
    /// These labels one by one, in this order.
    std::vector<Run> runs_in_order(std::vector<std::size_t> const& labels, Sides const& packed) const;
    Role role_of(Run const& run) const { return roles_[run.labels.front()]; }
    static bool has(Role role, std::size_t side);

    /// Gives a packed side's labels their places, in elements, runs from the innermost out; sets the runs' strides.
    /// @return elements; `strides` of each label of the nest
    Extent lay_out(std::size_t side, std::vector<Run*> const& runs, std::vector<Extent>& strides) const;

    double packed_bytes(std::size_t side) const;
    /// Whether some label of the run lies side by side in memory before packing.
    bool adjacent_in_memory(Run const& run, std::size_t side) const;

private:
    Extent stride(std::size_t label, std::size_t side) const;  // bytes

    Extent size(std::size_t side) const { return static_cast<Extent>(size_of(problem_.stored[side])); }

    GemmProblem const& problem_;
    std::vector<Role> roles_;
    Sides must_pack_{};
    bool is_product_ = false;
};

}  // namespace ein::executor
