// How a product is cut into pieces for threads: so that all finish together and least is read, packed or added again.
// Example: 512 x 1024 times 1024 x 2752 for two threads, in tiles of 48 columns: 12 parts of the columns, so that b,
// which is packed, is packed once. Considered: (1) a wished number of pieces, cut where least is packed again: nine
// pieces for two threads leave one of them idle for a tenth of the time; (2) the time of the last thread to finish,
// predicted for every grid of a few pieces a thread: what we do.
#pragma once

#include "executor/device/kernel/gemm_plan.hpp"

namespace ein::executor {

/// Parts of rows, columns, and the contracted labels (then each piece has an output of its own, summed in the end).
struct Grid {
    std::int64_t rows = 1, columns = 1, sums = 1;
};

/// What parts of rows, columns and sums are multiples of: whole tiles, and whole squares of what is packed.
struct Grains {
    Extent rows = 64, columns = 64, sums = 64;
};
/// @param tile_columns  of pair_product's tiles
Grains grains_in_tiles(GemmPlan const& plan, int tile_columns);

/// What pieces cost beside their arithmetic, in multiply-adds: for an element of a or b that they pack or read, and for
/// an output that is added up later.
struct PieceCosts {
    double a = 10, b = 10, output = 60;
};
PieceCosts costs_in_tiles(GemmPlan const& plan);

double flops_of(GemmPlan const& plan);

/// For whom pieces are made, and how many of them at most, all calls together.
struct Hands {
    std::int64_t threads = 1, most_pieces = 1;
};
/// From the shape alone, whoever computes: BLAS rounds otherwise where a product is cut otherwise, and sums do wherever
/// they are cut.
Hands usual_hands(GemmPlan const& plan, bool in_tiles);
/// For pair_product, which rounds alike however rows and columns are cut.
Hands hands_of(GemmPlan const& plan, int threads);

struct GridProblem {
    GemmPlan const& plan;
    Grains grains;
    PieceCosts costs;
};
/// The grid with which the last thread is predicted to finish first.
Grid choose_grid(GridProblem const& problem, Hands const& hands);
/// The same with so many parts of every sum.
Grid choose_grid(GridProblem const& problem, Hands const& hands, std::int64_t sums);

/// Part `index` of `parts` of a length, a multiple of `grain` but for the last: first and count. Part 0 is the longest.
std::pair<Extent, Extent> grid_part(Extent length, std::int64_t parts, std::int64_t index, Extent grain);

}  // namespace ein::executor
