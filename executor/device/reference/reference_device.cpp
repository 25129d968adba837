#include "executor/device/reference/reference_device.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/element.hpp"
#include "executor/device/reference/sparse_reference.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"

namespace ein::executor {
namespace {

using scalar::Scalar;

/// A nest of loops: its labels, how many indices each has, and by operand the bytes from one index to the next.
struct Loops {
    std::vector<int> labels;
    Shape lengths;
    std::vector<std::vector<std::ptrdiff_t>> steps = {};
};

/// Bytes from one index to the next of some labels, in one block.
std::vector<std::ptrdiff_t> steps_of(std::vector<int> const& labels, std::vector<Extent> const& strides, DType type) {
    std::vector<std::ptrdiff_t> out;
    for (int label : labels)
        out.push_back(strides[static_cast<std::size_t>(label)] * static_cast<std::ptrdiff_t>(size_of(type)));
    return out;
}

std::ptrdiff_t offset(std::vector<std::ptrdiff_t> const& steps, std::vector<Extent> const& at) {
    std::ptrdiff_t bytes = 0;
    for (std::size_t k = 0; k < at.size(); ++k) bytes += steps[k] * at[k];
    return bytes;
}

class ReferenceKernel final : public PreparedKernel {
public:
    ReferenceKernel(KernelShape const& shape, scalar::Params const& params)
        : shape_(shape),
          einsum_(shape.kernel->einsum),
          types_(types_of(shape)),
          evaluator_(einsum_.join, types_.compute, types_.weak, params),
          lookup_(lookup_of(shape)),
          outer_(loops_over(einsum_.output)),
          inner_(loops_over(einsum_.aggregated())),
          output_steps_(steps_of(einsum_.output,
                                 label_strides(einsum_.output, shape.output_strides, shape.lengths.size()),
                                 shape.output_dtype)) {}

    void launch(KernelCall const& call, WorkerTeam&) const override {
        Point point{call, evaluator_, std::vector<Extent>(shape_.lengths.size(), 0),
                    {},   {},         std::vector<Scalar>(einsum_.operands())};
        std::vector<std::byte const*> blocks;
        for (void const* block : call.operands) blocks.push_back(static_cast<std::byte const*>(block));
        point.outer.resize(blocks.size()), point.inner.resize(blocks.size());
        for_each_index(outer_.lengths, [&](std::vector<Extent> const& at) {
            go_to(at, outer_, point, blocks, point.outer);
            std::optional<Scalar> const value = lookup_ ? looked_up(point) : aggregate(point);
            auto* const to = static_cast<std::byte*>(call.output) + offset(output_steps_, at);
            if (value)
                store(*value, to);
            else if (!shape_.accumulate || !lookup_)
                store(scalar::identity(einsum_.agg, types_.accumulate), to);
        });
    }

private:
    /// The point of the iteration space at hand. Its vectors are made once a call, not once a point.
    struct Point {
        KernelCall const& call;
        scalar::Evaluator evaluator;
        std::vector<Extent> labels;                  // in the whole kernel
        std::vector<std::byte const*> outer, inner;  // by operand: where the output's labels lead, and all labels
        std::vector<Scalar> operands;
    };

    static std::optional<graph::Lookup> lookup_of(KernelShape const& shape) {
        std::optional<graph::Lookup> const lookup = graph::as_lookup(shape.kernel->einsum);
        bool const whole = lookup && is_integer(shape.operand_dtypes[static_cast<std::size_t>(lookup->positions)]);
        return whole ? lookup : std::nullopt;
    }

    Loops loops_over(std::vector<int> const& labels) const {
        Loops loops{labels, {}};
        for (int label : labels) loops.lengths.push_back(shape_.lengths[static_cast<std::size_t>(label)]);
        for (std::size_t k = 0; k < einsum_.operands(); ++k) {
            auto const strides = label_strides(einsum_.inputs[k], shape_.operand_strides[k], shape_.lengths.size());
            loops.steps.push_back(steps_of(labels, strides, shape_.operand_dtypes[k]));
        }
        return loops;
    }

    static void go_to(std::vector<Extent> const& at, Loops const& loops, Point& point,
                      std::vector<std::byte const*> const& from, std::vector<std::byte const*>& to) {
        for (std::size_t k = 0; k < at.size(); ++k) {
            auto const label = static_cast<std::size_t>(loops.labels[k]);
            point.labels[label] = at[k] + point.call.begin[label];
        }
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k] + offset(loops.steps[k], at);
    }

    /// The one element that a position names, with the sign of its zero; nothing where another block has it.
    std::optional<Scalar> looked_up(Point& point) const {
        auto const label = static_cast<std::size_t>(lookup_->label);
        auto const k = static_cast<std::size_t>(lookup_->positions);
        Extent const position =
            load_element(point.outer[k], shape_.operand_dtypes[k]).integer - point.call.begin[label];
        if (position < 0 || position >= shape_.lengths[label]) return std::nullopt;
        std::vector<Extent> at(inner_.labels.size(), 0);
        auto const looked_in = std::ranges::find(inner_.labels, lookup_->label) - inner_.labels.begin();
        at.at(static_cast<std::size_t>(looked_in)) = position;
        go_to(at, inner_, point, point.outer, point.inner);
        return scalar::convert(join(point), types_.join, types_.accumulate);
    }

    /// The aggregate over the inner labels at one output index; nothing where they have none. It begins with the first
    /// value, because 0 + -0 is 0. Reals stay in double: the reference may be more exact than others.
    std::optional<Scalar> aggregate(Point& point) const {
        std::optional<Scalar> total;
        for_each_index(inner_.lengths, [&](std::vector<Extent> const& at) {
            go_to(at, inner_, point, point.outer, point.inner);
            Scalar const joined = join(point);
            Scalar const value =
                types_.join == types_.accumulate ? joined : scalar::convert(joined, types_.join, types_.accumulate);
            total = total ? scalar::combine(einsum_.agg, types_.accumulate, *total, value) : value;
        });
        return total;
    }

    Scalar join(Point& point) const {
        for (std::size_t k = 0; k < point.operands.size(); ++k) {
            DType const type = shape_.operand_dtypes[k];
            Scalar const element = load_element(point.inner[k], type);
            point.operands[k] = type == types_.compute ? element : scalar::convert(element, type, types_.compute);
        }
        return point.evaluator(point.operands, point.labels);
    }

    void store(Scalar value, std::byte* to) const {
        DType const type = shape_.output_dtype;
        if (shape_.accumulate) {
            Scalar const held = scalar::convert(load_element(to, type), type, types_.accumulate);
            value = scalar::combine(einsum_.agg, types_.accumulate, held, value);
        }
        store_element(scalar::convert(value, types_.accumulate, type), to, type);
    }

    KernelShape shape_;
    graph::EinSum const& einsum_;
    KernelTypes types_;
    scalar::Evaluator evaluator_;
    std::optional<graph::Lookup> lookup_;
    Loops outer_, inner_;  // over the output's labels, and over those that are aggregated
    std::vector<std::ptrdiff_t> output_steps_;
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
