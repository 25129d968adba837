// Which joins and aggregations are products of two operands, and what multiplies a batch, for gemm_kernel.cpp. Example:
// "x*y/2" summed is 0.5 times products of operands 0 and 1.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "executor/device/cpu/gemm/pair_lanes.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "executor/device/kernel/gemm_plan.hpp"

namespace ein::executor {

/// What a kernel does with the elements of its two operands.
struct Operation {
    std::array<std::size_t, 2> operands{};
    std::array<bool, 2> conjugated{};
    double factor = 1;
    std::optional<PairJoin> join;  // of pair_product; BLAS multiplies
    PairProduct pair;
    scalar::Agg agg = scalar::Agg::sum;

    /// The same with the second operand first; of those that have a pair_product.
    Operation with_operands_exchanged(DType type) const {
        Operation other = *this;
        std::swap(other.operands[0], other.operands[1]);
        std::swap(other.conjugated[0], other.conjugated[1]);
        other.join = executor::with_operands_exchanged(*join);
        other.pair = pair_product(*other.join, agg, type);
        return other;
    }
};

/// A join that is a product of two operands: of integers without a factor, which may be no integer on the way.
inline std::optional<ScaledProduct> product_of_two(scalar::Expr const& join, KernelTypes const& types,
                                                   scalar::Params const& params, Conjugates conjugates) {
    if (!is_integer(types.compute)) return scaled_product(join, types, params, conjugates);
    std::optional<PairOperation> const pair = pair_operation(join);
    if (!pair || pair->join != PairJoin::multiply) return std::nullopt;
    return ScaledProduct{1, pair->left, pair->right, false, false};
}

/// Sums of products, else one of the other products; nothing for other joins and aggregations.
inline std::optional<Operation> operation_of(graph::EinSum const& einsum, KernelTypes const& types,
                                             scalar::Params const& params) {
    DType const type = types.compute;
    if (types.join != type || types.accumulate != type) return std::nullopt;
    bool const in_blas = type == DType::f32 || type == DType::f64 || is_complex(type);
    Operation operation;
    operation.agg = einsum.agg;
    if (in_blas && einsum.agg == scalar::Agg::sum)
        if (auto const product = scaled_product(einsum.join, types, params, Conjugates::taken)) {
            operation.operands = {product->left, product->right};
            operation.conjugated = {product->conjugates_left, product->conjugates_right};
            operation.factor = product->factor;
            operation.pair = pair_product(PairJoin::multiply, einsum.agg, type);
            if (operation.pair.run != nullptr) operation.join = PairJoin::multiply;
            bool const conjugates = product->conjugates_left || product->conjugates_right;
            return conjugates && !operation.join ? std::nullopt : std::optional(operation);  // BLAS knows none
        }
    std::optional<PairOperation> const pair = pair_operation(einsum.join);
    if (!pair) return std::nullopt;
    operation.operands = {pair->left, pair->right};
    operation.join = pair->join;
    operation.pair = pair_product(pair->join, einsum.agg, type);
    return operation.pair.run == nullptr ? std::nullopt : std::optional(operation);
}

/// @return without `run` where each product of the batch is a call of its own
inline LanesProduct product_of(GemmPlan::Batch batch, DType type) {
    if (batch == GemmPlan::Batch::calls) return {};
    return batch == GemmPlan::Batch::in_lanes ? lanes_product(type) : one_by_one(type);
}

}  // namespace ein::executor
