// The spellings of an einsum as lists of labels: NumPy letters, words, JSON lists, and NumPy's sublists, whose labels
// may be numbers. Leaves extents and '...' to bind_labels.hpp. Which spelling a string has: a term with a space inside
// makes every term words ("batch seq d, d ff -> batch seq ff"); without spaces it is letters ("ij,jk->ik"). With spaces
// around ',' and '->' only, both are possible ("row, row -> row"): the reading whose number of axes fits the inputs is
// taken, letters when both or neither do. Example: "ij,jk" is inputs ((i, j), (j, k)) and no output: the implicit one
// is (i, k).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/json.hpp"

namespace ein::graph {

inline constexpr char const* ellipsis = "...";

struct Subscripts {
    using Term = std::vector<std::string>;  // labels; "..." at most once
    std::vector<Term> inputs;
    Term output;      // the implicit one is already worked out
    Term order = {};  // all labels as they are numbered; empty: as they come
    friend bool operator==(Subscripts const&, Subscripts const&) = default;
};

/// @param orders  of each input, nothing where unknown
/// @return nothing when it has a fault
std::optional<Subscripts> read_subscripts(Cursor const& einsum, std::span<std::optional<std::size_t> const> orders);

}  // namespace ein::graph
