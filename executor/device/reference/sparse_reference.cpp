#include "executor/device/reference/sparse_reference.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"

namespace ein::executor {
namespace {

using scalar::Scalar;

/// Elements that a block lists, by their indices in it.
using Listed = std::map<std::vector<Extent>, Scalar>;

Listed listed_of(SparseOperand const& operand, void const* block, DType type) {
    auto const* const bytes = static_cast<std::byte const*>(block);
    Extent const count = tensor::listed_in(std::span(bytes, sizeof(std::uint64_t)));
    auto const size = static_cast<std::size_t>(tensor::sparse_bytes(operand.layout, operand.lengths, type, count));
    tensor::ListedElements const elements =
        tensor::elements_of(std::span(bytes, size), type, Box::whole(operand.lengths), operand.layout);
    Listed out;
    for (std::size_t e = 0; e < static_cast<std::size_t>(count); ++e) {
        std::vector<Extent> index;
        for (std::vector<Extent> const& coords : elements.coords) index.push_back(coords[e]);
        out.emplace(std::move(index), load_element(elements.values.data() + e * size_of(type), type));
    }
    return out;
}

class SparseReferenceKernel final : public PreparedKernel {
public:
    SparseReferenceKernel(KernelShape const& shape, scalar::Params const& params)
        : shape_(shape),
          einsum_(shape.kernel->einsum),
          types_(types_of(shape)),
          evaluator_(einsum_.join, types_.compute, types_.weak, params),
          untouched_(value_without_contributions(shape, types_, params)),
          inner_(einsum_.aggregated()),
          lookup_(row_lookup(shape)) {
        for (int label : einsum_.output) output_lengths_.push_back(shape.lengths[static_cast<std::size_t>(label)]);
        for (int label : inner_) inner_lengths_.push_back(shape.lengths[static_cast<std::size_t>(label)]);
    }

    void launch(KernelCall const& call, WorkerTeam&) const override {
        Call now{call, evaluator_, {}, {}, std::vector<Extent>(shape_.lengths.size(), 0)};
        for (std::size_t k = 0; k < einsum_.operands(); ++k)
            now.listed.push_back(is_sparse(shape_, k)
                                     ? listed_of(*sparse_.operands[k], call.operands[k], shape_.operand_dtypes[k])
                                     : Listed{});
        if (sparse_.output && shape_.accumulate)
            now.written = listed_of(*sparse_.output, call.output, shape_.output_dtype);
        for_each_index(output_lengths_, [&](std::vector<Extent> const& at) {
            for (std::size_t k = 0; k < at.size(); ++k) now.index[static_cast<std::size_t>(einsum_.output[k])] = at[k];
            std::optional<Scalar> const total = aggregate(now);
            if (sparse_.output && total)
                list(*total, now);
            else if (!sparse_.output)
                store(total.value_or(untouched_), now);
        });
        if (sparse_.output) write(now);
    }

private:
    struct Call {
        KernelCall const& call;
        scalar::Evaluator evaluator;
        std::vector<Listed> listed;  // by operand
        Listed written;              // by a sparse output
        std::vector<Extent> index;   // of the point at hand, in the call
    };

    /// Where an operand (or the output) has the point at hand.
    static std::vector<Extent> place(std::vector<int> const& labels, std::vector<Extent> const& begin,
                                     std::vector<Extent> const& index) {
        std::vector<Extent> at;
        for (std::size_t axis = 0; axis < labels.size(); ++axis)
            at.push_back((begin.empty() ? 0 : begin[axis]) + index[static_cast<std::size_t>(labels[axis])]);
        return at;
    }

    static std::ptrdiff_t offset(std::vector<int> const& labels, std::vector<Extent> const& strides, DType type,
                                 std::vector<Extent> const& index) {
        std::ptrdiff_t elements = 0;
        std::vector<Extent> const at = place(labels, {}, index);
        for (std::size_t axis = 0; axis < at.size(); ++axis) elements += strides[axis] * at[axis];
        return elements * static_cast<std::ptrdiff_t>(size_of(type));
    }

    /// The aggregate over the points that contribute to one output; nothing where there are none.
    std::optional<Scalar> aggregate(Call& now) const {
        std::optional<Scalar> total;
        for_each_index(inner_lengths_, [&](std::vector<Extent> const& at) {
            for (std::size_t k = 0; k < at.size(); ++k) now.index[static_cast<std::size_t>(inner_[k])] = at[k];
            std::optional<Scalar> const joined = join(now);
            if (!joined) return;
            Scalar const value =
                types_.join == types_.accumulate ? *joined : scalar::convert(*joined, types_.join, types_.accumulate);
            total = total ? scalar::combine(einsum_.agg, types_.accumulate, *total, value) : value;
        });
        return total;
    }

    /// Nothing where an idle set lists nothing.
    std::optional<Scalar> join(Call& now) const {
        std::vector<Scalar> operands;
        std::vector<bool> listed(einsum_.operands(), false);
        std::int64_t position = 0;  // of a lookup
        for (std::size_t k = 0; k < einsum_.operands(); ++k) {
            DType const type = shape_.operand_dtypes[k];
            Scalar value;
            if (std::optional<SparseOperand> const& sparse = sparse_.operands[k]) {
                auto const found = now.listed[k].find(place(einsum_.inputs[k], sparse->begin, now.index));
                listed[k] = found != now.listed[k].end();
                value = listed[k] ? found->second : sparse->fill;
            } else {
                value = load_element(static_cast<std::byte const*>(now.call.operands[k]) +
                                         offset(einsum_.inputs[k], shape_.operand_strides[k], type, now.index),
                                     type);
            }
            if (lookup_ && k == at(lookup_->positions)) position = value.integer;
            operands.push_back(scalar::convert(value, type, types_.compute));
        }
        for (std::vector<int> const& set : sparse_.idle_sets)
            if (std::none_of(set.begin(), set.end(), [&](int k) { return listed[static_cast<std::size_t>(k)]; }))
                return std::nullopt;
        std::vector<Extent> labels(now.index);
        for (std::size_t label = 0; label < labels.size(); ++label) labels[label] += now.call.begin[label];
        if (lookup_ && position != labels[at(lookup_->label)]) return std::nullopt;
        return now.evaluator(operands, labels);
    }

    Scalar combined(Scalar const& held, Scalar const& value) const {
        return scalar::combine(einsum_.agg, types_.accumulate,
                               scalar::convert(held, shape_.output_dtype, types_.accumulate), value);
    }

    void store(Scalar value, Call const& now) const {
        DType const type = shape_.output_dtype;
        auto* const at =
            static_cast<std::byte*>(now.call.output) + offset(einsum_.output, shape_.output_strides, type, now.index);
        if (shape_.accumulate) value = combined(load_element(at, type), value);
        store_element(scalar::convert(value, types_.accumulate, type), at, type);
    }

    void list(Scalar value, Call& now) const {
        std::vector<Extent> const at = place(einsum_.output, sparse_.output->begin, now.index);
        auto const held = now.written.find(at);
        if (held != now.written.end()) value = combined(held->second, value);
        now.written[at] = scalar::convert(value, types_.accumulate, shape_.output_dtype);
    }

    void write(Call const& now) const {
        DType const type = shape_.output_dtype;
        tensor::ListedElements elements;
        elements.coords.resize(einsum_.output.size());
        elements.values.resize(now.written.size() * size_of(type));
        std::size_t e = 0;
        for (auto const& [at, value] : now.written) {
            for (std::size_t axis = 0; axis < at.size(); ++axis) elements.coords[axis].push_back(at[axis]);
            store_element(value, elements.values.data() + e++ * size_of(type), type);
        }
        tensor::write_sparse_block(elements, type, Box::whole(sparse_.output->lengths), sparse_.output->layout,
                                   std::span(static_cast<std::byte*>(now.call.output), now.call.room));
    }

    KernelShape shape_;
    graph::EinSum const& einsum_;
    SparseOperands const& sparse_ = *shape_.sparse;
    KernelTypes types_;
    scalar::Evaluator evaluator_;
    Scalar untouched_;
    std::vector<int> inner_;  // aggregated labels
    std::optional<graph::Lookup> lookup_;
    Shape output_lengths_, inner_lengths_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_sparse_reference(KernelShape const& shape, scalar::Params const& params) {
    return std::make_unique<SparseReferenceKernel>(shape, params);
}

}  // namespace ein::executor
