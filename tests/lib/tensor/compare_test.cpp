#include "lib/tensor/compare.hpp"

#include <cmath>
#include <cstring>

#include "tests/lib/tensor/special_values.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using tensor::HostTensor;

namespace {

HostTensor reals(std::vector<double> const& values, DType dtype = DType::f64) {
    HostTensor out(dtype, {static_cast<Extent>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        out.set(static_cast<Extent>(i), scalar::Scalar::of(std::complex<double>(values[i])));
    return out;
}

using test::inf;
using test::not_a_number;
using Pair = std::pair<double, double>;

}  // namespace

TEST_CASE("equal tensors have no difference, nan and inf included", "[lib][tensor][compare]") {
    HostTensor const a = reals({1, not_a_number, inf, -inf, 0});
    auto const difference = tensor::compare(a, a, 0);
    CHECK(difference.same_shape);
    CHECK(difference.count == 0);
    CHECK(difference.max_abs == 0);
    CHECK(difference.worst == -1);
}

TEST_CASE("an element differs when it is further off than tolerance times its scale", "[lib][tensor][compare]") {
    auto const difference = tensor::compare(reals({1, 2.1, 3}), reals({1, 2, 3}), 1e-3);
    CHECK(difference.count == 1);
    CHECK(difference.worst == 1);
    CHECK(difference.max_abs == Approx(0.1));
    CHECK(difference.max_rel == Approx(0.1 / std::sqrt(14.0 / 3)));
    CHECK(tensor::compare(reals({1, 2.1, 3}), reals({1, 2, 3}), 0.05).count == 0);
}

TEST_CASE("a value that cancelled is compared by the size of its tensor", "[lib][tensor][compare]") {
    CHECK(tensor::compare(reals({1e-9, 100}), reals({-1e-9, 100}), 1e-6).count == 0);
    CHECK(tensor::compare(reals({1e-9}), reals({-1e-9}), 1e-6).count == 1);
}

TEST_CASE("an element may have an allowance of its own beside the tolerance", "[lib][tensor][compare]") {
    double const allowed[] = {0, 0.5, inf};
    auto const difference = tensor::compare(reals({1.3, 2.3, not_a_number}), reals({1, 2, 3}), 1e-3, allowed);
    CHECK(difference.count == 1);
    CHECK(difference.differing == std::vector<Extent>{0});
    CHECK(difference.worst == 0);  // the second is further off, but may be
    CHECK(difference.worst_tolerance == 1e-3);
    // What may be anything is not compared: it widens no tolerance and counts in no error.
    CHECK(difference.largest_tolerance == Approx(0.5 / 2.3));
    CHECK(difference.max_rel == Approx(0.3 / std::sqrt(14.0 / 3)));
}

TEST_CASE("nan or inf against anything else differs", "[lib][tensor][compare]") {
    for (auto [a, b] :
         {Pair{not_a_number, 1.0}, Pair{1.0, not_a_number}, Pair{inf, 1.0}, Pair{inf, -inf}, Pair{not_a_number, inf}}) {
        CAPTURE(a, b);
        auto const difference = tensor::compare(reals({0, a}), reals({0, b}), 1e9);
        CHECK(difference.count == 1);
        CHECK(difference.worst == 1);
        CHECK(difference.max_abs == inf);
    }
}

TEST_CASE("complex numbers are compared part by part where one part is infinite", "[lib][tensor][compare]") {
    using Complex = std::complex<double>;
    auto const apart = [](Complex a, Complex b, double tolerance) {
        HostTensor x(DType::c128, {1}), y(DType::c128, {1});
        x.set(0, scalar::Scalar::of(a));
        y.set(0, scalar::Scalar::of(b));
        return tensor::compare(x, y, tolerance).count;
    };
    CHECK(apart({inf, 1.00001}, {inf, 1.00002}, 1e-4) == 0);
    CHECK(apart({inf, 1.00001}, {inf, 1.00002}, 1e-6) == 1);
    CHECK(apart({inf, 1}, {inf, 2}, 1e-4) == 1);  // infinity is no scale
    CHECK(apart({2, -inf}, {2, -inf}, 0) == 0);
    CHECK(apart({inf, 1}, {-inf, 1}, 1) == 1);
    CHECK(apart({inf, 1}, {1, inf}, 1) == 1);
    CHECK(apart({inf, not_a_number}, {inf, 1}, 1) == 1);
}

TEST_CASE("integers are compared exactly, even where doubles cannot", "[lib][tensor][compare]") {
    HostTensor a(DType::i64, {2}), b(DType::i64, {2});
    a.set(0, scalar::Scalar::of(std::int64_t{1} << 62));
    b.set(0, scalar::Scalar::of((std::int64_t{1} << 62) + 1));
    a.set(1, scalar::Scalar::of(std::numeric_limits<std::int64_t>::min()));
    b.set(1, scalar::Scalar::of(std::numeric_limits<std::int64_t>::max()));
    auto const difference = tensor::compare(a, b, tensor::tolerance(DType::i64, 100));
    CHECK(difference.count == 2);
    CHECK(difference.worst == 1);
    CHECK(difference.max_abs == 0x1p64);
}

TEST_CASE("shapes that differ are not compared; dtypes may differ", "[lib][tensor][compare]") {
    CHECK_FALSE(tensor::compare(reals({1, 2}), reals({1}), 0).same_shape);
    CHECK(tensor::compare(reals({1, 2}, DType::f32), reals({1, 2}), 0).count == 0);
    CHECK(tensor::compare(reals({1, 2}, DType::i32), reals({1, 3}), 0).count == 1);
}

TEST_CASE("tolerance grows with the root of the reduction length and is zero for integers", "[lib][tensor][compare]") {
    CHECK(tensor::tolerance(DType::f32, 1) == Approx(16 * 0x1p-23));
    CHECK(tensor::tolerance(DType::f32, 1e6) == Approx(8 * 1001 * 0x1p-23));
    CHECK(tensor::tolerance(DType::c128, 100) == Approx(8 * 11 * 0x1p-52));
    CHECK(tensor::tolerance(DType::f16, 1e4) < 0.01);  // sums of f16 are kept in f32
    CHECK(tensor::tolerance(DType::bf16, 1) > tensor::tolerance(DType::f16, 1));
    CHECK(tensor::tolerance(DType::i32, 1e6) == 0);
    CHECK(tensor::tolerance(DType::boolean, 10) == 0);
}
