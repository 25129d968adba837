#include "lib/graph/factor/factor_joins.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "lib/graph/factor/join_parts.hpp"

namespace ein::graph {
namespace {

class Factoring {
public:
    explicit Factoring(EinGraph graph) : graph_(std::move(graph)), changes_(graph_.loops_of_values()) {
        nodes_.swap(graph_.nodes);
        for (Value const& value : graph_.values) taken_.insert(value.name);
        for (std::size_t n = nodes_.size(); n-- > 0;)
            for (std::int32_t loop : graph_.loops_around(nodes_[n].loop)) first_of_loop_[loop] = n;
    }

    EinGraph run() {
        for (at_ = 0; at_ < nodes_.size(); ++at_) add(std::move(nodes_[at_]));
        put_in_order();
        return std::move(graph_);
    }

private:
    bool is_dense(Node const& node) const {
        return node.storage != StorageWish::sparse && !graph_.value(node.output).listing &&
               std::none_of(node.inputs.begin(), node.inputs.end(),
                            [&](ValueId input) { return graph_.value(input).listing.has_value(); });
    }

    void add(Node node) {
        auto const* einsum = std::get_if<EinSum>(&node.op);
        if (einsum != nullptr && is_dense(node)) {
            EinSumTypes const types = types_of(graph_, node);
            std::optional<JoinParts> found;
            if (types.accumulate == types.compute) found = choice_after_aggregation(*einsum, types.compute);
            bool const chosen = found.has_value();
            if (!found) found = parts_of_join(*einsum, types.compute);
            if (found && keeps_types(node, *found, types)) return replace(node, std::move(*found), types, chosen);
        }
        append(std::move(node), at_);
    }

    /// Whether every step computes in the type that the whole does.
    bool keeps_types(Node const& node, JoinParts const& found, EinSumTypes const& whole) const {
        auto const types = [&](JoinStep const& step, DType output) {
            std::vector<DType> inputs;
            for (int operand : step.operands)
                inputs.push_back(at(operand) < node.inputs.size() ? graph_.value(node.inputs[at(operand)]).dtype
                                                                  : whole.compute);
            EinSum einsum = step.einsum;
            einsum.compute = std::get<EinSum>(node.op).compute;
            return types_of(einsum, inputs, output);
        };
        EinSumTypes const rest = types(found.rest, graph_.value(node.output).dtype);
        return rest.compute == whole.compute && rest.accumulate == whole.accumulate &&
               std::all_of(found.parts.begin(), found.parts.end(), [&](JoinStep const& part) {
                   EinSumTypes const of = types(part, whole.compute);
                   return of.compute == whole.compute && of.accumulate == whole.compute;
               });
    }

    void replace(Node const& node, JoinParts found, EinSumTypes const& types, bool chosen) {
        EinSum const& whole = std::get<EinSum>(node.op);
        std::vector<ValueId> values = node.inputs;
        auto const step = [&](JoinStep& from, ValueId output) {
            Node made{node.name, {}, output, {}, {}, fixed_of(from.einsum, node), node.loop};
            for (int operand : from.operands) made.inputs.push_back(values[at(operand)]);
            from.einsum.compute = whole.compute;
            made.op = std::move(from.einsum);
            return made;
        };
        std::string const name = graph_.value(node.output).name;
        for (JoinStep& part : found.parts) {
            Shape const shape = part.einsum.output_shape();
            std::string const suffix = chosen ? "chosen" : operand_name(part.operands.front());
            values.push_back(add_value(name + ":" + suffix, shape, types.compute));
            Node made = step(part, values.back());
            if (chosen) {
                add(std::move(made));
            } else {
                std::size_t const place = leave_loops(made);
                append(std::move(made), place);
            }
        }
        Node rest = step(found.rest, node.output);
        append(std::move(rest), at_);
    }

    /// A part that is the same in every iteration is made before the loop. @return the node before which it stands
    std::size_t leave_loops(Node& made) {
        std::size_t place = at_;
        auto const changes_in = [&](std::int32_t loop) {
            return std::any_of(made.inputs.begin(), made.inputs.end(), [&](ValueId input) {
                auto const around = graph_.loops_around(changes_[at(input)]);
                return std::find(around.begin(), around.end(), loop) != around.end();
            });
        };
        while (made.loop >= 0 && !changes_in(made.loop)) {
            place = first_of_loop_.at(made.loop);
            made.loop = graph_.loops[at(made.loop)].outer;
        }
        return place;
    }

    static std::string operand_name(int operand) {
        return operand < 3 ? std::string(1, static_cast<char>('x' + operand)) : "x" + std::to_string(operand);
    }

    /// What the graph file fixes of a node, for the labels that one of its steps has.
    static Parts fixed_of(EinSum const& step, Node const& node) {
        if (node.fixed.empty()) return {};
        EinSum const& whole = std::get<EinSum>(node.op);
        Parts fixed;
        for (std::string const& label : step.labels) {
            auto const found = std::find(whole.labels.begin(), whole.labels.end(), label) - whole.labels.begin();
            fixed.push_back(node.fixed[static_cast<std::size_t>(found)]);
        }
        return fixed;
    }

    ValueId add_value(std::string const& wanted, Shape const& shape, DType dtype) {
        std::string name = wanted;
        for (int number = 2; !taken_.insert(name).second; ++number) name = wanted + ":" + std::to_string(number);
        graph_.values.push_back({std::move(name), shape, dtype});
        changes_.push_back(-1);
        return ValueId{static_cast<std::int32_t>(graph_.values.size() - 1)};
    }

    void append(Node node, std::size_t place) {
        changes_[at(node.output)] = std::max(changes_[at(node.output)], node.loop);
        places_.push_back(place);
        graph_.nodes.push_back(std::move(node));
    }

    void put_in_order() {
        std::vector<std::size_t> order(graph_.nodes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return places_[a] < places_[b]; });
        std::vector<Node> nodes;
        for (std::size_t k : order) nodes.push_back(std::move(graph_.nodes[k]));
        graph_.nodes = std::move(nodes);
    }

    EinGraph graph_;
    std::vector<Node> nodes_;
    std::unordered_set<std::string> taken_;
    std::vector<std::int32_t> changes_;                            // by value: the loop in whose iterations it changes
    std::unordered_map<std::int32_t, std::size_t> first_of_loop_;  // of nodes_
    std::size_t at_ = 0;
    std::vector<std::size_t> places_;  // of each node that was added: before or at which of nodes_ it stands
};

}  // namespace

EinGraph factor_joins(EinGraph graph) { return Factoring(std::move(graph)).run(); }

}  // namespace ein::graph
