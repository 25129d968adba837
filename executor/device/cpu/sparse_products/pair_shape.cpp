#include "executor/device/cpu/sparse_products/pair_shape.hpp"

#include <cmath>
#include <utility>

#include "executor/device/cpu/sparse/same_pattern.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

/// Accumulators of a row, at most.
constexpr Extent most_columns = Extent{1} << 24;

/// Whether an output that nothing contributes to has what combining begins with.
bool is_none(scalar::Scalar const& value, scalar::Agg agg) {
    if (agg == scalar::Agg::min) return value.is_integer ? value.integer == INT64_MAX : value.number == HUGE_VAL;
    return value.is_integer ? value.integer == INT64_MIN : value.number == -HUGE_VAL;
}

std::optional<PairProducts> products_of(KernelShape const& shape, KernelTypes const& types,
                                        scalar::Params const& params, std::size_t first) {
    if (std::optional<SumOfProducts> const sum = sum_of_products(shape, types, params))
        return PairProducts{sum->type, PairJoin::multiply, scalar::Agg::sum, sum->product.factor,
                            sum->product.operands};
    return best_of_pairs(shape, types, params, first);
}

}  // namespace

std::optional<PairProducts> best_of_pairs(KernelShape const& shape, KernelTypes const& types,
                                          scalar::Params const& params, std::size_t first) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    DType const type = types.compute;
    bool const has_loops = type == DType::f32 || type == DType::f64 || type == DType::i64;
    if (!has_loops || types.join != type || types.accumulate != type) return std::nullopt;
    if (einsum.agg != scalar::Agg::min && einsum.agg != scalar::Agg::max) return std::nullopt;
    std::optional<PairOperation> const pair = pair_operation(einsum.join);
    if (!pair || !is_none(value_without_contributions(shape, types, params), einsum.agg)) return std::nullopt;
    return PairProducts{type, pair->left == first ? pair->join : with_operands_exchanged(pair->join), einsum.agg};
}

std::optional<PairShape> pair_shape(KernelShape const& shape, KernelTypes const& types, scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    SparseOperands const& sparse = *shape.sparse;
    if (einsum.operands() != 2 || shape.lengths.size() != 3 || einsum.output.size() != 2 ||
        sparse.idle_sets.size() != 2)
        return std::nullopt;
    for (std::vector<int> const& set : sparse.idle_sets)
        if (set.size() != 1) return std::nullopt;
    if (sparse.idle_sets[0] == sparse.idle_sets[1]) return std::nullopt;
    for (std::size_t k = 0; k < 2; ++k)
        if (labels_in_order(shape, k).size() != 2 || einsum.inputs[k].size() != 2) return std::nullopt;
    int const term = einsum.aggregated().front();
    std::optional<std::vector<int>> const listed = whole_output_labels(shape);
    if (sparse.output && (!listed || !sparse.output->layout.compressed)) return std::nullopt;
    auto const other = [&](std::size_t k) { return label_beside(einsum.inputs[k], term); };
    if (other(0) == SparsePlan::none || other(1) == SparsePlan::none || other(0) == other(1)) return std::nullopt;
    // Rows are those of the output where it is sparse, else those of the operand that lies by them.
    std::size_t rows = walked_labels(shape, 0).front() == term && walked_labels(shape, 1).front() != term ? 1 : 0;
    if (listed) rows = other(0) == listed->front() ? 0 : 1;
    std::size_t const columns = 1 - rows;
    Shape const& lengths = shape.keeps_order ? einsum.extents : shape.lengths;
    if (lengths[static_cast<std::size_t>(other(columns))] > most_columns ||
        lengths[static_cast<std::size_t>(term)] >= Extent{1} << 31)
        return std::nullopt;
    std::optional<PairProducts> products = products_of(shape, types, params, rows);
    if (!products) return std::nullopt;
    bool const has_first = graph::has_label(products->operands, static_cast<int>(rows)),
               has_second = graph::has_label(products->operands, static_cast<int>(columns));
    return PairShape{
        std::move(*products), {rows, {other(rows), term}}, {columns, {term, other(columns)}}, has_first, has_second};
}

}  // namespace ein::executor
