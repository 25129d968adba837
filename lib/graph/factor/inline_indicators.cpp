#include "lib/graph/factor/inline_indicators.hpp"

#include <algorithm>
#include <set>

#include "lib/graph/indicator.hpp"
#include "lib/graph/prune.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;

class Inlining {
public:
    explicit Inlining(EinGraph graph) : graph_(std::move(graph)), producers_(graph_.producers()) {
        for (Loop const& loop : graph_.loops)
            for (Loop::Carry const& carry : loop.carries) carried_.insert(carry.inside);
    }

    EinGraph run() {
        bool changed = false;
        for (Node& node : graph_.nodes)
            if (may_compare(node)) changed = compare(node) || changed;
        return changed ? prune(std::move(graph_)) : std::move(graph_);
    }

private:
    bool is_dense(ValueId value) const { return !graph_.value(value).listing; }

    bool may_compare(Node const& node) const {
        auto const* einsum = std::get_if<EinSum>(&node.op);
        return einsum != nullptr && !einsum->compute && einsum->agg == scalar::Agg::sum && einsum->aggregates_any() &&
               node.inputs.size() <= 2 && node.storage != StorageWish::sparse && is_dense(node.output) &&
               std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) { return is_dense(input); });
    }

    /// The node that makes a tensor of zeros and ones, if it is one, of a value that is the same for its reader. What a
    /// loop carries is not: it changes.
    Node const* indicator_of(ValueId value) const {
        auto const id = producers_[at(value)];
        if (!id) return nullptr;
        Node const& node = graph_.node(*id);
        auto const* einsum = std::get_if<EinSum>(&node.op);
        bool const compares = einsum != nullptr && !einsum->compute && node.inputs.size() == 1 &&
                              !einsum->aggregates_any() && indicated_label(einsum->join) &&
                              graph_.value(node.output).dtype != DType::boolean;
        if (!compares || node.storage == StorageWish::sparse || carried_.count(node.inputs[0]) != 0) return nullptr;
        Value const& positions = graph_.value(node.inputs[0]);
        return is_integer(positions.dtype) && !positions.listing ? &node : nullptr;
    }

    /// @return whether the node compares for itself now
    bool compare(Node& node) const {
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            Node const* const indicator = indicator_of(node.inputs[k]);
            if (indicator == nullptr) continue;
            EinSum const made = compared(std::get<EinSum>(node.op), k, std::get<EinSum>(indicator->op));
            if (!as_indicator_product(made) && !as_count(made)) continue;
            node.op = made;
            node.inputs[k] = indicator->inputs[0];
            return true;
        }
        return false;
    }

    /// A reader with what its operand k is made of in that operand's place.
    static EinSum compared(EinSum const& reader, std::size_t k, EinSum const& indicator) {
        std::vector<int> labels(indicator.labels.size(), 0);  // the reader's, by label of the indicator
        for (std::size_t axis = 0; axis < indicator.output.size(); ++axis)
            labels[static_cast<std::size_t>(indicator.output[axis])] = reader.inputs[k][axis];
        EinSum out = reader;
        out.inputs[k].clear();
        for (int label : indicator.inputs[0]) out.inputs[k].push_back(labels[static_cast<std::size_t>(label)]);
        std::vector<Expr> operands;
        for (std::size_t operand = 0; operand < reader.operands(); ++operand)
            operands.push_back(Expr::operand(static_cast<int>(operand)));
        operands[k] = scalar::substitute(indicator.join, std::vector{operands[k]}, labels);
        out.join = scalar::substitute(reader.join, operands);
        return out;
    }

    EinGraph graph_;
    std::vector<std::optional<NodeId>> producers_;
    std::set<ValueId> carried_;
};

}  // namespace

EinGraph inline_indicators(EinGraph graph) { return Inlining(std::move(graph)).run(); }

}  // namespace ein::graph
