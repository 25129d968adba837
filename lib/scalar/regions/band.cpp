#include "lib/scalar/regions/band.hpp"

#include <algorithm>

#include "lib/scalar/expression/walk.hpp"
#include "lib/scalar/regions/prefix.hpp"

namespace ein::scalar {
namespace {

/// Narrows the band to where the condition is so.
bool narrow(Band& band, Expr const& condition, bool where_true, int depth = 0) {
    constexpr int deepest = 40;
    if (depth == deepest) return false;
    if (condition.op() == Op::logical_not) return narrow(band, condition.args()[0], !where_true, depth + 1);
    if (condition.op() == (where_true ? Op::logical_and : Op::logical_or))
        return narrow(band, condition.args()[0], where_true, depth + 1) &&
               narrow(band, condition.args()[1], where_true, depth + 1);
    std::optional<Prefix> const end = as_prefix(condition, band.column, where_true);
    if (!end || end->output != band.row) return false;
    if (end->is_suffix)
        band.least = std::max(band.least, end->offset);
    else
        band.most = std::min(band.most, end->offset);
    return true;
}

}  // namespace

IndexRange Band::columns_of(Extent of_row, IndexRange columns) const {
    Extent const begin = std::clamp(of_row + least, columns.begin, columns.end);
    return {begin, std::clamp(of_row + most + 1, begin, columns.end)};
}

Band Band::renamed(int to_row, int to_column) const {
    if (to_row < to_column) return {to_row, to_column, least, most};
    return {to_column, to_row, -most, -least};
}

std::optional<Band> as_band(Expr const& condition, bool where_true) {
    if (!operands_of(condition).empty()) return std::nullopt;
    std::vector<int> const labels = labels_of(condition);
    if (labels.size() != 2) return std::nullopt;
    Band band{std::min(labels[0], labels[1]), std::max(labels[0], labels[1])};
    return narrow(band, condition, where_true) ? std::optional(band) : std::nullopt;
}

}  // namespace ein::scalar
