#include "lib/graph/grad/aggregation.hpp"

#include <limits>

#include "lib/base/error.hpp"
#include "lib/scalar/derivative/pullback_rules.hpp"

namespace ein::graph::grad {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

Expr equal(Expr a, Expr b) { return Expr::call(Op::eq, {std::move(a), std::move(b)}); }
Expr where(Expr condition, Expr a, Expr b) {
    return Expr::call(Op::where, {std::move(condition), std::move(a), std::move(b)});
}
Expr const zero = Expr::integer(0), one = Expr::integer(1);

class Aggregation {
public:
    Aggregation(GradientNodes& nodes, JoinFrame& frame, Node const& node, Expr const& join, DType join_dtype)
        : nodes_(nodes),
          frame_(frame),
          node_(node),
          einsum_(std::get<EinSum>(node.op)),
          value_(nodes.value(node.output)),
          join_(join),
          join_dtype_(join_dtype) {
        Expr const z = frame.operand(node.output, einsum_.output);
        z_ = is_complex(value_.dtype) && !is_complex(join_dtype) ? Expr::call(Op::real, {z}) : z;
    }

    /// The same comparison in the count and in the cotangent, so both find the same elements. The join is rounded as Z
    /// was.
    Expr best(Expr const& cotangent) {
        Expr const is_best = equal(is_stored() ? join_ : Expr::cast(rounded_to(), join_), z_);
        Expr const ties = reduced("ties", is_best, Agg::sum, compute_dtype({}, value_.dtype));
        return where(is_best, cotangent / ties, zero);
    }

    Expr exponential(Expr const& cotangent) const {
        Expr const nothing = equal(z_, Expr::number(-std::numeric_limits<double>::infinity()));
        return where(nothing, zero, scalar::times(cotangent, Expr::call(Op::exp, {join_ - z_})));
    }

    /// With one 0 it is that element's alone, with more nobody's.
    Expr product(Expr const& cotangent) {
        Expr const is_zero = equal(join_, zero), but_zeros = where(is_zero, one, join_);
        Expr const zeros = reduced("zeros", is_zero, Agg::sum, DType::f32);
        Expr const rest = reduced("nonzero", but_zeros, Agg::prod, join_dtype_) / but_zeros;
        Expr const others = is_complex(join_dtype_) ? Expr::call(Op::conj, {rest}) : rest;
        return where(equal(zeros, is_zero), scalar::times(cotangent, others), zero);
    }

private:
    /// Whether the join is an operand of Z's dtype: nothing was rounded.
    bool is_stored() const {
        if (join_.op() != Op::operand) return false;
        return nodes_.dtype(node_.inputs[static_cast<std::size_t>(join_.node().slot)]) == value_.dtype;
    }

    /// What Z's real elements are.
    DType rounded_to() const {
        return value_.dtype == DType::c64 ? DType::f32 : value_.dtype == DType::c128 ? DType::f64 : value_.dtype;
    }

    /// An aggregation of the same elements as a value of its own, read as an operand.
    Expr reduced(std::string const& part, Expr const& expr, Agg agg, DType dtype) {
        std::string const name = nodes_.part(value_.name + ":" + part);
        ValueId const made = nodes_.add(frame_.reduction(expr, einsum_.output, agg), name, value_.shape, dtype);
        return frame_.operand(made, einsum_.output);
    }

    GradientNodes& nodes_;
    JoinFrame& frame_;
    Node const& node_;
    EinSum const& einsum_;
    Value const value_;
    Expr const& join_;
    DType join_dtype_;
    Expr z_;
};

}  // namespace

Expr cotangent_of_join(GradientNodes& nodes, JoinFrame& frame, Node const& node, Expr const& join, DType join_dtype,
                       Expr const& cotangent) {
    EinSum const& einsum = std::get<EinSum>(node.op);
    if (einsum.agg == Agg::sum || einsum.aggregated().empty()) return cotangent;
    Aggregation aggregation(nodes, frame, node, join, join_dtype);
    switch (einsum.agg) {
        case Agg::min:
        case Agg::max: return aggregation.best(cotangent);
        case Agg::logsumexp: return aggregation.exponential(cotangent);
        case Agg::prod: return aggregation.product(cotangent);
        case Agg::sum:
        case Agg::any:
        case Agg::all: break;
    }
    throw InternalError(std::string(scalar::name(einsum.agg)) + " has no derivative");
}

}  // namespace ein::graph::grad
