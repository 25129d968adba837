#include "lib/graph/read/einsum/named_agg.hpp"

#include "lib/graph/ops/float_types.hpp"
#include "lib/graph/read/einsum/argbest.hpp"

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

/// The sum, divided by how many elements it is of: of none it is nan, as in NumPy.
ValueId mean(AggLowering of) {
    double count = 1;
    for (int label : of.einsum.aggregated())
        count *= static_cast<double>(of.einsum.extents[static_cast<std::size_t>(label)]);
    if (of.einsum.aggregated().empty()) return one_einsum(std::move(of));
    EinSum quotient = identity_einsum(of.einsum.output_shape());
    for (std::size_t axis = 0; axis < quotient.labels.size(); ++axis)
        quotient.labels[axis] = of.einsum.labels[static_cast<std::size_t>(of.einsum.output[axis])];
    quotient.join = scalar::Expr::operand(0) / scalar::Expr::number(count);
    ValueId const sum = of.builder.einsum("sum", std::move(of.einsum), of.inputs, of.inside, std::move(of.path));
    ValueId const made = of.builder.einsum("", std::move(quotient), {sum}, of.output);
    of.builder.cut_at(made, sum);
    return made;
}

/// Those that become several nodes.
constexpr NamedAgg macros[]{
    {"argmin", Agg::min, true, index, index_inside, index_of_best},
    {"argmax", Agg::max, true, index, index_inside, index_of_best},
    {"mean", Agg::sum, false, as_float, mean_inside, mean},
};

}  // namespace

std::optional<NamedAgg> named_agg(std::string_view name) {
    if (auto const agg = scalar::agg_from_name(name))
        return NamedAgg{scalar::name(*agg), *agg, false, same, as_output, one_einsum};
    for (NamedAgg const& macro : macros)
        if (macro.name == name) return macro;
    return std::nullopt;
}

std::vector<std::string> named_agg_names() {
    std::vector<std::string> names = scalar::agg_names();
    for (NamedAgg const& macro : macros) names.emplace_back(macro.name);
    return names;
}

}  // namespace ein::graph
