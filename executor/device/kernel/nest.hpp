// The loops of a kernel as a value: one label each with its length and how far it moves in every operand and in the
// output. Labels of length one are gone and labels that run through memory as one are fused, so that few, long loops
// are left.
// Leaves their order to loop_plan.hpp. Example: "ij,ij->ij" of contiguous blocks is one label of length i*j.
#pragma once

#include <vector>

#include "executor/device/device.hpp"

namespace ein::executor {

struct NestLabel {
    Extent length = 1;
    std::vector<Extent> strides;  // of each operand, in bytes
    Extent output_stride = 0;     // in bytes
    bool aggregated = false;      // not in the output
    int index = -1;               // the EinSum's label whose value the join asks for, or -1
};

struct Nest {
    std::vector<NestLabel> labels;  // the output's first, in its order, then the aggregated ones
    std::vector<DType> operand_dtypes;
    DType output_dtype = DType::f32;
    bool accumulate = false;
    Extent output_bytes = 0;  // see KernelShape
    /// The same labels as one call of the whole node would have them, where the order of terms must not follow from how
    /// the node is cut; else empty. Aggregated labels are then never cut, and have the same lengths in both.
    std::vector<NestLabel> whole = {};

    bool keeps_order() const { return !whole.empty(); }
    /// What orders of terms are planned from: the whole where it matters, else this.
    Nest planned() const;
    bool aggregates() const;
    Extent elements() const;  // of all labels together
    Extent output_elements() const;
};

/// One call of the whole node, on blocks that are whole tensors.
KernelShape whole_call(KernelShape const& shape);

/// The nest of a kernel's call. Operands that the join does not mention move nowhere.
Nest make_nest(KernelShape const& shape);

/// Drops labels of length one and fuses what is adjacent in every operand and in the output.
/// A label whose value is asked for stays as it is; where order is kept, so do the output's labels, and the others are
/// dropped and fused as in the whole.
void simplify(Nest& nest);

/// Whether an aggregated label, or one of the output, has length 0.
bool reads_nothing(Nest const& nest);
bool writes_nothing(Nest const& nest);

}  // namespace ein::executor
