// Sorting the entries of a file into boxes, as one pass goes over it: what lies in none of them is not kept.
// Example: Gatherer({[0:2, 0:2], [2:4, 0:2]}, f64) of (0, 1) 5, (3, 0) 2, (0, 1) 1 gives key 1 with 6, key 2 with 2.
#pragma once

#include <span>
#include <vector>

#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

/// Elements of a box: ascending places in its C order, and their values.
struct Gathered {
    Box box;
    std::vector<std::uint64_t> keys;
    std::vector<std::byte> values;
};

enum class Keep : std::uint8_t { places, values };

class Gatherer {
public:
    /// @param dtype  of the values
    Gatherer(std::span<Box const> boxes, DType dtype, Keep keep);

    /// Reserves room, where most of it will be taken. @param most  entries in each box
    void expect(std::span<Extent const> most);
    void add(ListedElements const& batch);

    /// Sorted; what came several times is added up in the order in which it came.
    std::vector<Gathered> finish();

private:
    template <std::size_t Size>
    void add_to_one(ListedElements const& batch, std::size_t count);
    void add_to(Gathered& gathered, ListedElements const& batch, std::size_t e);
    void add_anywhere(ListedElements const& batch, std::size_t e);
    void build_grid();

    DType dtype_;
    Keep keep_;
    std::vector<Gathered> boxes_;
    Box hull_;                                          // of all boxes
    std::vector<std::vector<Extent>> cuts_;             // where boxes begin or end, by axis
    std::vector<std::vector<std::uint32_t>> boxes_of_;  // by cell of the grid between the cuts
    std::vector<Extent> strides_;                       // of the grid
};

}  // namespace ein::tensor
