#include "planner/search/shared_boxes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "lib/graph/join_step.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

std::int64_t sum_of(std::vector<std::int64_t> const& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

std::int64_t gcd_of(std::vector<std::int64_t> const& numbers) {
    std::int64_t out = 0;
    for (std::int64_t number : numbers) out = std::gcd(out, number);
    return out;
}

bool are_alike(BoxRanks const& columns) {
    return std::all_of(columns.begin(), columns.end(), [](auto const& column) {
        return std::all_of(column.begin(), column.end(), [&](auto ranks) { return ranks == column.front(); });
    });
}

/// As even as can be: the first ones are one larger.
std::vector<std::int64_t> shared_out(std::int64_t total, std::int64_t count) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(count), total / count);
    for (std::int64_t k = 0; k < total % count; ++k) ++out[static_cast<std::size_t>(k)];
    return out;
}

/// Columns of boxes of `ranks` ranks each.
BoxRanks columns_of(std::int64_t boxes, std::int64_t ranks, std::int64_t columns) {
    BoxRanks out;
    for (std::int64_t in_column : shared_out(boxes, columns))
        out.emplace_back(static_cast<std::size_t>(in_column), ranks);
    return out;
}

/// So many ranks in so many boxes, as even as can be: large and small ones. Calls visit(columns) for columns of one
/// size each, and for boxes that are dealt to columns like cards.
template <class Visit>
void for_ways(std::int64_t ranks, std::int64_t count, Visit const& visit) {
    std::int64_t const small = ranks / count, large_ones = ranks % count;
    for (std::int64_t of_small = 1; of_small <= count - large_ones; ++of_small) {
        BoxRanks const columns = columns_of(count - large_ones, small, of_small);
        if (large_ones == 0) visit(columns);
        for (std::int64_t of_large = 1; of_large <= large_ones; ++of_large) {
            BoxRanks both = columns_of(large_ones, small + 1, of_large);
            both.insert(both.end(), columns.begin(), columns.end());
            visit(std::move(both));
        }
    }
    if (large_ones == 0) return;
    std::vector<std::int64_t> const boxes = shared_out(ranks, count);
    for (std::size_t columns = 1; columns <= boxes.size(); ++columns) {
        BoxRanks large_first(columns), small_first(columns);
        for (std::size_t k = 0; k < boxes.size(); ++k) {
            large_first[k % columns].push_back(boxes[k]);
            small_first[k % columns].push_back(boxes[boxes.size() - 1 - k]);
        }
        visit(std::move(large_first));
        visit(std::move(small_first));
    }
}

/// Elements of `extent` that a run of cells has.
double length(Extent extent, std::int64_t parts, SharedBoxes::Run const& run) {
    return static_cast<double>(part_begin(extent, parts, run.end) - part_begin(extent, parts, run.begin));
}

}  // namespace

double BoxGrid::cells() const {
    return static_cast<double>(row_parts) * static_cast<double>(column_parts) * static_cast<double>(sum_parts);
}

BoxGrid grid_of(BoxRanks const& columns) {
    BoxGrid grid;
    std::int64_t unit = 0;
    for (auto const& column : columns) {
        std::int64_t const width = sum_of(column);
        grid.ranks += width;
        unit = std::gcd(unit, width);
        grid.row_parts = std::lcm(grid.row_parts, width / gcd_of(column));
        for (std::int64_t box : column) grid.sum_parts = std::lcm(grid.sum_parts, box);
    }
    grid.unit = unit;
    grid.column_parts = grid.ranks / unit;
    return grid;
}

SharedBoxes::SharedBoxes(BoxRanks columns) : columns_(std::move(columns)), grid_(grid_of(columns_)) {
    std::int64_t left = 0;
    for (auto const& column : columns_) {
        std::int64_t const width = sum_of(column);
        std::int64_t above = 0;
        for (std::int64_t box : column) {
            for (std::int64_t k = 0; k < box; ++k)
                shares_.push_back({{above * grid_.row_parts / width, (above + box) * grid_.row_parts / width},
                                   {left / grid_.unit, (left + width) / grid_.unit},
                                   {k * grid_.sum_parts / box, (k + 1) * grid_.sum_parts / box},
                                   box});
            above += box;
        }
        left += width;
    }
}

std::vector<std::int64_t> SharedBoxes::ranks_of_cells() const {
    std::vector<std::int64_t> out(static_cast<std::size_t>(cells()));
    for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
        auto const& [row, column, sum, sharers] = shares_[rank];
        for (std::int64_t r = row.begin; r < row.end; ++r)
            for (std::int64_t c = column.begin; c < column.end; ++c)
                for (std::int64_t s = sum.begin; s < sum.end; ++s)
                    out[static_cast<std::size_t>((r * grid_.column_parts + c) * grid_.sum_parts + s)] =
                        static_cast<std::int64_t>(rank);
    }
    return out;
}

std::optional<double> received_at_most(graph::EinSum const& einsum, CutLabels const& labels, SharedBoxes const& boxes,
                                       double limit) {
    Shape const& extents = einsum.extents;
    if (boxes.row_parts() > extents[labels.row] || boxes.column_parts() > extents[labels.column] ||
        boxes.sum_parts() > extents[labels.sum])
        return std::nullopt;
    std::vector<int> all(extents.size());
    std::iota(all.begin(), all.end(), 0);
    auto const ranks = static_cast<double>(boxes.ranks());
    double const mean = graph::points_of(all, extents) / ranks;
    double most = 0;
    Shape lengths = extents;
    std::vector<double> own;  // of each operand
    for (auto const& operand : einsum.inputs) own.push_back(graph::points_of(operand, extents) / ranks);
    for (SharedBoxes::Share const& share : boxes.shares()) {
        auto const cut = [&](std::size_t label, std::int64_t parts, SharedBoxes::Run const& run) {
            lengths[label] = static_cast<Extent>(length(extents[label], parts, run));
        };
        cut(labels.row, boxes.row_parts(), share.row);
        cut(labels.column, boxes.column_parts(), share.column);
        cut(labels.sum, boxes.sum_parts(), share.sum);
        if (graph::points_of(all, lengths) > tuning::little_imbalance * mean) return std::nullopt;
        double received = graph::points_of(einsum.output, lengths) * (1 - 1 / static_cast<double>(share.sharers));
        for (std::size_t k = 0; k < own.size(); ++k) received += graph::points_of(einsum.inputs[k], lengths) - own[k];
        most = std::max(most, received);
        if (most >= limit) return std::nullopt;
    }
    return most;
}

std::vector<SharedBoxes> boxes_of(std::int64_t ranks, BoxKind kind) {
    std::vector<SharedBoxes> out;
    for (std::int64_t count = ranks / (kind.sharers + 1) + 1; count <= ranks / kind.sharers; ++count)
        for_ways(ranks, count, [&](BoxRanks columns) {
            if (kind.alike && !are_alike(columns)) return;
            if (grid_of(columns).cells() <= tuning::most_cells_of_boxes) out.emplace_back(std::move(columns));
        });
    return out;
}

SharedBoxes const* least_receiving(std::vector<SharedBoxes> const& boxes, graph::EinSum const& einsum,
                                   CutLabels const& labels) {
    SharedBoxes const* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (SharedBoxes const& each : boxes)
        if (auto const received = received_at_most(einsum, labels, each, least * (1 - tuning::rounding)))
            least = *received, best = &each;
    return best;
}

SharedBoxesTable::SharedBoxesTable(graph::EinGraph const& graph, std::int64_t ranks, BoxKind kind, Unit unit,
                                   std::size_t limit)
    : CandidateTable(graph, unit), ranks_(ranks), boxes_(boxes_of(ranks, kind)) {
    layouts_ = choose_by_form<Layout>(
        [&](graph::Node const& node, std::vector<Layout>& layouts) { return choices_of(node, limit, layouts); });
}

bool SharedBoxesTable::serves() const {
    return std::any_of(layouts_.begin(), layouts_.end(), [](auto const& layouts) { return !layouts->empty(); });
}

NodeCandidates SharedBoxesTable::choices_of(graph::Node const& node, std::size_t limit,
                                            std::vector<Layout>& layouts) const {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    std::vector<Parts> parts;
    bool const is_free = std::all_of(node.fixed.begin(), node.fixed.end(), [](auto given) { return given <= 1; });
    auto const may_cut = [&](int label) {
        return node.fixed.empty() || node.fixed[static_cast<std::size_t>(label)] == 0;
    };
    for (int row = 0; einsum && is_free && einsum->operands() > 1 && row < static_cast<int>(einsum->labels.size());
         ++row)
        for (int column : einsum->output)
            for (int sum : einsum->aggregated()) {
                if (row == column || einsum->aggregates(row) || !may_cut(row) || !may_cut(column) || !may_cut(sum))
                    continue;
                CutLabels const labels{static_cast<std::size_t>(row), static_cast<std::size_t>(column),
                                       static_cast<std::size_t>(sum)};
                SharedBoxes const* const boxes = least_receiving(boxes_, *einsum, labels);
                if (boxes == nullptr) continue;
                Parts cut(einsum->labels.size(), 1);
                cut[labels.row] = boxes->row_parts();
                cut[labels.column] = boxes->column_parts();
                cut[labels.sum] = boxes->sum_parts();
                parts.push_back(std::move(cut));
                layouts.push_back({labels, boxes});
            }
    if (parts.empty())
        return choices_from(graph_, node, preferred_candidates(graph_, node, ranks_, limit).parts, unit_);
    NodeCandidates out = choices_from(graph_, node, std::move(parts), unit_);
    double const weight =
        weights(graph_, node, unit_).partial;  // whatever the types of operands: results weigh as much
    for (std::size_t c = 0; c < layouts.size(); ++c)
        out.work[c] =
            weight * static_cast<double>(ranks_) * *received_at_most(*einsum, layouts[c].labels, *layouts[c].boxes);
    return out;
}

std::vector<Rank> SharedBoxesTable::ranks_of(NodeId id, int candidate) const {
    auto const& layouts = *layouts_[static_cast<std::size_t>(id.value())];
    if (layouts.empty()) return {};
    auto const& layout = layouts[static_cast<std::size_t>(candidate)];
    auto const& labels = layout.labels;  // not bound by structure: clang 14 captures no such names
    auto const& boxes = *layout.boxes;
    auto const& einsum = std::get<graph::EinSum>(graph_.node(id).op);
    std::vector<int> const order = relation::call_labels(einsum);
    Parts counts;
    for (int label : order)
        counts.push_back(of(id).candidates[static_cast<std::size_t>(candidate)][static_cast<std::size_t>(label)]);
    std::vector<std::int64_t> const cells = boxes.ranks_of_cells();
    std::vector<Rank> ranks;
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        std::int64_t row = 0, column = 0, sum = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            auto const label = static_cast<std::size_t>(order[k]);
            if (label == labels.row) row = index[k];
            if (label == labels.column) column = index[k];
            if (label == labels.sum) sum = index[k];
        }
        auto const cell = static_cast<std::size_t>((row * boxes.column_parts() + column) * boxes.sum_parts() + sum);
        ranks.emplace_back(static_cast<int>(cells[cell]));
    });
    return ranks;
}

}  // namespace ein::planner
