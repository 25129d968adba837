// Walks the table of operations: every row has every column that its kind asks for, and what is made from the rows
// agrees with them. A row that lacks something fails by its name.
#include "lib/scalar/operations/table.hpp"

#include <cmath>
#include <vector>

#include "lib/scalar/derivative/pullback.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/kernels/kernels.hpp"
#include "lib/scalar/program/program.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

Names const names{3, {"i"}, {"p"}};

std::vector<Operation const*> calls() {
    std::vector<Operation const*> rows;
    for (Operation const& row : operations)
        if (row.spelling != Spelling::leaf) rows.push_back(&row);
    return rows;
}

/// The operation of x, y and z.
Expr of_operands(Operation const& row) {
    if (row.op == Op::cast) return Expr::cast(DType::f32, Expr::operand(0));
    std::vector<Expr> args;
    for (int k = 0; k < row.arity; ++k) args.push_back(Expr::operand(k));
    if (row.op == Op::position) args[1] = Expr::integer(5);
    return Expr::call(row.op, args);
}

bool has_type(Operation const& row, DType type) { return type_of(of_operands(row), type, type).problem.empty(); }

bool computes(TypeRule rule) {
    return rule == TypeRule::ordered || rule == TypeRule::real || rule == TypeRule::analytic ||
           rule == TypeRule::arithmetic || rule == TypeRule::negation;
}

double evaluated(Operation const& row, DType type, double x, double y) {
    std::vector<Scalar> const operands{Scalar::of({x, 0.0}), Scalar::of({y, 0.0}), Scalar::of({x, 0.0})};
    Scalar const value = evaluate(of_operands(row), type, type, operands, {}, {});
    return value.is_integer ? static_cast<double>(value.integer) : value.number.real();
}

template <class T>
double run(Program const& program, T x, T y) {
    std::vector<std::byte> scratch(program.scratch_bytes() + 64);
    auto* const aligned =
        reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(scratch.data()) + 63) / 64 * 64);
    std::vector<T> const xs(3, x), ys(3, y);
    TileOperand const operands[]{{xs.data(), false}, {ys.data(), false}, {xs.data(), false}};
    TileOperand const result = program.run(3, operands, {}, aligned);
    if (register_dtype(program.result_dtype()) == DType::i64)
        return static_cast<double>(*static_cast<std::int64_t const*>(result.data));
    if (program.result_dtype() == DType::f32) return static_cast<double>(*static_cast<float const*>(result.data));
    return *static_cast<double const*>(result.data);
}

bool near(double a, double b, double tolerance) {
    return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= tolerance * std::fabs(b);
}

}  // namespace

TEST_CASE("every operation has the functions that its rule of types asks for", "[lib][scalar][operations]") {
    for (Operation const* const row : calls()) {
        CAPTURE(row->name);
        bool const one = row->arity == 1;
        bool const as_it_is = row->real.whole == nullptr && row->type == TypeRule::ordered && one;
        if (computes(row->type) && !as_it_is)
            CHECK((one ? row->real.whole != nullptr && row->real.single != nullptr
                       : row->real.whole_of_two != nullptr && row->real.single_of_two != nullptr));
        if (row->type == TypeRule::analytic || row->type == TypeRule::part || row->type == TypeRule::negation)
            CHECK(row->complex.one != nullptr);
        if (row->type == TypeRule::arithmetic && row->op != Op::mod) CHECK(row->complex.two != nullptr);
        if (row->type == TypeRule::arithmetic && row->op != Op::div) CHECK(row->integer.two != nullptr);
        if (row->type == TypeRule::comparison) CHECK((row->compare != nullptr && row->compare_integers != nullptr));
        if (row->complex.one != nullptr || row->complex.two != nullptr) CHECK(has_type(*row, DType::c128));
        CHECK((row->pull == PullRule::slope) == (row->slope != nullptr));
    }
}

TEST_CASE("every operation prints, reads back and has a name of its own", "[lib][scalar][operations]") {
    for (Operation const* const row : calls()) {
        CAPTURE(row->name);
        Expr const expr = of_operands(*row);
        ParseResult const read = parse(print(expr, names), names);
        CHECK(read.faults.empty());
        CHECK(read.expr == expr);
        for (Operation const& other : operations)
            CHECK((&other == row || other.name != row->name || other.spelling != row->spelling));
    }
}

TEST_CASE("every operation has a type, and compiles to a program that agrees with the reference",
          "[lib][scalar][operations]") {
    for (Operation const* const row : calls())
        for (DType const type : {DType::f32, DType::f64, DType::i32, DType::boolean, DType::c64, DType::c128}) {
            CAPTURE(row->name, name(type));
            bool const integers_only = row->type == TypeRule::position;
            if (type == DType::f64 && !integers_only) CHECK(has_type(*row, type));
            if (type == DType::i32) CHECK(has_type(*row, type));
            if (!has_type(*row, type)) continue;
            Program const program(of_operands(*row), type, type, {});
            if (integers_only || is_complex(program.result_dtype())) continue;
            for (double const x : {0.25, 0.75, 1.5, 3.0, -0.5})
                for (double const y : {0.5, 2.0}) {
                    CAPTURE(x, y);
                    if (type == DType::f32)
                        CHECK(near(run(program, static_cast<float>(x), static_cast<float>(y)),
                                   evaluated(*row, type, x, y), 2e-6));
                    if (type == DType::f64) CHECK(near(run(program, x, y), evaluated(*row, type, x, y), 4e-15));
                }
        }
}

TEST_CASE("every slope of the table is that of its function", "[lib][scalar][operations]") {
    constexpr double h = 1e-5;
    for (Operation const* const row : calls()) {
        if (row->pull != PullRule::slope) continue;
        CAPTURE(row->name);
        auto const cotangent = pullback(of_operands(*row), DType::f64, Expr::integer(1), {true});
        REQUIRE(!cotangent[0].empty());
        int checked = 0;
        for (double const x : {0.4, -0.7, 1.6, 2.3, -1.25}) {
            auto const at = [&](double place) { return evaluated(*row, DType::f64, place, 0); };
            double const expected = (8 * (at(x + h) - at(x - h)) - (at(x + 2 * h) - at(x - 2 * h))) / (12 * h);
            std::vector<Scalar> const operands{Scalar::of({x, 0.0})};
            double const found = evaluate(cotangent[0], DType::f64, DType::f64, operands, {}, {}).number.real();
            if (!std::isfinite(expected)) continue;
            CAPTURE(x, found, expected);
            CHECK(std::fabs(found - expected) <= 1e-8 * (1 + std::fabs(expected)));
            ++checked;
        }
        CHECK(checked > 1);
    }
}

TEST_CASE("every slope holds for complex numbers where the function has them", "[lib][scalar][operations]") {
    constexpr double h = 1e-5;
    for (Operation const* const row : calls()) {
        if (row->pull != PullRule::slope || row->complex.one == nullptr) continue;
        CAPTURE(row->name);
        auto const cotangent = pullback(of_operands(*row), DType::c128, Expr::integer(1), {true});
        REQUIRE(!cotangent[0].empty());
        for (Complex const x : {Complex(0.4, 1.1), Complex(-1.2, 0.3), Complex(0.5, -0.8), Complex(2.1, -0.2)}) {
            Complex const expected = (row->complex.one(x + h) - row->complex.one(x - h)) / (2 * h);
            std::vector<Scalar> const operands{Scalar::of(x)};
            Complex const found = evaluate(cotangent[0], DType::c128, DType::c128, operands, {}, {}).number;
            CAPTURE(x, found, expected);
            CHECK(std::abs(std::conj(found) - expected) <= 1e-7 * (1 + std::abs(expected)));
        }
    }
}

TEST_CASE("every operation has a kernel for each type that it allows", "[lib][scalar][operations]") {
    for (Operation const* const row : calls())
        for (DType const type : {DType::f32, DType::f64, DType::c64, DType::c128}) {
            CAPTURE(row->name, name(type));
            int const number = register_number(type), op = static_cast<int>(row->op);
            bool const real = !is_complex(type);
            bool const one = real ? row->real.whole != nullptr : row->complex.one != nullptr;
            bool const two = real ? row->real.whole_of_two != nullptr : row->complex.two != nullptr;
            if (one) CHECK(kernels().unary[op][number] != nullptr);
            if (two || row->compare != nullptr)
                CHECK((kernels().binary[op][number].vv != nullptr || !has_type(*row, type)));
        }
}
