#include "lib/graph/read/suspicions.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/graph/read/name_suspicions.hpp"
#include "lib/graph/read/number_suspicions.hpp"
#include "lib/graph/read/pair_suspicions.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// What is added up at the top of a join.
void add_terms(Expr const& join, std::vector<Expr>& terms) {
    bool const adds = join.op() == Op::add || join.op() == Op::sub || join.op() == Op::neg || join.op() == Op::cast;
    if (!adds || terms.size() > 100) return terms.push_back(join);
    for (Expr const& argument : join.args()) add_terms(argument, terms);
}

std::set<int> labels_of_term(Expr const& term, EinSum const& einsum) {
    std::set<int> out;
    for (int operand : scalar::operands_of(term)) {
        auto const& labels = einsum.inputs.at(static_cast<std::size_t>(operand));
        out.insert(labels.begin(), labels.end());
    }
    for (int label : scalar::labels_of(term)) out.insert(label);
    return out;
}

/// Whether it is divided by so many: who does that knows.
bool divides_by(Expr const& term, double times) {
    if (term.op() == Op::div && term.args()[1].op() == Op::number && term.args()[1].node().value == times) return true;
    return term.op() == Op::mul && std::ranges::any_of(term.args(), [&](Expr const& of) {
               return divides_by(of, times) || (of.op() == Op::number && of.node().value == 1 / times);
           });
}

std::string label_text(EinSum const& einsum, std::vector<int> const& labels) {
    std::vector<std::string> names;
    for (int label : labels) names.push_back("'" + einsum.labels[static_cast<std::size_t>(label)] + "'");
    return joined(names, ", ");
}

/// Functions that follow a product of matrices and its bias in a layer, and are hardly meant of each product in it.
bool is_activation(Expr const& expr) {
    switch (expr.op()) {
        case Op::relu:
        case Op::silu:
        case Op::gelu:
        case Op::sigmoid:
        case Op::tanh:
        case Op::softplus: return true;
        case Op::max:
        case Op::min: return scalar::is_constant(expr.args()[0]) != scalar::is_constant(expr.args()[1]);
        default: return false;
    }
}

/// What a sum adds up: a join without factors that are constant, and without activations.
struct Summand {
    Expr inside;
    double divisor = 1;             // of the numbers that divide it
    std::optional<Op> taken_of_it;  // the outermost activation
};
Summand unwrapped(Summand of) {
    for (int depth = 0; depth < 100; ++depth) {
        Expr const& join = of.inside;
        std::vector<Expr> const& args = join.args();
        if (join.op() == Op::neg || join.op() == Op::cast) {
            of.inside = Expr(args[0]);
        } else if (join.op() == Op::div && args[1].op() == Op::number) {
            of.divisor *= std::abs(args[1].node().value);
            of.inside = Expr(args[0]);
        } else if (join.op() == Op::mul && scalar::is_constant(args[0]) != scalar::is_constant(args[1])) {
            std::size_t const constant = scalar::is_constant(args[0]) ? 0 : 1;
            if (args[constant].op() == Op::number) of.divisor /= std::abs(args[constant].node().value);
            of.inside = Expr(args[1 - constant]);
        } else if (is_activation(join)) {
            if (!of.taken_of_it) of.taken_of_it = join.op();
            of.inside = Expr(args[args.size() > 1 && scalar::is_constant(args[0]) ? 1 : 0]);
        } else {
            return of;
        }
    }
    return of;
}

/// Whether it multiplies two operands or more that all have these labels, as a product of matrices does.
bool contracts(Expr const& term, std::vector<int> const& over, EinSum const& einsum) {
    std::vector<Expr> factors{term};
    std::set<int> operands;
    for (std::size_t k = 0; k < factors.size() && k < 100; ++k) {
        Expr const factor = factors[k];
        bool const deeper = factor.op() == Op::mul || factor.op() == Op::neg || factor.op() == Op::cast;
        if (deeper) factors.insert(factors.end(), factor.args().begin(), factor.args().end());
        if (factor.op() != Op::operand) continue;
        std::set<int> const has = labels_of_term(factor, einsum);
        if (std::ranges::all_of(over, [&](int label) { return has.contains(label); }))
            operands.insert(factor.node().slot);
    }
    return operands.size() > 1;
}

/// Terms that are added again and again, because they lack labels that other terms are summed over.
std::optional<std::string> added_often(Summand const& sum, std::vector<Expr> const& terms, EinSum const& einsum,
                                       std::vector<std::string> const& inputs) {
    std::set<int> summed;
    for (Expr const& term : terms) summed.merge(labels_of_term(term, einsum));
    for (Expr const& term : terms) {
        std::vector<int> const operands = scalar::operands_of(term);
        std::set<int> const has = labels_of_term(term, einsum);
        std::vector<int> lacking;
        double times = 1;
        for (int label : einsum.aggregated()) {
            Extent const extent = einsum.extents[static_cast<std::size_t>(label)];
            if (extent < 2 || has.contains(label) || !summed.contains(label)) continue;
            lacking.push_back(label);
            times *= static_cast<double>(extent);
        }
        bool const knows = sum.divisor == times || divides_by(term, times);
        // Of a function of differences, as a hinge loss is, each element is meant; of a product of matrices hardly.
        bool const bent = sum.taken_of_it.has_value();
        bool const meant =
            bent && std::ranges::none_of(terms, [&](Expr const& of) { return contracts(of, lacking, einsum); });
        if (operands.empty() || lacking.empty() || knows || meant) continue;
        std::string const& input = inputs.at(static_cast<std::size_t>(operands.front()));
        std::string const function = bent ? std::string(scalar::info(*sum.taken_of_it).name) : "";
        std::string const mend =
            bent ? "add it, and take " + function + ", in a node of its own" : "add it in a node of its own";
        return "'" + input + "' is added " + std::to_string(static_cast<Extent>(std::min(times, 9e18))) +
               " times, once for each " + label_text(einsum, lacking) + (bent ? " and inside " + function : "") +
               ", since a join is computed before the sum; to add it once, " + mend;
    }
    return std::nullopt;
}

/// Of the join's sum, and of sums within its terms.
void note_added_often(std::string const& node, EinSum const& einsum, std::vector<std::string> const& inputs,
                      std::vector<std::string>& notes) {
    constexpr std::size_t most = 100;
    std::vector<Summand> sums{unwrapped({einsum.join, 1, {}})};
    for (std::size_t k = 0; k < std::min(most, sums.size()); ++k) {
        Summand const sum = sums[k];
        std::vector<Expr> terms;
        add_terms(sum.inside, terms);
        if (terms.size() < 2) continue;
        if (auto const note = added_often(sum, terms, einsum, inputs))
            return notes.push_back("node '" + node + "': " + *note);
        if (sums.size() < most)
            for (Expr const& term : terms) sums.push_back(unwrapped({term, sum.divisor, sum.taken_of_it}));
    }
}

/// Whether operands of a product, or of the square of a difference, that all have the summed labels differ in others:
/// as in a product of matrices, and not as in a loss of each element.
bool pairs_up(Expr const& term, std::vector<int> const& over, EinSum const& einsum) {
    std::vector<Expr> parts{term};
    std::set<std::set<int>> kinds;
    for (std::size_t k = 0; k < parts.size() && k < 100; ++k) {
        Expr const part = parts[k];
        Op const op = part.op();
        bool const square = op == Op::pow && scalar::is_number(part.args()[1], 2) && part.args()[0].op() == Op::sub;
        if (square) parts.insert(parts.end(), part.args()[0].args().begin(), part.args()[0].args().end());
        if (op == Op::mul || op == Op::neg || op == Op::cast)
            parts.insert(parts.end(), part.args().begin(), part.args().end());
        if (op == Op::div && scalar::is_constant(part.args()[1])) parts.push_back(part.args()[0]);
        if (op != Op::operand) continue;
        std::set<int> has = labels_of_term(part, einsum);
        if (std::ranges::all_of(over, [&](int label) { return has.contains(label); })) kinds.insert(std::move(has));
    }
    return kinds.size() > 1;
}

/// What a function is taken of, where it is one that is nearly always meant of a sum: an activation, its leaky form
/// that a condition writes, exp.
std::optional<Expr> bent_of(Expr const& expr) {
    std::vector<Expr> const& args = expr.args();
    if (expr.op() == Op::exp || expr.op() == Op::erf) return args[0];
    if (is_activation(expr)) return args[args.size() > 1 && scalar::is_constant(args[0]) ? 1 : 0];
    if (expr.op() != Op::where || !scalar::is_truth(args[0].op()) || args[0].args().size() != 2) return std::nullopt;
    std::vector<Expr> const& compared = args[0].args();
    if (scalar::is_constant(compared[0]) == scalar::is_constant(compared[1])) return std::nullopt;
    return compared[scalar::is_constant(compared[0]) ? 1 : 0];
}

/// The square of a number, in any spelling, with constant factors or without.
bool is_square(Expr const& expr) {
    std::vector<Expr> factors{expr}, varying;
    for (std::size_t k = 0; k < factors.size() && k < 100; ++k) {
        Expr const factor = factors[k];
        if (factor.op() == Op::mul)
            factors.insert(factors.end(), factor.args().begin(), factor.args().end());
        else if (!scalar::is_constant(factor))
            varying.push_back(factor);
    }
    if (varying.size() == 1) return varying[0].op() == Op::pow && scalar::is_number(varying[0].args()[1], 2);
    return varying.size() == 2 && varying[0] == varying[1];
}

/// Functions of each product that are summed, where the function of the sum is meant: relu(x*y) of "ij,jk->ik".
/// Who writes "agg": "sum" means it.
std::optional<std::string> bent_before_sum(EinSum const& einsum) {
    std::vector<int> over;
    for (int label : einsum.aggregated())
        if (einsum.extents[static_cast<std::size_t>(label)] > 1) over.push_back(label);
    if (over.empty()) return std::nullopt;
    auto const text = [&](std::string const& function, std::string const& of, std::string const& mend) {
        return function + " is taken of each " + of + " before the sum over " + label_text(einsum, over) +
               "; if of the sum is meant, take it in a node of its own, " + mend +
               "; if not, write \"agg\": \"sum\" beside the join";
    };
    for (Expr const* part : scalar::arguments_first(einsum.join)) {
        auto const inside = bent_of(*part);
        if (!inside) continue;
        std::vector<Expr> terms;
        add_terms(*inside, terms);
        std::erase_if(terms, scalar::is_constant);
        if (terms.empty() ||
            !std::ranges::all_of(terms, [&](Expr const& term) { return pairs_up(term, over, einsum); }))
            continue;
        std::string const function(scalar::info(part->op()).name);
        bool const is_op = part->args().size() == 1;
        return text(function, inside->op() == Op::mul ? "product" : "element",
                    is_op ? "{\"op\": \"" + function + "\"}" : "with a join that reads this one");
    }
    Expr const top = unwrapped({einsum.join, 1, {}}).inside;
    bool const root = top.op() == Op::sqrt || (top.op() == Op::pow && scalar::is_number(top.args()[1], 0.5));
    if (root && is_square(top.args()[0]) && scalar::operands_of(top).size() <= einsum.operands())
        return text("sqrt", "square", "or {\"op\": \"norm\"}");
    return std::nullopt;
}

/// Whether it is a product or quotient of operands that meet in such alone: sums over labels of one are factors.
bool is_product_of_operands(Expr const& join) {
    bool const multiplies = join.op() == Op::mul || join.op() == Op::div;
    return multiplies && scalar::operands_of(join).size() > 1 &&
           std::ranges::none_of(scalar::arguments_first(join), [](Expr const* part) {
               bool const meets = part->op() != Op::mul && part->op() != Op::div && part->op() != Op::neg;
               return meets && scalar::operands_of(*part).size() > 1;
           });
}

/// Two operands that have no label in common, each of which is summed over labels of its own.
void note_sums_apart(std::string const& node, EinSum const& einsum, std::vector<std::string> const& inputs,
                     std::vector<std::string>& notes) {
    if (!is_product_of_operands(einsum.join)) return;
    auto const lone = [&](std::vector<int> const& labels) -> std::optional<int> {
        for (int label : labels)
            if (einsum.aggregates(label) && einsum.extents[static_cast<std::size_t>(label)] > 1) return label;
        return std::nullopt;
    };
    std::vector<std::pair<std::size_t, int>> apart;
    for (std::size_t k = 0; k < einsum.operands(); ++k) {
        bool const shares = std::ranges::any_of(einsum.inputs[k], [&](int label) {
            for (std::size_t other = 0; other < einsum.operands(); ++other)
                if (other != k && std::ranges::find(einsum.inputs[other], label) != einsum.inputs[other].end())
                    return true;
            return false;
        });
        auto const label = lone(einsum.inputs[k]);
        if (!shares && label) apart.emplace_back(k, *label);
    }
    auto const is_whole = [&](std::size_t k) {
        return std::ranges::all_of(einsum.inputs[k], [&](int label) { return einsum.aggregates(label); });
    };
    auto const tensors =
        std::ranges::count_if(einsum.inputs, [](std::vector<int> const& labels) { return !labels.empty(); });
    if (apart.size() == 1 && tensors > 1 && is_whole(apart[0].first)) {
        std::string const& name = inputs.at(apart[0].first);
        notes.push_back("node '" + node + "': " + label_text(einsum, {apart[0].second}) + " of '" + name +
                        "' is summed by itself, so that each element is multiplied by a sum of '" + name +
                        "'; axes that belong together need one label");
    }
    if (apart.size() < 2) return;
    auto const of = [&](std::size_t k) {
        return label_text(einsum, {apart[k].second}) + " of '" + inputs.at(apart[k].first) + "'";
    };
    notes.push_back("node '" + node + "': " + of(0) + " and " + of(1) +
                    " are summed each by itself, a product of sums; axes that belong together need one label");
}

/// An aggregation that was written, with no label for it.
void note_nothing_to_aggregate(NodeContext const& context, std::vector<std::string>& notes) {
    static std::set<std::string_view> const plain = {"sum", "prod", "max", "min", "mean", "logsumexp"};
    EinSum const& einsum = context.written->einsum;
    if (einsum.output.empty() || !einsum.aggregated().empty() || !plain.contains(context.written->agg)) return;
    notes.push_back("node '" + context.name + "': agg \"" + context.node.at("agg").value().get<std::string>() +
                    "\" has nothing to aggregate, since the output has every label; leave out what it is over");
}

}  // namespace

std::vector<std::string> suspicions_of(NodeContext const& context, scalar::Params const& params) {
    std::vector<std::string> notes = listed_suspicions(context);
    if (!context.node.has("einsum") || !context.written) return notes;
    EinSum const& einsum = context.written->einsum;
    if (context.node.has("join") && context.node.at("join").value().is_string()) {
        note_computed_names(context, notes);
        note_strange_steps(context, notes);
    }
    if (context.node.has("agg")) note_nothing_to_aggregate(context, notes);
    for (std::string& note : number_suspicions(context, params)) notes.push_back(std::move(note));
    for (std::string& note : pair_suspicions(context)) notes.push_back(std::move(note));
    if (context.written->agg != "sum") return notes;
    if (context.node.has("join")) {
        std::size_t const before = notes.size();
        note_added_often(context.name, einsum, context.input_names(), notes);
        note_sums_apart(context.name, einsum, context.input_names(), notes);
        auto const bent = context.node.has("agg") || notes.size() > before ? std::nullopt : bent_before_sum(einsum);
        if (bent) notes.push_back("node '" + context.name + "': " + *bent);
    } else {
        note_sums_apart(context.name, einsum, context.input_names(), notes);
    }
    return notes;
}

}  // namespace ein::graph
