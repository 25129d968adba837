#include <algorithm>

#include "lib/graph/ops/broadcast.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// The function of operands 0, 1, ..., whatever its spelling.
Expr function_of(std::string const& name, std::size_t operands) {
    std::string text = name + "(";
    for (std::size_t k = 0; k < operands; ++k) text += (k ? ", x" : "x") + std::to_string(k);
    scalar::ParseResult read = scalar::parse(text + ")", {static_cast<int>(operands), {}, {}});
    promise(read.faults.empty(), "a function in the table of ops is read");
    return std::move(read.expr);
}

/// The operands' common type. A condition decides nothing of it.
DType common_of(OpReader const& op, Expr const& join) {
    std::vector<DType> dtypes;
    for (std::size_t k = 0; k < op.inputs(); ++k) dtypes.push_back(op.value(k).dtype);
    bool const chooses = join.op() == Op::where && join.args().front() == Expr::operand(0) && dtypes.size() == 3;
    return common_dtype(std::span(dtypes).subspan(chooses ? 1 : 0));
}

/// NumPy's type of the result: that of the function of operands of one type.
std::optional<DType> result_type(OpReader const& op, Expr const& join, DType common) {
    DType const compute = compute_dtype({}, common);
    scalar::TypeResult const type = scalar::type_of(join, compute, compute);
    if (!type.problem.empty()) {
        op.node().at("op").fail("a function of " + std::string(name(common)), type.problem,
                                "cast the input first, or take its abs, real or imag");
        return std::nullopt;
    }
    bool const half = kind(common) == Kind::real && size_of(common) == 2 && kind(type.type) == Kind::real;
    return half ? common : type.type;
}

}  // namespace

OpResult read_elementwise(OpReader& op) {
    auto const dtype = op.dtype();
    if (!op.ready()) return std::nullopt;
    Expr const join = function_of(op.op_name(), op.inputs());
    auto const shape = broadcast_shape(op, std::vector<std::size_t>(op.inputs()));
    auto const type = result_type(op, join, common_of(op, join));
    if (!shape || !type) return std::nullopt;
    op.note_broadcast(*shape);
    EinSum einsum = identity_einsum(*shape);
    einsum.inputs.clear();
    std::vector<ValueId> inputs;
    for (std::size_t k = 0; k < op.inputs(); ++k) {
        BroadcastOperand operand = broadcast_operand(op, k, *shape);
        einsum.inputs.push_back(std::move(operand.labels));
        inputs.push_back(operand.value);
    }
    einsum.join = join;
    if (op.op_name() == "subtract" && !dtype && *type == DType::u8)
        op.note(
            "a difference of u8 is one of u8, where 3 - 5 is 254; give the node "
            "\"dtype\": \"i16\", or \"u8\" if that is meant");
    return op.build.einsum("", std::move(einsum), std::move(inputs), dtype.value_or(*type));
}

OpResult read_least_or_greatest(OpReader& op) {
    if (op.inputs() < 2) return read_aggregation(op);
    for (std::string const key : {"axes", "axis", "keepdims"})
        if (auto const at = op.attribute(key))
            at->fail("no \"" + key + "\" of several inputs, whose elements are compared", brief(at->value()),
                     "aggregate one tensor at a time, or remove it");
    return read_elementwise(op);
}

}  // namespace ein::graph
