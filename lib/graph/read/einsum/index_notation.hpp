// An einsum as papers and programs write it, for messages: "C_ik = A_ij B_jk" and "A[i,j]*B[j,k]->[i,k]" are
// "ij,jk->ik".
#pragma once

#include <string>
#include <string_view>

namespace ein::graph {

/// NumPy's subscripts of a text that names indices of one letter behind each tensor; "" for any other text.
std::string subscripts_of_indices(std::string_view text);

}  // namespace ein::graph
