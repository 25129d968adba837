#include "tests/planner/small_graphs.hpp"

#include <limits>
#include <optional>

#include "planner/search/candidate_table.hpp"

namespace ein::test {
namespace {

using planner::Unit;

/// Decides node after node; gives up where the cost so far is no better than the best (costs are never negative).
class Enumeration {
public:
    Enumeration(graph::EinGraph const& graph, std::int64_t calls, Unit unit)
        : graph_(graph), unit_(unit), producers_(graph.producers()), parts_(graph.nodes.size()) {
        for (graph::Node const& node : graph.nodes)
            lists_.push_back(planner::preferred_candidates(graph, node, calls, 1'000'000).parts);
    }

    double least() {
        decide(0, 0);
        return best_;
    }

private:
    void decide(std::size_t k, double cost) {
        if (cost >= best_) return;
        if (k == parts_.size()) {
            best_ = cost;
            return;
        }
        for (Parts const& parts : lists_[k]) {
            parts_[k] = parts;
            decide(k + 1, cost + cost_of(k));
        }
    }

    double cost_of(std::size_t k) const {
        graph::Node const& node = graph_.nodes[k];
        double cost = planner::cost_of_node(graph_, node, parts_[k], unit_).total();
        for (std::size_t operand = 0; operand < node.inputs.size(); ++operand) {
            auto const producer = producers_[static_cast<std::size_t>(node.inputs[operand].value())];
            if (!producer) continue;
            Parts const from = relation::output_parts(graph_.node(*producer),
                                                      {.parts = parts_[static_cast<std::size_t>(producer->value())]});
            cost += planner::cost_of_edge(graph_, node, operand, from, parts_[k], unit_);
        }
        return cost;
    }

    graph::EinGraph const& graph_;
    Unit unit_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<Parts>> lists_;
    std::vector<Parts> parts_;
    double best_ = std::numeric_limits<double>::infinity();
};

class RandomMatrices {
public:
    RandomMatrices(std::mt19937& random, bool tree) : random_(random), tree_(tree) {
        std::vector<Extent> const extents{1, 2, 3, 4, 6, 8, 12};
        for (Extent& extent : extents_) extent = extents[below(extents.size())];
    }

    graph::EinGraph make(int nodes) {
        for (int k = 0; k < nodes; ++k) add_node("node" + std::to_string(k));
        std::vector<std::string> outputs;
        for (Open const& open : open_) outputs.push_back(open.name);
        return builder_.finish(outputs);
    }

private:
    struct Open {
        std::string name;
        Shape shape;
    };

    std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
    DType dtype() { return std::vector{DType::f32, DType::f64, DType::f16}[below(3)]; }

    /// A value whose shape is as wanted (0: any extent): one that a node made, mostly the latest, else a new leaf.
    Open take(Extent rows = 0, Extent columns = 0) {
        for (std::size_t k = open_.size(); k-- > 0;) {
            Open const found = open_[k];
            bool const fits = (!rows || found.shape[0] == rows) && (!columns || found.shape[1] == columns);
            if (!fits || below(4) == 0) continue;
            if (tree_) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(k));
            return found;
        }
        std::string const name = "leaf" + std::to_string(leaves_++);
        Shape const shape{rows ? rows : extents_[below(2)], columns ? columns : extents_[below(2)]};
        builder_.leaf(name, shape, dtype());
        return {name, shape};
    }

    void add_node(std::string const& name) {
        Open const x = take();
        Extent const rows = x.shape[0], columns = x.shape[1];
        Extras const extras{.dtype = dtype()};
        Shape made = x.shape;
        switch (below(8)) {
            case 0: builder_.einsum(name, "ij->ij", {x.name}, extras); break;
            case 1:
                builder_.einsum(name, "ij->ji", {x.name}, extras);
                made = {columns, rows};
                break;
            case 2:
                made = {rows * columns, 1};
                builder_.node(name, graph::Reshape{}, {x.name}, made, builder_.dtype(x.name));
                break;
            case 3: {
                graph::Move move;  // pads one row
                move.regions = {{Box{{0, 0}, {rows, columns}}, {{}, {}}}};
                move.fill = scalar::Scalar{};
                made = {rows + 1, columns};
                builder_.node(name, std::move(move), {x.name}, made, builder_.dtype(x.name));
                break;
            }
            case 4: builder_.einsum(name, "ij,ij->ij", {x.name, take(rows, columns).name}, extras); break;
            case 5:
                builder_.einsum(name, "ij,ij,ik->ij", {x.name, take(rows, columns).name, take(rows).name}, extras);
                break;
            default: {
                Open const y = take(columns);
                made = {rows, y.shape[1]};
                builder_.einsum(name, "ij,jk->ik", {x.name, y.name}, extras);
            }
        }
        open_.push_back({name, made});
    }

    std::mt19937& random_;
    bool tree_;
    Extent extents_[2];
    GraphBuilder builder_;
    std::vector<Open> open_;  // what may be read
    int leaves_ = 0;
};

}  // namespace

double total_cost(graph::EinGraph const& graph, std::vector<relation::NodePlan> nodes, Unit unit) {
    relation::Plan plan;
    plan.nodes = std::move(nodes);
    planner::price(graph, plan);
    return unit == Unit::elements ? plan.elements().total() : plan.bytes().total();
}

double least_cost(graph::EinGraph const& graph, std::int64_t calls, Unit unit) {
    return Enumeration(graph, calls, unit).least();
}

graph::EinGraph random_matrices(std::mt19937& random, int nodes, bool tree) {
    return RandomMatrices(random, tree).make(nodes);
}

}  // namespace ein::test
