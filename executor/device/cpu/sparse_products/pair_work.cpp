#include "executor/device/cpu/sparse_products/pair_work.hpp"

#include <numeric>

#include "executor/device/cpu/sparse/row_pieces.hpp"

namespace ein::executor {

PairWork::PairWork(SparseSource const& first, SparseSource const& second, WorkerTeam& team)
    : before_(static_cast<std::size_t>(first.rows()) + 1, 0) {
    std::vector<Extent> const parts = cut_rows(
        first.rows(),
        [&](Extent row) { return first.before(row) - first.all().begin + static_cast<std::uint64_t>(row); },
        sparse_tuning::points_of_a_piece);
    team.run(static_cast<std::int64_t>(parts.size()) - 1, [&](std::int64_t part) {
        Extent const last = parts[static_cast<std::size_t>(part) + 1];
        std::vector<std::uint64_t> products;
        for (Extent row = parts[static_cast<std::size_t>(part)]; row < last;) {
            row = weigh_some(first, second, row, last, products);
            team.pause();
        }
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
    bounds_ = cut_rows(
        first.rows(), [&](Extent row) { return before(row); }, sparse_tuning::points_of_a_piece);
}

/// Many rows together: where short ones end cannot be foreseen. @param products  room  @return behind them
Extent PairWork::weigh_some(SparseSource const& first, SparseSource const& second, Extent row, Extent last,
                            std::vector<std::uint64_t>& products) {
    constexpr Extent most_rows = 1024;
    constexpr std::size_t most_elements = 4096;
    std::size_t const begin = first.row(row).begin;
    Extent end = row + 1;
    while (end < last && end - row < most_rows && first.row(end).end - begin <= most_elements) ++end;
    std::size_t const count = first.row(end - 1).end - begin;
    if (products.size() <= count) products.resize(count + 1);
    std::uint32_t const* const terms = first.narrow_indices(1) + begin;
    std::uint64_t const* const offsets = second.offsets();
    std::uint64_t sum = 0;
    for (std::size_t e = 0; e < count; ++e) products[e + 1] = sum += offsets[terms[e] + 1] - offsets[terms[e]] + 1;
    for (Extent r = row; r < end; ++r) {
        SparseSource::Range const range = first.row(r);
        before_[static_cast<std::size_t>(r) + 1] = 1 + products[range.end - begin] - products[range.begin - begin];
    }
    return end;
}

}  // namespace ein::executor
