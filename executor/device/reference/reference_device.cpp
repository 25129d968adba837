#include "executor/device/reference/reference_device.hpp"

#include <cstring>
#include <optional>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/element.hpp"
#include "executor/device/reference/sparse_reference.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"

namespace ein::executor {
namespace {

using scalar::Scalar;

class ReferenceKernel final : public PreparedKernel {
public:
    ReferenceKernel(KernelShape const& shape, scalar::Params const& params)
        : shape_(shape),
          einsum_(shape.kernel->einsum),
          types_(types_of(shape)),
          evaluator_(einsum_.join, types_.compute, types_.weak, params),
          lookup_(lookup_of(shape)) {
        for (std::size_t k = 0; k < einsum_.operands(); ++k)
            operand_strides_.push_back(
                label_strides(einsum_.inputs[k], shape.operand_strides[k], shape.lengths.size()));
        output_strides_ = label_strides(einsum_.output, shape.output_strides, shape.lengths.size());
        inner_ = einsum_.aggregated();
        for (int label : einsum_.output) output_lengths_.push_back(shape.lengths[static_cast<std::size_t>(label)]);
        for (int label : inner_) inner_lengths_.push_back(shape.lengths[static_cast<std::size_t>(label)]);
    }

    void launch(KernelCall const& call, WorkerTeam&) const override {
        std::size_t const labels = shape_.lengths.size();
        Point point{call, evaluator_, std::vector<Extent>(labels, 0), std::vector<Extent>(labels, 0),
                    std::vector<Scalar>(einsum_.operands())};
        for_each_index(output_lengths_, [&](std::vector<Extent> const& at) {
            for (std::size_t k = 0; k < at.size(); ++k)
                point.index[static_cast<std::size_t>(einsum_.output[k])] = at[k];
            std::optional<Scalar> const value = lookup_ ? looked_up(point) : aggregate(point);
            if (value)
                store(*value, point);
            else if (!shape_.accumulate || !lookup_)
                store(scalar::identity(einsum_.agg, types_.accumulate), point);
        });
    }

private:
    /// The point of the iteration space at hand. Its vectors are made once a call, not once a point.
    struct Point {
        KernelCall const& call;
        scalar::Evaluator evaluator;
        std::vector<Extent> index;   // in the call
        std::vector<Extent> labels;  // in the whole kernel
        std::vector<Scalar> operands;
    };

    static std::optional<graph::Lookup> lookup_of(KernelShape const& shape) {
        std::optional<graph::Lookup> const lookup = graph::as_lookup(shape.kernel->einsum);
        bool const whole = lookup && is_integer(shape.operand_dtypes[static_cast<std::size_t>(lookup->positions)]);
        return whole ? lookup : std::nullopt;
    }

    /// The one element that a position names, with the sign of its zero; nothing where another block has it.
    std::optional<Scalar> looked_up(Point& point) const {
        auto const label = static_cast<std::size_t>(lookup_->label);
        auto const k = static_cast<std::size_t>(lookup_->positions);
        DType const type = shape_.operand_dtypes[k];
        point.index[label] = 0;
        auto const* const at =
            static_cast<std::byte const*>(point.call.operands[k]) + offset(operand_strides_[k], point.index, type);
        Extent const position = load_element(at, type).integer - point.call.begin[label];
        if (position < 0 || position >= shape_.lengths[label]) return std::nullopt;
        point.index[label] = position;
        return scalar::convert(join(point), types_.join, types_.accumulate);
    }

    /// The aggregate over the inner labels at one output index; nothing where they have none. It begins with the first
    /// value, because 0 + -0 is 0. Reals stay in double: the reference may be more exact than others.
    std::optional<Scalar> aggregate(Point& point) const {
        std::optional<Scalar> total;
        for_each_index(inner_lengths_, [&](std::vector<Extent> const& at) {
            for (std::size_t k = 0; k < at.size(); ++k) point.index[static_cast<std::size_t>(inner_[k])] = at[k];
            Scalar const joined = join(point);
            Scalar const value =
                types_.join == types_.accumulate ? joined : scalar::convert(joined, types_.join, types_.accumulate);
            total = total ? scalar::combine(einsum_.agg, types_.accumulate, *total, value) : value;
        });
        return total;
    }

    Scalar join(Point& point) const {
        for (std::size_t k = 0; k < einsum_.operands(); ++k) {
            DType const type = shape_.operand_dtypes[k];
            auto const* at =
                static_cast<std::byte const*>(point.call.operands[k]) + offset(operand_strides_[k], point.index, type);
            point.operands[k] = scalar::convert(load_element(at, type), type, types_.compute);
        }
        for (std::size_t label = 0; label < point.labels.size(); ++label)
            point.labels[label] = point.index[label] + point.call.begin[label];
        return point.evaluator(point.operands, point.labels);
    }

    void store(Scalar value, Point const& point) const {
        DType const type = shape_.output_dtype;
        auto* const at = static_cast<std::byte*>(point.call.output) + offset(output_strides_, point.index, type);
        if (shape_.accumulate) {
            Scalar const held = scalar::convert(load_element(at, type), type, types_.accumulate);
            value = scalar::combine(einsum_.agg, types_.accumulate, held, value);
        }
        store_element(scalar::convert(value, types_.accumulate, type), at, type);
    }

    static std::ptrdiff_t offset(std::vector<Extent> const& strides, std::vector<Extent> const& index, DType type) {
        std::ptrdiff_t elements = 0;
        for (std::size_t label = 0; label < index.size(); ++label) elements += strides[label] * index[label];
        return elements * static_cast<std::ptrdiff_t>(size_of(type));
    }

    KernelShape shape_;
    graph::EinSum const& einsum_;
    KernelTypes types_;
    scalar::Evaluator evaluator_;
    std::optional<graph::Lookup> lookup_;
    std::vector<std::vector<Extent>> operand_strides_;
    std::vector<Extent> output_strides_;
    std::vector<int> inner_;  // aggregated labels
    Shape output_lengths_, inner_lengths_;
};

std::ptrdiff_t position_in(Box const& box, std::vector<Extent> const& index) {
    std::ptrdiff_t position = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
        position = position * box.length[axis] + (index[axis] - box.begin[axis]);
    return position;
}

bool inside(Box const& box, std::vector<Extent> const& index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
        if (index[axis] < box.begin[axis] || index[axis] >= box.end(axis)) return false;
    return true;
}

}  // namespace

std::unique_ptr<PreparedKernel const> ReferenceDevice::prepare(KernelShape const& shape, scalar::Params const& params) {
    check(shape);
    if (shape.sparse) return make_sparse_reference(shape, params);
    return std::make_unique<ReferenceKernel>(shape, params);
}

void ReferenceDevice::copy(CopyCall const& call, WorkerTeam&) {
    std::size_t const size = size_of(call.dtype);
    for_each_index(call.region.length, [&](std::vector<Extent> const& at) {
        std::vector<Extent> to(at), from(at.size());
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            to[axis] += call.region.begin[axis];
            from[axis] = call.axes[axis].start + call.axes[axis].step * to[axis];
        }
        std::memcpy(static_cast<std::byte*>(call.to) + position_in(call.to_box, to) * static_cast<std::ptrdiff_t>(size),
                    static_cast<std::byte const*>(call.from) +
                        position_in(call.from_box, from) * static_cast<std::ptrdiff_t>(size),
                    size);
    });
}

void ReferenceDevice::reshape(ReshapeCall const& call, WorkerTeam&) {
    std::size_t const size = size_of(call.dtype);
    std::size_t packed = 0;
    std::vector<Extent> const strides = row_major_strides(call.spec->from);
    for_each_index(call.from_box.length, [&](std::vector<Extent> const& at) {
        Extent linear = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            linear += (at[axis] + call.from_box.begin[axis]) * strides[axis];
        std::vector<Extent> const there = index_at(call.spec->to, linear);
        if (!inside(call.to_box, there)) return;
        std::vector<Extent> here(at);
        for (std::size_t axis = 0; axis < at.size(); ++axis) here[axis] += call.from_box.begin[axis];
        bool const from_packed = call.form == ReshapeCall::Form::unpack,
                   to_packed = call.form == ReshapeCall::Form::pack;
        std::size_t const from = from_packed ? packed : static_cast<std::size_t>(position_in(call.from_box, here));
        std::size_t const to = to_packed ? packed : static_cast<std::size_t>(position_in(call.to_box, there));
        std::memcpy(static_cast<std::byte*>(call.to) + to * size,
                    static_cast<std::byte const*>(call.from) + from * size, size);
        ++packed;
    });
}

void ReferenceDevice::fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam&) {
    value = scalar::convert(value, value.is_integer ? DType::i64 : DType::c128, dtype);
    for (Extent i = 0; i < elements; ++i)
        store_element(value, static_cast<std::byte*>(to) + static_cast<std::size_t>(i) * size_of(dtype), dtype);
}

}  // namespace ein::executor
