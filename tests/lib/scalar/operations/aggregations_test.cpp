// Walks the table of aggregations: each row's columns agree with what combining values does.
#include <cmath>

#include "lib/scalar/evaluate/evaluate.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

Scalar value(DType type, int x) {
    return kind(type) <= Kind::integer ? Scalar::of(std::int64_t{x}) : Scalar::of(std::complex<double>(x));
}

bool same(Scalar const& a, Scalar const& b) {
    return a.is_integer == b.is_integer && a.integer == b.integer && std::abs(a.number - b.number) < 1e-12;
}

}  // namespace

TEST_CASE("every aggregation has a name, a neutral element and combines in any order", "[lib][scalar][agg]") {
    for (AggInfo const& row : aggregations)
        for (DType const join : {DType::f64, DType::c128, DType::i32, DType::boolean}) {
            CAPTURE(row.name, name(join));
            CHECK(agg_from_name(row.name) == row.agg);
            CHECK(info(row.agg).name == row.name);
            if (is_complex(join) && row.ordered) continue;
            DType const type = accumulate_dtype(row.agg, join);
            CHECK((!row.asks || type == DType::boolean));
            Scalar const a = value(type, 1), b = value(type, 0), c = value(type, type == DType::boolean ? 1 : 3);
            auto const of = [&](Scalar const& x, Scalar const& y) { return combine(row.agg, type, x, y); };
            CHECK(same(of(identity(row.agg, type), a), a));
            CHECK(same(of(identity(row.agg, type), b), b));
            CHECK(same(of(a, c), of(c, a)));
            CHECK(same(of(of(a, b), c), of(a, of(b, c))));
        }
}
