#include "executor/device/cpu/sparse/lookup_rows.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/sparse/listed_output.hpp"
#include "executor/device/cpu/sparse/row_pieces.hpp"
#include "executor/device/cpu/sparse/same_pattern.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

class LookupRowsKernel final : public PreparedKernel {
public:
    LookupRowsKernel(KernelShape const& shape, graph::Lookup const& lookup)
        : shape_(shape),
          data_{static_cast<std::size_t>(lookup.data), {lookup.label}},
          positions_(static_cast<std::size_t>(lookup.positions)),
          label_(static_cast<std::size_t>(lookup.label)),
          element_(size_of(shape.output_dtype)) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        std::optional<std::vector<int>> const listed = whole_output_labels(shape);
        for (int label : listed ? *listed : einsum.output)
            if (graph::has_label(einsum.inputs[data_.operand], label)) data_.labels.push_back(label);
        for (int label : einsum.inputs[positions_]) located_.push_back(shape.lengths[static_cast<std::size_t>(label)]);
        copies_rows_ = listed && einsum.inputs[positions_].size() == 1 &&
                       listed->front() == einsum.inputs[positions_][0] && shape.sparse->output->layout.compressed &&
                       tensor::index_bytes(shape.sparse->output->lengths) == sizeof(std::uint32_t);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        SparseSource const source(shape_, data_, call.operands[data_.operand]);
        bool narrow = true;
        for (std::size_t place = 1; place < data_.labels.size(); ++place)
            narrow = narrow && source.narrow_indices(place) != nullptr;
        if (copies_rows_ && narrow) return copy_rows(source, call, team);
        shape_.sparse->output ? list(source, call) : scatter(source, call);
    }

private:
    /// What is listed at the label's index that stands at `positions`.
    SparseSource::Range found_at(SparseSource const& source, KernelCall const& call, std::byte const* positions) const {
        Extent const position = load_element(positions, shape_.operand_dtypes[positions_]).integer - call.begin[label_];
        if (position < 0 || position >= shape_.lengths[label_]) return {};
        return {source.before(position), source.before(position + 1)};
    }

    /// Rows of the result are rows of the data, as they lie.
    void copy_rows(SparseSource const& source, KernelCall const& call, WorkerTeam& team) const {
        auto const rows = static_cast<std::size_t>(located_[0]);
        Extent const step =
            shape_.operand_strides[positions_][0] * static_cast<Extent>(size_of(shape_.operand_dtypes[positions_]));
        auto const* const positions = static_cast<std::byte const*>(call.operands[positions_]);
        std::vector<SparseSource::Range> found(rows);
        std::vector<std::uint64_t> offsets(rows + 1, 0);
        for (std::size_t row = 0; row < rows; ++row) {
            found[row] = found_at(source, call, positions + static_cast<Extent>(row) * step);
            offsets[row + 1] = offsets[row] + (found[row].end - found[row].begin);
        }
        ListedRows const to = begin_rows(shape_, call, offsets);
        std::vector<Extent> const bounds = cut_rows(
            located_[0], [&](Extent row) { return offsets[static_cast<std::size_t>(row)] + static_cast<Extent>(row); },
            sparse_tuning::points_of_a_piece);
        team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
            auto const p = static_cast<std::size_t>(piece);
            for (auto row = static_cast<std::size_t>(bounds[p]); row < static_cast<std::size_t>(bounds[p + 1]); ++row) {
                std::size_t const from = found[row].begin, count = found[row].end - from, at = offsets[row];
                if (count == 0) continue;
                for (std::size_t place = 1; place < data_.labels.size(); ++place)
                    std::memcpy(to.coords[place] + at * sizeof(std::uint32_t), source.narrow_indices(place) + from,
                                count * sizeof(std::uint32_t));
                std::memcpy(to.values + at * element_, source.value(from), count * element_);
            }
            team.pause();
        });
    }

    /// visit(element, indices of all labels): of each position in turn what is listed there.
    template <class Visit>
    void for_each_found(SparseSource const& source, KernelCall const& call, Visit&& visit) const {
        std::vector<int> const& located = shape_.kernel->einsum.inputs[positions_];
        std::vector<Extent> const& strides = shape_.operand_strides[positions_];
        DType const dtype = shape_.operand_dtypes[positions_];
        auto const* const positions = static_cast<std::byte const*>(call.operands[positions_]);
        std::vector<Extent> at(shape_.lengths.size(), 0);
        for_each_index(located_, [&](std::vector<Extent> const& index) {
            std::ptrdiff_t offset = 0;
            for (std::size_t axis = 0; axis < located.size(); ++axis) {
                offset += strides[axis] * index[axis];
                at[static_cast<std::size_t>(located[axis])] = index[axis];
            }
            auto const [begin, end] =
                found_at(source, call, positions + offset * static_cast<std::ptrdiff_t>(size_of(dtype)));
            for (std::size_t e = begin; e < end; ++e) {
                for (std::size_t place = 1; place < data_.labels.size(); ++place)
                    at[static_cast<std::size_t>(data_.labels[place])] = source.index(place, e);
                visit(e, static_cast<std::vector<Extent> const&>(at));
            }
        });
    }

    void list(SparseSource const& source, KernelCall const& call) const {
        SparseOperand const& output = *shape_.sparse->output;
        std::vector<int> const& labels = shape_.kernel->einsum.output;
        tensor::ListedElements found;
        found.coords.resize(labels.size());
        for_each_found(source, call, [&](std::size_t e, std::vector<Extent> const& at) {
            for (std::size_t axis = 0; axis < labels.size(); ++axis)
                found.coords[axis].push_back(output.begin[axis] + at[static_cast<std::size_t>(labels[axis])]);
            std::byte const* const value = source.value(e);
            found.values.insert(found.values.end(), value, value + element_);
        });
        tensor::write_sparse_block(found, shape_.output_dtype, Box::whole(output.lengths), output.layout,
                                   {static_cast<std::byte*>(call.output), call.room});
    }

    void scatter(SparseSource const& source, KernelCall const& call) const {
        std::vector<int> const& labels = shape_.kernel->einsum.output;
        auto* const out = static_cast<std::byte*>(call.output);
        auto const place = [&](auto const& index) {
            std::ptrdiff_t elements = 0;
            for (std::size_t axis = 0; axis < labels.size(); ++axis)
                elements += shape_.output_strides[axis] * index(axis);
            return out + elements * static_cast<std::ptrdiff_t>(element_);
        };
        Shape lengths;
        for (int label : labels) lengths.push_back(shape_.lengths[static_cast<std::size_t>(label)]);
        for_each_index(lengths, [&](std::vector<Extent> const& index) {
            std::memset(place([&](std::size_t axis) { return index[axis]; }), 0, element_);
        });
        for_each_found(source, call, [&](std::size_t e, std::vector<Extent> const& at) {
            std::memcpy(place([&](std::size_t axis) { return at[static_cast<std::size_t>(labels[axis])]; }),
                        source.value(e), element_);
        });
    }

    KernelShape const shape_;
    SparsePlan::Source data_;  // the label that is looked up, then those of the output
    std::size_t positions_, label_, element_;
    Shape located_;
    bool copies_rows_ = false;  // one position a row of the result
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_lookup_rows_kernel(KernelShape const& shape) {
    auto const lookup = row_lookup(shape);
    if (!lookup || shape.accumulate) return nullptr;
    return std::make_unique<LookupRowsKernel>(shape, *lookup);
}

}  // namespace ein::executor
