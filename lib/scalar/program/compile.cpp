// From an expression to the instructions of a Program.
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/typing.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/scalar/program/code_builder.hpp"
#include "lib/scalar/program/power_form.hpp"
#include "lib/scalar/program/program_code.hpp"

namespace ein::scalar {
namespace {

/// The expression with numbers for its params.
class Binding {
public:
    explicit Binding(Params const& params) : params_(params) {}

    Expr operator()(Expr const& expr) {
        for (Expr const* const part : arguments_first(expr)) done_.emplace(&part->node(), bound(*part));
        return done_.at(&expr.node());
    }

private:
    Expr bound(Expr const& expr) const {
        Node const& node = expr.node();
        if (node.op == Op::param) {
            auto const param = params_.find(node.name);
            if (param == params_.end()) refuse_missing_param(node.name);
            return Expr::number(param->second);
        }
        if (node.args.empty()) return expr;
        std::vector<Expr> args;
        for (Expr const& arg : node.args) args.push_back(done_.at(&arg.node()));
        return node.op == Op::cast ? Expr::cast(node.cast_to, args.front()) : Expr::call(node.op, std::move(args));
    }

    Params const& params_;
    std::unordered_map<Node const*, Expr> done_;
};

class Compiler {
public:
    Compiler(TypedExpr types, DType compute, DType integers) : types_(std::move(types)), code_(compute, integers) {}

    std::unique_ptr<Program::Code const> run(Expr const& expr, DType weak) {
        ValueType const type = types_.of(expr).value;
        DType const settled_type = settled(type, weak);
        for (Expr const* const part : arguments_first(expr)) done_.emplace(&part->node(), made_value(*part));
        int const result = argument(expr, settled_type);
        return code_.finish(result, settled_type);
    }

private:
    using Meaning = Instruction::Meaning;

    int value(Expr const& expr) const { return done_.at(&expr.node()); }

    int number_of(DType type) const { return code_.number(type); }

    int made_value(Expr const& expr) {
        Node const& node = expr.node();
        Typing const& typing = types_.of(expr);
        switch (form(node.op)) {
            case Form::leaf: return leaf(node);
            case Form::cast: return converted(value(node.args[0]), types_.of(node.args[0]).value.type, node.cast_to);
            case Form::logic:
                return node.args.size() == 1
                           ? apply(node.op, DType::i64, DType::boolean, truth(node.args[0]))
                           : apply(node.op, DType::i64, DType::boolean, truth(node.args[0]), truth(node.args[1]));
            case Form::choice: {
                int const condition = truth(node.args[0]);
                int const a = argument(node.args[1], *typing.work);
                return code_.select(*typing.work, condition, a, argument(node.args[2], *typing.work));
            }
            case Form::position: {
                Node const& extent = node.args[1].node();
                promise(extent.op == Op::number && extent.integral, "the extent of position() is not a number");
                return code_.position(argument(node.args[0], DType::i64), extent.integer);
            }
            case Form::computed: break;
        }
        if (node.op == Op::pow) return power(node, *typing.work);
        if (node.args.size() == 1)
            return apply(node.op, *typing.work, typing.value.type, argument(node.args[0], *typing.work));
        int const a = argument(node.args[0], *typing.work);
        return apply(node.op, *typing.work, typing.value.type, a, argument(node.args[1], *typing.work));
    }

    int leaf(Node const& node) {
        if (node.op == Op::operand) return code_.operand(node.slot);
        if (node.op == Op::index) return code_.index(node.slot);
        promise(node.op == Op::number, "a param is compiled without its value");
        return node.integral ? code_.constant(Scalar::of(node.integer), DType::i64)
                             : code_.constant(Scalar::of(node.value), DType::f64);
    }

    int argument(Expr const& expr, DType to) {
        DType const from = types_.of(expr).value.type;
        if (from == to || !chooses_number(expr)) return converted(value(expr), from, to);
        auto const& args = expr.node().args;  // numbers are converted here, not once an element
        auto const chosen = [&](Expr const& arg) {
            return types_.of(arg).value.type == from ? argument(arg, to) : converted(argument(arg, from), from, to);
        };
        return code_.select(to, truth(args[0]), chosen(args[1]), chosen(args[2]));
    }

    bool is_number(Expr const& expr) const { return code_.known(value(expr)) != nullptr; }
    bool chooses_number(Expr const& expr) const {
        auto const& args = expr.node().args;
        return form(expr.op()) == Form::choice && (is_number(args[1]) || is_number(args[2]));
    }

    int truth(Expr const& expr) { return argument(expr, DType::boolean); }

    /// An operation without a kernel leaves its argument as it is: floor of an integer, conj of a real.
    int apply(Op op, DType work, DType result, int a) {
        int const number = number_of(work);
        UnaryKernel const kernel = kernels().unary[static_cast<int>(op)][number];
        return kernel == nullptr ? a : wrapped(op, result, code_.unary(kernel, Meaning::op, op, number, result, a));
    }

    int apply(Op op, DType work, DType result, int a, int b) {
        BinaryKernels const& chosen = kernels().binary[static_cast<int>(op)][number_of(work)];
        promise(chosen.vv != nullptr, "an operation without a kernel");
        return wrapped(op, result, code_.binary(chosen, op, number_of(work), result, a, b));
    }

    int wrapped(Op op, DType type, int a) { return is_exact(type) && info(op).overflows ? wrapped(type, a) : a; }

    /// Cut to the range of an integer type, where registers are wider.
    int wrapped(DType type, int a) {
        if (type == code_.registers(type)) return a;
        return code_.wrap(kernels().wrap[number_of(type)][static_cast<int>(type)], type, a);
    }

    int converted(int a, DType from, DType to) {
        if (from == to) return a;
        if (Scalar const* const constant = code_.known(a)) return code_.constant(convert(*constant, from, to), to);
        int const source = number_of(from);
        if (to == DType::boolean)
            return code_.unary(kernels().truth[source], Meaning::truth, Op::ne, source, DType::i64, a);
        if (to == DType::f16 || to == DType::bf16) {
            UnaryKernel const narrow = kernels().to_odd[source];
            UnaryKernel const round = to == DType::f16 ? kernels().round_f16 : kernels().round_bf16;
            int const single = narrow == nullptr ? converted(a, from, DType::f32) : code_.unary(narrow, DType::f32, a);
            return code_.unary(round, DType::f32, single);
        }
        int const target = number_of(to);
        UnaryKernel const change = source == target ? nullptr : kernels().convert[source][target];
        int const moved = change == nullptr ? a : code_.unary(change, Meaning::conversion, Op::cast, target, to, a);
        bool const fits = !is_exact(to) || to == DType::i64 || (is_exact(from) && promote(from, to) == to);
        return fits ? moved : wrapped(to, moved);
    }

    int power(Node const& node, DType work) {
        int const base = argument(node.args[0], work);
        int const exponent = argument(node.args[1], work);
        if (Scalar const* const known = code_.known(exponent)) {
            if (auto const shorter = known_power(base, *known, work)) return *shorter;
        }
        return apply(Op::pow, work, work, base, exponent);
    }

    std::optional<int> known_power(int base, Scalar const& exponent, DType work) {
        switch (power_form(exponent, work)) {
            case PowerForm::power: return std::nullopt;
            case PowerForm::square: return apply(Op::mul, work, work, base, base);
            case PowerForm::product:
                if (is_exact(work)) return product_of(base, static_cast<int>(exponent.integer), work);
                return work == DType::f32 ? std::optional(f32_power(base, static_cast<int>(exponent.number.real())))
                                          : std::nullopt;
            case PowerForm::reciprocal: return apply(Op::div, work, work, real(1, work), base);
            case PowerForm::root: return root(base, work);
        }
        throw InternalError("a power without a form");
    }

    int real(double number, DType type) { return code_.constant(Scalar::of(std::complex<double>(number)), type); }

    int root(int base, DType work) {
        double const infinity = std::numeric_limits<double>::infinity();
        int const lowest = apply(Op::eq, work, DType::boolean, base, real(-infinity, work));
        int const unsigned_zero = apply(Op::add, work, work, base, real(0, work));  // 0 of -0, all else as it is
        return code_.select(work, lowest, real(infinity, work), apply(Op::sqrt, work, work, unsigned_zero));
    }

    /// factor^exponent by squares. @param exponent  at least 1
    int product_of(int factor, int exponent, DType type) {
        int product = -1;
        for (int left = exponent; left > 0; left /= 2) {
            if (left % 2 != 0) product = product < 0 ? factor : apply(Op::mul, type, type, product, factor);
            if (left > 1) factor = apply(Op::mul, type, type, factor, factor);
        }
        return product;
    }

    /// Sixteen multiplications in f64 err far less than the one rounding to f32.
    int f32_power(int base, int exponent) {
        int product = product_of(converted(base, DType::f32, DType::f64), std::abs(exponent), DType::f64);
        if (exponent < 0) product = apply(Op::div, DType::f64, DType::f64, real(1, DType::f64), product);
        return converted(product, DType::f64, DType::f32);
    }

    TypedExpr types_;
    CodeBuilder code_;
    std::unordered_map<Node const*, int> done_;
};

/// The narrowest registers that hold every integer of an expression; i64 beside real and complex numbers, whose
/// comparisons give that. A number is held as what it meets.
DType narrowest_integers(Expr const& expr, TypedExpr const& types, DType compute, DType weak) {
    DType widest = promote(compute, settled(types.of(expr).value, weak));
    for (Expr const* const part : arguments_first(expr)) {
        if (part->op() == Op::number) continue;
        Typing const& typing = types.of(*part);
        widest = promote(widest, typing.value.type);
        if (typing.work) widest = promote(widest, *typing.work);
    }
    return is_exact(widest) ? own_register_dtype(widest) : DType::i64;
}

}  // namespace

std::unique_ptr<Program::Code const> compile(Expr const& expr, DType compute, DType weak, Params const& params,
                                             Program::Integers integers) {
    TypeResult const type = type_of(expr, compute, weak);
    if (!type.problem.empty()) refuse_type(type.problem);
    Expr const simple = simplify(Binding(params)(expr), compute);
    TypedExpr types(simple, compute);
    DType const held =
        integers == Program::Integers::own ? narrowest_integers(simple, types, compute, weak) : DType::i64;
    return Compiler(std::move(types), compute, held).run(simple, weak);
}

}  // namespace ein::scalar
