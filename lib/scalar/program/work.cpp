#include "lib/scalar/program/work.hpp"

#include <algorithm>
#include <complex>

#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/scalar/program/power_form.hpp"

namespace ein::scalar {
namespace {

/// Vectors have half as many elements of eight bytes, and functions need more terms for their digits. Measured.
double beside_single(DType compute) { return size_of(compute) < 8 ? 1 : 2.4; }

/// Of f32, whose factors are multiplied as f64. Measured.
constexpr double work_of_product = 15;

/// Of the unit that divides and takes roots, and of all others: they work at once.
struct Work {
    double divider = 0, others = 0;
};

Work of_operation(Op op) {
    bool const divides = op == Op::div || op == Op::sqrt || op == Op::rsqrt;
    return divides ? Work{info(op).work, 0} : Work{0, info(op).work};
}

Work of_power(Expr const& power, DType compute) {
    Node const& exponent = power.args()[1].node();
    Work const as_power = of_operation(Op::pow);
    if (exponent.op != Op::number || is_exact(compute)) return as_power;
    std::complex<double> const number = exponent.integral ? static_cast<double>(exponent.integer) : exponent.value;
    switch (power_form(Scalar::of(number), compute)) {
        case PowerForm::power: return as_power;
        case PowerForm::square: return {0, 1};
        case PowerForm::product: return compute == DType::f32 ? Work{0, work_of_product} : as_power;
        case PowerForm::reciprocal: return of_operation(Op::div);
        case PowerForm::root: return of_operation(Op::sqrt);
    }
    return as_power;
}

}  // namespace

double work_of(Expr const& expr, DType compute) {
    Work all;
    for (Expr const* const part : arguments_first(expr)) {
        if (part->args().empty()) continue;
        Work const work = part->op() == Op::pow ? of_power(*part, compute) : of_operation(part->op());
        all.divider += work.divider, all.others += work.others;
    }
    return std::max(all.divider, all.others) * beside_single(compute);
}

}  // namespace ein::scalar
