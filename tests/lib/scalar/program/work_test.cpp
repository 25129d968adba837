#include "lib/scalar/program/work.hpp"

#include "lib/scalar/expression/ops.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using scalar::Expr;
using scalar::info;
using scalar::Op;
using scalar::work_of;

namespace {

Expr power_of_operand(double exponent) { return Expr::call(Op::pow, {Expr::operand(0), Expr::number(exponent)}); }

}  // namespace

TEST_CASE("a program takes what its parts take, shared ones once", "[scalar][program]") {
    Expr const difference = Expr::operand(0) - Expr::operand(1);
    CHECK(work_of(Expr::operand(0), DType::f32) == 0);
    CHECK(work_of(difference, DType::f32) == 1);
    CHECK(work_of(difference * difference, DType::f32) == 2);
    CHECK(work_of(Expr::call(Op::exp, {difference}), DType::f32) == 1 + info(Op::exp).work);
    CHECK(work_of(difference, DType::f64) > work_of(difference, DType::f32));
}

TEST_CASE("divisions and roots go on beside all else", "[scalar][program]") {
    Expr const x = Expr::operand(0), e = Expr::call(Op::exp, {x}), root = Expr::call(Op::sqrt, {x});
    CHECK(work_of(e / x, DType::f32) == info(Op::exp).work);
    CHECK(work_of(root / (x + x), DType::f32) == info(Op::sqrt).work + info(Op::div).work);
}

TEST_CASE("a power takes what it is computed by", "[scalar][program]") {
    CHECK(work_of(power_of_operand(2), DType::f32) == 1);
    CHECK(work_of(power_of_operand(0.5), DType::f32) == info(Op::sqrt).work);
    CHECK(work_of(power_of_operand(-1), DType::f32) == info(Op::div).work);
    CHECK(work_of(power_of_operand(3), DType::f32) < info(Op::pow).work);
    CHECK(work_of(power_of_operand(0.3), DType::f32) == info(Op::pow).work);
    Expr const two = Expr::call(Op::pow, {Expr::operand(0), Expr::integer(2)});
    CHECK(work_of(two, DType::f64) == work_of(Expr::operand(0) * Expr::operand(0), DType::f64));
}
