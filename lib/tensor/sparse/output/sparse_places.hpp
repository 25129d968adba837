// Where the elements of every block of a sparse tensor lie in its file, from how many each block lists. Elements of a
// matrix are in the order of its rows (csr), so a block that has not all columns must know what the blocks beside it
// have in each row; those of other tensors lie block by block.
// Example: rows 0 and 1 with 2 and 1 elements left, 1 and 1 right: the right block's rows begin at 2 and 4.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

/// How many elements a block lists.
struct BlockCounts {
    Box box;
    Extent listed = 0;
    std::vector<Extent> rows;  // in each row, of a block of a matrix that has not all columns; else empty
};
BlockCounts counts_of(std::span<std::byte const> block, DType dtype, Box const& box, SparseLayout const& layout,
                      Shape const& shape);

class SparsePlaces {
public:
    /// @param blocks  all of the tensor, each once, in any order, of any boxes that tile it. `rows` may be left out of
    /// blocks in bands of which no block is asked for
    SparsePlaces(Shape shape, std::vector<BlockCounts> blocks);

    Extent listed() const { return listed_; }
    bool is_matrix() const { return shape_.size() == 2; }

    /// The place of a block's first element, of a block that lies in one run: of another order, or with all columns.
    Extent begin(Box const& box) const;
    bool is_one_run(Box const& box) const;
    /// Of a block of a matrix: where its part of each row begins.
    std::vector<Extent> row_begins(Box const& box) const;
    /// Of a block of a matrix with the first column: where each of its rows ends; nothing of others, or where the block
    /// is alone in its rows and ends as its own elements say.
    std::optional<std::vector<Extent>> row_ends(Box const& box) const;

private:
    /// Rows of which each block has all that it meets, and these blocks: in a grid those that have the same rows. Of
    /// tensors of other orders one block.
    struct Band {
        std::size_t first = 0, count = 0;  // in blocks_
        Extent begin = 0;                  // place of its first element
    };
    Band const& band_of(Box const& box) const;
    /// Elements of a row in the band's blocks whose columns are before `column`.
    Extent row_sum(Band const& band, Extent row, Extent column) const;
    Extent row_sum(Band const& band, Extent row) const { return row_sum(band, row, shape_[1]); }
    /// Elements of the band before a row.
    Extent before_row(Band const& band, Extent row) const;

    Shape shape_;
    std::vector<BlockCounts> blocks_;  // by begin
    std::vector<Band> bands_;
    Extent listed_ = 0;
};

}  // namespace ein::tensor
