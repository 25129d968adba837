// Losses of a sparse tensor that count what it does not list: (x - y)^2 is y^2 there, and there are far more of those.
#include <cmath>
#include <optional>

#include "lib/graph/read/suspicions.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// A square, or another even function, without constant factors: what it is of.
std::optional<Expr> distance_in(Expr const& loss) {
    Expr of = loss;
    for (int depth = 0; depth < 100; ++depth) {
        std::vector<Expr> const& args = of.args();
        bool const scaled = of.op() == Op::mul && scalar::is_constant(args[0]) != scalar::is_constant(args[1]);
        if (scaled)
            of = Expr(args[scalar::is_constant(args[0]) ? 1 : 0]);
        else if (of.op() == Op::cast || of.op() == Op::neg || (of.op() == Op::div && scalar::is_constant(args[1])))
            of = Expr(args[0]);
        else if (of.op() == Op::abs || (of.op() == Op::pow && scalar::is_number(args[1], 2)))
            return args[0];
        else if (of.op() == Op::mul && args[0] == args[1])
            return args[0];
        else
            return std::nullopt;
    }
    return std::nullopt;
}

/// Follows differences that nodes of their own make, which a loss reads.
class Losses {
public:
    explicit Losses(NodeContext const& context) : context_(context) {}

    std::optional<std::string> note() const {
        if (!context_.written) return of_op();
        EinSum const& einsum = context_.written->einsum;
        bool const adds = context_.written->agg == "sum" || context_.written->agg == "mean";
        bool const means_it = context_.written->agg == "sum" && context_.node.has("agg");
        if (!adds || means_it || einsum.aggregated().empty()) return std::nullopt;
        auto of = distance_in(einsum.join);
        if (!of && einsum.join.op() == Op::operand) return behind(*context_.inputs[0], true);
        if (!of) return std::nullopt;
        if (of->op() == Op::operand) return behind(*context_.inputs[static_cast<std::size_t>(of->node().slot)], false);
        return of_difference(*of, einsum, context_.inputs, true);
    }

private:
    /// A sum, mean or norm of what other nodes made.
    std::optional<std::string> of_op() const {
        bool const is_op = context_.node.has("op") && context_.node.at("op").value().is_string();
        if (!is_op || context_.inputs.size() != 1) return std::nullopt;
        std::string const op = context_.node.at("op").value().get<std::string>();
        if (op == "norm") return behind(*context_.inputs[0], false);
        return op == "sum" || op == "mean" ? behind(*context_.inputs[0], true) : std::nullopt;
    }
    bool is_mean() const {
        return context_.written ? context_.written->agg == "mean" : context_.node.at("op").value() == "mean";
    }

    /// Of a value that a node made element by element: the difference itself, or first its square.
    std::optional<std::string> behind(ValueId value, bool square) const {
        Node const* const made_by = context_.graph.producer(value);
        auto const* const made = made_by == nullptr ? nullptr : std::get_if<EinSum>(&made_by->op);
        if (made == nullptr || !made->aggregated().empty()) return std::nullopt;
        std::vector<std::optional<ValueId>> const inputs(made_by->inputs.begin(), made_by->inputs.end());
        if (!square) return of_difference(made->join, *made, inputs, false);
        auto const of = distance_in(made->join);
        if (!of) return std::nullopt;
        if (of->op() == Op::operand) return behind(made_by->inputs[static_cast<std::size_t>(of->node().slot)], false);
        return of_difference(*of, *made, inputs, false);
    }

    Value const* listed(Expr const& of, std::vector<std::optional<ValueId>> const& inputs) const {
        if (of.op() != Op::operand) return nullptr;
        Value const& value = context_.graph.value(*inputs[static_cast<std::size_t>(of.node().slot)]);
        return value.listing ? &value : nullptr;
    }

    /// Whether it is made of a sparse tensor, so that it may be 0 where that lists nothing: W H^T at the places of R.
    bool is_sampled(Expr const& of, std::vector<std::optional<ValueId>> const& inputs) const {
        if (of.op() != Op::operand) return false;
        constexpr int nodes_back = 2;
        std::vector<ValueId> values{*inputs[static_cast<std::size_t>(of.node().slot)]};
        for (int back = 0; back < nodes_back; ++back) {
            std::vector<ValueId> before;
            for (ValueId const value : values)
                if (Node const* const made_by = context_.graph.producer(value))
                    before.insert(before.end(), made_by->inputs.begin(), made_by->inputs.end());
            for (ValueId const value : before)
                if (context_.graph.value(value).listing) return true;
            values = std::move(before);
        }
        return false;
    }

    /// @param here  it stands in this node's join
    std::optional<std::string> of_difference(Expr const& of, EinSum const& einsum,
                                             std::vector<std::optional<ValueId>> const& inputs, bool here) const {
        if (of.op() != Op::sub) return std::nullopt;
        Value const *const first = listed(of.args()[0], inputs), *const second = listed(of.args()[1], inputs);
        if ((first == nullptr) == (second == nullptr)) return std::nullopt;
        Value const& value = first != nullptr ? *first : *second;
        scalar::Scalar const& fill = value.listing->fill;
        if (!is_exact(value.dtype) && std::isnan(fill.number.real())) return std::nullopt;  // nan, which nothing equals
        Expr const &sparse = of.args()[first != nullptr ? 0 : 1], &other = of.args()[first != nullptr ? 1 : 0];
        if (is_sampled(other, inputs)) return std::nullopt;
        scalar::Names const names{static_cast<int>(einsum.operands()), einsum.labels, {}};
        std::string const listed_alone = scalar::print(sparse, names) + " != " + fill_text(value);
        std::string const text = "node '" + context_.name + "': places that '" + value.name +
                                 "' does not list count too, as " + fill_text(value) + ": all " +
                                 std::to_string(element_count(value.shape)) +
                                 " of them; for those that it lists alone ";
        std::string const means =
            is_mean() ? ", take the sum, and divide it by their number: a mean is over all places" : "";
        std::string const meant = context_.written && !is_mean() ? "; if all are meant, write \"agg\": \"sum\"" : "";
        if (!here)
            return text + "write the difference as \"einsum\": \"...,...->...\", \"join\": \"where(" + listed_alone +
                   ", " + scalar::print(of, names) + ", 0)\"" + means + meant;
        return text + "write \"join\": \"where(" + listed_alone + ", " +
               scalar::print(context_.written->einsum.join, names) + ", 0)\"" + means + meant;
    }

    static std::string fill_text(Value const& value) {
        scalar::Scalar const& fill = value.listing->fill;
        if (is_exact(value.dtype)) return std::to_string(fill.integer);
        double const number = fill.number.real();
        std::string const text = std::isinf(number) ? (number < 0 ? "-inf" : "inf") : Json(number).dump();
        return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
    }

    NodeContext const& context_;
};

}  // namespace

std::vector<std::string> listed_suspicions(NodeContext const& context) {
    auto note = context.inputs_known() ? Losses(context).note() : std::nullopt;
    return note ? std::vector{std::move(*note)} : std::vector<std::string>{};
}

}  // namespace ein::graph
