#include "lib/graph/read/einsum/moments.hpp"

#include <algorithm>

#include "lib/graph/ops/float_types.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

double aggregated_elements(EinSum const& einsum) {
    double count = 1;
    for (int label : einsum.aggregated()) count *= static_cast<double>(einsum.extents[static_cast<std::size_t>(label)]);
    return count;
}

/// A node over the elements of an EinSum's result, its operand 0.
EinSum finishing(EinSum const& einsum, Expr join) {
    EinSum out = identity_einsum(einsum.output_shape());
    for (std::size_t axis = 0; axis < out.labels.size(); ++axis)
        out.labels[axis] = einsum.labels[static_cast<std::size_t>(einsum.output[axis])];
    out.join = std::move(join);
    return out;
}

/// |x|^2: the product with the conjugate for complex numbers.
Expr square_of(Expr const& x, bool complex) {
    return complex ? Expr::call(Op::real, {x * Expr::call(Op::conj, {x})}) : x * x;
}

bool has_complex_input(AggLowering const& of) {
    return std::any_of(of.inputs.begin(), of.inputs.end(),
                       [&](ValueId input) { return is_complex(of.builder.value(input).dtype); });
}

/// sqrt(x) for x >= 0. Of 0 it is that 0: the root has no slope there, so its gradient is 0, not nan.
Expr root_of(Expr const& x) {
    return Expr::call(Op::where, {Expr::call(Op::eq, {x, Expr::integer(0)}), x, Expr::call(Op::sqrt, {x})});
}

/// The sum of |x - mean|^2.
ValueId squares_about_mean(AggLowering const& of, double count) {
    ValueId const sum = of.builder.einsum("sum", of.einsum, of.inputs, of.inside, of.path);
    ValueId const mean =
        of.builder.einsum("mean", finishing(of.einsum, Expr::operand(0) / Expr::number(count)), {sum}, of.inside);
    EinSum squares = of.einsum;
    Expr const distance = squares.join - Expr::operand(static_cast<int>(squares.operands()));
    squares.join = square_of(distance, is_complex(of.inside));
    squares.inputs.push_back(squares.output);
    std::vector<ValueId> inputs = of.inputs;
    inputs.push_back(mean);
    return of.builder.einsum("squares", std::move(squares), std::move(inputs), real_part(of.inside));
}

ValueId finish_variance(AggLowering const& of, Expr (*root)(Expr const&)) {
    double const count = aggregated_elements(of.einsum);
    ValueId const squares = squares_about_mean(of, count);
    Expr const divisor = Expr::number(std::max(count - of.correction, 0.0));  // as NumPy: never negative
    ValueId const made =
        of.builder.einsum("", finishing(of.einsum, root(Expr::operand(0) / divisor)), {squares}, of.output);
    of.builder.cut_at(made, squares);
    return made;
}

/// A join of reals that gives reals is computed in them, whatever the output is: distances from the mean are reals too.
AggLowering in_reals(AggLowering of) {
    if (!is_complex(of.inside) || has_complex_input(of)) return of;
    std::vector<DType> dtypes;
    for (ValueId const input : of.inputs) dtypes.push_back(of.builder.value(input).dtype);
    DType const inside = real_part(of.inside), compute = compute_dtype(dtypes, inside);
    scalar::TypeResult const type = scalar::type_of(of.einsum.join, compute, compute);
    if (type.problem.empty() && !is_complex(type.type)) of.inside = inside;
    return of;
}

}  // namespace

ValueId lower_mean(AggLowering of) {
    if (of.einsum.aggregated().empty())
        return of.builder.einsum("", std::move(of.einsum), of.inputs, of.output, std::move(of.path));
    EinSum quotient = finishing(of.einsum, Expr::operand(0) / Expr::number(aggregated_elements(of.einsum)));
    ValueId const sum = of.builder.einsum("sum", std::move(of.einsum), of.inputs, of.inside, std::move(of.path));
    ValueId const made = of.builder.einsum("", std::move(quotient), {sum}, of.output);
    of.builder.cut_at(made, sum);
    return made;
}

ValueId lower_var(AggLowering of) {
    return finish_variance(in_reals(std::move(of)), [](Expr const& x) { return x; });
}

ValueId lower_std(AggLowering of) { return finish_variance(in_reals(std::move(of)), root_of); }

ValueId lower_norm(AggLowering of) {
    EinSum last = finishing(of.einsum, root_of(Expr::operand(0)));
    bool const complex = has_complex_input(of) || is_complex(of.inside);
    of.einsum.join = square_of(of.einsum.join, complex);
    ValueId const squares = of.builder.einsum("squares", std::move(of.einsum), of.inputs, real_part(of.inside));
    ValueId const made = of.builder.einsum("", std::move(last), {squares}, of.output);
    of.builder.cut_at(made, squares);
    return made;
}

}  // namespace ein::graph
