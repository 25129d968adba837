#include "planner/search/candidate_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "planner/costs/data_movement.hpp"

namespace ein::planner {
namespace {

void append(Form& form, auto const& list) {
    form.push_back(static_cast<std::int64_t>(list.size()));
    for (auto item : list) form.push_back(static_cast<std::int64_t>(item));
}

}  // namespace

std::vector<std::size_t> same_values(graph::Node const& node) {
    std::map<ValueId, std::size_t> first;
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) out.push_back(first.emplace(node.inputs[k], k).first->second);
    return out;
}

std::vector<std::vector<std::size_t>> operands_by_value(graph::Node const& node) {
    std::map<std::size_t, std::vector<std::size_t>> operands;
    std::vector<std::size_t> const first = same_values(node);
    for (std::size_t k = 0; k < first.size(); ++k) operands[first[k]].push_back(k);
    std::vector<std::vector<std::size_t>> out;
    for (auto& [unused, readers] : operands) out.push_back(std::move(readers));
    return out;
}

Form form_of(graph::EinGraph const& graph, graph::Node const& node, Unit unit) {
    Form form{static_cast<std::int64_t>(node.op.index())};
    append(form, relation::cut_extents(graph, node));
    append(form, node.fixed);
    if (node.sharding)
        for (std::vector<int> const& axes : *node.sharding) append(form, axes);
    append(form, same_values(node));
    Weights const of = weights(graph, node, unit);
    for (double weight : of.inputs) form.push_back(std::bit_cast<std::int64_t>(weight));
    form.push_back(std::bit_cast<std::int64_t>(of.partial));
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) {
        for (std::vector<int> const& labels : einsum->inputs) append(form, labels);
        append(form, einsum->output);
    } else {
        for (std::size_t k = 0; k < node.inputs.size(); ++k) form.push_back(moved_elements(graph, node, k));
    }
    return form;
}

namespace {

SourceNeeds source_choices(graph::Node const& node, std::vector<Parts> const& candidates,
                           std::vector<std::size_t> operands) {
    SourceNeeds source;
    source.operands = std::move(operands);
    Distinct<std::vector<Parts>> needs;
    for (Parts const& parts : candidates) {
        std::vector<Parts> need;
        for (std::size_t operand : source.operands) {
            auto const* einsum = std::get_if<graph::EinSum>(&node.op);
            need.push_back(einsum ? *relation::input_parts(node, {.parts = parts}, operand) : parts);
        }
        source.need_of.push_back(needs.number(std::move(need)));
    }
    source.needs = std::move(needs.items);
    return source;
}

}  // namespace

NodeCandidates choices_from(graph::EinGraph const& graph, graph::Node const& node, std::vector<Parts> candidates,
                            Unit unit) {
    NodeCandidates out;
    out.candidates = std::move(candidates);
    Distinct<Parts> outputs;
    Weights const of = weights(graph, node, unit);
    for (Parts const& parts : out.candidates) {
        out.work.push_back(cost_of_node(graph, node, parts, of).total());
        out.output_of.push_back(outputs.number(relation::output_parts(node, {.parts = parts})));
    }
    out.outputs = std::move(outputs.items);
    for (auto& operands : operands_by_value(node))
        out.sources.push_back(source_choices(node, out.candidates, std::move(operands)));
    return out;
}

namespace {

NodeCandidates choices_of(graph::EinGraph const& graph, graph::Node const& node, std::int64_t calls, Unit unit,
                          std::size_t limit) {
    Candidates listed = preferred_candidates(graph, node, calls, limit);
    bool const complete = listed.total <= static_cast<double>(listed.parts.size());
    NodeCandidates out = choices_from(graph, node, std::move(listed.parts), unit);
    out.complete = complete;
    return out;
}

}  // namespace

std::size_t default_limit(std::size_t nodes) {
    // The work for an edge grows with the product of both ends' candidates.
    double const limit = std::sqrt(4e9 / static_cast<double>(std::max<std::size_t>(1, nodes)));
    return static_cast<std::size_t>(std::clamp(limit, 64.0, 20000.0));
}

Candidates preferred_candidates(graph::EinGraph const& graph, graph::Node const& node, std::int64_t calls,
                                std::size_t limit) {
    Candidates list = candidates(relation::cut_extents(graph, node), calls, limit, node.fixed);
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    if (!einsum) return list;  // larger parts on earlier axes first
    std::vector<int> const aggregated = einsum->aggregated();
    auto partials = [&](Parts const& parts) {
        double all = 1;
        for (int label : aggregated) all *= static_cast<double>(parts[static_cast<std::size_t>(label)]);
        return all;
    };
    auto preferred = [&](Parts const& a, Parts const& b) {
        if (double const x = partials(a), y = partials(b); x != y) return x < y;
        for (std::vector<int> const* labels : {&einsum->output, &aggregated}) {
            for (int label : *labels) {
                auto const l = static_cast<std::size_t>(label);
                if (a[l] != b[l]) return a[l] > b[l];
            }
        }
        return false;
    };
    std::sort(list.parts.begin(), list.parts.end(), preferred);
    return list;
}

CandidateTable::CandidateTable(graph::EinGraph const& graph, Unit unit)
    : graph_(graph), unit_(unit), iterations_(graph.iterations_of_values()) {}

CandidateTable::CandidateTable(graph::EinGraph const& graph, std::int64_t calls, Unit unit, std::size_t limit)
    : CandidateTable(graph, unit) {
    std::map<Form, std::shared_ptr<NodeCandidates const>> known;
    for (graph::Node const& node : graph.nodes) {
        auto& choices = known[form_of(graph, node, unit)];
        if (!choices) choices = std::make_shared<NodeCandidates const>(choices_of(graph, node, calls, unit, limit));
        choices_.push_back(choices);
    }
}

bool CandidateTable::complete() const {
    return std::all_of(choices_.begin(), choices_.end(), [](auto const& choices) { return choices->complete; });
}

double CandidateTable::edge(NodeId id, SourceNeeds const& source, std::size_t need, Parts const& output) const {
    graph::Node const& node = graph_.node(id);
    bool const is_einsum = std::holds_alternative<graph::EinSum>(node.op);
    double sum = 0;
    for (std::size_t k = 0; k < source.operands.size(); ++k) {
        std::size_t const operand = source.operands[k];
        Parts const& needed = source.needs[need][k];
        if (!is_einsum) {
            sum += iterations_of(node.inputs[operand]) * cost_of_edge(graph_, node, operand, output, needed, unit_);
            continue;
        }
        graph::Value const& input = graph_.value(node.inputs[operand]);
        sum += cost_repart(input.shape, output, needed, iterations_of(node.inputs[operand]) * weight_of(input, unit_));
    }
    return sum;
}

}  // namespace ein::planner
