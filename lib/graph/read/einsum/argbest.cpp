#include "lib/graph/read/einsum/argbest.hpp"

#include <limits>
#include <optional>

#include "lib/base/error.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

/// The type of m, chosen so that both EinSums compute in the same type: the join then has the same bits in both.
DType best_dtype(DType join, DType compute) {
    switch (kind(compute)) {
        case Kind::complex: return compute == DType::c64 ? DType::f32 : DType::f64;
        case Kind::real: return promote(compute, join);
        case Kind::integer:
        case Kind::boolean: break;
    }
    return kind(join) == Kind::real ? DType::f64 : compute;
}

}  // namespace

std::optional<DType> narrow_compute(Expr const& join, std::span<DType const> inputs) {
    DType const own = common_dtype(inputs);
    if (kind(own) > Kind::integer) return std::nullopt;
    scalar::TypeResult const type = scalar::type_of(join, own, own);
    return type.problem.empty() && promote(type.type, own) == own ? std::optional(own) : std::nullopt;
}

ValueId lower_argbest(NodeBuilder& builder, EinSum einsum, std::vector<ValueId> inputs, DType dtype) {
    std::vector<DType> dtypes;
    for (ValueId input : inputs) dtypes.push_back(builder.value(input).dtype);
    std::optional<DType> const narrow = narrow_compute(einsum.join, dtypes);
    DType const compute = narrow.value_or(compute_dtype(dtypes, DType::i64));
    DType const join = scalar::type_of(einsum.join, compute, DType::i64).type;
    DType const best = best_dtype(join, compute);
    // Rounded alike in both, also where a join is computed in more digits than `best` has (c64 operands, the
    // interpreter).
    bool const exact = einsum.join.op() == Op::operand && !is_complex(compute);
    if (kind(best) == Kind::real && !exact) einsum.join = Expr::cast(best, einsum.join);

    std::string const part = einsum.agg == Agg::min ? "min" : "max";
    int const label = einsum.aggregated().front();
    EinSum find = einsum;
    einsum.compute = find.compute = narrow;
    ValueId const m = builder.einsum(part, std::move(einsum), inputs, best);
    dtypes.push_back(best);
    promise(narrow || compute_dtype(std::span(dtypes).first(inputs.size()), best) == compute_dtype(dtypes, DType::i64),
            "both halves of an argmin compute in one type");

    Expr const value = find.join;
    Expr const is_best = Expr::call(Op::eq, {value, Expr::operand(static_cast<int>(inputs.size()))});
    Expr const is_nan = Expr::call(Op::ne, {value, value});
    find.join = Expr::call(Op::where, {Expr::call(Op::logical_or, {is_best, is_nan}), Expr::index(label),
                                       Expr::integer(std::numeric_limits<std::int64_t>::max())});
    find.agg = Agg::min;
    find.inputs.push_back(find.output);
    inputs.push_back(m);
    ValueId const index = builder.einsum(dtype == DType::i64 ? "" : "index", std::move(find), inputs, DType::i64);
    return dtype == DType::i64 ? index
                               : builder.einsum("", identity_einsum(builder.value(index).shape), {index}, dtype);
}

}  // namespace ein::graph
