// The states after one decision: rows of groups, one for each open variable, each with its least reduced cost and how
// it came about. Rows are found again by hashing; their order is the order of their first appearance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ein::planner {

class States {
public:
    explicit States(std::size_t width) : width_(width), slots_(64, -1) {}

    std::size_t size() const { return costs_.size(); }
    std::span<int const> row(std::size_t state) const { return {rows_.data() + state * width_, width_}; }
    double cost(std::size_t state) const { return costs_[state]; }
    std::int32_t parent(std::size_t state) const { return parents_[state]; }
    std::int32_t value(std::size_t state) const { return values_[state]; }

    /// Adds a state, or makes the one with the same row cheaper.
    void offer(std::span<int const> row, double cost, std::size_t parent, int value);

    /// Keeps the `count` cheapest, earlier ones among equals. @return the least cost of the others
    double keep(std::size_t count);

    /// Frees all but what leads back from a state.
    void forget_rows();

private:
    std::size_t find(std::span<int const> row) const;
    void grow();

    std::size_t width_;
    std::vector<int> rows_;
    std::vector<double> costs_;
    std::vector<std::int32_t> parents_, values_;
    std::vector<std::int32_t> slots_;  // open addressing; -1: free
};

}  // namespace ein::planner
