#include "lib/scalar/program/work.hpp"

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

double of_power(Expr const& power, DType compute) {
    Node const& exponent = power.args()[1].node();
    double const as_power = info(Op::pow).work;
    if (exponent.op != Op::number || is_exact(compute)) return as_power;
    std::complex<double> const number = exponent.integral ? static_cast<double>(exponent.integer) : exponent.value;
    switch (power_form(Scalar::of(number), compute)) {
        case PowerForm::power: return as_power;
        case PowerForm::square: return 1;
        case PowerForm::product: return compute == DType::f32 ? work_of_product : as_power;
        case PowerForm::reciprocal: return info(Op::div).work;
        case PowerForm::root: return info(Op::sqrt).work;
    }
    return as_power;
}

}  // namespace

double work_of(Expr const& expr, DType compute) {
    double work = 0;
    for (Expr const* const part : arguments_first(expr))
        if (!part->args().empty()) work += part->op() == Op::pow ? of_power(*part, compute) : info(part->op()).work;
    return work * beside_single(compute);
}

}  // namespace ein::scalar
