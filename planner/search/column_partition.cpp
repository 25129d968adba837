#include "planner/search/column_partition.hpp"

#include <algorithm>
#include <numeric>

namespace ein::planner {
namespace {

bool has(std::vector<int> const& labels, std::size_t label) {
    return std::find(labels.begin(), labels.end(), static_cast<int>(label)) != labels.end();
}

/// The axes of a node's output as labels: an EinSum's own, else 0, 1, ...
std::vector<int> output_labels(graph::Node const& node, std::size_t axes) {
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) return einsum->output;
    std::vector<int> labels(axes);
    std::iota(labels.begin(), labels.end(), 0);
    return labels;
}

}  // namespace

std::int64_t ColumnPartition::rank_of(std::int64_t row, std::int64_t column) const {
    std::int64_t before = 0;
    for (std::int64_t group : groups) {
        if (column < before + group) return before + row / (rows / group);
        before += group;
    }
    return ranks - 1;
}

ColumnPartition column_partition_for(std::int64_t ranks) {
    ColumnPartition best;
    double least = 0;
    for (std::int64_t count = 1; count <= ranks; ++count) {
        std::int64_t const small = ranks / count, larger = ranks % count;
        double worst = 0;  // of 1 / pieces of rows + width of the column
        for (std::int64_t group : {small, larger > 0 ? small + 1 : small})
            worst = std::max(
                worst, 1.0 / static_cast<double>(group) + static_cast<double>(group) / static_cast<double>(ranks));
        if (!best.groups.empty() && worst >= least) continue;
        least = worst;
        best = {ranks, std::vector<std::int64_t>(static_cast<std::size_t>(count), small),
                larger > 0 ? small * (small + 1) : small};
        for (std::int64_t k = 0; k < larger; ++k) ++best.groups[static_cast<std::size_t>(k)];
    }
    return best;
}

std::int64_t awkward_factor(std::int64_t ranks) {
    std::vector<std::int64_t> const factors = prime_factors(ranks);
    return factors.empty() || factors.back() < 5 ? 1 : factors.back();
}

ColumnPartitionTable::ColumnPartitionTable(graph::EinGraph const& graph, std::int64_t ranks, Unit unit,
                                           std::size_t limit)
    : CandidateTable(graph, unit), all_ranks_(ranks), partition_(column_partition_for(awkward_factor(ranks))) {
    layouts_ = choose_by_form<Layout>(
        [&](graph::Node const& node, std::vector<Layout>& layouts) { return choices_of(node, limit, layouts); });
}

/// How often the ranks together see each element of a tensor with these labels.
double ColumnPartitionTable::seen(std::vector<int> const& labels, Layout const& layout) const {
    double times = 1;
    for (std::size_t label = 0; label < layout.grid.size(); ++label)
        if (!has(labels, label)) times *= static_cast<double>(layout.grid[label]);
    bool const row = has(labels, layout.row), column = has(labels, layout.column);
    if (row && column) return times;
    double const ranks = static_cast<double>(partition_.ranks);
    if (row) return times * static_cast<double>(partition_.groups.size());
    if (!column) return times * ranks;
    double squares = 0;
    for (std::int64_t group : partition_.groups) squares += static_cast<double>(group * group);
    return times * squares / ranks;
}

NodeCandidates ColumnPartitionTable::choices_of(graph::Node const& node, std::size_t limit,
                                                std::vector<Layout>& layouts) const {
    Shape const& extents = relation::cut_extents(graph_, node);
    std::vector<int> const output = output_labels(node, extents.size());
    std::vector<Parts> parts;
    auto const may_cut = [&](std::size_t label) {
        return has(output, label) && (node.fixed.empty() || node.fixed[label] == 0);
    };
    for (Parts const& grid : candidates(extents, all_ranks_ / partition_.ranks, limit, node.fixed).parts)
        for (std::size_t row = 0; row < extents.size(); ++row)
            for (std::size_t column = 0; column < extents.size(); ++column) {
                Parts cut = grid;
                if (row == column || !may_cut(row) || !may_cut(column)) continue;
                cut[row] *= partition_.rows;
                cut[column] *= partition_.ranks;
                if (cut[row] > extents[row] || cut[column] > extents[column]) continue;
                parts.push_back(std::move(cut));
                layouts.push_back({grid, row, column, true});
            }
    if (parts.empty()) {
        parts = preferred_candidates(graph_, node, all_ranks_, limit).parts;
        layouts.assign(parts.size(), {});
    }
    NodeCandidates out = choices_from(graph_, node, std::move(parts), unit_);
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    if (!einsum || !layouts.front().uneven) return out;
    Weights const of = weights(graph_, node, unit_);
    for (std::size_t c = 0; c < layouts.size(); ++c) {
        double work = 0;
        for (std::size_t k = 0; k < einsum->operands(); ++k)
            work += of.inputs[k] * seen(einsum->inputs[k], layouts[c]) *
                    static_cast<double>(element_count(graph_.value(node.inputs[k]).shape));
        work += of.partial * (seen(einsum->output, layouts[c]) - 1) *
                static_cast<double>(element_count(graph_.value(node.output).shape));
        out.work[c] = work;
    }
    return out;
}

std::vector<Rank> ColumnPartitionTable::ranks_of(NodeId id, int candidate) const {
    Layout const& layout = (*layouts_[static_cast<std::size_t>(id.value())])[static_cast<std::size_t>(candidate)];
    if (!layout.uneven) return {};
    graph::Node const& node = graph_.node(id);
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    std::vector<int> const order = einsum ? relation::call_labels(*einsum) : output_labels(node, layout.grid.size());
    Parts const& parts = of(id).candidates[static_cast<std::size_t>(candidate)];
    Parts counts;
    for (int label : order) counts.push_back(parts[static_cast<std::size_t>(label)]);
    std::vector<Rank> ranks;
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        std::int64_t cell = 0, row = 0, column = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            auto const label = static_cast<std::size_t>(order[k]);
            std::int64_t at = index[k];
            if (label == layout.row) row = at % partition_.rows, at /= partition_.rows;
            if (label == layout.column) column = at % partition_.ranks, at /= partition_.ranks;
            cell = cell * layout.grid[label] + at;
        }
        ranks.emplace_back(static_cast<int>(cell * partition_.ranks + partition_.rank_of(row, column)));
    });
    return ranks;
}

}  // namespace ein::planner
