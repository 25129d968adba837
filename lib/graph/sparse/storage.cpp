#include "lib/graph/sparse/storage.hpp"

#include <algorithm>

#include "lib/graph/graph_builder.hpp"
#include "lib/graph/sparse/make_dense.hpp"
#include "lib/graph/sparse/moved.hpp"
#include "lib/graph/sparse/row_lookup.hpp"
#include "lib/graph/sparse/stored_size.hpp"

namespace ein::graph {
namespace {

std::string why_all_listed(EinGraph const& graph, Node const& node) {
    for (std::size_t k = 0; k < node.inputs.size(); ++k)
        if (graph.value(node.inputs[k]).listing) return why_dense(graph, node, k);
    return "no operand is sparse";
}

/// Of a node without idle elements that reads what a loop was to carry sparse; empty: it reads nothing such.
std::string why_carries_dense(EinGraph const& graph, Node const& node) {
    for (Loop const& loop : graph.loops)
        for (Loop::Carry const& carry : loop.carries) {
            if (std::find(node.inputs.begin(), node.inputs.end(), carry.inside) == node.inputs.end()) continue;
            auto const begins = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                             [&](Node const& each) { return each.output == carry.inside; });
            if (begins == graph.nodes.end() || !graph.value(begins->inputs.at(0)).listing) continue;
            return "its operand '" + graph.value(carry.result).name + "' is dense, as loop '" + loop.name +
                   "' ends iterations with what is dense, or has another fill";
        }
    return "";
}

}  // namespace

StorageChoice::StorageChoice(EinGraph const& graph, ResultStorage keep, std::string file, std::set<ValueId> dense)
    : keep_(std::move(keep)), file_(std::move(file)), dense_(std::move(dense)) {
    for (Loop const& loop : graph.loops) {
        if (loop.condition) dense_.insert(*loop.condition);
        for (Loop::Carry const& carry : loop.carries) {
            insides_.insert(carry.inside);
            by_result_.emplace(carry.result, carry.inside);
        }
    }
}

/// A lookup in a tensor whose fill is not 0: a dense result would need that at each place.
bool looks_in_fill(EinGraph const& graph, Node const& node, IdleSets const& idle) {
    bool const zero = !idle.fill || (idle.fill->is_integer ? idle.fill->integer == 0 : idle.fill->number == 0.0);
    return !zero && is_row_lookup(graph, node);
}

/// What moves elements, or hands them from iteration to iteration, reads them as it keeps them.
bool StorageChoice::reads_sparse(EinGraph const& graph, Node const& node, std::size_t operand,
                                 IdleSets const& idle) const {
    bool const hands_over = moves_elements(node) || looks_in_fill(graph, node, idle) ||
                            insides_.contains(node.output) || by_result_.contains(node.output);
    if (hands_over && !graph.value(node.output).listing) return false;
    return !dense_.contains(node.output) && idle.reads_sparse(static_cast<int>(operand));
}

void StorageChoice::decide(GraphBuilder& builder, Node const& node) {
    EinGraph const& graph = builder.graph();
    IdleSets const idle = idle_sets(graph, node);
    choose(builder, node, idle);
    if (auto const inside = by_result_.find(node.output); inside != by_result_.end())
        if (graph.value(inside->second).listing && !graph.value(node.output).listing) refused_.insert(inside->second);
    for (std::size_t k = 0; k < node.inputs.size(); ++k)
        if (graph.value(node.inputs[k]).listing && !reads_sparse(graph, node, k, idle))
            wanted_dense_.insert(node.inputs[k]);
}

void StorageChoice::choose(GraphBuilder& builder, Node const& node, IdleSets const& idle) {
    EinGraph const& graph = builder.graph();
    if (!keep_) return;  // wishes are for who plans
    std::string const obstacle = why_not_sparse(graph, node, idle);
    bool const said = !faults_.empty() && faults_.back().where == node.storage_at;  // of what its sharding copies
    if (node.storage == StorageWish::sparse && !obstacle.empty() && !said)
        faults_.push_back({file_, node.storage_at, "a result that can be kept sparse",
                           "node '" + node.name + "': " + obstacle, "remove \"sparse\" from the node"});
    if (!obstacle.empty() || node.storage == StorageWish::dense) return;
    std::optional<Listing> const listing = keep_(graph, node, idle);
    if (!listing) return;
    builder.set_listing(node.output, *listing);
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr || einsum->aggregated().empty()) return;
    Parts fixed = node.fixed;
    fixed.resize(einsum->labels.size(), 0);
    for (int label : einsum->aggregated()) fixed[at(label)] = 1;
    builder.fix_parts(node.output, std::move(fixed));
}

/// Whether a loop that would hand it on sparse begins with a dense tensor, or with another fill.
bool StorageChoice::begins_otherwise(EinGraph const& graph, Node const& node, IdleSets const& idle) const {
    auto const inside = by_result_.find(node.output);
    if (inside == by_result_.end()) return false;
    auto const& begins = graph.value(inside->second).listing;
    return !begins || !scalar::same_value(begins->fill, *idle.fill);
}

/// Empty: it can be. Copies that loops make are no nodes of the file, so no one asks for theirs.
std::string StorageChoice::why_not_sparse(EinGraph const& graph, Node const& node, IdleSets const& idle) const {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr) return idle.fill ? "" : why_moved_dense(graph, node);
    if (idle.sets.empty()) {
        std::string const carried = why_carries_dense(graph, node);
        return carried.empty() ? why_all_listed(graph, node) : carried;
    }
    if (dense_.contains(node.output) || begins_otherwise(graph, node, idle)) return "a loop hands it on dense";
    for (int label : einsum->aggregated())
        if (!node.fixed.empty() && node.fixed[at(label)] > 1)
            return "its aggregated label '" + einsum->labels[at(label)] + "' is cut into parts";
    return "";
}

EinGraph StorageChoice::finish(EinGraph graph) && {
    if (!faults_.empty()) throw InputError(std::move(faults_));
    return wanted_dense_.empty() ? graph : with_dense_copies(std::move(graph));
}

/// Copies of leaves come first, those of results right behind them: of what iterations begin with, in each of them; of
/// what they end with, after the last.
EinGraph StorageChoice::with_dense_copies(EinGraph graph) {
    std::vector<Node> nodes;
    nodes.swap(graph.nodes);
    std::vector<Leaf> const leaves = graph.leaves;
    GraphBuilder builder(std::move(graph));
    for (Leaf const& leaf : leaves) add_copy(builder, leaf.value, -1);
    std::vector<std::int32_t> open;  // loops, the innermost first
    auto const close = [&](std::vector<std::int32_t> const& around) {
        for (; !open.empty() && std::find(around.begin(), around.end(), open[0]) == around.end();
             open.erase(open.begin()))
            for (Loop::Carry const& carry : builder.graph().loops[static_cast<std::size_t>(open[0])].carries)
                add_copy(builder, carry.result, builder.graph().loops[static_cast<std::size_t>(open[0])].outer);
    };
    for (Node& node : nodes) {
        std::vector<std::int32_t> const around = builder.graph().loops_around(node.loop);
        close(around);
        for (std::size_t k = around.size() - open.size(); k-- > 0;)
            for (Loop::Carry const& carry : builder.graph().loops[static_cast<std::size_t>(around[k])].carries)
                add_copy(builder, carry.inside, around[k]);
        open = around;
        ValueId const made = node.output;
        std::int32_t const loop = node.loop;
        append(builder, std::move(node));
        if (!insides_.contains(made) && !by_result_.contains(made)) add_copy(builder, made, loop);
    }
    close({});
    return builder.take();
}

void StorageChoice::add_copy(GraphBuilder& builder, ValueId value, std::int32_t loop) {
    if (!wanted_dense_.contains(value)) return;
    Value const like = builder.value(value);
    std::int32_t const before = builder.go_to_loop(loop);
    copies_.emplace(value,
                    NodeBuilder(builder, like.name).einsum("dense", identity_einsum(like.shape), {value}, like.dtype));
    builder.go_to_loop(before);
}

void StorageChoice::append(GraphBuilder& builder, Node node) {
    IdleSets const idle = idle_sets(builder.graph(), node);
    for (std::size_t k = 0; k < node.inputs.size(); ++k)
        if (builder.value(node.inputs[k]).listing && !reads_sparse(builder.graph(), node, k, idle))
            node.inputs[k] = copies_.at(node.inputs[k]);
    builder.append(std::move(node));
}

std::set<ValueId> carried(EinGraph const& graph) {
    std::set<ValueId> out;
    for (Loop const& loop : graph.loops) {
        if (loop.condition) out.insert(*loop.condition);
        for (Loop::Carry const& carry : loop.carries) out.insert({carry.inside, carry.result});
    }
    return out;
}

bool may_be_sparse(EinGraph const& graph) {
    return has_sparse(graph) || std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                            [](Node const& node) { return node.storage == StorageWish::sparse; });
}

}  // namespace ein::graph
