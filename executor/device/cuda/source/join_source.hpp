// A join as CUDA C++ statements, one for each operation, in the types that lib/scalar/expression/typing.hpp gives them.
// Every operation is done for every element, as the reference does it: position() also where where() does not choose
// it. Example: "2*x + [i]" of f32 operands gives
//     f32 const v1 = op_mul((f32)0x1p+1, x0);
//     f32 const v3 = op_add(v1, to_f32(i0));
// and the value "v3".
#pragma once

#include <string>

#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor::cuda {

struct JoinSource {
    std::string statements;   // that use x<k> for operand k in the compute type, at<k> (i64) for where it was read, in
                              // elements, i<l> (i64) for label l, and the kernel's argument a
    std::string value;        // an expression of the accumulate type's register
    std::vector<int> labels;  // that it asks for, in order
    std::vector<int> places;  // operands whose at<k> it asks for
};

/// @throws InputError for a param that has no value
JoinSource join_source(scalar::Expr const& join, KernelTypes const& types, scalar::Params const& params);

/// Whether evaluating it may find a fault: then it must not be evaluated for what is not there.
bool may_fault(scalar::Expr const& join);

}  // namespace ein::executor::cuda
