#include "lib/algebra/kernel.hpp"

#include <algorithm>
#include <map>

#include "lib/algebra/key_functions.hpp"
#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::tra {

using scalar::Op;
using scalar::Scalar;

struct Kernel::Applied {
    BlockOp op;
    std::vector<Kernel> args;  // at least one
    friend bool operator==(Applied const&, Applied const&) = default;
};

BlockOp const& Kernel::op() const {
    static BlockOp const none;
    return applied_ ? applied_->op : none;
}

std::vector<Kernel> const& Kernel::args() const {
    static std::vector<Kernel> const none;
    return applied_ ? applied_->args : none;
}

bool operator==(Kernel const& a, Kernel const& b) {
    if (a.applied_ == b.applied_) return a.applied_ || a.operand_ == b.operand_;
    return a.applied_ && b.applied_ && *a.applied_ == *b.applied_;
}

Kernel Kernel::operand(int number) {
    Kernel kernel;
    kernel.operand_ = number;
    return kernel;
}

Kernel Kernel::apply(BlockOp op, std::vector<Kernel> args) {
    Kernel kernel;
    if (args.empty()) return kernel;
    kernel.applied_ = std::make_shared<Applied const>(Applied{std::move(op), std::move(args)});
    return kernel;
}

namespace {

scalar::Expr parsed(std::string const& text, int operands, std::vector<std::string> labels) {
    scalar::ParseResult const result = scalar::parse(text, {operands, std::move(labels), {}});
    if (result.faults.empty()) return result.expr;
    scalar::ParseFault const& fault = result.faults.front();
    throw InputError(
        Fault{"", "'" + text + "' at " + std::to_string(fault.where), fault.expected, fault.found, fault.fix});
}

std::vector<Kernel> first_operands(int count) {
    std::vector<Kernel> operands;
    for (int k = 0; k < count; ++k) operands.push_back(Kernel::operand(k));
    return operands;
}

}  // namespace

Kernel Kernel::elementwise(std::string name, int operands, std::string const& join) {
    return apply({std::move(name), Elementwise{operands, parsed(join, operands, {})}}, first_operands(operands));
}

Kernel Kernel::contraction(std::string name, std::string const& subscripts, std::string const& join, scalar::Agg agg) {
    std::size_t const arrow = subscripts.find("->");
    if (arrow == std::string::npos)
        throw InputError(Fault{"", "", "subscripts such as 'ij,jk->ik'", "'" + subscripts + "'", "add the output"});
    Contraction made;
    made.inputs.emplace_back();
    std::vector<std::string> labels;
    auto const number = [&](char letter) {
        std::string const label(1, letter);
        auto const place = std::find(labels.begin(), labels.end(), label) - labels.begin();
        if (place == static_cast<std::ptrdiff_t>(labels.size())) labels.push_back(label);
        return static_cast<int>(place);
    };
    for (char letter : subscripts.substr(0, arrow)) {
        if (letter == ',')
            made.inputs.emplace_back();
        else
            made.inputs.back().push_back(number(letter));
    }
    std::size_t const known = labels.size();
    for (char letter : subscripts.substr(arrow + 2)) made.output.push_back(number(letter));
    if (labels.size() != known)
        throw InputError(
            Fault{"", "", "output labels that an input has", "'" + subscripts + "'", "correct the output"});
    int const operands = static_cast<int>(made.inputs.size());
    made.join = parsed(join, operands, labels);
    made.agg = agg;
    return apply({std::move(name), std::move(made)}, first_operands(operands));
}

Kernel Kernel::tile(int axis, Extent size) {
    return apply({"arrayTile(" + std::to_string(axis) + "," + std::to_string(size) + ")", TileAxis{axis, size}},
                 first_operands(1));
}

// ---- types ----------------------------------------------------------------------------------------------------------

namespace {

Checked<Shape> made_bound(BlockOp const& op, Elementwise const& act, std::span<Shape const> args) {
    for (Shape const& arg : args)
        if (arg != args.front())
            return Problem{op.name + " takes arrays of one bound", to_string(args.front()) + " and " + to_string(arg),
                           "tile or concat one side"};
    promise(static_cast<int>(args.size()) == act.operands, "an operation has as many arguments as operands");
    return args.front();
}

/// Extents by label; those not met are -1.
Checked<Shape> label_extents(BlockOp const& op, Contraction const& act, std::span<Shape const> args) {
    int labels = 0;
    for (auto const& input : act.inputs)
        for (int label : input) labels = std::max(labels, label + 1);
    Shape extents(static_cast<std::size_t>(labels), -1);
    for (std::size_t k = 0; k < args.size(); ++k) {
        if (args[k].size() != act.inputs[k].size())
            return Problem{op.name + " takes an array of rank " + std::to_string(act.inputs[k].size()) +
                               " as operand " + std::to_string(k),
                           "bound " + to_string(args[k]), "choose a kernel for this rank"};
        for (std::size_t axis = 0; axis < args[k].size(); ++axis) {
            Extent& extent = extents[static_cast<std::size_t>(act.inputs[k][axis])];
            if (extent >= 0 && extent != args[k][axis])
                return Problem{op.name + " takes arrays whose common axes are equally long",
                               std::to_string(extent) + " and " + std::to_string(args[k][axis]) + " (axis " +
                                   std::to_string(axis) + " of operand " + std::to_string(k) + ")",
                               "tile or concat one side"};
            extent = args[k][axis];
        }
    }
    for (int label : act.single)
        if (Extent const extent = extents[static_cast<std::size_t>(label)]; extent != 1)
            return Problem{op.name + " takes one row as operand 0", "bound " + to_string(args.front()),
                           "cut it into rows, or write an EinSum of your own"};
    return extents;
}

Checked<Shape> made_bound(BlockOp const& op, Contraction const& act, std::span<Shape const> args) {
    Checked<Shape> extents = label_extents(op, act, args);
    if (problem(extents)) return extents;
    return picked(value(extents), act.output);
}

Checked<Shape> made_bound(BlockOp const& op, TileAxis const& act, std::span<Shape const> args) {
    Shape bound = args.front();
    bool const there = act.axis >= 0 && act.axis < static_cast<int>(bound.size());
    if (!there)
        return Problem{"an axis below " + std::to_string(bound.size()), std::to_string(act.axis),
                       "name an axis that the arrays have"};
    if (act.size < 1)
        return Problem{"tiles of at least 1", std::to_string(act.size), "choose a tile size that divides the axis"};
    if (bound[static_cast<std::size_t>(act.axis)] % act.size != 0)
        return Problem{op.name + " takes an array whose axis " + std::to_string(act.axis) + " is a multiple of " +
                           std::to_string(act.size) + " long",
                       "bound " + to_string(bound), "choose a tile size that divides the axis"};
    bound[static_cast<std::size_t>(act.axis)] = act.size;
    return bound;
}

}  // namespace

Checked<Shape> bound_of(Kernel const& kernel, std::span<Shape const> operands) {
    if (kernel.is_operand()) {
        auto const number = static_cast<std::size_t>(kernel.operand_number());
        if (number < operands.size()) return operands[number];
        return Problem{"a kernel of " + std::to_string(operands.size()) + " operand(s)",
                       "operand " + std::to_string(number), "choose a kernel for this operator"};
    }
    std::vector<Shape> args;
    for (Kernel const& arg : kernel.args()) {
        Checked<Shape> bound = bound_of(arg, operands);
        if (problem(bound)) return bound;
        args.push_back(value(bound));
    }
    return std::visit([&](auto const& act) { return made_bound(kernel.op(), act, args); }, kernel.op().act);
}

// ---- values ---------------------------------------------------------------------------------------------------------

namespace {

double number(Scalar const& value) {
    return value.is_integer ? static_cast<double>(value.integer) : value.number.real();
}

Array made(Elementwise const& act, std::vector<Array> const& args, Extent) {
    Array out = Array::zeros(args.front().bound);
    scalar::Evaluator evaluate(act.join, DType::f64, DType::f64, {});
    std::vector<Scalar> operands(args.size());
    for (std::size_t k = 0; k < out.values.size(); ++k) {
        for (std::size_t j = 0; j < args.size(); ++j) operands[j] = Scalar::of(std::complex<double>(args[j].values[k]));
        out.values[k] = number(evaluate(operands, {}));
    }
    return out;
}

std::size_t offset(Shape const& strides, std::vector<int> const& labels, std::vector<Extent> const& index) {
    Extent at = 0;
    for (std::size_t axis = 0; axis < labels.size(); ++axis)
        at += strides[axis] * index[static_cast<std::size_t>(labels[axis])];
    return static_cast<std::size_t>(at);
}

Array made(Contraction const& act, std::vector<Array> const& args, Extent) {
    std::vector<Shape> bounds, strides;
    for (Array const& arg : args) bounds.push_back(arg.bound), strides.push_back(row_major_strides(arg.bound));
    Shape const extents = value(label_extents({}, act, bounds));
    Array out = Array::zeros(picked(extents, act.output));
    Shape const out_strides = row_major_strides(out.bound);
    std::vector<Scalar> sums(out.values.size(), scalar::identity(act.agg, DType::f64));
    scalar::Evaluator evaluate(act.join, DType::f64, DType::f64, {});
    std::vector<Scalar> operands(args.size());
    for_each_index(extents, [&](std::vector<Extent> const& index) {
        for (std::size_t k = 0; k < args.size(); ++k)
            operands[k] = Scalar::of(std::complex<double>(args[k].values[offset(strides[k], act.inputs[k], index)]));
        Scalar& sum = sums[offset(out_strides, act.output, index)];
        sum = scalar::combine(act.agg, DType::f64, sum,
                              Scalar::of(std::complex<double>(number(evaluate(operands, index)))));
    });
    std::transform(sums.begin(), sums.end(), out.values.begin(), number);
    return out;
}

Array made(TileAxis const& act, std::vector<Array> const& args, Extent copy) {
    return slice(args.front(), act.axis, copy * act.size, act.size);
}

}  // namespace

Array run(Kernel const& kernel, std::span<Array const* const> operands, Extent copy) {
    if (kernel.is_operand()) return *operands[static_cast<std::size_t>(kernel.operand_number())];
    std::vector<Array> args;
    for (Kernel const& arg : kernel.args()) args.push_back(run(arg, operands, copy));
    return std::visit([&](auto const& act) { return made(act, args, copy); }, kernel.op().act);
}

// ---- composing and printing -----------------------------------------------------------------------------------------

std::string text(Kernel const& kernel) {
    if (kernel.is_operand()) return kernel.is_identity() ? "idOp" : "operand" + std::to_string(kernel.operand_number());
    std::vector<Kernel> const& args = kernel.args();
    bool plain = true, alike = true;  // arguments are the operands in order; or one kernel of each operand
    for (std::size_t k = 0; k < args.size(); ++k) {
        plain = plain && args[k] == Kernel::operand(static_cast<int>(k));
        alike = alike && args[k] == composed(args[0], Kernel::operand(static_cast<int>(k)));
    }
    if (plain) return kernel.op().name;
    if (alike || args.size() == 1) return kernel.op().name + "∘" + text(args.front());
    std::string list;
    for (Kernel const& arg : args) list += (list.empty() ? "" : ", ") + text(arg);
    return kernel.op().name + "(" + list + ")";
}

Kernel composed(Kernel const& outer, Kernel const& inner) {
    if (outer.is_operand()) return outer.is_identity() ? inner : outer;
    std::vector<Kernel> args;
    for (Kernel const& arg : outer.args()) args.push_back(composed(arg, inner));
    return Kernel::apply(outer.op(), std::move(args));
}

Kernel on_each_operand(Kernel const& outer, Kernel const& inner) {
    if (inner.is_operand()) return composed(outer, inner);
    std::vector<Kernel> args;
    for (Kernel const& arg : inner.args()) args.push_back(on_each_operand(outer, arg));
    return Kernel::apply(inner.op(), std::move(args));
}

namespace {

template <class Act>
Act const* act_of(Kernel const& kernel) {
    return kernel.is_operand() ? nullptr : std::get_if<Act>(&kernel.op().act);
}

bool is_elementwise(Kernel const& kernel) {
    auto const& args = kernel.args();
    bool const each = std::all_of(args.begin(), args.end(), is_elementwise);
    return kernel.is_operand() || (act_of<Elementwise>(kernel) && each);
}

bool is_operand(scalar::Expr const& expr) { return expr.op() == Op::operand; }

/// Every element of its result is an element of its operand, whatever the values are.
bool only_picks(Kernel const& kernel) {
    if (kernel.is_operand()) return true;
    bool picks = act_of<TileAxis>(kernel) != nullptr;
    if (auto const* act = act_of<Elementwise>(kernel)) picks = is_operand(act->join);
    if (auto const* act = act_of<Contraction>(kernel)) {
        bool summed = false;
        for (int label : act->inputs.front())
            summed = summed || std::find(act->output.begin(), act->output.end(), label) == act->output.end();
        picks = act->inputs.size() == 1 && is_operand(act->join) && !summed;
    }
    return picks && kernel.args().size() == 1 && only_picks(kernel.args().front());
}

bool is_linear(scalar::Expr const& expr) {
    auto const number_times = [](scalar::Expr const& a, scalar::Expr const& b) {
        return a.op() == Op::number && is_operand(b);
    };
    if (expr.op() == Op::mul)
        return number_times(expr.args()[0], expr.args()[1]) || number_times(expr.args()[1], expr.args()[0]);
    if (expr.op() == Op::neg) return is_operand(expr.args()[0]);
    return is_operand(expr);
}

bool is_linear(Kernel const& kernel) {
    if (only_picks(kernel)) return true;
    if (kernel.args().size() != 1 || !is_linear(kernel.args().front())) return false;
    if (auto const* act = act_of<Elementwise>(kernel)) return is_linear(act->join);
    auto const* const act = act_of<Contraction>(kernel);
    return act && act->agg == scalar::Agg::sum && is_linear(act->join);
}

/// op(x, y) of the two operands themselves.
bool is_plain(Kernel const& kernel, std::initializer_list<Op> ops) {
    auto const* const act = act_of<Elementwise>(kernel);
    if (!act || kernel.args() != first_operands(2)) return false;
    bool const wanted = std::find(ops.begin(), ops.end(), act->join.op()) != ops.end();
    std::vector const forward{scalar::Expr::operand(0), scalar::Expr::operand(1)},
        backward{scalar::Expr::operand(1), scalar::Expr::operand(0)};
    return wanted && (act->join.args() == forward || (act->join.op() != Op::sub && act->join.args() == backward));
}

}  // namespace

bool distributes(Kernel const& f, Kernel const& g) {
    if (f.is_identity()) return true;
    return (only_picks(f) && is_elementwise(g)) || (is_linear(f) && is_plain(g, {Op::add, Op::sub}));
}

std::optional<scalar::Agg> aggregation_of(Kernel const& g) {
    for (auto const& [op, agg] : {std::pair{Op::add, scalar::Agg::sum},
                                  {Op::mul, scalar::Agg::prod},
                                  {Op::min, scalar::Agg::min},
                                  {Op::max, scalar::Agg::max}})
        if (is_plain(g, {op})) return agg;
    return std::nullopt;
}

namespace kernels {
Kernel mat_mul() { return Kernel::contraction("matMul", "ij,jk->ik", "x*y"); }
Kernel mat_tran_mul_left() { return Kernel::contraction("matTranMulL", "ji,jk->ik", "x*y"); }
Kernel mat_tran_mul_right() { return Kernel::contraction("matTranMulR", "ij,kj->ik", "x*y"); }
Kernel mat_add() { return Kernel::elementwise("matAdd", 2, "x+y"); }
Kernel mat_sub() { return Kernel::elementwise("matSub", 2, "x-y"); }
Kernel elem_mul() { return Kernel::elementwise("elemMul", 2, "x*y"); }
Kernel elem_min() { return Kernel::elementwise("elemMin", 2, "min(x,y)"); }
Kernel mat_vec_sub() {
    scalar::Expr const difference = scalar::Expr::call(Op::sub, {scalar::Expr::operand(1), scalar::Expr::operand(0)});
    return Kernel::apply({"matVecSub", Contraction{{{0, 1}, {2, 1}}, {2, 1}, difference, scalar::Agg::sum, {0}}},
                         first_operands(2));
}
Kernel relu() { return Kernel::elementwise("relu", 1, "relu(x)"); }
Kernel relu_gradient() { return Kernel::elementwise("relu'", 1, "where(x > 0, 1, 0)"); }
Kernel sigmoid() { return Kernel::elementwise("sigmoid", 1, "sigmoid(x)"); }
Kernel scale_mul(double factor) {
    scalar::Expr const join = scalar::Expr::number(factor) * scalar::Expr::operand(0);
    return Kernel::apply({"scaleMul(" + scalar::print(scalar::Expr::number(factor), {}) + ")", Elementwise{1, join}},
                         first_operands(1));
}
Kernel diag() { return Kernel::contraction("diag", "ii->i", "x"); }
Kernel row_sum() { return Kernel::contraction("rowSum", "ij->i", "x"); }
}  // namespace kernels

}  // namespace ein::tra
