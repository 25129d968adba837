// Gradients by reverse mode: EinSums, Moves and Reshapes are added to a graph that compute dL/dW from what L is
// computed from. A pass over a graph that is being made, so gradients can be read by further nodes and differentiated
// again. Leaves the symbolic derivative of joins to lib/scalar/pullback, reading "grad" nodes to
// lib/graph/read/read_gradient. Conventions: for complex W the gradient is dL/dRe(W) + i dL/dIm(W), as PyTorch's, so
// that W - eta*gradient descends; minima and maxima share their cotangent among equal elements; what depends on W by
// steps only (comparisons, floor, argmax, integers) has gradient 0. Example: of loss = sum (A B - Y)^2, wrt A: "g/A" =
// dP B^T with dP = 2 (P - Y), two nodes. Source: Griewank, Walther: Evaluating Derivatives, 2nd ed., 2008, ch. 3
// (reverse mode); Laue, Mitterreiter, Giesen: A Simple and Efficient Tensor Calculus, AAAI 2020 (derivatives of
// einsums).
#pragma once

#include <string>
#include <vector>

#include "lib/graph/grad/upstream.hpp"
#include "lib/graph/graph_builder.hpp"

namespace ein::graph::grad {

/// A value that the gradient is taken with respect to, and what the gradient's value is called.
struct Wrt {
    ValueId value;
    std::string gradient;
};

struct Gradients {
    std::vector<ValueId> values;     // each of its value's shape and dtype
    std::vector<std::size_t> zeros;  // which of them are 0 whatever the tensors hold: nothing leads there but steps
};

/// Adds the gradient of a real scalar. @param name  of the "grad" node: other values that are added are called
/// "NAME:..."
/// @param upstream  of that scalar  @param of  the scalar  @param wrt  each of real or complex dtype
/// @return the gradients
/// @throws InputError for a join whose derivative is deeper than expressions may be
Gradients differentiate(GraphBuilder& graph, std::string const& name, ValueId of, Upstream const& upstream,
                        std::vector<Wrt> const& wrt);

}  // namespace ein::graph::grad
