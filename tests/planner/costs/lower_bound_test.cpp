#include "planner/costs/lower_bound.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

TEST_CASE("the lower bound has the known values in all three cases", "[planner][lower-bound]") {
    struct Row {
        double m, n, k;
        int ranks;
        double words;
    };
    double const cube = 16384, tall = 1 << 20, wide = 131072;
    auto const row = GENERATE_COPY(Row{cube, cube, cube, 4, 1.182595e8}, Row{cube, cube, cube, 7, 1.050270e8},
                                   Row{cube, cube, cube, 16, 7.649616e7}, Row{cube, cube, cube, 64, 3.774874e7},
                                   Row{cube, cube, cube, 512, 1.101005e7}, Row{tall, 1024, 1024, 4, 7.864320e5},
                                   Row{tall, 1024, 1024, 16, 9.830400e5}, Row{tall, 1024, 1024, 512, 1.046528e6},
                                   Row{wide, wide, 512, 4, 3.355443e7}, Row{wide, wide, 512, 7, 3.155557e7},
                                   Row{wide, wide, 512, 64, 1.468006e7}, Row{wide, wide, 512, 512, 5.669498e6});
    CAPTURE(row.m, row.n, row.k, row.ranks);
    CHECK(matmul_lower_bound(row.m, row.n, row.k, row.ranks) == Approx(row.words).epsilon(1e-6));
    CHECK(matmul_lower_bound(row.k, row.m, row.n, row.ranks) == matmul_lower_bound(row.m, row.n, row.k, row.ranks));
}

TEST_CASE("one rank and empty matrices need no words", "[planner][lower-bound]") {
    CHECK(matmul_lower_bound(100, 100, 100, 1) == 0);
    CHECK(matmul_lower_bound(100, 0, 100, 8) == 0);
    CHECK(matmul_lower_bound(1, 1, 1, 8) >= 0);
}

TEST_CASE("an EinSum has a bound when it is one matrix multiplication", "[planner][lower-bound]") {
    Shape const four(4, 16);
    auto const contraction = test::einsum("acbd,cedf->afbe", {four, four});
    CHECK(lower_bound_words(contraction, 8) == matmul_lower_bound(256, 256, 256, 8));
    CHECK_FALSE(lower_bound_words(test::einsum("bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}), 8).has_value());
    CHECK_FALSE(lower_bound_words(test::einsum("iij,jk->ik", {{3, 3, 4}, {4, 5}}), 8).has_value());
    CHECK_FALSE(lower_bound_words(test::einsum("ij->i", {{3, 3}}), 8).has_value());
}
