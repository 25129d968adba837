#include "executor/device/cpu/gemm/pair_product.hpp"

#include <utility>

#include "executor/device/cpu/gemm/pair_lanes.hpp"
#include "executor/device/cpu/instruction_set.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;
using scalar::Op;

/// The two operands of `expr`, if they are its arguments and distinct.
std::optional<PairOperation> of_two(PairJoin join, Expr const& expr) {
    if (expr.args().size() != 2 || expr.args()[0].op() != Op::operand || expr.args()[1].op() != Op::operand)
        return std::nullopt;
    auto const left = static_cast<std::size_t>(expr.args()[0].node().slot);
    auto const right = static_cast<std::size_t>(expr.args()[1].node().slot);
    return left == right ? std::nullopt : std::optional(PairOperation{join, left, right});
}

std::optional<PairOperation> of_difference(PairJoin join, Expr const& expr) {
    return expr.op() == Op::sub ? of_two(join, expr) : std::nullopt;
}

/// Whether 32 bits are multiplied as fast as they are added: AMD's processors do, others take two steps.
bool multiplies_words_at_once() {
#if defined(__x86_64__)
    static bool const amd = __builtin_cpu_is("amd") != 0;
    return amd;
#else
    return false;
#endif
}
constexpr double rate_of_words_at_once = 1.75;  // measured: 84 GFLOP/s of AVX-512

bool is_two(Expr const& expr) { return expr.op() == Op::number && expr.node().value == std::complex<double>(2.0); }

}  // namespace

std::optional<PairOperation> pair_operation(Expr const& join) {
    static constexpr std::pair<Op, PairJoin> of_operands[] = {
        {Op::add, PairJoin::add}, {Op::sub, PairJoin::subtract}, {Op::min, PairJoin::least}, {Op::max, PairJoin::most}};
    for (auto const& [op, pair_join] : of_operands)
        if (join.op() == op) return of_two(pair_join, join);
    if (join.op() == Op::abs) return of_difference(PairJoin::distance, join.args()[0]);
    bool const is_square =
        (join.op() == Op::pow && is_two(join.args()[1])) || (join.op() == Op::mul && join.args()[0] == join.args()[1]);
    if (is_square) return of_difference(PairJoin::square, join.args()[0]);
    return join.op() == Op::mul ? of_two(PairJoin::multiply, join) : std::nullopt;
}

PairJoin with_operands_exchanged(PairJoin join) {
    if (join == PairJoin::subtract) return PairJoin::subtract_from;
    return join == PairJoin::subtract_from ? PairJoin::subtract : join;
}

LanesProduct lanes_product(DType type) {
    std::optional<PairType> const of = pair_type(type);
    if (!of) return {};
    return EIN_OF_BEST_SET(lanes_loops(*of));
}

LanesProduct one_by_one(DType type) {
    std::optional<PairType> const of = pair_type(type);
    if (!of) return {};
    return EIN_OF_BEST_SET(small_loops(*of));
}

std::optional<PairType> pair_type(DType type) {
    if (type == DType::f32) return PairType::f32;
    if (type == DType::f64) return PairType::f64;
    if (type == DType::i64) return PairType::i64;
    if (type == DType::i32) return PairType::i32;
    if (type == DType::c64) return PairType::c64;
    return type == DType::c128 ? std::optional(PairType::c128) : std::nullopt;
}

PairProduct pair_product(PairJoin join, scalar::Agg agg, DType type) {
    bool const known_agg = agg == scalar::Agg::sum || agg == scalar::Agg::min || agg == scalar::Agg::max;
    std::optional<PairType> const of = pair_type(type);
    bool const products_alone =
        (is_complex(type) || type == DType::i32) && (join != PairJoin::multiply || agg != scalar::Agg::sum);
    if (!known_agg || !of || products_alone) return {};
    PairAgg const by = agg == scalar::Agg::sum ? PairAgg::sum : agg == scalar::Agg::min ? PairAgg::min : PairAgg::max;
    PairProduct product = EIN_OF_BEST_SET(pair_loops(join, by, *of));
    if (type == DType::i32 && multiplies_words_at_once()) product.rate *= rate_of_words_at_once;
    return product;
}

}  // namespace ein::executor
