#include <algorithm>
#include <cmath>

#include "executor/device/cpu/sparse_products/product_terms.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

using graph::has_label;

/// The labels of the output first, a compressed one before all, else in the block's order.
std::vector<int> grouped_labels(KernelShape const& shape, std::size_t operand) {
    std::vector<int> const own = walked_labels(shape, operand);
    std::vector<int> const& output = shape.kernel->einsum.output;
    std::vector<int> out;
    for (bool const in_output : {true, false})
        for (int label : own)
            if (has_label(output, label) == in_output) out.push_back(label);
    return out;
}

bool is_zero(scalar::Scalar const& value) { return value.is_integer ? value.integer == 0 : value.number == 0.0; }

std::optional<DType> loops_type(KernelShape const& shape, KernelTypes const& types) {
    DType const type = types.compute;
    if (types.join != type || types.accumulate != type) return std::nullopt;
    if (type == DType::f32 || type == DType::f64 || is_complex(type)) return type;
    bool const wraps_once = shape.output_dtype == type || type == DType::i64;
    return is_integer(type) && wraps_once ? std::optional(DType::i64) : std::nullopt;
}

/// Whether a join of truth values is true where all of some operands are, which are added to `operands`.
bool are_all_true(scalar::Expr const& join, std::vector<int>& operands) {
    using scalar::Op;
    if (join.op() == Op::operand) {
        operands.push_back(join.node().slot);
        return true;
    }
    bool const both = join.op() == Op::logical_and || join.op() == Op::mul || join.op() == Op::min;
    return both && std::all_of(join.args().begin(), join.args().end(),
                               [&](scalar::Expr const& arg) { return are_all_true(arg, operands); });
}

/// Whether any point of an output is true.
bool is_any(graph::EinSum const& einsum, KernelTypes const& types, DType output) {
    using scalar::Agg;
    bool const any = einsum.agg == Agg::any || einsum.agg == Agg::sum || einsum.agg == Agg::max;
    return any && output == DType::boolean && types.compute == output && types.join == output &&
           types.accumulate == output;
}

}  // namespace

std::optional<SumOfProducts> sum_of_products(KernelShape const& shape, KernelTypes const& types,
                                             scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    if (is_any(einsum, types, shape.output_dtype)) {
        std::vector<int> operands;
        if (!are_all_true(einsum.join, operands)) return std::nullopt;
        std::sort(operands.begin(), operands.end());
        bool const once = std::adjacent_find(operands.begin(), operands.end()) == operands.end();
        return once ? std::optional(SumOfProducts{DType::i64, {1, operands, {}}}) : std::nullopt;
    }
    std::optional<DType> const type = loops_type(shape, types);
    if (einsum.agg != scalar::Agg::sum || !type) return std::nullopt;
    std::optional<OperandProduct> product = operand_product(einsum.join, types, params);
    if (!product || std::abs(product->factor) >= 0x1p53) return std::nullopt;
    return SumOfProducts{*type, std::move(*product)};
}

std::optional<ProductShape> product_shape(KernelShape const& shape, KernelTypes const& types,
                                          scalar::Params const& params, std::vector<int> const& wanted) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    SparseOperands const& sparse = *shape.sparse;
    if (sparse.idle_sets.size() != 1 || sparse.idle_sets[0].size() != 1) return std::nullopt;
    auto const driver = static_cast<std::size_t>(sparse.idle_sets[0][0]);
    std::optional<SumOfProducts> const sum = sum_of_products(shape, types, params);
    if (!sum) return std::nullopt;
    OperandProduct const& product = sum->product;
    bool const zeros = is_zero(value_without_contributions(shape, types, params));
    if (!shape.sparse->output && !zeros) return std::nullopt;
    ProductShape out;
    out.type = sum->type;
    out.source = {driver, wanted.empty() ? grouped_labels(shape, driver) : wanted};
    std::vector<int> const& labels = out.source.labels;
    out.group_places = static_cast<std::size_t>(
        std::count_if(labels.begin(), labels.end(), [&](int label) { return has_label(einsum.output, label); }));
    out.factor = product.factor;
    out.has_value = has_label(product.operands, sparse.idle_sets[0][0]);
    for (int label = 0; label < static_cast<int>(shape.lengths.size()); ++label) {
        if (has_label(labels, label) || einsum.extents[static_cast<std::size_t>(label)] == 1) continue;
        int& place = has_label(einsum.output, label) ? out.free : out.dotted;
        if (place != SparsePlan::none) return std::nullopt;
        place = label;
    }
    if (out.free != SparsePlan::none && out.dotted != SparsePlan::none) return std::nullopt;
    int const running = out.free != SparsePlan::none ? out.free : out.dotted;
    bool any_runs = running == SparsePlan::none;
    for (int k : product.operands) {
        auto const number = static_cast<std::size_t>(k);
        if (number == driver) continue;
        if (is_sparse(shape, number)) return std::nullopt;
        std::vector<Extent> const& strides = out.dense.emplace_back(shape, number, running, out.type).strides();
        ProductShape::Operand& operand = out.operands.emplace_back();
        for (std::size_t place = 0; place < labels.size(); ++place) {
            operand.strides.push_back(strides[static_cast<std::size_t>(labels[place])]);
            if (has_label(einsum.inputs[number], labels[place])) operand.depth = static_cast<int>(place);
        }
        operand.runs = has_label(einsum.inputs[number], running);
        any_runs = any_runs || operand.runs;
    }
    if (!any_runs || out.operands.size() > 6) return std::nullopt;
    return out;
}

}  // namespace ein::executor
