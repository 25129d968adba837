#include "lib/schedule/fusion/known.hpp"

#include <algorithm>
#include <set>

#include "lib/graph/labels.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/schedule/fusion/members.hpp"

namespace ein::schedule {
namespace {

using scalar::Band;
using scalar::Expr;
using scalar::IndexRange;
using scalar::Op;
using scalar::Range;

IndexRange range_of(BoxView const& region, int label) {
    Extent const begin = region.begin[at(label)];
    return {begin, begin + region.length[at(label)]};
}

/// Bands of where() in a join, of labels, and of its operands.
std::vector<Band> bands_of(graph::EinSum const& einsum, KnownOperands const& operands) {
    std::vector<Band> out;
    for (Expr const* const part : scalar::arguments_first(einsum.join)) {
        if (part->op() != Op::where) continue;
        for (bool const where_true : {true, false})
            if (auto const band = scalar::as_band(part->args()[0], where_true)) out.push_back(*band);
    }
    for (std::optional<Known> const& known : operands)
        if (known) out.push_back(known->band);
    return out;
}

/// A place outside the band; nothing where the region has none.
std::optional<std::vector<IndexRange>> outside(Band const& band, BoxView const& region) {
    std::vector<IndexRange> box;
    for (std::size_t l = 0; l < region.begin.size(); ++l) box.push_back(range_of(region, static_cast<int>(l)));
    IndexRange &row = box[at(band.row)], &column = box[at(band.column)];
    if (row.empty() || column.empty()) return std::nullopt;
    IndexRange const above_row{row.begin, row.begin + 1}, above_column{column.end - 1, column.end};
    IndexRange const below_row{row.end - 1, row.end}, below_column{column.begin, column.begin + 1};
    bool const above = band.misses(above_row, above_column);
    if (!above && !band.misses(below_row, below_column)) return std::nullopt;
    row = above ? above_row : below_row;
    column = above ? above_column : below_column;
    return box;
}

/// What terms may be there, if all else is moderate.
Range term_at(Expr const& join, KnownOperands const& operands, std::vector<IndexRange> const& box) {
    std::vector<Range> values;
    for (std::optional<Known> const& known : operands) {
        bool const misses = known && known->band.misses(box[at(known->band.row)], box[at(known->band.column)]);
        values.push_back(misses ? known->range() : Range::moderate_positive());
    }
    return scalar::ExprRanges(join, {}).on(box, values);
}

bool may_choose(graph::EinSum const& einsum) {
    auto const parts = scalar::arguments_first(einsum.join);
    return std::any_of(parts.begin(), parts.end(), [](Expr const* part) {
        return part->op() == Op::where && !scalar::labels_of(part->args()[0]).empty();
    });
}

/// Follows what is known from task to task.
class Following {
public:
    Following(Header const& header, Section const& section) : header_(header), section_(section) {
        for (Kernel const& kernel : header.kernels) chooses_.push_back(may_choose(kernel.einsum));
        for (Loop const& loop : section.loops)
            for (Loop::Carry const& carry : loop.carries) carried_.insert(carry.inside);
    }

    std::map<BlockId, Known> run() {
        if (std::find(chooses_.begin(), chooses_.end(), true) == chooses_.end()) return {};
        for (Task const& task : section_.tasks) {
            if (task.is<Apply>() && !task.accumulates()) {
                auto const call = section_.as<Apply>(task);
                if (!chooses_[at(call.kernel)] && !reads_known(call.operands)) continue;
                std::vector<std::optional<Known>> operands;
                for (BlockId operand : call.operands) operands.push_back(of(operand));
                learn(call.result, result_of(call.kernel, operands, call.region));
            }
            if (task.is<Fused>()) learn_of(section_.as<Fused>(task));
        }
        return std::move(known_);
    }

private:
    std::optional<Known> of(BlockId block) const {
        auto const found = known_.find(block);
        return found == known_.end() ? std::nullopt : std::optional(found->second);
    }

    bool reads_known(std::span<BlockId const> operands) const {
        return !known_.empty() &&
               std::any_of(operands.begin(), operands.end(), [&](BlockId operand) { return known_.contains(operand); });
    }

    /// @param operands  of axes
    std::optional<Known> result_of(KernelId kernel, std::vector<std::optional<Known>> operands,
                                   BoxView const& region) const {
        graph::EinSum const& einsum = header_.kernels[kernel].einsum;
        for (std::size_t k = 0; k < operands.size(); ++k) operands[k] = in_labels(operands[k], einsum.inputs[k]);
        bool const reads =
            std::any_of(operands.begin(), operands.end(), [](auto const& known) { return known.has_value(); });
        if (!chooses_[at(kernel)] && !reads) return std::nullopt;
        return known_result(einsum, operands, region);
    }

    void learn(BlockId result, std::optional<Known> const& known) {
        Block const& block = section_.blocks[result];
        if (known && block.is_box() && block.writers == 1 && !carried_.contains(result)) known_.emplace(result, *known);
    }

    void learn_of(Fused const& task) {
        std::vector<std::optional<Known>> made;
        for_each_member(header_, task, [&](FusionSpec::Member const& member, BoxView region) {
            std::vector<std::optional<Known>> operands;
            for (auto const [inside, place] : member.operands) {
                auto const number = static_cast<std::size_t>(place);
                operands.push_back(inside ? made[number] : of(task.operands[number]));
            }
            made.push_back(result_of(member.kernel, std::move(operands), region));
        });
        learn(task.result, made.back());
    }

    Header const& header_;
    Section const& section_;
    std::vector<bool> chooses_;  // by kernel
    std::set<BlockId> carried_;
    std::map<BlockId, Known> known_;
};

}  // namespace

std::optional<Known> in_labels(std::optional<Known> const& known, std::vector<int> const& axes) {
    if (!known) return std::nullopt;
    int const row = axes[at(known->band.row)], column = axes[at(known->band.column)];
    if (row == column) return std::nullopt;
    return Known{known->band.renamed(row, column), known->outside};
}

std::optional<Known> known_result(graph::EinSum const& einsum, KnownOperands const& operands, BoxView const& region) {
    for (Band const& band : bands_of(einsum, operands)) {
        auto const row = std::find(einsum.output.begin(), einsum.output.end(), band.row);
        auto const column = std::find(einsum.output.begin(), einsum.output.end(), band.column);
        auto const box = outside(band, region);
        if (row == einsum.output.end() || column == einsum.output.end() || !box) continue;
        Extent terms = 1;
        for (int label : einsum.aggregated()) terms *= region.length[at(label)];
        Range const value = scalar::aggregated(einsum.agg, term_at(einsum.join, operands, *box), terms);
        if (!value.is_point()) continue;
        return Known{band.renamed(static_cast<int>(row - einsum.output.begin()),
                                  static_cast<int>(column - einsum.output.begin())),
                     value.least + 0.0};
    }
    return std::nullopt;
}

std::optional<LeftOut> left_out(graph::EinSum const& einsum, KnownOperands const& operands, BoxView const& region) {
    for (std::optional<Known> const& known : operands) {
        if (!known) continue;
        auto const box = outside(known->band, region);
        if (!box) continue;
        bool const row_stays = graph::has_label(einsum.output, known->band.row);
        bool const column_stays = graph::has_label(einsum.output, known->band.column);
        Range const term = term_at(einsum.join, operands, *box);
        if (row_stays && column_stays ? !term.is_point() : !scalar::is_identity(einsum.agg, term)) continue;
        if (column_stays && !row_stays) return LeftOut{known->band.column, known->band.row};
        if (row_stays) return LeftOut{known->band.row, known->band.column};
    }
    return std::nullopt;
}

std::optional<Unmasked> unmasked(graph::EinSum const& einsum, KnownOperands const& operands) {
    if (einsum.join.op() != Op::where || einsum.agg != scalar::Agg::sum || einsum.aggregated().empty())
        return std::nullopt;
    auto const& args = einsum.join.args();
    for (std::size_t kept : {std::size_t{1}, std::size_t{2}}) {
        Expr const& other = args[3 - kept];
        auto const band = scalar::as_band(args[0], kept == 1);
        if (!band || other.op() != Op::number || other.node().value != 0.0) continue;
        for (std::optional<Known> const& known : operands)
            if (known && known->band == *band && known->outside == 0) return Unmasked{args[kept], *band};
    }
    return std::nullopt;
}

std::map<BlockId, Known> known_blocks(Header const& header, Section const& section) {
    return Following(header, section).run();
}

}  // namespace ein::schedule
