#include "lib/graph/factor/read_diagonals.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "lib/graph/sparse/storage.hpp"

namespace ein::graph {
namespace {

/// Two axes of a tensor, the first before the second.
using Axes = std::pair<std::size_t, std::size_t>;

std::optional<Axes> diagonal_in(std::vector<int> const& labels) {
    for (std::size_t b = 1; b < labels.size(); ++b) {
        auto const first = std::find(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(b), labels[b]);
        auto const a = static_cast<std::size_t>(first - labels.begin());
        if (a < b) return Axes{a, b};
    }
    return std::nullopt;
}

void erase_axis(auto& axes, std::size_t axis) { axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis)); }

/// The EinSum of that diagonal of its output: one label for both axes.
EinSum of_diagonal(EinSum einsum, Axes const& axes) {
    int const kept = einsum.output[axes.first], gone = einsum.output[axes.second];
    std::vector<int> labels(einsum.labels.size());  // by label as they were
    std::iota(labels.begin(), labels.end(), 0);
    for (int& label : labels) label = label == gone ? kept : label;
    for (int& label : labels) label -= label > gone ? 1 : 0;
    erase_axis(einsum.output, axes.second);
    erase_axis(einsum.labels, at(gone));
    erase_axis(einsum.extents, at(gone));
    for (std::vector<int>& input : einsum.inputs)
        for (int& label : input) label = labels[at(label)];
    for (int& label : einsum.output) label = labels[at(label)];
    std::vector<scalar::Expr> operands;
    for (std::size_t k = 0; k < einsum.operands(); ++k) operands.push_back(scalar::Expr::operand(static_cast<int>(k)));
    einsum.join = scalar::substitute(einsum.join, operands, labels);
    return einsum;
}

class Diagonals {
public:
    explicit Diagonals(EinGraph graph)
        : graph_(std::move(graph)), whole_(carried(graph_)), consumers_(graph_.consumers()) {
        whole_.insert(graph_.outputs.begin(), graph_.outputs.end());
    }

    /// Readers first: a diagonal may be all that they read of their operands then.
    EinGraph run() && {
        for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
            Node& node = graph_.nodes[n];
            if (!may_be_diagonal(node)) continue;
            while (auto const axes = diagonal_read(node.output)) make_diagonal(node, *axes);
        }
        return std::move(graph_);
    }

private:
    bool may_be_diagonal(Node const& node) const {
        return std::holds_alternative<EinSum>(node.op) && !whole_.contains(node.output) && node.fixed.empty() &&
               !node.sharding && !node.slicing;
    }

    /// The axes whose diagonal all readers of the value read and nothing else.
    std::optional<Axes> diagonal_read(ValueId value) const {
        std::optional<Axes> all;
        for (NodeId const id : consumers_[at(value)]) {
            Node const& reader = graph_.node(id);
            auto const* const einsum = std::get_if<EinSum>(&reader.op);
            if (einsum == nullptr) return std::nullopt;
            for (std::size_t k = 0; k < reader.inputs.size(); ++k) {
                if (reader.inputs[k] != value) continue;
                auto const here = diagonal_in(einsum->inputs[k]);
                if (!here || (all && *all != *here)) return std::nullopt;
                all = here;
            }
        }
        return all;
    }

    void make_diagonal(Node& node, Axes const& axes) {
        node.op = of_diagonal(std::get<EinSum>(std::move(node.op)), axes);
        erase_axis(graph_.values[at(node.output)].shape, axes.second);
        for (NodeId const id : consumers_[at(node.output)]) {
            Node& reader = graph_.nodes[static_cast<std::size_t>(id.value())];
            auto& einsum = std::get<EinSum>(reader.op);
            for (std::size_t k = 0; k < reader.inputs.size(); ++k)
                if (reader.inputs[k] == node.output) erase_axis(einsum.inputs[k], axes.second);
        }
    }

    EinGraph graph_;
    std::set<ValueId> whole_;  // what is wanted whole
    std::vector<std::vector<NodeId>> consumers_;
};

}  // namespace

EinGraph read_diagonals(EinGraph graph) { return Diagonals(std::move(graph)).run(); }

}  // namespace ein::graph
