// How many elements the sparse results of a graph list, before any is computed: expected, as if listed elements lay
// evenly, and at most, whatever their pattern. From that it is chosen which results are kept sparse.
// Example: of A * B, elementwise, at most what the sparser one lists; of A + B at most the sum; of a product
// "ij,jk->ik" at most sum over j of (listed in column j of A) times (listed in row j of B). Source: the bound of sparse
// products, Gustavson 1978. Of what moves elements (slice, concat, pad, reshape): what lies where it reads.
#pragma once

#include <string>

#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/relation/listed_elements.hpp"

namespace ein::relation {

struct ListedCount {
    double expected = 0;
    Extent most = 0;
};

/// What is known of the operands of a node.
struct OperandCounts {
    std::function<ListedCount(std::size_t operand, Box const&)> in_box;
    /// As FibreCounts; nothing where they are not known.
    std::function<std::vector<Extent>(std::size_t operand, Box const&, std::vector<int> const& axes)> fibres;
    bool is_row_lookup = false;  // graph::as_row_lookup
};

/// Of a box of a node's output. @param inputs  its operands: one that it reads twice lists the same twice
ListedCount count_result(graph::EinSum const& einsum, std::vector<ValueId> const& inputs, graph::IdleSets const& idle,
                         Box const& box, OperandCounts const& counts);

/// Which results are kept sparse beside those of nodes that ask for it: those that take less room so; or, for tests,
/// all that can be.
enum class SparseResults { where_smaller, where_possible };

/// graph::lower_graph with results kept sparse where that takes less room than a dense one, at most a quarter of the
/// elements being listed; and where a node asks for it. What is read at few places of a leaf alone is computed there
/// (graph::sample_at_listed). Afterwards `listed` has bounds of results as well.
/// @param graph  its leaves counted (count_listed)  @param file  for messages
/// @throws InputError as graph::lower_graph does
graph::EinGraph lower_by_size(graph::EinGraph graph, ListedElements& listed, std::string const& file,
                              SparseResults which = SparseResults::where_smaller);

}  // namespace ein::relation
