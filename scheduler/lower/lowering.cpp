#include "scheduler/lower/lowering.hpp"

#include <set>

#include "lib/base/parallel.hpp"

namespace ein::scheduler {

using schedule::TaskKind;

Box projected(Box const& region, std::vector<int> const& labels) {
    Box box;
    box.begin.reserve(labels.size());
    box.length.reserve(labels.size());
    for (int label : labels) {
        box.begin.push_back(region.begin[static_cast<std::size_t>(label)]);
        box.length.push_back(region.length[static_cast<std::size_t>(label)]);
    }
    return box;
}

Lowering::Lowering(graph::EinGraph const& graph, relation::Plan const& plan, LoweringOptions const& options,
                   schedule::Header& header)
    : graph_(graph),
      plan_(plan),
      options_(options),
      header_(header),
      sections_(static_cast<std::size_t>(plan.ranks)),
      tables_(header),
      parts_(value_parts(graph, plan)),
      streams_(streamed_values(graph, plan, parts_, {options.slice_bytes, options.staging, options.piecing})),
      ranks_(graph.nodes.size()),
      call_counts_(graph.nodes.size()),
      residency_(graph, parts_, options.inputs, options.staging, options.messages, sections_, tables_) {
    if (!graph.loops.empty()) producers_ = graph.producers();
    for (graph::Loop const& loop : graph.loops)
        for (graph::Loop::Carry const& carry : loop.carries) {
            carried_.insides.insert(carry.inside);
            carried_.by_result[carry.result] = carry.inside;
        }
    for (graph::Value const& v : graph.values) header.tensors.push_back({v.name, v.shape, v.dtype});
    for (graph::Leaf const& leaf : graph.leaves) header.inputs.push_back({leaf.value.value(), leaf.source});
    for (ValueId output : graph.outputs) header.outputs.push_back({output.value(), graph.value(output).name});
}

void Lowering::run() {
    std::vector<std::size_t> unread(graph_.values.size());
    auto const consumers = graph_.consumers();
    for (std::size_t v = 0; v < unread.size(); ++v) unread[v] = consumers[v].size();
    for (NodeId id : node_order(graph_, options_.order)) {
        go_to_loop(graph_.node(id).loop);
        lower(id);
        std::vector<ValueId> const& inputs = graph_.node(id).inputs;
        for (ValueId input : std::set<ValueId>(inputs.begin(), inputs.end()))
            if (--unread[static_cast<std::size_t>(input.value())] == 0) residency_.forget_copies(input);
    }
    go_to_loop(-1);
    store_outputs();
}

std::vector<schedule::Section> Lowering::take_sections() {
    Room const room = options_.order == Order::least_memory ? Room::within_peak : Room::any;
    return for_each_in_parallel(sections_.size(), [&](std::size_t rank) {
        return std::move(sections_[rank]).finish(room, options_.messages.window);
    });
}

std::vector<Layout> Lowering::layouts() const {
    std::vector<Layout> out;
    for (std::size_t v = 0; v < graph_.values.size(); ++v)
        out.push_back(residency_.layout(ValueId{static_cast<std::int32_t>(v)}));
    return out;
}

void Lowering::lower(NodeId id) {
    graph::Node const& node = graph_.node(id);
    residency_.begin(node_ = id);
    for (SectionBuilder& section : sections_) section.begin_node();
    std::visit([&](auto const& op) { lower(node, op, plan_.node(id)); }, node.op);
}

void Lowering::place(std::vector<Call>& calls, relation::NodePlan const& plan, std::vector<std::vector<Held>> held) {
    auto const number = static_cast<std::size_t>(node_.value());
    std::vector<Rank>& ranks = ranks_[number];
    if (!plan.ranks.empty())
        ranks = plan.ranks;
    else if (number < options_.decided.size() && !options_.decided[number].empty())
        ranks = options_.decided[number];
    else
        ranks = options_.place({plan_.ranks, std::move(held)});
    for (std::size_t c = 0; c < calls.size(); ++c) calls[c].rank = ranks[c];
    call_counts_[static_cast<std::size_t>(node_.value())] = static_cast<std::int64_t>(calls.size());
}

void Lowering::store_outputs() {
    for (std::size_t number = 0; number < graph_.outputs.size(); ++number) {
        ValueId const output = graph_.outputs[number];
        auto const blocks = residency_.cut(output).blocks();
        for (std::size_t index = 0; index < blocks; ++index) {
            Rank const asking{static_cast<int>(index * static_cast<std::size_t>(plan_.ranks) / blocks)};
            Holding const from = residency_.home(output, index, asking);  // a leaf may not have been loaded yet
            on(from.rank).add({.kind = TaskKind::store,
                               .spec = static_cast<std::int32_t>(number),
                               .inputs = {from.block},
                               .output = {},
                               .region = {}});
        }
    }
}

}  // namespace ein::scheduler
