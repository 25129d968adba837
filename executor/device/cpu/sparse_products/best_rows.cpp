#include "executor/device/cpu/sparse_products/best_rows.hpp"

#include <algorithm>

#include "executor/device/cpu/sparse/result_store.hpp"
#include "executor/device/cpu/sparse/row_pieces.hpp"
#include "executor/device/cpu/sparse/sparse_source.hpp"
#include "executor/device/cpu/sparse_products/dense_operand.hpp"
#include "executor/device/cpu/sparse_products/pair_row_loops.hpp"
#include "executor/device/cpu/sparse_products/pair_shape.hpp"

namespace ein::executor {
namespace {

/// A sparse operand of a row and a term, a dense one of the term and a column, an output of both.
struct BestRows {
    SparsePlan::Source source;  // {row, term}
    std::size_t dense = 1;      // operand
    int column = SparsePlan::none;
    PairProducts products;
};

std::optional<BestRows> best_rows(KernelShape const& shape, KernelTypes const& types, scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    SparseOperands const& sparse = *shape.sparse;
    if (einsum.operands() != 2 || shape.lengths.size() != 3 || einsum.output.size() != 2 || sparse.output ||
        sparse.idle_sets.size() != 1 || sparse.idle_sets[0].size() != 1)
        return std::nullopt;
    auto const listed = static_cast<std::size_t>(sparse.idle_sets[0][0]), dense = 1 - listed;
    if (einsum.inputs[0].size() != 2 || einsum.inputs[1].size() != 2 || labels_in_order(shape, listed).size() != 2)
        return std::nullopt;
    int const term = einsum.aggregated().front();
    auto const other = [&](std::size_t k) { return label_beside(einsum.inputs[k], term); };
    int const row = other(listed), column = other(dense);
    if (row == SparsePlan::none || column == SparsePlan::none || row == column || column == term) return std::nullopt;
    std::optional<PairProducts> const products = best_of_pairs(shape, types, params, listed);
    if (!products || shape.output_dtype != products->type || shape.operand_dtypes[listed] != products->type)
        return std::nullopt;
    return BestRows{{listed, {row, term}}, dense, column, *products};
}

template <class T>
class BestRowsKernel final : public PreparedKernel {
public:
    BestRowsKernel(KernelShape const& shape, BestRows best, Aggregator aggregator,
                   std::unique_ptr<PreparedKernel const> otherwise)
        : shape_(shape),
          best_(std::move(best)),
          dense_(shape, best_.dense, best_.column, best_.products.type),
          aggregator_(std::move(aggregator)),
          otherwise_(std::move(otherwise)),
          loops_(pair_row_loops<T>(best_.products.join, best_.products.pair_agg())) {
        std::vector<Extent> const strides =
            label_strides(shape.kernel->einsum.output, shape.output_strides, shape.lengths.size());
        row_stride_ = strides[at(best_.source.labels[0])] * Extent{sizeof(T)};
        column_stride_ = strides[at(best_.column)] * Extent{sizeof(T)};
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        SparseSource const source(shape_, best_.source, call.operands[best_.source.operand]);
        auto const width = static_cast<std::size_t>(shape_.lengths[at(best_.column)]);
        std::size_t const points = (source.all().end - source.all().begin) * width;
        bool const copies_much = dense_.copied() / Extent{sparse_tuning::copied_a_point} > static_cast<Extent>(points);
        bool const any = std::ranges::all_of(shape_.lengths, [](Extent n) { return n > 0; });
        if (!any || copies_much || !source.compressed() || source.narrow_indices(1) == nullptr)
            return otherwise_->launch(call, team);
        DenseOperands const dense({&dense_, 1}, sizeof(T), call, team);
        auto const* const matrix = static_cast<T const*>(dense.pointers()[0]);
        Extent const stride = dense_.strides()[at(best_.source.labels[1])];
        std::uint64_t const each = std::max<std::size_t>(1, width / 8);
        std::vector<Extent> const bounds = cut_rows(
            source.rows(),
            [&](Extent row) { return (source.before(row) - source.all().begin) * each + static_cast<Extent>(row); },
            sparse_tuning::points_of_a_piece);
        team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
            auto const p = static_cast<std::size_t>(piece);
            ResultStore store(aggregator_, best_.products.type, shape_.output_dtype, shape_.accumulate);
            std::vector<T> held(width);
            std::size_t done = 0;
            for (Extent row = bounds[p]; row < bounds[p + 1]; ++row) {
                SparseSource::Range const range = source.row(row);
                std::ranges::fill(held, loops_.none);
                loops_.combine_rows(held.data(), width, reinterpret_cast<T const*>(source.value(range.begin)),
                                    source.narrow_indices(1) + range.begin, range.end - range.begin, matrix, stride);
                store.store(held.data(), width, static_cast<std::byte*>(call.output) + row * row_stride_,
                            column_stride_);
                done += (range.end - range.begin + 1) * each;
                if (done > sparse_tuning::points_of_a_piece) team.pause(), done = 0;
            }
        });
    }

private:
    static std::size_t at(int label) { return static_cast<std::size_t>(label); }

    KernelShape shape_;
    BestRows best_;
    DenseOperand dense_;
    Aggregator aggregator_;
    std::unique_ptr<PreparedKernel const> otherwise_;
    PairRowLoops<T> loops_;
    Extent row_stride_, column_stride_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_best_rows_kernel(KernelShape const& shape, scalar::Params const& params,
                                                            std::unique_ptr<PreparedKernel const>& otherwise) {
    std::optional<BestRows> best = best_rows(shape, types_of(shape), params);
    if (!best) return nullptr;
    std::optional<Aggregator> aggregator = Aggregator::make(best->products.agg, best->products.type);
    if (!aggregator) return nullptr;
    return with_loops_type(best->products.type, [&]<class T>(T) -> std::unique_ptr<PreparedKernel const> {
        return std::make_unique<BestRowsKernel<T>>(shape, std::move(*best), std::move(*aggregator),
                                                   std::move(otherwise));
    });
}

}  // namespace ein::executor
