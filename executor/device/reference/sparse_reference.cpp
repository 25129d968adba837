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

/// Elements that a block lists, by their places in it in C order.
using Listed = std::map<Extent, Scalar>;

Listed listed_of(SparseOperand const& operand, void const* block, DType type) {
    auto const* const bytes = static_cast<std::byte const*>(block);
    Extent const count = tensor::listed_in(std::span(bytes, sizeof(std::uint64_t)));
    auto const size = static_cast<std::size_t>(tensor::sparse_bytes(operand.layout, operand.lengths, type, count));
    tensor::ListedElements const elements =
        tensor::elements_of(std::span(bytes, size), type, Box::whole(operand.lengths), operand.layout);
    std::vector<Extent> const strides = row_major_strides(operand.lengths);
    Listed out;
    for (std::size_t e = 0; e < static_cast<std::size_t>(count); ++e) {
        Extent place = 0;
        for (std::size_t axis = 0; axis < strides.size(); ++axis) place += strides[axis] * elements.coords[axis][e];
        out.emplace_hint(out.end(), place, load_element(elements.values.data() + e * size_of(type), type));
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
        for (std::size_t k = 0; k < einsum_.operands(); ++k)
            operand_strides_.push_back(is_sparse(shape, k) ? row_major_strides(sparse_.operands[k]->lengths)
                                                           : shape.operand_strides[k]);
        output_strides_ = sparse_.output ? row_major_strides(sparse_.output->lengths) : shape.output_strides;
    }

    void launch(KernelCall const& call, WorkerTeam&) const override {
        Call now{call, evaluator_, {}, {}, {}, {}, std::vector<Extent>(shape_.lengths.size(), 0), {}};
        for (std::size_t k = 0; k < einsum_.operands(); ++k)
            now.listed.push_back(is_sparse(shape_, k)
                                     ? listed_of(*sparse_.operands[k], call.operands[k], shape_.operand_dtypes[k])
                                     : Listed{});
        now.found.resize(now.listed.size()), now.operands.resize(now.listed.size());
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
    /// The point at hand, and what is found there. Its vectors are made once a call, not once a point.
    struct Call {
        KernelCall const& call;
        scalar::Evaluator evaluator;
        std::vector<Listed> listed;         // by operand
        std::vector<Scalar const*> found;   // by operand: what is listed of a sparse one
        std::vector<Scalar> operands;       // for the join
        Listed written;                     // by a sparse output
        std::vector<Extent> index, labels;  // in the call, and in the whole kernel
    };

    /// Where an operand (or the output) has the point at hand, in elements. @param begin  of a sparse block
    static Extent place(std::vector<int> const& labels, std::vector<Extent> const& strides,
                        std::vector<Extent> const& index, std::vector<Extent> const* begin = nullptr) {
        Extent elements = 0;
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            Extent const at = index[static_cast<std::size_t>(labels[axis])];
            elements += strides[axis] * (begin == nullptr ? at : (*begin)[axis] + at);
        }
        return elements;
    }

    static std::ptrdiff_t bytes(Extent elements, DType type) {
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
        for (std::size_t k = 0; k < now.found.size(); ++k) {
            now.found[k] = nullptr;
            if (!sparse_.operands[k]) continue;
            Extent const at = place(einsum_.inputs[k], operand_strides_[k], now.index, &sparse_.operands[k]->begin);
            auto const entry = now.listed[k].find(at);
            if (entry != now.listed[k].end()) now.found[k] = &entry->second;
        }
        for (std::vector<int> const& set : sparse_.idle_sets)
            if (std::ranges::none_of(set, [&](int k) { return now.found[static_cast<std::size_t>(k)] != nullptr; }))
                return std::nullopt;
        now.labels = now.index;
        for (std::size_t label = 0; label < now.labels.size(); ++label) now.labels[label] += now.call.begin[label];
        for (std::size_t k = 0; k < now.operands.size(); ++k) {
            Scalar const value = element(k, now);
            if (lookup_ && k == at(lookup_->positions) && value.integer != now.labels[at(lookup_->label)])
                return std::nullopt;
            now.operands[k] = scalar::convert(value, shape_.operand_dtypes[k], types_.compute);
        }
        return now.evaluator(now.operands, now.labels);
    }

    Scalar element(std::size_t k, Call const& now) const {
        if (sparse_.operands[k]) return now.found[k] != nullptr ? *now.found[k] : sparse_.operands[k]->fill;
        DType const type = shape_.operand_dtypes[k];
        Extent const at = place(einsum_.inputs[k], operand_strides_[k], now.index);
        return load_element(static_cast<std::byte const*>(now.call.operands[k]) + bytes(at, type), type);
    }

    Scalar combined(Scalar const& held, Scalar const& value) const {
        return scalar::combine(einsum_.agg, types_.accumulate,
                               scalar::convert(held, shape_.output_dtype, types_.accumulate), value);
    }

    void store(Scalar value, Call const& now) const {
        DType const type = shape_.output_dtype;
        auto* const at =
            static_cast<std::byte*>(now.call.output) + bytes(place(einsum_.output, output_strides_, now.index), type);
        if (shape_.accumulate) value = combined(load_element(at, type), value);
        store_element(scalar::convert(value, types_.accumulate, type), at, type);
    }

    void list(Scalar value, Call& now) const {
        Extent const at = place(einsum_.output, output_strides_, now.index, &sparse_.output->begin);
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
            std::vector<Extent> const index = index_at(sparse_.output->lengths, at);
            for (std::size_t axis = 0; axis < index.size(); ++axis) elements.coords[axis].push_back(index[axis]);
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
    std::vector<std::vector<Extent>> operand_strides_;  // of a sparse one those of its block's places
    std::vector<Extent> output_strides_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_sparse_reference(KernelShape const& shape, scalar::Params const& params) {
    return std::make_unique<SparseReferenceKernel>(shape, params);
}

}  // namespace ein::executor
