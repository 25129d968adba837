// The entries of a file that lists elements, as they stand in it: in its order and dtype, the same place several times
// where it is written so. One class a format. Leaves adding up, sorting and converting to list_file.cpp.
// Example: a Matrix Market file that is symmetric gives (4, 2) and (2, 4) for its line "5 3 1.0".
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "lib/tensor/sparse/files/survey.hpp"
#include "lib/tensor/sparse/index_span.hpp"
#include "lib/tensor/sparse/sparse_openers.hpp"

namespace ein::tensor {

/// Safe to call from many threads. Each function throws InputError for a file that is damaged.
class EntryStream {
public:
    virtual ~EntryStream() = default;
    virtual std::string const& name() const = 0;  // the file, for messages
    virtual std::uint64_t bytes() const = 0;      // of the file
    virtual DType dtype() const = 0;

    using Sink = std::function<void(ListedElements const&)>;
    /// Calls sink(batch) for all entries that lie in any of the boxes, and maybe others, in the file's order. Before
    /// that, where it is known, expect(most) with how many may lie in each box.
    using Expect = std::function<void(std::span<Extent const> most)>;
    virtual void visit(std::span<Box const> boxes, Sink const& sink, Expect const& expect) const = 0;
    virtual Survey const& survey() const = 0;
    /// How many entries lie in a box, as often as they are written.
    virtual Extent entries(Box const& box) const = 0;
    /// A box inside one that has all of its entries, maybe larger than needed: what is known without counting them.
    virtual Box hull(Box const& box) const { return box; }
    /// All elements are written, so that those that are the fill are not listed.
    virtual bool lists_all() const { return false; }
};

/// Adds up what is written several times, and converts to the tensor's dtype.
std::unique_ptr<SparseReader> list_file(std::unique_ptr<EntryStream> stream, SparseWanted const& wanted);

/// Elements of a batch that lie in a box.
Extent count_inside(ListedElements const& batch, DType dtype, Box const& box);
void add_inside(ListedElements const& batch, DType dtype, Box const& box, IndexSpan& span);

}  // namespace ein::tensor
