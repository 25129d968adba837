// What the ways to compute a product of narrow types are weighed by: where the labels of its two operands and of its
// result are, and how much of each lies side by side.
// Example: of "bij,bjk->bik" b is in all three sides, i in A and C, and j in A and B.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

class ProductSides {
public:
    static constexpr std::size_t A = 0, B = 1, C = 2;

    /// @param operands  left and right
    ProductSides(Nest const& nest, std::array<std::size_t, 2> const& operands)
        : bytes_{size_of(nest.operand_dtypes[operands[0]]), size_of(nest.operand_dtypes[operands[1]]),
                 size_of(nest.output_dtype)} {
        for (NestLabel const& label : nest.labels) {
            lengths_.push_back(label.length);
            strides_.push_back({label.strides[operands[0]], label.strides[operands[1]], label.output_stride});
        }
        for (std::size_t side : {A, B, C}) {
            for (std::size_t l = 0; l < lengths_.size(); ++l)
                if (has(l, side)) inside_[side].push_back(l);
            std::stable_sort(inside_[side].begin(), inside_[side].end(), [&](std::size_t x, std::size_t y) {
                return std::abs(strides_[x][side]) < std::abs(strides_[y][side]);
            });
        }
    }

    std::vector<Extent> const& lengths() const { return lengths_; }
    bool has(std::size_t label, std::size_t side) const { return strides_[label][side] != 0; }
    bool in_batch(std::size_t label) const { return has(label, A) && has(label, B) && has(label, C); }
    /// Whether every label is in two sides at least.
    bool is_product() const {
        for (std::size_t l = 0; l < lengths_.size(); ++l)
            if (has(l, A) + has(l, B) + has(l, C) < 2) return false;
        return true;
    }

    Extent longest_step(std::size_t label) const {
        Extent longest = 0;
        for (Extent const step : strides_[label]) longest = std::max(longest, std::abs(step));
        return longest;
    }

    /// Of a box, or a part of it: which labels have what lengths.
    double elements(std::vector<Extent> const& lengths, std::size_t side) const {
        double count = 1;
        for (std::size_t const l : inside_[side]) count *= static_cast<double>(lengths[l]);
        return count;
    }
    double elements(std::size_t side) const { return elements(lengths_, side); }
    double batch(std::vector<Extent> const& lengths) const {
        double count = 1;
        for (std::size_t l = 0; l < lengths.size(); ++l)
            if (in_batch(l)) count *= static_cast<double>(lengths[l]);
        return count;
    }
    /// Iterations of the labels that one side lacks: rows lack B, columns A, and terms C.
    double lacking(std::vector<Extent> const& lengths, std::size_t side) const {
        double count = 1;
        for (std::size_t l = 0; l < lengths.size(); ++l)
            if (!has(l, side)) count *= static_cast<double>(lengths[l]);
        return count;
    }

    /// How many elements of a box lie side by side. @param alike  only those of labels in the same sides
    double run(std::vector<Extent> const& lengths, std::size_t side, bool alike) const {
        double count = 1;
        auto step = static_cast<Extent>(bytes_[side]);
        for (std::size_t const l : inside_[side]) {
            bool const differs = alike && roles(l) != roles(inside_[side].front());
            if (std::abs(strides_[l][side]) != step || differs) break;
            count *= static_cast<double>(lengths[l]);
            if (lengths[l] < lengths_[l]) break;
            step *= lengths_[l];
        }
        return count;
    }
    /// Whether the batch is innermost in a side.
    bool batch_inside(std::size_t side) const { return !inside_[side].empty() && in_batch(inside_[side].front()); }

private:
    std::array<bool, 3> roles(std::size_t label) const { return {has(label, A), has(label, B), has(label, C)}; }

    std::array<std::size_t, 3> bytes_;
    std::vector<Extent> lengths_;
    std::vector<std::array<Extent, 3>> strides_;
    std::array<std::vector<std::size_t>, 3> inside_;  // labels of each side, those with the shortest steps first
};

}  // namespace ein::executor
