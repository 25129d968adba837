#include "executor/device/cpu/sparse_products/dense_operand.hpp"

#include <algorithm>
#include <numeric>

#include "executor/device/cpu/sparse/sparse_plan.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

std::size_t copied_bytes(std::span<DenseOperand const> operands, std::size_t element) {
    std::size_t bytes = 0;
    for (DenseOperand const& operand : operands) bytes += lines(static_cast<std::size_t>(operand.copied()) * element);
    return bytes;
}

}  // namespace

DenseOperand::DenseOperand(KernelShape const& shape, std::size_t operand, int along, DType type)
    : number_(operand),
      strides_(
          label_strides(shape.kernel->einsum.inputs[operand], shape.operand_strides[operand], shape.lengths.size())) {
    DType const from = shape.operand_dtypes[operand];
    std::vector<int> const& axes = shape.kernel->einsum.inputs[operand];
    bool const apart = graph::has_label(axes, along) && strides_[static_cast<std::size_t>(along)] != 1;
    if (from == type && !apart) return;
    if (std::any_of(shape.lengths.begin(), shape.lengths.end(), [](Extent n) { return n == 0; })) return;
    std::vector<int> labels;  // as they lie, but `along` innermost
    for (int label : axes)
        if (!graph::has_label(labels, label)) labels.push_back(label);
    std::stable_sort(labels.begin(), labels.end(), [&](int a, int b) {
        if ((a == along) != (b == along)) return b == along;
        return strides_[static_cast<std::size_t>(a)] > strides_[static_cast<std::size_t>(b)];
    });
    std::vector<Extent> to(strides_.size(), 0);
    copied_ = 1;
    for (std::size_t place = labels.size(); place-- > 0;) {
        auto const label = static_cast<std::size_t>(labels[place]);
        to[label] = copied_;
        copied_ *= shape.lengths[label];
    }
    Nest nest{{}, {from}, type, false, 0};
    for (int label : labels) {
        auto const l = static_cast<std::size_t>(label);
        nest.labels.push_back({shape.lengths[l],
                               {strides_[l] * static_cast<Extent>(size_of(from))},
                               to[l] * static_cast<Extent>(size_of(type)),
                               false,
                               -1});
    }
    simplify(nest);
    strides_ = std::move(to);
    copying_ = LoopKernel::make(std::move(nest), LoopBody::identity(type));
}

void const* DenseOperand::in(KernelCall const& call, std::byte* copy, WorkerTeam& team) const {
    if (copied_ == 0) return call.operands[number_];
    copying_->launch(std::span(call.operands).subspan(number_, 1), copy, {}, team);
    return copy;
}

DenseOperands::DenseOperands(std::span<DenseOperand const> operands, std::size_t element, KernelCall const& call,
                             WorkerTeam& team)
    : copies_(copied_bytes(operands, element)) {
    std::byte* copy = copies_.data();
    for (DenseOperand const& operand : operands) {
        pointers_.push_back(operand.in(call, copy, team));
        copy += lines(static_cast<std::size_t>(operand.copied()) * element);
    }
}

}  // namespace ein::executor
