// Reading the listed elements of a tensor part by part, as sparse blocks, wherever they come from. Sources that list
// elements (mtx, tns, scipy, random with a density) list what they say, zeros too; of an element that is written
// several times they list the sum, added up in the file's type in the file's order, then converted. All other sources
// list what differs from the tensor's fill by value: -0 is 0, and a nan is any other nan.
// Example: open_sparse(MtxSource{"A.mtx"}, "A", f32, {4000, 400}, "graphs", fill)->listed(Box{{0, 0}, {10, 400}}) is
// how many elements the first ten rows list.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/source.hpp"
#include "lib/tensor/sparse/histogram.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

/// All but prepare() may be called by many threads at once.
class SparseReader {
public:
    virtual ~SparseReader() = default;

    /// Announces boxes that will be counted and read, so that one pass over a file serves them all: what lies in one is
    /// kept until it was read as often as it is announced, or others are. They may overlap. What is not announced, or
    /// read once more, is read all the same.
    /// @throws InputError for a file that is damaged
    virtual void prepare(std::span<Box const> boxes);

    /// How many elements of a box are listed. @throws InputError for a file that is damaged
    virtual Extent listed(Box const& box) const = 0;

    /// The listed elements of a box, each once, in the tensor's dtype, in any order.
    virtual ListedElements elements(Box const& box) const = 0;

    /// Writes the sparse block of a box. @param out  at least sparse_bytes(layout, box.length, dtype, listed(box))
    /// @return the block's bytes
    virtual std::int64_t read(Box const& box, SparseLayout const& layout, std::span<std::byte> out) const;

    /// Roughly where listed elements lie, written several times or once; their sum is that of listed() but for what is
    /// written several times.
    virtual Histogram histogram() const = 0;

    /// A box inside one that has all that it lists: from the histogram where that is exact, else the box itself.
    virtual Box hull(Box const& box) const;

    DType dtype() const { return dtype_; }
    Shape const& shape() const { return shape_; }

protected:
    /// What read() does where parts of a box are had for their share of its time: slab by slab along the layout's first
    /// axis. @param listed  in the box  @param elements  of a slab
    std::int64_t read_in_slabs(Box const& box, SparseLayout const& layout, std::span<std::byte> out, Extent listed,
                               std::function<ListedElements(Box const&)> const& elements) const;
    SparseReader(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {}
    void check(Box const& box) const;  // @throws InternalError unless it lies in the tensor

private:
    DType dtype_;
    Shape shape_;
};

/// Opens a source and checks that it holds `shape` of `dtype`.
/// @param name  the tensor's name, for messages  @param folder  relative paths are relative to it
/// @param fill  what is not listed
/// @throws InputError (file, place, expected, found, fix) when it is missing, damaged, or of another dtype or shape
std::unique_ptr<SparseReader> open_sparse(Source const& source, std::string const& name, DType dtype,
                                          Shape const& shape, std::filesystem::path const& folder,
                                          scalar::Scalar const& fill = {});

}  // namespace ein::tensor
