// Kernel functions: what an operator of the algebra does to arrays. A kernel is a small tree of array operations over
// its operands (one or two arrays), so kernels compose, compare and print; an operation is an element-wise scalar
// expression, an EinSum over the arrays' axes, or a tile. Leaves which arrays meet to the operators. Example:
// composed(kernels::diag(), kernels::mat_add()) is diag(matAdd(x, y)) and prints as "diag∘matAdd".
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lib/algebra/array.hpp"
#include "lib/algebra/checked.hpp"
#include "lib/scalar/expression/agg.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::tra {

/// The same expression for every element: arrays of one bound, of any rank.
struct Elementwise {
    int operands = 1;
    scalar::Expr join;
    friend bool operator==(Elementwise const&, Elementwise const&) = default;
};

/// out[output] = agg over the other labels of join(x[inputs[0]], y[inputs[1]]); labels are numbered, their extents come
/// from the arrays.
struct Contraction {
    std::vector<std::vector<int>> inputs;
    std::vector<int> output;
    scalar::Expr join;
    scalar::Agg agg = scalar::Agg::sum;
    std::vector<int> single{};  // labels that must be 1 long
    friend bool operator==(Contraction const&, Contraction const&) = default;
};

/// Tile number t along an axis: elements [t size, (t + 1) size).
struct TileAxis {
    int axis = 0;
    Extent size = 1;
    friend bool operator==(TileAxis const&, TileAxis const&) = default;
};

struct BlockOp {
    std::string name;
    std::variant<Elementwise, Contraction, TileAxis> act;
    friend bool operator==(BlockOp const&, BlockOp const&) = default;
};

class Kernel {
public:
    Kernel() = default;  // idOp: the first operand as it is
    static Kernel operand(int number);
    static Kernel apply(BlockOp op, std::vector<Kernel> args);
    /// An operation on operands 0, 1, ... @throws InputError for text that is no expression or no subscripts
    static Kernel elementwise(std::string name, int operands, std::string const& join);
    static Kernel contraction(std::string name, std::string const& subscripts, std::string const& join,
                              scalar::Agg agg = scalar::Agg::sum);
    static Kernel tile(int axis, Extent size);

    bool is_operand() const { return !applied_; }
    bool is_identity() const { return is_operand() && operand_ == 0; }
    int operand_number() const { return operand_; }
    BlockOp const& op() const;  // of an operand nothing
    std::vector<Kernel> const& args() const;
    friend bool operator==(Kernel const& a, Kernel const& b);

private:
    struct Applied;
    int operand_ = 0;
    std::shared_ptr<Applied const> applied_;  // none: an operand. Shared: searches copy operators by the thousand
};

/// The array type that a kernel makes of arrays of these bounds.
Checked<Shape> bound_of(Kernel const& kernel, std::span<Shape const> operands);
/// @param copy  the number t of the tile that is wanted
Array run(Kernel const& kernel, std::span<Array const* const> operands, Extent copy = 0);
std::string text(Kernel const& kernel);

/// outer ∘ inner: `outer` has one operand.
Kernel composed(Kernel const& outer, Kernel const& inner);
/// inner(outer(x), outer(y)): the other side of distributivity.
Kernel on_each_operand(Kernel const& outer, Kernel const& inner);
/// Whether f(g(x, y)) = g(f(x), f(y)) for all arrays, as far as can be seen from their make: f only picks elements and
/// g is element-wise, or f is linear and g a sum or a difference. False where it cannot be seen.
bool distributes(Kernel const& f, Kernel const& g);
/// The aggregation that g(x, y) does step by step, in any order: sum, prod, min or max; nothing for other kernels.
std::optional<scalar::Agg> aggregation_of(Kernel const& g);
/// Whether g(g(x, y), z) = g(x, g(y, z)) and g(x, y) = g(y, x): an aggregation that can be done in any order.
inline bool associates(Kernel const& g) { return aggregation_of(g).has_value(); }

/// The kernels that the paper names.
namespace kernels {
Kernel mat_mul();             // x y
Kernel mat_tran_mul_left();   // x' y
Kernel mat_tran_mul_right();  // x y'
Kernel mat_add();             // element-wise, of any rank
Kernel mat_sub();
Kernel elem_mul();
Kernel elem_min();
Kernel mat_vec_sub();  // a matrix's rows less a row: y - x, x of bound (1, d)
Kernel relu();
Kernel relu_gradient();  // 1 where positive, else 0
Kernel sigmoid();
Kernel scale_mul(double factor);
Kernel diag();  // the diagonal of a matrix
Kernel row_sum();
}  // namespace kernels

}  // namespace ein::tra
