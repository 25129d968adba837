// The terms of one element of a kernel call with sparse operands: points of the aggregated labels that contribute, with
// the values that operands have there. Where one operand alone decides what contributes, only what it lists is visited.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "executor/device/device.hpp"
#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

class SparseTerms {
public:
    /// @param shape  of a call with sparse operands; must outlive this
    explicit SparseTerms(KernelShape const& shape);

    /// @param place  of the element, one index for each axis of the output, from where the call begins
    /// @param visit  gets the index of each label from where the call begins, and each operand's value in its own type
    void for_each(
        KernelCall const& call, std::vector<Extent> const& place,
        std::function<void(std::vector<Extent> const&, std::vector<scalar::Scalar> const&)> const& visit) const;

private:
    struct Walk;

    KernelShape const& shape_;
    graph::EinSum const& einsum_;
    std::optional<graph::Lookup> lookup_;
    int driver_ = -1;        // the operand whose listed elements are visited; -1: all points are
    std::vector<int> rest_;  // aggregated labels that the driver lacks
    Shape rest_lengths_;
};

}  // namespace ein::executor
