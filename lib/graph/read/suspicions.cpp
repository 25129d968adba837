#include "lib/graph/read/suspicions.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/graph/read/number_suspicions.hpp"
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

/// Whether it is made of numbers and params alone.
bool is_constant(Expr const& expr) { return scalar::operands_of(expr).empty() && scalar::labels_of(expr).empty(); }

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
        case Op::min: return is_constant(expr.args()[0]) != is_constant(expr.args()[1]);
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
        } else if (join.op() == Op::mul && is_constant(args[0]) != is_constant(args[1])) {
            std::size_t const constant = is_constant(args[0]) ? 0 : 1;
            if (args[constant].op() == Op::number) of.divisor /= std::abs(args[constant].node().value);
            of.inside = Expr(args[1 - constant]);
        } else if (is_activation(join)) {
            if (!of.taken_of_it) of.taken_of_it = join.op();
            of.inside = Expr(args[args.size() > 1 && is_constant(args[0]) ? 1 : 0]);
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

/// Two operands that have no label in common, each of which is summed over labels of its own.
void note_sums_apart(std::string const& node, EinSum const& einsum, std::vector<std::string> const& inputs,
                     std::vector<std::string>& notes) {
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

/// "'E', 'F' and 3 more"
std::string names_text(std::vector<std::string> const& names) {
    constexpr std::size_t most = 5;
    std::string out;
    for (std::size_t k = 0; k < std::min(most, names.size()); ++k) out += (k > 0 ? ", '" : "'") + names[k] + "'";
    return out + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

/// Names that are needed, found backwards.
std::vector<char> needed_names(std::vector<NodeDeclaration> const& nodes, std::size_t names,
                               std::vector<std::size_t> const& wanted) {
    std::vector<std::size_t> producer(names, nodes.size()), left;
    for (std::size_t k = 0; k < nodes.size(); ++k)
        for (auto const& number : nodes[k].defines)
            if (number) producer[*number] = k;
    std::vector<char> needed(names, 0);
    auto const want = [&](std::size_t number) {
        if (needed[number] != 0) return;
        needed[number] = 1;
        left.push_back(number);
    };
    for (std::size_t number : wanted) want(number);
    while (!left.empty()) {
        std::size_t const made_by = producer[left.back()];
        left.pop_back();
        if (made_by == nodes.size()) continue;
        for (auto const& input : nodes[made_by].inputs)
            if (input) want(*input);
    }
    return needed;
}

void add_unneeded_nodes(std::vector<NodeDeclaration> const& nodes, std::size_t names,
                        std::vector<std::size_t> const& wanted, std::string const& prefix,
                        std::vector<std::string>& out) {
    std::vector<char> const needed = needed_names(nodes, names, wanted);
    for (NodeDeclaration const& node : nodes) {
        bool const is_needed =
            std::ranges::any_of(node.defines, [&](auto const& number) { return number && needed[*number] != 0; });
        if (!is_needed) {
            if (!node.name.empty()) out.push_back(prefix + node.name);
            continue;
        }
        if (!node.loop) continue;
        LoopDeclaration const& loop = *node.loop;
        std::vector<std::size_t> roots;
        for (LoopDeclaration::Carried const& carried : loop.carried)
            if (carried.next) roots.push_back(*carried.next);
        if (loop.condition) roots.push_back(*loop.condition);
        add_unneeded_nodes(loop.body, loop.names.size(), roots, prefix + node.name + "/", out);
    }
}

/// Outputs that are what a loop begins with, where nothing reads what it ends with.
void note_begun_with(std::vector<NodeDeclaration> const& nodes, Names const& names, std::vector<char> const& needed,
                     std::vector<std::size_t> const& outputs, std::vector<std::string>& notes) {
    for (NodeDeclaration const& node : nodes) {
        if (!node.loop) continue;
        for (std::size_t k = 0; k < node.loop->carried.size() && k < node.inputs.size(); ++k) {
            bool const is_output = node.inputs[k] && std::ranges::find(outputs, *node.inputs[k]) != outputs.end();
            bool const ends_unread = k < node.defines.size() && node.defines[k] && needed[*node.defines[k]] == 0;
            if (is_output && ends_unread)
                notes.push_back("the output '" + names[*node.inputs[k]] + "' is what the loop '" + node.name +
                                "' begins with; what it ends with is \"" + names[*node.defines[k]] + "\"");
        }
    }
}

}  // namespace

std::vector<std::string> suspicions_of(NodeContext const& context, scalar::Params const& params) {
    std::vector<std::string> notes;
    EinSum const& einsum = context.written->einsum;
    if (context.node.has("agg")) note_nothing_to_aggregate(context, notes);
    for (std::string& note : number_suspicions(context, params)) notes.push_back(std::move(note));
    if (context.written->agg != "sum") return notes;
    if (context.node.has("join"))
        note_added_often(context.name, einsum, context.input_names(), notes);
    else
        note_sums_apart(context.name, einsum, context.input_names(), notes);
    return notes;
}

std::vector<std::string> unneeded(std::vector<NodeDeclaration> const& nodes, Names const& names, std::size_t tensors,
                                  std::vector<std::size_t> const& outputs) {
    std::vector<std::string> left_out, unread, notes;
    add_unneeded_nodes(nodes, names.size(), outputs, "", left_out);
    std::vector<char> const needed = needed_names(nodes, names.size(), outputs);
    for (std::size_t number = 0; number < tensors; ++number)
        if (needed[number] == 0) unread.push_back(names[number]);
    note_begun_with(nodes, names, needed, outputs, notes);
    if (!left_out.empty())
        notes.push_back("no output needs " + std::string(left_out.size() == 1 ? "the node " : "the nodes ") +
                        names_text(left_out) + ", which " + (left_out.size() == 1 ? "is" : "are") +
                        " checked but not computed; name what you want in \"outputs\", or carry it out of its loop");
    if (!unread.empty())
        notes.push_back("no output needs the tensor" + std::string(unread.size() == 1 ? " " : "s ") +
                        names_text(unread) + "; remove " + (unread.size() == 1 ? "it" : "them") +
                        ", or correct what should read " + (unread.size() == 1 ? "it" : "them"));
    return notes;
}

}  // namespace ein::graph
