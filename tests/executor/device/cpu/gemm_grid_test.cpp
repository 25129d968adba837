#include "executor/device/cpu/gemm/gemm_grid.hpp"

#include <algorithm>
#include <numeric>

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

/// Products of C-order matrices m x k and k x n, `calls` of them.
GemmPlan product(Extent m, Extent n, Extent k, Extent calls = 1) {
    GemmPlan plan;
    plan.rows = {{m, {k, 0, n}}};
    plan.columns = {{n, {0, 1, 1}}};
    plan.terms = {{k, {1, n, 0}}};
    plan.free_loops = {{calls, {m * k, k * n, m * n}}};
    return plan;
}

/// How many pieces a grid makes, and their arithmetic when each goes to the thread that is free first, in shares of the
/// most even.
struct Shared {
    std::int64_t pieces = 0;
    double last = 0;
};
Shared shared(GemmPlan const& plan, Grains const& grains, Grid const& grid, int threads) {
    std::vector<double> busy(static_cast<std::size_t>(threads), 0.0);
    Shared found;
    auto const length = [](Extent whole, std::int64_t parts, std::int64_t part, Extent grain) {
        return static_cast<double>(grid_part(whole, parts, part, grain).second);
    };
    for (Extent call = 0; call < plan.calls(); ++call)
        for (std::int64_t sum = 0; sum < grid.sums; ++sum)
            for (std::int64_t row = 0; row < grid.rows; ++row)
                for (std::int64_t column = 0; column < grid.columns; ++column, ++found.pieces)
                    *std::min_element(busy.begin(), busy.end()) +=
                        length(plan.m(), grid.rows, row, grains.rows) *
                        length(plan.n(), grid.columns, column, grains.columns) *
                        length(plan.k(), grid.sums, sum, grains.sums);
    double const all = std::accumulate(busy.begin(), busy.end(), 0.0);
    found.last = *std::max_element(busy.begin(), busy.end()) * threads / all;
    return found;
}

}  // namespace

TEST_CASE("pieces of a product end at the same time on every thread", "[executor][device]") {
    struct Case {
        GemmPlan plan;
        int tile_columns;
    };
    auto const& [plan, tile_columns] = GENERATE(
        Case{product(576, 576, 13824), 48}, Case{product(4096, 4096, 4096), 48}, Case{product(4096, 4096, 4096), 24},
        Case{product(400, 4000, 40000), 48}, Case{product(2304, 2304, 2304), 24}, Case{product(4000, 4000, 400), 48},
        Case{product(512, 1024, 1024, 3), 48}, Case{product(1000, 3000, 700), 24}, Case{product(5000, 64, 5000), 48});
    int const threads = GENERATE(2, 3, 4, 5, 7, 8, 16);
    CAPTURE(plan.m(), plan.n(), plan.k(), plan.calls(), tile_columns, threads);
    Grains const grains = grains_in_tiles(plan, tile_columns);
    GridProblem const problem{plan, grains, costs_in_tiles(plan)};
    std::int64_t const sums = choose_grid(problem, usual_hands(plan, true)).sums;
    Hands const hands = hands_of(plan, threads);
    Grid const grid = choose_grid(problem, hands, sums);
    CAPTURE(grid.rows, grid.columns, grid.sums);
    CHECK(grid.sums == sums);
    Shared const found = shared(plan, grains, grid, threads);
    CHECK(found.pieces <= std::max(hands.most_pieces, sums * plan.calls()));
    CHECK(found.last <= 1.07);
}

TEST_CASE("one thread takes each sum as a whole, and small products are not cut", "[executor][device]") {
    GemmPlan const large = product(2000, 3000, 1000), small = product(60, 60, 60);
    for (auto const& [plan, threads] : {std::pair(&large, 1), {&small, 4}}) {
        Grid const grid =
            choose_grid({*plan, grains_in_tiles(*plan, 48), costs_in_tiles(*plan)}, hands_of(*plan, threads));
        CHECK(grid.rows * grid.columns * grid.sums == 1);
    }
}

TEST_CASE("what is dear to pack is packed once", "[executor][device]") {
    GemmPlan const layer = product(512, 2752, 1024);
    Grid const of_layer =
        choose_grid({layer, grains_in_tiles(layer, 48), costs_in_tiles(layer)}, hands_of(layer, 2), 1);
    CHECK(of_layer.rows == 1);
    CHECK(of_layer.columns == 12);
    GemmPlan const plan = product(4096, 4096, 512);
    Grains const grains = grains_in_tiles(plan, 48);
    CHECK(choose_grid({plan, grains, {1, 400, 60}}, {2, 16}).rows == 1);
    CHECK(choose_grid({plan, grains, {400, 1, 60}}, {2, 16}).columns == 1);
}

TEST_CASE("BLAS is called for pieces that are not small", "[executor][device]") {
    GemmPlan const plan = product(1000, 1000, 1000);  // 2e9 operations
    Hands const hands = usual_hands(plan, false);
    CHECK(hands.threads == 2);
    Grid const grid = choose_grid({plan, Grains{}, PieceCosts{}}, hands);
    CHECK(grid.rows * grid.columns * grid.sums >= 2);
    CHECK(grid.rows * grid.columns * grid.sums <= 4);
}
