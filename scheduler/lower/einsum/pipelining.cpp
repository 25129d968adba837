#include "scheduler/lower/einsum/pipelining.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace ein::scheduler {
namespace {

class Pipelining {
public:
    Pipelining(graph::EinGraph const& graph, relation::Plan const& plan, std::vector<ValueParts> const& parts,
               PipelineRule const& rule)
        : graph_(graph),
          plan_(plan),
          parts_(parts),
          rule_(rule),
          readers_(graph.consumers()),
          stay_whole_(graph.outputs.begin(), graph.outputs.end()),
          cuts_(graph.nodes.size()) {
        for (std::size_t v = 0; v < graph.values.size(); ++v)
            if (graph.values[v].listing) stay_whole_.insert(ValueId{static_cast<std::int32_t>(v)});
        for (graph::Loop const& loop : graph.loops) {
            for (graph::Loop::Carry const& carry : loop.carries) stay_whole_.insert({carry.inside, carry.result});
            if (loop.condition) stay_whole_.insert(*loop.condition);
        }
    }

    std::vector<Parts> run() {
        std::vector<Parts> subblocks(graph_.values.size());
        for (std::size_t n = graph_.nodes.size(); n-- > 0;) {  // readers before makers
            graph::Node const& node = graph_.nodes[n];
            auto const* einsum = std::get_if<graph::EinSum>(&node.op);
            if (einsum == nullptr || element_count(parts_of(n)) != plan_.ranks || is_copy(*einsum)) continue;
            if (has_partial_results(n)) {
                cuts_[n] = cuts_of_result(n, *einsum);
            } else if ((cuts_[n] = cuts_for_readers(n, *einsum))) {
                subblocks[index(node.output)] = relation::at_labels(cuts_[n]->labels, einsum->output);
            }
        }
        return subblocks;
    }

private:
    /// How a node's kernel calls are cut.
    struct Cuts {
        Parts labels;      // subblocks along each
        double moved = 0;  // bytes that leave the rank meanwhile
    };

    static std::size_t index(ValueId value) { return static_cast<std::size_t>(value.value()); }
    graph::EinSum const& einsum(std::size_t n) const { return std::get<graph::EinSum>(graph_.nodes[n].op); }
    Parts const& parts_of(std::size_t n) const { return plan_.nodes[n].parts; }

    static bool is_copy(graph::EinSum const& op) { return graph::flops(op, op.extents) == 0; }
    Parts made_in(std::size_t n) const { return relation::output_parts(graph_.nodes[n], plan_.nodes[n]); }
    /// Ranks that have results, or partial results, of each part of the output.
    std::int64_t sharers(std::size_t n) const { return relation::calls_of_a_block(einsum(n), parts_of(n)); }
    bool has_partial_results(std::size_t n) const { return sharers(n) > 1; }

    /// The first kernel call, which no other one exceeds.
    Box call_region(std::size_t n) const {
        Shape const& extents = einsum(n).extents;
        return block_box(extents, parts_of(n), std::vector<Extent>(extents.size(), 0));
    }

    /// Whether the calls of the node may as well be made for these subblocks of its output. @param moved  bytes
    std::optional<Cuts> where_it_pays(std::size_t n, Parts const& subblocks, double moved, DType dtype) const {
        graph::EinSum const& op = einsum(n);
        Cut cut(op.output_shape(), made_in(n));
        cut.subdivide(std::vector<Parts>(cut.part_count(), subblocks));
        std::vector<Box> boxes;
        for (Cut::Block const& block : cut.blocks_meeting(cut.part_box(0))) boxes.push_back(block.box);
        if (!subblocks_pay(op, call_region(n), boxes, moved, static_cast<double>(size_of(dtype)), rule_.split))
            return std::nullopt;
        Cuts out{Parts(op.labels.size(), 1), moved};
        for (std::size_t axis = 0; axis < subblocks.size(); ++axis)
            out.labels[static_cast<std::size_t>(op.output[axis])] = subblocks[axis];
        return out;
    }

    /// The node's calls leave partial results of every part on as many ranks; nothing where their subblocks differ from
    /// part to part.
    std::optional<Cuts> cuts_of_result(std::size_t n, graph::EinSum const& op) const {
        graph::Node const& node = graph_.nodes[n];
        Cut const cut(op.output_shape(), made_in(n));
        auto const ranks = static_cast<std::size_t>(sharers(n));
        std::vector<Parts> subblocks;
        for (std::size_t part = 0; part < cut.part_count(); ++part)
            subblocks.push_back(shared_subblocks(cut, part, ranks, size_of(graph_.value(node.output).dtype),
                                                 parts_[index(node.output)].wanted, rule_.subblock_bytes, rule_.split));
        if (std::any_of(subblocks.begin(), subblocks.end(), [&](Parts const& other) { return other != subblocks[0]; }))
            return std::nullopt;
        DType const accumulated = graph::types_of(graph_, node).accumulate;
        std::int64_t const bytes = cut.part_box(0).elements() * static_cast<std::int64_t>(size_of(accumulated));
        if (rule_.staging.suits(ranks, bytes / element_count(subblocks[0]))) return std::nullopt;
        return where_it_pays(n, subblocks[0], static_cast<double>(bytes), accumulated);
    }

    /// All that read the node's value are cut, and alike.
    std::optional<Cuts> cuts_for_readers(std::size_t n, graph::EinSum const& op) const {
        graph::Node const& node = graph_.nodes[n];
        if (stay_whole_.contains(node.output)) return std::nullopt;
        Parts subblocks;
        double moved = 0;
        for (NodeId reader : readers_[index(node.output)]) {
            auto const r = static_cast<std::size_t>(reader.value());
            graph::Node const& next = graph_.nodes[r];
            if (!cuts_[r] || next.loop != node.loop) return std::nullopt;
            for (std::size_t k = 0; k < next.inputs.size(); ++k) {
                if (next.inputs[k] != node.output) continue;
                Parts wish = relation::at_labels(cuts_[r]->labels, einsum(r).inputs[k]);
                if (!subblocks.empty() && wish != subblocks) return std::nullopt;
                if (!is_read_where_it_is_made(r, k)) return std::nullopt;
                subblocks = std::move(wish);
            }
            moved = std::max(moved, cuts_[r]->moved);
        }
        if (!cuts(subblocks)) return std::nullopt;
        auto out = where_it_pays(n, subblocks, moved, graph_.value(node.inputs.front()).dtype);
        if (out && !reads_its_own(n, op, *out)) out.reset();
        return out;
    }

    /// What the subblocks cut is each rank's own: what comes from others is taken as it comes instead (split_call).
    bool reads_its_own(std::size_t n, graph::EinSum const& op, Cuts const& made) const {
        for (std::size_t k = 0; k < op.operands(); ++k)
            if (cuts(relation::at_labels(made.labels, op.inputs[k])) && !is_read_where_it_is_made(n, k)) return false;
        return true;
    }

    /// Every rank's call reads a part of its own, in the cut that the operand is made in.
    bool is_read_where_it_is_made(std::size_t n, std::size_t operand) const {
        Parts const& made = parts_[index(graph_.nodes[n].inputs[operand])].made;
        return element_count(made) == plan_.ranks &&
               relation::input_parts(graph_.nodes[n], plan_.nodes[n], operand) == made;
    }

    graph::EinGraph const& graph_;
    relation::Plan const& plan_;
    std::vector<ValueParts> const& parts_;
    PipelineRule const& rule_;
    std::vector<std::vector<NodeId>> readers_;
    std::set<ValueId> stay_whole_;
    std::vector<std::optional<Cuts>> cuts_;  // by NodeId
};

}  // namespace

std::vector<Parts> pipelined_values(graph::EinGraph const& graph, relation::Plan const& plan,
                                    std::vector<ValueParts> const& parts, PipelineRule const& rule) {
    return Pipelining(graph, plan, parts, rule).run();
}

}  // namespace ein::scheduler
