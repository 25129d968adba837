// Kernel functions of a tra node: what an operator does to arrays, as written in the file.
// A string is a kernel that the paper names ("matMul", "diag", ...) or a scalar expression of the arrays' elements ("x
// + y"); an object is an EinSum over the arrays' axes: {"einsum": "ij,jk->ik", "join": "x*y", "agg": "sum"}. Source:
// [T] 2.1, 4.2.1, 5.2.
#pragma once

#include <optional>

#include "lib/algebra/kernel.hpp"
#include "lib/base/json.hpp"

namespace ein::graph {

struct KernelPlace {
    int operands = 1;
    std::vector<std::string> const& params;
    std::optional<DType> dtype;  // of the arrays; nothing: unknown, because of another fault
};

/// @return nothing, and a fault, when it is no kernel of so many operands, or has no type
std::optional<tra::Kernel> read_kernel(Cursor const& at, KernelPlace const& place);

}  // namespace ein::graph
