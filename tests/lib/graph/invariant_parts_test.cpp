#include "lib/graph/invariant_parts.hpp"

#include "lib/graph/einsum.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;
using scalar::Expr;
using scalar::Op;

namespace {

/// x*rsqrt(y + y) over "ij,i->ij", of so many rows and columns.
graph::EinSum normalised(Extent rows, Extent columns) {
    graph::EinSum einsum = ein::test::sum_of_products("ij,i->ij", {{'i', rows}, {'j', columns}});
    Expr const y = Expr::operand(1);
    einsum.join = Expr::operand(0) * Expr::call(Op::rsqrt, {y + y});
    return einsum;
}

}  // namespace

TEST_CASE("a part that a row shares is found, and an operand takes its place", "[graph][invariant_parts]") {
    graph::EinSum const einsum = normalised(128, 256);
    auto const parts = graph::invariant_parts(einsum, einsum.extents, DType::f32, DType::f32);
    REQUIRE(parts.size() == 1);
    CHECK(parts[0] == einsum.join.args()[1]);
    CHECK(graph::reading_parts(einsum.join, parts, 2) == Expr::operand(0) * Expr::operand(2));
}

TEST_CASE("parts of few points, of sums and of integers are not taken out", "[graph][invariant_parts]") {
    graph::EinSum einsum = normalised(128, 256);
    auto const count = [&](Extent rows, Extent columns, DType compute) {
        return graph::invariant_parts(einsum, std::vector<Extent>{rows, columns}, compute, compute).size();
    };
    CHECK(count(128, 256, DType::f64) == 1);
    CHECK(count(128, 2, DType::f64) == 0);  // each is used twice
    CHECK(count(2, 256, DType::f64) == 0);  // so few are spared
    CHECK(count(128, 256, DType::i32) == 0);
    einsum.output = {0};
    CHECK(count(128, 256, DType::f64) == 0);
}
