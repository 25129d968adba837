#include "lib/graph/read/einsum/named_agg.hpp"

#include "lib/base/text/module_names.hpp"
#include "lib/graph/ops/float_types.hpp"
#include "lib/graph/read/einsum/argbest.hpp"
#include "lib/graph/read/einsum/moments.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;

DType same(DType common) { return common; }
DType as_output(DType, DType output) { return output; }

ValueId one_einsum(AggLowering of) {
    return of.builder.einsum("", std::move(of.einsum), of.inputs, of.output, std::move(of.path));
}

DType index(DType) { return DType::i64; }
DType index_inside(DType, DType) { return DType::i64; }

ValueId index_of_best(AggLowering of) {
    return lower_argbest(of.builder, std::move(of.einsum), std::move(of.inputs), of.output);
}

DType mean_inside(DType common, DType output) { return between(common, output); }

DType count_result(DType) { return DType::i64; }

DType real_result(DType common) { return real_part(as_float(common)); }

/// How many are not 0: a count widens nothing, what it counts wraps as it would alone.
ValueId count(AggLowering of) {
    std::vector<DType> dtypes;
    for (ValueId input : of.inputs) dtypes.push_back(of.builder.value(input).dtype);
    if (!of.einsum.compute) of.einsum.compute = narrow_compute(of.einsum.join, dtypes);
    of.einsum.join = scalar::Expr::call(scalar::Op::ne, {of.einsum.join, scalar::Expr::integer(0)});
    return one_einsum(std::move(of));
}

/// Those that become several nodes, or have another join.
constexpr NamedAgg macros[]{
    {"argmin", Agg::min, true, index, index_inside, index_of_best},
    {"argmax", Agg::max, true, index, index_inside, index_of_best},
    {"mean", Agg::sum, false, as_float, mean_inside, lower_mean},
    {"var", Agg::sum, false, real_result, mean_inside, lower_var},
    {"std", Agg::sum, false, real_result, mean_inside, lower_std},
    {"norm", Agg::sum, false, real_result, mean_inside, lower_norm, true},
    {"count", Agg::sum, false, count_result, as_output, count, true},
};

constexpr scalar::Taken taken[]{
    {"amax", "max"},
    {"amin", "min"},
    {"maximum", "max"},
    {"minimum", "min"},
    {"average", "mean"},
    {"avg", "mean"},
    {"add", "sum"},
    {"multiply", "prod"},
    {"product", "prod"},
    {"logical_and", "all"},
    {"logical_or", "any"},
    {"logaddexp", "logsumexp"},
    {"count_nonzero", "count"},
};

}  // namespace

std::optional<NamedAgg> named_agg(std::string_view written) {
    std::string_view name = without_modules(written);
    for (scalar::Taken const& row : taken)
        if (row.written == name) name = row.means;
    if (auto const agg = scalar::agg_from_name(name))
        return NamedAgg{scalar::name(*agg), *agg,      false, *agg == Agg::logsumexp ? as_float : same,
                        as_output,          one_einsum};
    for (NamedAgg const& macro : macros)
        if (macro.name == name) return macro;
    return std::nullopt;
}

std::span<scalar::Taken const> taken_aggs() { return taken; }

std::vector<std::string> named_agg_names() {
    std::vector<std::string> names = scalar::agg_names();
    for (NamedAgg const& macro : macros) names.emplace_back(macro.name);
    return names;
}

}  // namespace ein::graph
