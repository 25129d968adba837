#include "executor/finite/hazards.hpp"

#include <cmath>
#include <optional>

#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;
using scalar::Op;

constexpr std::size_t longest_shown = 40;

std::string shown(Expr const& expr, scalar::Names const& names) {
    std::string const text = scalar::print(expr, names);
    return text.size() <= longest_shown ? text : std::string(scalar::info(expr.op()).name) + "(...)";
}

/// Whether some part is a product of `of` (or of what is made of it by signs and constants) and something else.
bool is_multiplied(Expr const& join, Expr const& of) {
    auto const holds = [&](Expr part) {
        for (int depth = 0; depth < 100; ++depth) {
            if (&part.node() == &of.node()) return true;
            if (part.op() == Op::neg || part.op() == Op::cast)
                part = Expr(part.args()[0]);
            else if (part.op() == Op::mul && (is_constant(part.args()[0]) || is_constant(part.args()[1])))
                part = Expr(part.args()[is_constant(part.args()[0]) ? 1 : 0]);
            else
                return false;
        }
        return false;
    };
    for (Expr const* part : scalar::arguments_first(join)) {
        if (part->op() != Op::mul) continue;
        Expr const &left = part->args()[0], &right = part->args()[1];
        if ((holds(left) && !is_constant(right)) || (holds(right) && !is_constant(left))) return true;
    }
    return false;
}

/// What a function makes of which numbers, and what is written in its place.
struct Hazard {
    std::string what, mend;
};

/// Largest argument of exp that is finite.
std::string largest_power(DType compute) {
    switch (compute) {
        case DType::f16: return "11";
        case DType::bf16:
        case DType::f32:
        case DType::c64: return "88";
        default: return "709";
    }
}

std::optional<Hazard> hazard_of(Expr const& part, Expr const& join, DType compute, scalar::Names const& names,
                                tensor::NonFinite const& found) {
    auto const text = [&](Expr const& expr) { return shown(expr, names); };
    std::vector<Expr> const& args = part.args();
    switch (part.op()) {
        case Op::log:
        case Op::log2: {
            bool const times = found.nan != 0 && is_multiplied(join, part);
            if (is_constant(args[0])) return std::nullopt;
            return Hazard{text(part) + " is -inf where " + text(args[0]) + " is 0, NaN below it" +
                              (times ? ", and 0 times inf is NaN" : ""),
                          "write where(" + text(args[0]) + " > 0, " + text(part) +
                              ", 0) if that is meant there; of a softmax take {\"op\": \"log_softmax\"}"};
        }
        case Op::log1p:
            if (is_constant(args[0])) return std::nullopt;
            return Hazard{text(part) + " is -inf where " + text(args[0]) + " is -1, NaN below it",
                          "write where(" + text(args[0]) + " > -1, " + text(part) + ", 0) if that is meant there"};
        case Op::div:
            if (is_constant(args[1])) return std::nullopt;
            return Hazard{
                text(args[1]) + " divides, which is infinite where it is 0" +
                    (found.nan != 0 ? ", and 0/0 is NaN" : ""),
                "write where(" + text(args[1]) + " != 0, " + text(part) + ", 0), or add a small number to it"};
        case Op::sqrt:
        case Op::rsqrt:
            if (is_constant(args[0]) || is_complex(compute)) return std::nullopt;
            return Hazard{text(part) + " is NaN where " + text(args[0]) + " is below 0" +
                              (part.op() == Op::rsqrt ? " and infinite at 0" : ""),
                          "a difference that is 0 may be rounded to below it: write max(" + text(args[0]) + ", 0)"};
        case Op::pow:
            if (is_constant(args[0])) break;
            if (args[1].op() == Op::number && args[1].node().value == std::floor(args[1].node().value.real())) break;
            return Hazard{text(part) + " is NaN where " + text(args[0]) + " is below 0",
                          "write abs(" + text(args[0]) + ") or max(" + text(args[0]) + ", 0)"};
        case Op::exp:
        case Op::expm1:
        case Op::sinh:
        case Op::cosh:
            if (is_constant(args[0])) return std::nullopt;
            return Hazard{text(part) + " of " + std::string(name(compute)) + " is infinite from about " +
                              largest_power(compute) + " on",
                          "subtract the maximum, as {\"op\": \"softmax\"} and logsumexp do, or take a wider dtype"};
        default: break;
    }
    return std::nullopt;
}

}  // namespace

std::string mend_of_hazard(schedule::Kernel const& kernel, DType result, tensor::NonFinite const& found) {
    graph::EinSum const& einsum = kernel.einsum;
    scalar::Names const names{static_cast<int>(einsum.operands()), einsum.labels, scalar::params_of(einsum.join)};
    for (Expr const* part : scalar::arguments_first(einsum.join))
        if (auto const hazard = hazard_of(*part, einsum.join, kernel.compute, names, found))
            return hazard->what + ": " + hazard->mend;
    bool const is_widest = result == DType::f64 || result == DType::c128;
    std::string const sums = "sums or products are beyond what " + std::string(name(result)) + " holds";
    return is_widest ? sums + ": look at what it reads, and scale it"
                     : sums + ": give the node a wider \"dtype\", or scale what it reads";
}

}  // namespace ein::executor
