#include "scheduler/simulate/kernel_cost.hpp"

#include <algorithm>
#include <utility>

#include "lib/graph/best_search.hpp"
#include "lib/graph/indicator.hpp"
#include "lib/graph/invariant_parts.hpp"
#include "lib/graph/join_step.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/masked_product.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/program/work.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

namespace {

/// Which kinds of labels an EinSum of two operands has.
struct Sides {
    std::vector<int> rows, columns, terms;

    explicit Sides(graph::EinSum const& einsum) {
        for (int label = 0; label < static_cast<int>(einsum.labels.size()); ++label) {
            auto const has = [&](std::vector<int> const& list) { return graph::has_label(list, label); };
            bool const left = has(einsum.inputs[0]), right = has(einsum.inputs[1]), kept = has(einsum.output);
            if (left && right && !kept) terms.push_back(label);
            if (left && !right && kept) rows.push_back(label);
            if (right && !left && kept) columns.push_back(label);
        }
    }
};

bool is_of_two_elements(scalar::Expr const& join) {
    return join.args().size() == 2 && std::ranges::all_of(join.args(), [](scalar::Expr const& argument) {
               return argument.op() == scalar::Op::operand;
           });
}

bool joins_two_elements(graph::EinSum const& einsum) {
    return einsum.operands() == 2 && is_of_two_elements(einsum.join);
}

/// Joins that tiles have instructions for: of two elements, and distances: |x - y| and (x - y)^2.
bool is_of_tiles(graph::EinSum const& einsum) {
    scalar::Expr const& join = einsum.join;
    if (joins_two_elements(einsum)) return !scalar::info(join.op()).costly;
    bool const of_difference = einsum.operands() == 2 && !join.args().empty() &&
                               join.args()[0].op() == scalar::Op::sub && is_of_two_elements(join.args()[0]);
    return of_difference && (join.op() == scalar::Op::abs ||
                             (join.op() == scalar::Op::pow && join.args()[1] == scalar::Expr::integer(2)));
}

/// Of kernels that pack an operand, for tiles of the result that stay in registers.
TileSides tiles_of(graph::EinSum const& einsum, DType compute) {
    if (!is_of_tiles(einsum)) return {};
    using scalar::Agg;
    if (einsum.agg != Agg::sum && einsum.agg != Agg::min && einsum.agg != Agg::max) return {};
    Sides sides(einsum);
    if (sides.terms.empty() || sides.rows.empty() || sides.columns.empty()) return {};
    bool const right_is_innermost = graph::has_label(sides.columns, einsum.output.back());
    bool const one_product = sides.terms.size() + sides.rows.size() + sides.columns.size() == einsum.labels.size();
    double const width = one_product ? tuning::bytes_of_a_vector / static_cast<double>(size_of(compute)) : 1;
    std::size_t const by_rows = right_is_innermost ? 0 : 1;
    bool const packed = !graph::has_label(sides.terms, einsum.inputs[by_rows].back());
    return {std::move(sides.rows), std::move(sides.columns), std::move(sides.terms), right_is_innermost, packed, width};
}

double of_aggregation(graph::EinSum const& einsum) {
    if (!einsum.aggregates_any()) return 0;
    return scalar::info(einsum.agg).by_exponentials ? tuning::operations_of_an_exponential_sum : 1;
}

/// Operations a second. Tiles of other operations than times and plus have no instruction that does both.
double rate_of(graph::EinSum const& einsum, bool has_tiles, DType compute, Cluster const& cluster) {
    if (is_matrix_product(einsum)) return cluster.flops(compute);
    return has_tiles ? std::max(cluster.operations, cluster.flops(compute) * tuning::share_of_other_tiles)
                     : cluster.operations;
}

}  // namespace

bool is_matrix_product(graph::EinSum const& einsum) {
    if (!joins_two_elements(einsum) || einsum.agg != scalar::Agg::sum || einsum.join.op() != scalar::Op::mul)
        return false;
    Sides const sides(einsum);
    return !sides.terms.empty() && !(sides.rows.empty() && sides.columns.empty());
}

namespace {

/// Simple operations of one point, all of them counted: what stays the same along labels is computed once.
double work_of_point(graph::EinSum const& einsum, DType compute, DType counted) {
    auto const parts = graph::invariant_parts(einsum, einsum.extents, compute, compute);
    double const all = std::max(1.0, points_of(einsum, einsum.output));
    double work =
        scalar::work_of(graph::reading_parts(einsum.join, parts, static_cast<int>(einsum.operands())), counted);
    for (scalar::Expr const& part : parts)
        work += scalar::work_of(part, counted) * points_of(einsum, labels_that_decide(einsum, part)) / all;
    return work + of_aggregation(einsum);
}

}  // namespace

KernelCost kernel_cost(graph::EinSum const& einsum, DType compute, Cluster const& cluster) {
    if (auto const masked = graph::as_masked_product(einsum, compute)) {
        graph::EinSum product = einsum;
        product.inputs = {masked->axes, einsum.inputs[static_cast<std::size_t>(masked->other)]};
        product.join = scalar::product(2);
        KernelCost cost = kernel_cost(product, compute, cluster);
        cost.tiles = {};  // their sides are not its operands
        return cost;
    }
    bool const lookup = graph::looks_up(einsum).has_value();
    std::int32_t added = -1;
    auto const count = graph::as_count(einsum);
    if (auto const scatter = graph::scatters(einsum)) added = scatter->label;
    if (count) added = count->label;
    TileSides tiles = tiles_of(einsum, compute);
    bool const has_tiles = !tiles.left.empty(), own_rate = has_tiles || is_matrix_product(einsum);  // of its type
    double const a_point = work_of_point(einsum, compute, own_rate ? DType::f32 : compute);
    double const a_row = count                           ? tuning::elements_of_a_count / cluster.listed
                         : added >= 0                    ? tuning::elements_of_a_row / cluster.listed
                         : graph::as_best_search(einsum) ? tuning::seconds_of_a_searched_row / cluster.threads
                                                         : tuning::seconds_of_a_summed_row / cluster.threads;
    return {lookup || added >= 0 ? 1 : a_point,
            rate_of(einsum, has_tiles, compute, cluster),
            lookup,
            std::move(tiles),
            added,
            a_row};
}

}  // namespace ein::scheduler
