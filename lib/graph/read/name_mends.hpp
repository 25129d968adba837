// What to write where a name stands that is none of a tensor: a param, or what is made of a tensor (its transpose, its
// file, its gradient). Joins that read a param by name go on doing so, once their nodes have it as an input of no axes.
// Example: of "wrt": ["eta"] in a loop whose step is "x - eta*y": the loss of an iteration does not read it, and
// gradients do not go through loops.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.hpp"

namespace ein::graph {

/// "tensors": {"eta": {"shape": [], "data": {"fill": 0.1}}} in place of "params": {"eta": 0.1}
std::string tensor_for_param(std::string const& name, double value);

/// Of a gradient by a param.
/// @param nodes  the list that the gradient stands in  @param of  what it is of  @param in_loop  the list is a body
/// @param tensor  as tensor_for_param
std::string mend_gradient_by_param(Json const& nodes, std::string const& of, std::string const& name, bool in_loop,
                                   std::string const& tensor);

/// What is made of a name that is there: a file of it, a part of it, its transpose.
std::string derived_mend(std::string const& name, std::vector<std::string> const& known);

/// "g/W" where a gradient has that, of "dW", "grad_W", "W.grad" and "loss/W", as others call it.
std::string gradient_meant(std::string const& name, std::vector<std::string> const& known);

}  // namespace ein::graph
