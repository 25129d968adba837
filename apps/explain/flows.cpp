#include "apps/explain/flows.hpp"

#include <algorithm>

#include "apps/explain/collective.hpp"
#include "apps/explain/sharding_text.hpp"

namespace ein::apps::explain {
namespace {

std::size_t at(ValueId id) { return static_cast<std::size_t>(id.value()); }

std::vector<int> counted(std::size_t n) {
    std::vector<int> out;
    for (std::size_t k = 0; k < n; ++k) out.push_back(static_cast<int>(k));
    return out;
}

/// A tensor beside a node: the names of its axes there, and how it lies (or nobody knows).
struct View {
    std::vector<std::string> labels;
    Shape shape;
    std::optional<Sharding> sharding;
};

class PlanReport {
public:
    PlanReport(graph::EinGraph const& graph, relation::Plan const& plan, scheduler::Scheduled const& made)
        : graph_(graph), plan_(plan), made_(made), producers_(graph.producers()) {
        for (std::size_t n = 0; n < graph.nodes.size(); ++n)
            calls_.push_back(spread_of_calls(plan.nodes[n].parts, call_order(n), made.ranks[n], plan.ranks));
        for (scheduler::Layout const& layout : made.layouts) homes_.push_back(spread_of_layout(layout, plan.ranks));
        std::vector<Spread const*> known;
        for (auto const* list : {&calls_, &homes_})
            for (auto const& spread : *list)
                if (spread) known.push_back(&*spread);
        mesh_ = graph.mesh.empty() ? mesh_for(known, plan.ranks) : mesh_of(graph.mesh);
    }

    Flows flows() {
        Flows out{mesh_, {}};
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            out.nodes.emplace_back();
            for (std::size_t k = 0; k < graph_.nodes[n].inputs.size(); ++k) out.nodes[n].inputs.push_back(input(n, k));
            out.nodes[n].output = output(n);
        }
        note_all_reduces(out);
        return out;
    }

private:
    std::vector<int> call_order(std::size_t n) const {
        auto const* einsum = std::get_if<graph::EinSum>(&graph_.nodes[n].op);
        return einsum ? relation::call_labels(*einsum) : counted(plan_.nodes[n].parts.size());
    }

    std::vector<std::string> axis_names(graph::Node const& node, ValueId value, std::vector<int> const* labels) const {
        std::vector<std::string> out;
        for (std::size_t axis = 0; axis < graph_.value(value).shape.size(); ++axis)
            out.push_back(labels ? relation::cut_name(node, static_cast<std::size_t>((*labels)[axis]))
                                 : std::to_string(axis));
        return out;
    }

    std::string text(View const& view, std::vector<int> const& partial = {}) const {
        if (!view.sharding) return "each rank reads its own";
        return sharding_text(view.labels, view.shape, *view.sharding, mesh_, partial);
    }

    /// As the graph says, of a node with a sharding.
    static Sharding given(graph::EinGraph const& graph, graph::Node const& node) {
        Sharding out{true, graph::parts_of(graph.mesh, *node.sharding), *node.sharding, {}, node.replicated};
        for (int axis = 0; axis < static_cast<int>(graph.mesh.size()) && !node.replicated; ++axis)
            if (!out.shards(axis) && graph.mesh[static_cast<std::size_t>(axis)].size > 1) out.single.push_back(axis);
        return out;
    }

    View home(graph::Node const& node, ValueId value, std::vector<int> const* labels) const {
        View out{axis_names(node, value, labels), graph_.value(value).shape, std::nullopt};
        if (auto const producer = producers_[at(value)]; producer && graph_.node(*producer).sharding) {
            out.sharding = given(graph_, graph_.node(*producer));
            return out;
        }
        if (homes_[at(value)])
            out.sharding = sharding_of(*homes_[at(value)], mesh_);
        else if (!made_.layouts[at(value)].ranks.empty())
            out.sharding = Sharding{false, made_.layouts[at(value)].parts, {}, {}, false};
        return out;
    }

    /// A node's calls seen along these of its labels.
    Sharding seen(std::size_t n, std::vector<int> const& labels) const {
        if (graph_.nodes[n].sharding) return given(graph_, graph_.nodes[n]);
        if (calls_[n]) return sharding_of(projected(*calls_[n], labels), mesh_);
        Sharding out;
        for (int label : labels) out.parts.push_back(plan_.nodes[n].parts[static_cast<std::size_t>(label)]);
        out.replicated = labels.size() < plan_.nodes[n].parts.size();
        return out;
    }

    Flow input(std::size_t n, std::size_t k) const {
        graph::Node const& node = graph_.nodes[n];
        ValueId const value = node.inputs[k];
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        std::vector<int> const* labels = einsum ? &einsum->inputs[k] : nullptr;
        View const held = home(node, value, labels);
        View wanted{held.labels, held.shape, std::nullopt};
        bool const same_axes = einsum || held.shape.size() == plan_.nodes[n].parts.size();
        if (einsum) {
            wanted.sharding = seen(n, *labels);
        } else {  // what it needs for its blocks lies as they do
            std::vector<int> const axes = counted(plan_.nodes[n].parts.size());
            wanted = {axis_names(node, node.output, nullptr), graph_.value(node.output).shape, seen(n, axes)};
        }
        Flow flow;
        flow.tensor = graph_.value(value).name;
        if (auto const producer = producers_[at(value)]) flow.maker = static_cast<std::size_t>(producer->value());
        flow.held = text(held);
        flow.wanted = text(wanted);
        flow.bytes = made_.traffic[n].inputs[k];
        bool const kept_order = einsum || (same_axes && !std::holds_alternative<graph::Reshape>(node.op));
        if (flow.bytes > 0 && held.sharding)
            flow.steps = steps(exchanges(*held.sharding, *wanted.sharding, kept_order ? Order::kept : Order::changed));
        else if (flow.held != flow.wanted && held.sharding)
            flow.note = plan_.ranks > 1 ? "what is needed lies there already" : "";
        return flow;
    }

    Flow output(std::size_t n) const {
        graph::Node const& node = graph_.nodes[n];
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        std::vector<int> const labels = einsum ? einsum->output : counted(plan_.nodes[n].parts.size());
        View const held = home(node, node.output, einsum ? &labels : nullptr);
        View const made{held.labels, held.shape, seen(n, labels)};
        std::vector<int> const waiting = partial(n, labels);
        Flow flow;
        flow.tensor = graph_.value(node.output).name;
        flow.maker = n;
        flow.wanted = text(made, waiting);
        flow.held = text(held);
        flow.bytes = made_.traffic[n].agg;
        if (flow.bytes > 0 && held.sharding)
            flow.steps = steps(finishing(waiting, made.sharding->parts, *held.sharding));
        if (waiting.empty() && flow.bytes > 0) flow.wanted += ", Partial";
        return flow;
    }

    /// Mesh axes that shard labels which the output lacks.
    std::vector<int> partial(std::size_t n, std::vector<int> const& output) const {
        std::vector<int> out;
        if (!calls_[n]) return out;
        Sharding const all = sharding_of(*calls_[n], mesh_);
        for (std::size_t label = 0; label < all.axes.size(); ++label)
            if (std::find(output.begin(), output.end(), static_cast<int>(label)) == output.end())
                out.insert(out.end(), all.axes[label].begin(), all.axes[label].end());
        std::sort(out.begin(), out.end());
        return out;
    }

    std::vector<Step> steps(std::vector<Exchange> const& exchanges) const {
        std::vector<Step> out;
        for (Exchange const& exchange : exchanges)
            out.push_back({std::string(name(exchange.kind)), mesh_.names(exchange.axes)});
        return out;
    }

    /// A reduce-scatter whose every reader gathers the same axes again is an all-reduce.
    static void note_all_reduces(Flows& flows) {
        std::vector<std::vector<Flow const*>> readers(flows.nodes.size());
        for (NodeFlows const& node : flows.nodes)
            for (Flow const& flow : node.inputs)
                if (flow.maker) readers[*flow.maker].push_back(&flow);
        for (std::size_t n = 0; n < flows.nodes.size(); ++n) {
            Flow& made = flows.nodes[n].output;
            if (made.steps.empty() || made.steps[0].kind != "reduce-scatter" || readers[n].empty()) continue;
            Step const gathered{"all-gather", made.steps[0].axes};
            if (std::all_of(readers[n].begin(), readers[n].end(), [&](Flow const* reader) {
                    return std::find(reader->steps.begin(), reader->steps.end(), gathered) != reader->steps.end();
                }))
                made.note = "with its readers' all-gather: an all-reduce";
        }
    }

    graph::EinGraph const& graph_;
    relation::Plan const& plan_;
    scheduler::Scheduled const& made_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::optional<Spread>> calls_;  // by NodeId, over the labels
    std::vector<std::optional<Spread>> homes_;  // by ValueId
    Mesh mesh_;
};

}  // namespace

Flows flows_of(graph::EinGraph const& graph, relation::Plan const& plan, scheduler::Scheduled const& made) {
    return PlanReport(graph, plan, made).flows();
}

}  // namespace ein::apps::explain
