// Recognises joins that are a product of two operands and constants. Example: "x*y/sqrt(64)" is 0.125 times operands 0
// and 1.
#pragma once

#include <optional>

#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

/// A constant times operands, each once.
struct OperandProduct {
    double factor = 1;
    std::vector<int> operands;
};

/// @return nothing for any other join, and for factors that are zero, infinite, nan or complex: those do not move out
/// of a sum
std::optional<OperandProduct> operand_product(scalar::Expr const& join, KernelTypes const& types,
                                              scalar::Params const& params);

struct ScaledProduct {
    double factor = 1;
    std::size_t left = 0, right = 1;  // distinct operands
};

/// The same of exactly two.
std::optional<ScaledProduct> scaled_product(scalar::Expr const& join, KernelTypes const& types,
                                            scalar::Params const& params);

}  // namespace ein::executor
