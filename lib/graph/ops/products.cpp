#include "lib/graph/ops/broadcast.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::graph {
namespace {

DType common_of(OpReader const& op) { return promote(op.value(0).dtype, op.value(1).dtype); }

/// The axes of a factor that matmul sums over or keeps: two of a matrix, one of a vector.
std::size_t inner_axes(OpReader const& op, std::size_t k) { return std::min<std::size_t>(op.order(k), 2); }

/// Which axis of a factor is summed over: the last of the first, the last but one of the second (the only one of a
/// vector).
std::size_t summed_axis(OpReader const& op, std::size_t k) { return op.order(k) - (k == 1 ? inner_axes(op, k) : 1); }

/// Which matrix is the other way round, and what multiplies it so.
std::string transposed(OpReader const& op) {
    Shape const &left = op.value(0).shape, &right = op.value(1).shape;
    std::string fitting;
    auto const add = [&](std::string const& einsum, std::size_t k) {
        fitting += (fitting.empty() ? "write \"einsum\": \"" : ", or \"") + einsum + "\" in place of the \"op\"" +
                   ", which transposes " + quote(op.value(k).name);
    };
    if (left.size() == 1 && right.size() == 2 && left[0] == right[1]) add("j,kj->k", 1);
    if (left.size() == 2 && right.size() == 1 && left[0] == right[0]) add("ji,j->i", 0);
    if (left.size() == 2 && right.size() == 2) {
        if (left[1] == right[1]) add("ij,kj->ik", 1);
        if (left[0] == right[0]) add("ji,jk->ik", 0);
    }
    return fitting.empty() ? "correct a shape, or transpose one of them" : fitting;
}

bool check_factors(OpReader const& op) {
    for (std::size_t k = 0; k < 2; ++k)
        if (op.order(k) == 0) {
            op.fail_input(k, "a tensor of one axis or more", op.describe(k), "write \"multiply\" to scale by a number");
            return false;
        }
    Extent const left = op.value(0).shape[summed_axis(op, 0)], right = op.value(1).shape[summed_axis(op, 1)];
    if (left == right) return true;
    op.fail_input(1,
                  std::to_string(left) + " elements along axis " + std::to_string(summed_axis(op, 1)) + ", as axis " +
                      std::to_string(summed_axis(op, 0)) + " of " + op.describe(0) + " has",
                  op.describe(1), transposed(op));
    return false;
}

/// sum over k of x[..., i, k]*y[..., k, j], without i or j where a factor is a vector.
OpResult matmul(OpReader& op, DType dtype) {
    if (!check_factors(op)) return std::nullopt;
    auto const batch = broadcast_shape(op, {inner_axes(op, 0), inner_axes(op, 1)});
    if (!batch) return std::nullopt;
    EinSum einsum = identity_einsum(*batch);
    einsum.inputs.clear();
    std::vector<ValueId> inputs;
    for (std::size_t k = 0; k < 2; ++k) {
        BroadcastOperand operand = broadcast_operand(op, k, *batch, inner_axes(op, k));
        einsum.inputs.push_back(std::move(operand.labels));
        inputs.push_back(operand.value);
    }
    auto const label = [&](std::string const& name, Extent extent) {
        einsum.labels.push_back(name);
        einsum.extents.push_back(extent);
        return static_cast<int>(einsum.labels.size()) - 1;
    };
    Shape const left = op.value(0).shape, right = op.value(1).shape;
    if (left.size() > 1) {
        einsum.output.push_back(label("row", left[left.size() - 2]));
        einsum.inputs[0].push_back(einsum.output.back());
    }
    int const inner = label("inner", left.back());
    einsum.inputs[0].push_back(inner);
    einsum.inputs[1].push_back(inner);
    if (right.size() > 1) {
        einsum.output.push_back(label("column", right.back()));
        einsum.inputs[1].push_back(einsum.output.back());
    }
    einsum.join = scalar::product(2);
    return op.build.einsum("", std::move(einsum), std::move(inputs), dtype);
}

}  // namespace

OpResult read_matmul(OpReader& op) {
    auto const dtype = op.dtype();
    if (!op.ready()) return std::nullopt;
    return matmul(op, dtype.value_or(common_of(op)));
}

/// NumPy's dot of vectors and matrices is their matmul; of more axes it pairs all batches.
OpResult read_dot(OpReader& op) {
    auto const dtype = op.dtype();
    if (!op.ready()) return std::nullopt;
    if (op.order(1) <= 1 || (op.order(0) <= 2 && op.order(1) <= 2)) return matmul(op, dtype.value_or(common_of(op)));
    op.node().at("op").fail(
        "\"dot\" of vectors and matrices", op.describe(0) + " and " + op.describe(1),
        "write \"matmul\" to match their batches, or an \"einsum\" to pair them all, as NumPy's dot");
    return std::nullopt;
}

/// x[i]*y[j], other tensors flattened first.
OpResult read_outer(OpReader& op) {
    auto const dtype = op.dtype();
    if (!op.ready()) return std::nullopt;
    EinSum einsum;
    std::vector<ValueId> inputs;
    for (std::size_t k = 0; k < 2; ++k) {
        Extent const elements = element_count(op.value(k).shape);
        inputs.push_back(op.order(k) == 1 ? op.input(k)
                                          : op.build.reshape("flat" + std::to_string(k), op.input(k), {elements}));
        einsum.labels.push_back(k == 0 ? "row" : "column");
        einsum.extents.push_back(elements);
        einsum.inputs.push_back({static_cast<int>(k)});
        einsum.output.push_back(static_cast<int>(k));
    }
    einsum.join = scalar::product(2);
    return op.build.einsum("", std::move(einsum), std::move(inputs), dtype.value_or(common_of(op)));
}

}  // namespace ein::graph
