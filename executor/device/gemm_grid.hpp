// How a product is cut into pieces for threads: where least is read or packed again.
// Example: 512 x 1024 times 1024 x 2752 for 8 pieces: 8 parts of the columns, so that b, which is packed, is packed once.
#pragma once

#include "executor/device/gemm_plan.hpp"

namespace ein::executor {

/// Parts of rows, columns, and the contracted labels (then each piece has an output of its own, summed in the end).
struct Grid {
    std::int64_t rows = 1, columns = 1, sums = 1;
};

/// What it costs that a piece reads an element of a, or of b, which another reads too.
struct RereadCosts {
    double a = 1, b = 1;
};
RereadCosts costs_in_tiles(GemmPlan const& plan);

double flops_of(GemmPlan const& plan);

/// From the shape alone: BLAS rounds otherwise where a product is cut otherwise.
std::int64_t usual_pieces(GemmPlan const& plan, bool in_tiles);
/// For pair_product, which rounds alike however rows and columns are cut.
std::int64_t pieces_for(GemmPlan const& plan, int threads);

/// The cheapest grid of at least `wanted` pieces, all calls together.
Grid choose_grid(GemmPlan const& plan, std::int64_t wanted, RereadCosts costs);
/// The same with so many parts of every sum.
Grid choose_grid(GemmPlan const& plan, std::int64_t wanted, RereadCosts costs, std::int64_t sums);

/// What parts of rows, columns and sums are multiples of: whole tiles, and whole squares of what is packed.
struct Grains {
    Extent rows, columns, sums;
};
Grains grains_of(GemmPlan const& plan);
/// Part `index` of `parts` of a length, a multiple of `grain` but for the last: first and count. Part 0 is the longest.
std::pair<Extent, Extent> grid_part(Extent length, std::int64_t parts, std::int64_t index, Extent grain);

}  // namespace ein::executor
