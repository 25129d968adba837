#include "executor/device/cpu/sparse/product_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "executor/device/cpu/sparse/product_terms.hpp"
#include "executor/device/cpu/sparse/row_pieces.hpp"
#include "executor/device/cpu/sparse/same_pattern.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

template <class T>
class ProductKernel final : public PreparedKernel {
public:
    ProductKernel(KernelShape const& shape, ProductShape product, std::unique_ptr<PreparedKernel const> otherwise)
        : shape_(shape),
          product_(std::move(product)),
          otherwise_(std::move(otherwise)),
          loops_(row_loops<T>()),
          same_pattern_(shape.sparse->output.has_value()) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        if (product_.free != SparsePlan::none) width_ = static_cast<std::size_t>(length(product_.free));
        if (product_.dotted != SparsePlan::none) dotted_ = static_cast<std::size_t>(length(product_.dotted));
        if (same_pattern_) return;
        std::vector<Extent> const strides = label_strides(einsum.output, shape.output_strides, shape.lengths.size());
        for (std::size_t place = 0; place < product_.group_places; ++place)
            strides_.push_back(strides[static_cast<std::size_t>(product_.source.labels[place])]);
        is_vector_ = !shape.accumulate && product_.group_places == 1 && product_.source.labels.size() == 2 &&
                     product_.free == SparsePlan::none && product_.dotted == SparsePlan::none && product_.has_value &&
                     product_.operands.size() == 1 && product_.operands[0].depth == 1 &&
                     product_.operands[0].strides == std::vector<Extent>{0, 1};
        if (product_.free != SparsePlan::none) free_stride_ = strides[static_cast<std::size_t>(product_.free)];
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        SparseSource const source(shape_, product_.source, call.operands[product_.source.operand]);
        std::size_t const places = product_.source.labels.size();
        bool usable = places == 0 || source.compressed();
        for (std::size_t place = 1; place < places; ++place) usable = usable && source.narrow_indices(place) != nullptr;
        for (int label : product_.source.labels) usable = usable && length(label) < Extent{1} << 31;
        bool const any = std::none_of(shape_.lengths.begin(), shape_.lengths.end(), [](Extent n) { return n == 0; });
        if (!usable || !any) return otherwise_->launch(call, team);
        if (same_pattern_)
            list(source, call, team);
        else if (product_.group_places > 0)
            write_rows(source, call, team);
        else
            add_shares(source, call, team);
    }

private:
    Extent length(int label) const { return shape_.lengths[static_cast<std::size_t>(label)]; }
    Extent rows() const { return length(product_.source.labels[0]); }

    std::vector<Extent> cut(SparseSource const& source) const {
        std::uint64_t const each = std::max<std::size_t>(1, std::max(width_, dotted_) / 8);
        return cut_rows(
            rows(),
            [&](Extent row) { return (source.before(row) - source.all().begin) * each + static_cast<Extent>(row); },
            sparse_tuning::points_of_a_piece);
    }

    ProductSums<T> sums(SparseSource const& source, KernelCall const& call,
                        std::span<std::uint32_t const> first = {}) const {
        return ProductSums<T>(product_, loops_, source, call.operands, first, width_, dotted_);
    }

    void list(SparseSource const& source, KernelCall const& call, WorkerTeam& team) const {
        T* const out = reinterpret_cast<T*>(copy_pattern(shape_, source, call));
        if (product_.source.labels.empty()) return sums(source, call).each(source.all(), 0, out);
        std::vector<Extent> const bounds = cut(source);
        team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
            ProductSums<T> mine = sums(source, call);
            auto const p = static_cast<std::size_t>(piece);
            for (Extent row = bounds[p]; row < bounds[p + 1]; ++row) {
                mine.each(source.row(row), row, out + (source.row(row).begin - source.all().begin));
                if (row % sparse_tuning::runs_a_pause == 0) team.pause();
            }
        });
    }

    void write_rows(SparseSource const& source, KernelCall const& call, WorkerTeam& team) const {
        std::vector<Extent> const bounds = cut(source);
        team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
            ProductSums<T> mine = sums(source, call);
            std::vector<T> out(width_);
            std::vector<Extent> index(product_.group_places, 0);
            auto const p = static_cast<std::size_t>(piece);
            if (is_vector_) return write_vector(source, call, {bounds[p], bounds[p + 1]}, mine, team);
            std::uint64_t done = 0;
            for (Extent row = bounds[p]; row < bounds[p + 1]; ++row) {
                index[0] = row;
                T* const to = static_cast<T*>(call.output) + row * strides_[0];
                if (product_.group_places > 1 && !shape_.accumulate) clear(to);
                write_row(source, mine, index, to, out);
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
    /// A matrix times a vector: many rows a call, and those alone that are long, or come to infinity, one by one.
    void write_vector(SparseSource const& source, KernelCall const& call, Rows rows, ProductSums<T>& mine,
                      WorkerTeam& team) const {
        auto const* const x = static_cast<T const*>(call.operands[product_.operands[0].number]);
        auto const* const values = reinterpret_cast<T const*>(source.values());
        auto* const out = static_cast<T*>(call.output);
        for (Extent first = rows.begin; first < rows.end; first += sparse_tuning::rows_a_call) {
            Extent const last = std::min(rows.end, first + sparse_tuning::rows_a_call);
            loops_.dot_rows(out + first * strides_[0], strides_[0], static_cast<std::size_t>(last - first),
                            source.offsets() + first, values, source.narrow_indices(1), x,
                            static_cast<T>(product_.factor), ProductSums<T>::run);
            for (Extent row = first; row < last; ++row) {
                SparseSource::Range const range = source.row(row);
                T& sum = out[row * strides_[0]];
                if (range.end - range.begin <= ProductSums<T>::run && std::isfinite(sum)) continue;
                std::vector<Extent> const index{row};
                mine.sum(range, index, &sum);
            }
            team.pause();
        }
    }

    void write_row(SparseSource const& source, ProductSums<T>& mine, std::vector<Extent>& index, T* to,
                   std::vector<T>& out) const {
        SparseSource::Range range = source.row(index[0]);
        if (product_.group_places == 1) {
            if (range.empty() && shape_.accumulate) return;
            mine.sum(range, index, out.data());
            return store(out, to);
        }
        while (!range.empty()) {
            std::size_t end = range.begin + 1;
            while (end < range.end && is_same_group(source, range.begin, end)) ++end;
            T* at = to;
            for (std::size_t place = 1; place < product_.group_places; ++place) {
                index[place] = source.index(place, range.begin);
                at += index[place] * strides_[place];
            }
            mine.sum({range.begin, end}, index, out.data());
            store(out, at);
            range.begin = end;
        }
    }

    bool is_same_group(SparseSource const& source, std::size_t a, std::size_t b) const {
        for (std::size_t place = 1; place < product_.group_places; ++place)
            if (source.narrow_indices(place)[a] != source.narrow_indices(place)[b]) return false;
        return true;
    }

    void store(std::vector<T> const& sums, T* to) const {
        if (shape_.accumulate) {
            for (std::size_t j = 0; j < width_; ++j) to[static_cast<Extent>(j) * free_stride_] += sums[j];
        } else if (free_stride_ == 1) {
            std::memcpy(to, sums.data(), width_ * sizeof(T));
        } else {
            for (std::size_t j = 0; j < width_; ++j) to[static_cast<Extent>(j) * free_stride_] = sums[j];
        }
    }

    /// Zeros in all of a row.
    void clear(T* to) const {
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
        Extent span = 1;  // of the last ones, that lie side by side
        while (!lengths.empty()) {
            auto const one = std::find(strides.begin(), strides.end(), span);
            if (one == strides.end()) break;
            auto const at = one - strides.begin();
            span *= lengths[static_cast<std::size_t>(at)];
            strides.erase(one);
            lengths.erase(lengths.begin() + at);
        }
        for_each_index(lengths, [&](std::vector<Extent> const& at) {
            T* first = to;
            for (std::size_t k = 0; k < at.size(); ++k) first += at[k] * strides[k];
            std::fill_n(first, span, T(0));
        });
    }

    /// Nothing of the sparse operand is in the output: pieces of what it lists, whose sums are added in order.
    void add_shares(SparseSource const& source, KernelCall const& call, WorkerTeam& team) const {
        SparseSource::Range const all = source.all();
        std::vector<std::uint32_t> first;
        if (!product_.source.labels.empty()) {
            first.resize(all.end);
            for (Extent row = 0; row < rows(); ++row)
                std::fill(first.begin() + static_cast<std::ptrdiff_t>(source.row(row).begin),
                          first.begin() + static_cast<std::ptrdiff_t>(source.row(row).end),
                          static_cast<std::uint32_t>(row));
        }
        auto const count = static_cast<Extent>(all.end - all.begin);
        auto const pieces = std::clamp<Extent>(
            static_cast<Extent>(static_cast<std::uint64_t>(count) / sparse_tuning::elements_of_a_partial), 1,
            sparse_tuning::most_pieces);
        std::vector<T> parts(static_cast<std::size_t>(pieces) * width_);
        team.run(pieces, [&](std::int64_t piece) {
            ProductSums<T> mine = sums(source, call, first);
            mine.sum({all.begin + static_cast<std::size_t>(part_begin(count, pieces, piece)),
                      all.begin + static_cast<std::size_t>(part_begin(count, pieces, piece + 1))},
                     {}, parts.data() + static_cast<std::size_t>(piece) * width_);
        });
        std::vector<T> total(width_, T(0)), low(width_, T(0));
        for (std::size_t piece = 0; piece < static_cast<std::size_t>(pieces); ++piece)
            loops_.add_total(total.data(), low.data(), parts.data() + piece * width_, width_);
        for (std::size_t j = 0; j < width_; ++j) total[j] += low[j];
        store(total, static_cast<T*>(call.output));
    }

    KernelShape shape_;
    ProductShape product_;
    std::unique_ptr<PreparedKernel const> otherwise_;
    RowLoops<T> loops_;
    bool same_pattern_;
    std::size_t width_ = 1, dotted_ = 1;
    std::vector<Extent> strides_;  // of the output, by place of the group, in elements
    Extent free_stride_ = 1;
    bool is_vector_ = false;  // a matrix by rows times a vector whose elements lie side by side
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_product_kernel(KernelShape const& shape, scalar::Params const& params,
                                                          std::unique_ptr<PreparedKernel const>& otherwise) {
    KernelTypes const types = types_of(shape);
    std::optional<ProductShape> product = product_shape(shape, types, params);
    if (!product) return nullptr;
    if (shape.sparse->output) {
        std::optional<std::vector<int>> labels = whole_output_labels(shape);
        bool const same = labels && product->free == SparsePlan::none &&
                          product->group_places == product->source.labels.size() &&
                          labels->size() == product->group_places;
        if (!same) return nullptr;
        product = product_shape(shape, types, params, *labels);
    }
    if (types.compute == DType::f32)
        return std::make_unique<ProductKernel<float>>(shape, std::move(*product), std::move(otherwise));
    return std::make_unique<ProductKernel<double>>(shape, std::move(*product), std::move(otherwise));
}

}  // namespace ein::executor
