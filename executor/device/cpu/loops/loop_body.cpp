// What a loop kernel computes, read off an EinSum: its program and types.
#include <algorithm>
#include <limits>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::executor {

DType LoopBody::operand_registers() const {
    return program == nullptr ? scalar::own_register_dtype(compute) : program->operand_registers();
}

DType LoopBody::join_registers() const {
    return program == nullptr ? operand_registers() : program->result_registers();
}

LoopBody LoopBody::identity(DType type, scalar::Agg agg) {
    return {nullptr, {0}, 0, type, type, scalar::accumulate_dtype(agg, type), agg};
}

namespace {

/// What an EinSum reads, and its types, without a program yet.
LoopBody body_without_program(graph::EinSum const& einsum, KernelTypes const& types) {
    LoopBody body;
    body.compute = types.compute;
    body.join = types.join;
    body.accumulate = types.accumulate;
    body.agg = einsum.agg;
    for (int operand : scalar::operands_of(einsum.join)) body.used.push_back(static_cast<std::size_t>(operand));
    for (int label : scalar::labels_of(einsum.join))
        body.indices = std::max(body.indices, static_cast<std::size_t>(label) + 1);
    return body;
}

}  // namespace

LoopBody LoopBody::of(graph::EinSum const& einsum, KernelTypes const& types, scalar::Params const& params) {
    LoopBody body = body_without_program(einsum, types);
    bool const counts = types.join == DType::boolean && types.accumulate == types.compute &&
                        kind(types.compute) == Kind::real && !einsum.aggregated().empty();
    if (counts) body.join = types.accumulate;  // the program gives numbers, which machine code can
    scalar::Expr const join = counts ? scalar::Expr::cast(body.join, einsum.join) : einsum.join;
    if (join.op() != scalar::Op::operand || join.node().slot != 0)
        body.program = std::make_shared<scalar::Program const>(join, types.compute, types.weak, params,
                                                               scalar::Program::Integers::own);
    if (body.program == nullptr || einsum.aggregated().empty() || is_complex(types.compute)) return body;
    auto region = std::make_shared<scalar::ExprRanges const>(einsum.join, params);
    if (region->chooses_by_index()) body.region = std::move(region);
    return body;
}

LoopBody LoopBody::stored(graph::EinSum const& einsum, KernelTypes const& types, scalar::Params const& params,
                          DType output) {
    scalar::Expr const& join = einsum.join;
    bool const real = kind(types.compute) == Kind::real && einsum.aggregated().empty();
    KernelTypes as_numbers = types;
    as_numbers.join = as_numbers.accumulate = types.compute;
    graph::EinSum shorter = einsum;
    bool const as_it_is =
        types.join == types.accumulate && types.join == output && scalar::VectorLoop::writes(output, types.compute);
    if (real && types.join == DType::boolean && !is_complex(output))  // 0 and 1 are the same in every type
        shorter.join = scalar::Expr::cast(types.compute, join);
    else if (real && as_it_is && join.op() == scalar::Op::cast)
        shorter.join = join.args()[0];
    else if (!real || !as_it_is)
        return of(einsum, types, params);
    scalar::TypeResult const type = scalar::type_of(shorter.join, types.compute, types.weak);
    if (type.problem.empty() && type.type == types.compute) return of(shorter, as_numbers, params);
    return of(einsum, types, params);
}

namespace {

/// Whether a join gives the same in every type that holds its operands and numbers.
bool is_same_in_any(scalar::Expr const& join) {
    scalar::Op const op = join.op();
    if (op == scalar::Op::operand) return true;
    if (op == scalar::Op::number) return join.node().integral;
    using enum scalar::Op;
    constexpr scalar::Op kept[]{eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_not, min, max};
    return std::ranges::find(kept, op) != std::end(kept) && std::ranges::all_of(join.args(), is_same_in_any);
}

/// Whether a join is its first operand, of f16 or bf16.
bool is_half_itself(scalar::Expr const& join, std::span<DType const> operands) {
    bool const itself = join.op() == scalar::Op::operand && join.node().slot == 0;
    return itself && (operands[0] == DType::f16 || operands[0] == DType::bf16);
}

/// The narrowest type of integers in which a join can be computed, if that is no wider than `compute`.
DType narrowest(scalar::Expr const& join, DType compute, std::span<DType const> operands) {
    if (!is_exact(compute) || operands.empty() || !is_same_in_any(join)) return compute;
    DType const own = common_dtype(operands);
    if (!is_exact(own) || promote(own, compute) != compute) return compute;
    return scalar::type_of(join, own, own).problem.empty() ? own : compute;
}

}  // namespace

std::optional<LoopBody> LoopBody::narrow(graph::EinSum const& einsum, KernelTypes const& types,
                                         std::span<DType const> operands, scalar::Params const& params) {
    bool const asks = scalar::info(einsum.agg).asks, whole = kind(types.accumulate) == Kind::integer;
    if (is_complex(types.compute) || !(asks || (whole && einsum.agg == scalar::Agg::sum))) return std::nullopt;
    KernelTypes own = types;
    own.compute = narrowest(einsum.join, types.compute, operands);
    scalar::TypeResult const type = scalar::type_of(einsum.join, own.compute, types.weak);
    if (!type.problem.empty()) return std::nullopt;
    own.join = type.type;
    bool const truth = own.join == DType::boolean, real = kind(own.compute) == Kind::real;
    bool const added_up = asks || Aggregator::widens(einsum.agg, own.join, types.accumulate);
    if (!added_up || !is_exact(own.join) || (real && !truth) || (asks && !truth)) return std::nullopt;
    graph::EinSum as_numbers = einsum;
    if (truth && real) {  // 0 and 1 of the type of the join's operands, which machine code writes as bytes
        as_numbers.join = scalar::Expr::cast(own.compute, einsum.join);
        own.join = own.compute;
    }
    LoopBody body = of(as_numbers, own, params);
    body.values = truth ? DType::boolean : own.join;
    return body;
}

std::optional<LoopBody> LoopBody::by_key(graph::EinSum const& einsum, std::span<DType const> operands, DType output) {
    bool const extreme = einsum.agg == scalar::Agg::min || einsum.agg == scalar::Agg::max;
    if (!extreme || !is_half_itself(einsum.join, operands)) return std::nullopt;
    if (output != operands[0] && output != DType::f32) return std::nullopt;
    LoopBody body = identity(DType::i16, einsum.agg);
    body.key = HalfKey{operands[0], einsum.agg == scalar::Agg::max, false};
    return body;
}

std::optional<LoopBody> LoopBody::finding(graph::EinSum const& einsum, KernelTypes const& types,
                                          scalar::Params const& params) {
    scalar::Expr const& join = einsum.join;
    bool const chooses = join.op() == scalar::Op::where && einsum.agg == scalar::Agg::min &&
                         types.accumulate == DType::i64 && !is_complex(types.compute) &&
                         join.args()[1].op() == scalar::Op::index && join.args()[2].op() == scalar::Op::number;
    if (!chooses || !scalar::labels_of(join.args()[0]).empty()) return std::nullopt;
    scalar::Expr condition = join.args()[0];
    bool const looks_for_nan = condition.op() == scalar::Op::logical_or && condition.args()[1].op() == scalar::Op::ne &&
                               condition.args()[1].args()[0] == condition.args()[1].args()[1];
    if (looks_for_nan && is_exact(types.compute)) condition = condition.args()[0];  // no integer is one
    scalar::Node const& otherwise = join.args()[2].node();
    if (!otherwise.integral || otherwise.integer != std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    LoopBody body = body_without_program(einsum, types);
    body.finds = join.args()[1].node().slot;
    body.join = types.compute;
    scalar::Expr const holds = scalar::Expr::cast(types.compute, condition);
    body.program = std::make_shared<scalar::Program const>(holds, types.compute, types.weak, params,
                                                           scalar::Program::Integers::own);
    return body;
}

/// The values stay in the registers that the program leaves them in; of a join that is more than one type nobody asks.
std::optional<LoopBody> LoopBody::finding_best(graph::EinSum const& einsum, graph::BestSearch const& search,
                                               scalar::Agg agg, KernelTypes const& types,
                                               std::span<DType const> operands, scalar::Params const& params) {
    scalar::TypeResult const type = scalar::type_of(search.value, types.compute, types.weak);
    bool const known = types.accumulate == DType::i64 && type.problem.empty() && type.type == types.compute;
    if (!known || is_complex(types.compute)) return std::nullopt;
    graph::EinSum of_values = einsum;
    of_values.join = search.value;
    LoopBody body = body_without_program(of_values, types);
    body.finds = search.label;
    body.indices = std::max(body.indices, static_cast<std::size_t>(search.label) + 1);
    body.best = agg;
    body.join = types.compute;
    if (is_half_itself(search.value, operands)) {
        body.key = HalfKey{operands[0], agg == scalar::Agg::max, true};
        body.compute = body.join = DType::i16;
    } else if (search.value.op() != scalar::Op::operand || search.value.node().slot != 0)
        body.program = std::make_shared<scalar::Program const>(search.value, types.compute, types.weak, params,
                                                               scalar::Program::Integers::own);
    if (best_loops(agg, body.join_registers()).rows == nullptr) return std::nullopt;
    return body;
}

}  // namespace ein::executor
