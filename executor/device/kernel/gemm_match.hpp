// Recognises joins that are a product of two operands, or their conjugates, and constants. Example: "x*y/sqrt(64)" is
// 0.125 times operands 0 and 1.
#pragma once

#include <optional>

#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

/// A constant times operands, each once.
struct OperandProduct {
    double factor = 1;
    std::vector<int> operands;
    std::vector<bool> conjugated;  // which of them; none where the product is of real numbers
};

/// Whether a kernel knows conjugates of operands; where it does not, a join that has one is no product to it.
enum class Conjugates { refused, taken };

/// @return nothing for any other join, and for factors that are zero, infinite, nan or complex: those do not move out
/// of a sum
std::optional<OperandProduct> operand_product(scalar::Expr const& join, KernelTypes const& types,
                                              scalar::Params const& params,
                                              Conjugates conjugates = Conjugates::refused);

struct ScaledProduct {
    double factor = 1;
    std::size_t left = 0, right = 1;  // distinct operands
    bool conjugates_left = false, conjugates_right = false;

    bool conjugates(std::size_t operand) const { return operand == left ? conjugates_left : conjugates_right; }
};

/// The same of exactly two.
std::optional<ScaledProduct> scaled_product(scalar::Expr const& join, KernelTypes const& types,
                                            scalar::Params const& params, Conjugates conjugates = Conjugates::refused);

}  // namespace ein::executor
