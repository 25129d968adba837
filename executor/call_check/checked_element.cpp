#include "executor/call_check/checked_element.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/relation/tuning.hpp"
#include "lib/relation/verify/rounding_spread.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/tensor/compare.hpp"

namespace ein::executor {

using scalar::Scalar;
using Verdict = CheckedElement::Verdict;

namespace {

bool is_finite(Scalar const& value) {
    return value.is_integer || (std::isfinite(value.number.real()) && std::isfinite(value.number.imag()));
}

/// A tolerance of the sum of terms' absolute values, as lib/tensor/compare.hpp has it.
double tolerance_of(CallAgain const& call, double terms, bool tf32) {
    DType const stored = call.shape().output_dtype, compute = call.types().compute;
    if (is_exact(stored)) return 0;
    bool const coarse = tf32 && compute == DType::f32;
    return std::max(tensor::tolerance(stored, terms), tensor::tolerance(coarse ? DType::f16 : compute, terms));
}

/// Whether it compares for equality what it has computed itself: the last bit decides, which no reference has.
bool compares_computed(graph::EinSum const& einsum, DType compute) {
    if (is_exact(compute)) return false;
    auto const is_computed = [](scalar::Expr const& side) {
        scalar::Expr const* inside = &side;
        while (inside->op() == scalar::Op::cast) inside = &inside->args()[0];
        return inside->op() != scalar::Op::operand && !scalar::operands_of(*inside).empty();
    };
    auto const parts = scalar::arguments_first(einsum.join);
    return std::any_of(parts.begin(), parts.end(), [&](scalar::Expr const* part) {
        if (part->op() != scalar::Op::eq && part->op() != scalar::Op::ne) return false;
        return std::any_of(part->args().begin(), part->args().end(), is_computed);
    });
}

}  // namespace

CheckedElement check_element(CallAgain const& call, KernelCall const& made, ElementPlace const& place,
                             std::optional<Scalar> const& held, CallAgain::Element const& again, Scalar const& found,
                             bool tf32, WorkerTeam& team) {
    DType const stored = call.shape().output_dtype, accumulate = call.types().accumulate;
    Scalar const expected = scalar::convert(again.value, accumulate, stored);
    CheckedElement out;
    out.tolerance = tolerance_of(call, again.terms, tf32);
    double const apart = tensor::distance(found, expected);
    if (apart == 0) return out;
    double const scale = std::max(again.magnitude, std::numeric_limits<double>::min());
    out.relative = std::isfinite(apart) ? apart / scale : std::numeric_limits<double>::infinity();
    if (std::isfinite(scale) && out.relative <= out.tolerance) return out;
    std::vector<Scalar> results;
    for (std::uint64_t round = 0; round < relation::tuning::rounding_rounds; ++round) {
        scalar::Noise noise(round, tf32);
        results.push_back(scalar::convert(call.element(made, place, held, team, &noise).value, accumulate, stored));
    }
    bool const allowed = relation::outcomes_of(results, expected).allow(found, relation::tuning::spreads_allowed) ||
                         compares_computed(call.shape().kernel->einsum, call.types().compute);
    bool const both_finite = is_finite(found) && is_finite(expected);
    out.verdict = !allowed ? Verdict::wrong : both_finite ? Verdict::ill_conditioned : Verdict::overflow;
    return out;
}

bool is_same(Scalar const& a, Scalar const& b) { return tensor::distance(a, b) == 0; }

}  // namespace ein::executor
