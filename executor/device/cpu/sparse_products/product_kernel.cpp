#include "executor/device/cpu/sparse_products/product_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/sparse/listed_output.hpp"
#include "executor/device/cpu/sparse/result_store.hpp"
#include "executor/device/cpu/sparse/row_pieces.hpp"
#include "executor/device/cpu/sparse/same_pattern.hpp"
#include "executor/device/cpu/sparse_products/product_groups.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

template <class T>
class ProductKernel final : public PreparedKernel {
public:
    ProductKernel(KernelShape const& shape, ProductShape product, Aggregator aggregator,
                  std::unique_ptr<PreparedKernel const> otherwise)
        : shape_(shape),
          product_(std::move(product)),
          aggregator_(std::move(aggregator)),
          otherwise_(std::move(otherwise)),
          loops_(row_loops<T>()),
          is_listed_(shape.sparse->output.has_value()),
          listed_type_(shape.operand_dtypes[product_.source.operand]),
          result_bytes_(static_cast<Extent>(size_of(shape.output_dtype))) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        free_stride_ = result_bytes_;
        if (product_.free != SparsePlan::none) width_ = static_cast<std::size_t>(length(product_.free));
        if (product_.dotted != SparsePlan::none) dotted_ = static_cast<std::size_t>(length(product_.dotted));
        for (DenseOperand const& operand : product_.dense) copied_ += static_cast<std::size_t>(operand.copied());
        if (is_listed_) return;
        std::vector<Extent> const strides = label_strides(einsum.output, shape.output_strides, shape.lengths.size());
        for (std::size_t place = 0; place < product_.group_places; ++place)
            strides_.push_back(strides[static_cast<std::size_t>(product_.source.labels[place])] * result_bytes_);
        bool const of_rows = !shape.accumulate && product_.group_places == 1 && product_.source.labels.size() > 1 &&
                             product_.free == SparsePlan::none && product_.dotted == SparsePlan::none &&
                             product_.has_value;
        is_vector_ =
            of_rows && (product_.operands.empty() ||
                        (product_.source.labels.size() == 2 && product_.operands.size() == 1 &&
                         product_.operands[0].depth == 1 && product_.operands[0].strides == std::vector<Extent>{0, 1}));
        if (product_.free != SparsePlan::none)
            free_stride_ = strides[static_cast<std::size_t>(product_.free)] * result_bytes_;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        SparseSource const source(shape_, product_.source, call.operands[product_.source.operand]);
        std::size_t const places = product_.source.labels.size();
        bool usable = places == 0 || source.compressed();
        for (std::size_t place = 1; place < places; ++place) usable = usable && source.narrow_indices(place) != nullptr;
        Shape const& lengths = shape_.keeps_order ? shape_.kernel->einsum.extents : shape_.lengths;
        for (int label : product_.source.labels)
            usable = usable && lengths[static_cast<std::size_t>(label)] < Extent{1} << 31;
        bool const any = std::none_of(shape_.lengths.begin(), shape_.lengths.end(), [](Extent n) { return n == 0; });
        std::size_t const points = (source.all().end - source.all().begin) * width_ * dotted_;
        // Where bits must not follow from how the node is cut, neither must the kernel.
        bool const copies_much = !shape_.keeps_order && copied_ / sparse_tuning::copied_a_point > points;
        if (!usable || !any || copies_much) return otherwise_->launch(call, team);
        DenseOperands const dense(product_.dense, sizeof(T), call, team);
        Launch const now{source, dense.pointers(), call.output};
        if (is_listed_ && product_.group_places < places)
            list_groups(now, call, team);
        else if (is_listed_)
            list(now, copy_pattern(shape_, source, call), team);
        else if (product_.group_places > 0)
            write_rows(now, team);
        else
            add_shares(now, team);
    }

private:
    static constexpr DType own_type = dtype_of_loops<T>;

    struct Launch {
        SparseSource const& source;
        std::span<void const* const> dense;  // as in ProductShape::operands
        void* output;
    };
    struct Worker {
        ProductSums<T> sums;
        ResultStore store;  // of results of other types
        std::vector<T> results, brought;
    };

    Extent length(int label) const { return shape_.lengths[static_cast<std::size_t>(label)]; }
    Extent rows() const { return length(product_.source.labels[0]); }
    bool makes_own_type() const { return shape_.output_dtype == own_type; }

    std::vector<Extent> cut(SparseSource const& source) const {
        std::uint64_t const each = std::max<std::size_t>(1, std::max(width_, dotted_) / 8);
        return cut_rows(
            rows(),
            [&](Extent row) { return (source.before(row) - source.all().begin) * each + static_cast<Extent>(row); },
            sparse_tuning::points_of_a_piece);
    }

    Worker worker(Launch const& now) const {
        return {ProductSums<T>(product_, loops_, now.source, listed_type_, now.dense, width_, dotted_),
                ResultStore(aggregator_, own_type, shape_.output_dtype, shape_.accumulate),
                std::vector<T>(width_),
                {}};
    }

    void list(Launch const& now, std::byte* values, WorkerTeam& team) const {
        SparseSource const& source = now.source;
        if (product_.source.labels.empty()) {
            Worker mine = worker(now);
            return list_row(mine, source.all(), 0, values);
        }
        std::vector<Extent> const bounds = cut(source);
        team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
            Worker mine = worker(now);
            auto const p = static_cast<std::size_t>(piece);
            for (Extent row = bounds[p]; row < bounds[p + 1]; ++row) {
                auto const before = static_cast<Extent>(source.row(row).begin - source.all().begin);
                list_row(mine, source.row(row), row, values + before * result_bytes_);
                if (row % sparse_tuning::runs_a_pause == 0) team.pause();
            }
        });
    }

    void list_row(Worker& mine, SparseSource::Range range, Extent row, std::byte* to) const {
        constexpr std::size_t run = ProductSums<T>::run;
        for (std::size_t e = range.begin; e < range.end; e += run) {
            std::size_t const count = std::min(run, range.end - e);
            if (makes_own_type()) {
                mine.sums.each({e, e + count}, row, reinterpret_cast<T*>(to));
            } else {
                mine.results.resize(run);
                mine.sums.each({e, e + count}, row, mine.results.data());
                mine.store.store(mine.results.data(), count, to, result_bytes_);
            }
            to += static_cast<Extent>(count) * result_bytes_;
        }
    }

    /// A sparse output that has fewer labels.
    void list_groups(Launch const& now, KernelCall const& call, WorkerTeam& team) const {
        std::vector<Extent> const bounds = cut(now.source);
        std::vector<std::uint64_t> offsets(static_cast<std::size_t>(rows()) + 1, 0);
        auto const for_each_row = [&](auto const& visit) {
            team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
                Worker mine = worker(now);
                ProductGroups<T> groups = groups_of(now.source, mine);
                auto const p = static_cast<std::size_t>(piece);
                for (Extent row = bounds[p]; row < bounds[p + 1]; ++row) {
                    visit(mine, groups, row);
                    if (row % sparse_tuning::runs_a_pause == 0) team.pause();
                }
            });
        };
        for_each_row([&](Worker&, ProductGroups<T> const& groups, Extent row) {
            offsets[static_cast<std::size_t>(row) + 1] = groups.count(row);
        });
        for (std::size_t row = 1; row < offsets.size(); ++row) offsets[row] += offsets[row - 1];
        ListedRows const to = begin_rows(shape_, call, offsets);
        bool const narrow = tensor::index_bytes(shape_.sparse->output->lengths) == 4;
        for_each_row([&](Worker& mine, ProductGroups<T>& groups, Extent row) {
            auto at = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row)]);
            groups.sum(row, mine.results.data(), [&](std::span<Extent const> index) {
                for (std::size_t place = 1; place < index.size(); ++place)
                    if (narrow)
                        reinterpret_cast<std::uint32_t*>(to.coords[place])[at] =
                            static_cast<std::uint32_t>(index[place]);
                    else
                        reinterpret_cast<Extent*>(to.coords[place])[at] = index[place];
                ++at;
                mine.brought.push_back(mine.results[0]);
                if (mine.brought.size() == ProductSums<T>::run) store_listed(mine, to.values, at);
            });
            store_listed(mine, to.values, at);
        });
    }

    /// What was gathered, before element `end` of a sparse output.
    void store_listed(Worker& mine, std::byte* values, std::size_t end) const {
        std::size_t const count = mine.brought.size();
        mine.store.store(mine.brought.data(), count, values + static_cast<Extent>(end - count) * result_bytes_,
                         result_bytes_);
        mine.brought.clear();
    }

    ProductGroups<T> groups_of(SparseSource const& source, Worker& mine) const {
        return {source, loops_, mine.sums, product_.group_places, product_.free == SparsePlan::none};
    }

    void write_rows(Launch const& now, WorkerTeam& team) const {
        SparseSource const& source = now.source;
        std::vector<Extent> const bounds = cut(source);
        team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
            Worker mine = worker(now);
            ProductGroups<T> groups = groups_of(source, mine);
            auto const p = static_cast<std::size_t>(piece);
            if (is_vector_) return write_vector(now, {bounds[p], bounds[p + 1]}, mine, team);
            std::uint64_t done = 0;
            for (Extent row = bounds[p]; row < bounds[p + 1]; ++row) {
                std::byte* const to = static_cast<std::byte*>(now.output) + row * strides_[0];
                if (product_.group_places > 1 && !shape_.accumulate) clear(to);
                write_row(source, mine, groups, row, to);
                done += source.row(row).end - source.row(row).begin + 1;
                if (done * width_ > sparse_tuning::points_of_a_piece) {
                    team.pause();
                    done = 0;
                }
            }
        });
    }

    struct Rows {
        Extent begin, end;
    };
    /// A matrix times a vector, or its rows' sums: many rows a call, and those alone that are long, or come to
    /// infinity, one by one.
    void write_vector(Launch const& now, Rows rows, Worker& mine, WorkerTeam& team) const {
        std::uint64_t const* const offsets = now.source.offsets();
        auto const* const x = now.dense.empty() ? nullptr : static_cast<T const*>(now.dense[0]);
        mine.results.resize(sparse_tuning::rows_a_call);
        for (Extent first = rows.begin, last = first; first < rows.end; first = last) {
            last = end_of_call(offsets, {first, rows.end});
            auto* const out = static_cast<std::byte*>(now.output) + first * strides_[0];
            T* const results = makes_own_type() ? reinterpret_cast<T*>(out) : mine.results.data();
            Extent const step = makes_own_type() ? strides_[0] / static_cast<Extent>(sizeof(T)) : 1;
            auto const begin = static_cast<std::size_t>(offsets[first]), end = static_cast<std::size_t>(offsets[last]);
            loops_.dot_rows(results, step, static_cast<std::size_t>(last - first), offsets + first,
                            values_of(now.source, {begin, end}, mine), now.source.narrow_indices(1) + begin, x,
                            factor_of<T>(product_.factor), ProductSums<T>::run);
            for (Extent row = first; row < last; ++row) {
                SparseSource::Range const range = now.source.row(row);
                T& sum = results[(row - first) * step];
                if (range.end - range.begin <= ProductSums<T>::run && is_finite(sum)) continue;
                std::vector<Extent> const index{row};
                mine.sums.sum(range, index, &sum);
            }
            if (!makes_own_type()) mine.store.store(results, static_cast<std::size_t>(last - first), out, strides_[0]);
            team.pause();
        }
    }

    /// Rows whose values are brought to another type are few enough to stay in the cache, or one.
    Extent end_of_call(std::uint64_t const* offsets, Rows rows) const {
        Extent const most = std::min(rows.end, rows.begin + sparse_tuning::rows_a_call);
        if (listed_type_ == own_type) return most;
        std::uint64_t const limit = offsets[rows.begin] + sparse_tuning::brought_together;
        auto const* const after = std::upper_bound(offsets + rows.begin + 2, offsets + most + 1, limit);
        return after - offsets - 1;
    }

    T const* values_of(SparseSource const& source, SparseSource::Range range, Worker& mine) const {
        if (listed_type_ == own_type) return reinterpret_cast<T const*>(source.value(range.begin));
        std::size_t const count = range.end - range.begin;
        mine.brought.resize(sparse_tuning::brought_together);
        if (count <= mine.brought.size())  // else it is one row, done apart
            tile_convert(listed_type_, source.value(range.begin), 1, own_type, mine.brought.data(), count);
        return mine.brought.data();
    }

    void write_row(SparseSource const& source, Worker& mine, ProductGroups<T>& groups, Extent row,
                   std::byte* to) const {
        if (product_.group_places > 1)
            return groups.sum(row, mine.results.data(), [&](std::span<Extent const> index) {
                std::byte* at = to;
                for (std::size_t place = 1; place < index.size(); ++place) at += index[place] * strides_[place];
                store(mine, at);
            });
        if (source.row(row).empty() && shape_.accumulate) return;
        mine.sums.sum(source.row(row), {&row, 1}, mine.results.data());
        store(mine, to);
    }

    void store(Worker& mine, std::byte* to) const {
        T const* const sums = mine.results.data();
        if (!makes_own_type()) return mine.store.store(sums, width_, to, free_stride_);
        auto* const own = reinterpret_cast<T*>(to);
        Extent const step = free_stride_ / static_cast<Extent>(sizeof(T));
        if (shape_.accumulate) {
            for (std::size_t j = 0; j < width_; ++j) own[static_cast<Extent>(j) * step] += sums[j];
        } else if (step == 1) {
            std::memcpy(own, sums, width_ * sizeof(T));
        } else {
            for (std::size_t j = 0; j < width_; ++j) own[static_cast<Extent>(j) * step] = sums[j];
        }
    }

    /// Zeros in all of a row.
    void clear(std::byte* to) const {
        Shape lengths;
        std::vector<Extent> strides;
        for (std::size_t place = 1; place < product_.group_places; ++place) {
            lengths.push_back(length(product_.source.labels[place]));
            strides.push_back(strides_[place]);
        }
        if (product_.free != SparsePlan::none) {
            lengths.push_back(static_cast<Extent>(width_));
            strides.push_back(free_stride_);
        }
        Extent span = result_bytes_;  // of the last ones, that lie side by side
        while (!lengths.empty()) {
            auto const one = std::find(strides.begin(), strides.end(), span);
            if (one == strides.end()) break;
            auto const at = one - strides.begin();
            span *= lengths[static_cast<std::size_t>(at)];
            strides.erase(one);
            lengths.erase(lengths.begin() + at);
        }
        for_each_index(lengths, [&](std::vector<Extent> const& at) {
            std::byte* first = to;
            for (std::size_t k = 0; k < at.size(); ++k) first += at[k] * strides[k];
            std::memset(first, 0, static_cast<std::size_t>(span));  // 0 of any dtype
        });
    }

    /// Nothing of the sparse operand is in the output: pieces of what it lists, whose sums are added in order.
    void add_shares(Launch const& now, WorkerTeam& team) const {
        SparseSource const& source = now.source;
        SparseSource::Range const all = source.all();
        auto const count = static_cast<Extent>(all.end - all.begin);
        auto const pieces = std::clamp<Extent>(
            static_cast<Extent>(static_cast<std::uint64_t>(count) / sparse_tuning::elements_of_a_partial), 1,
            sparse_tuning::most_pieces);
        std::vector<T> parts(static_cast<std::size_t>(pieces) * width_);
        team.run(pieces, [&](std::int64_t piece) {
            SparseSource::Range const share{all.begin + static_cast<std::size_t>(part_begin(count, pieces, piece)),
                                            all.begin + static_cast<std::size_t>(part_begin(count, pieces, piece + 1))};
            worker(now).sums.sum(share, {}, parts.data() + static_cast<std::size_t>(piece) * width_);
        });
        std::vector<T> total(width_, T(0)), low(width_, T(0));
        for (std::size_t piece = 0; piece < static_cast<std::size_t>(pieces); ++piece)
            loops_.add_total(total.data(), low.data(), parts.data() + piece * width_, width_);
        Worker mine = worker(now);
        for (std::size_t j = 0; j < width_; ++j) mine.results[j] = total[j] + low[j];
        store(mine, static_cast<std::byte*>(now.output));
    }

    KernelShape shape_;
    ProductShape product_;
    Aggregator aggregator_;
    std::unique_ptr<PreparedKernel const> otherwise_;
    RowLoops<T> loops_;
    bool is_listed_;     // the output
    DType listed_type_;  // of the sparse operand
    Extent result_bytes_;
    std::size_t width_ = 1, dotted_ = 1;
    std::size_t copied_ = 0;       // elements of dense operands
    std::vector<Extent> strides_;  // of the output, by place of the group, in bytes
    Extent free_stride_ = 0;
    bool is_vector_ = false;  // a matrix by rows times a vector whose elements lie side by side, or 1
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_product_kernel(KernelShape const& shape, scalar::Params const& params,
                                                          std::unique_ptr<PreparedKernel const>& otherwise) {
    KernelTypes const types = types_of(shape);
    std::optional<ProductShape> product = product_shape(shape, types, params);
    if (!product) return nullptr;
    if (shape.sparse->output) {
        std::optional<std::vector<int>> labels = whole_output_labels(shape);
        bool const listed = labels && product->free == SparsePlan::none && labels->size() == product->group_places;
        if (!listed) return nullptr;
        std::vector<int> const& own = product->source.labels;
        bool const same = own.size() == labels->size();
        if (!same && (labels->empty() || !shape.sparse->output->layout.compressed)) return nullptr;
        labels->insert(labels->end(), own.begin() + static_cast<std::ptrdiff_t>(product->group_places), own.end());
        product = product_shape(shape, types, params, *labels);
    }
    std::optional<Aggregator> aggregator = Aggregator::make(scalar::Agg::sum, product->type);
    if (!aggregator) return nullptr;
    return with_loops_type(product->type, [&]<class T>(T) -> std::unique_ptr<PreparedKernel const> {
        return std::make_unique<ProductKernel<T>>(shape, std::move(*product), std::move(*aggregator),
                                                  std::move(otherwise));
    });
}

}  // namespace ein::executor
