// What is said of a join that makes NaN or infinities.
#include "executor/finite/hazards.hpp"

#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using executor::mend_of_hazard;

namespace {

std::string mend(std::string const& join, tensor::NonFinite const& found, DType dtype = DType::f64) {
    schedule::Kernel kernel;
    kernel.einsum.labels = {"i"};
    kernel.einsum.inputs = {{0}, {0}};
    kernel.einsum.join = scalar::parse(join, {.operands = 2, .labels = {"i"}, .params = {}}).expr;
    kernel.compute = dtype;
    return mend_of_hazard(kernel, dtype, found);
}
tensor::NonFinite const some_nan{.nan = 1, .infinite = 0}, some_infinite{.nan = 0, .infinite = 1};

}  // namespace

TEST_CASE("the function that makes them is named with what to write", "[executor][finite]") {
    CHECK_THAT(mend("-y*log(x)", some_nan),
               Catch::StartsWith("log(x) is -inf where x is 0, NaN below it, and 0 times inf is "
                                 "NaN: write where(x > 0, log(x), 0)") &&
                   Catch::Contains("log_softmax"));
    CHECK_THAT(mend("log(x)", some_infinite), !Catch::Contains("0 times inf"));
    CHECK_THAT(mend("2*log(x)", some_nan), !Catch::Contains("0 times inf"));
    CHECK_THAT(mend("x/y", some_nan), Catch::StartsWith("y divides, which is infinite where it is 0, and 0/0 is NaN"));
    CHECK_THAT(mend("1/x", some_infinite), Catch::StartsWith("x divides") && !Catch::Contains("0/0"));
    CHECK_THAT(mend("sqrt(x - y)", some_nan), Catch::Contains("write max(x - y, 0)"));
    CHECK_THAT(mend("x^0.5", some_nan), Catch::Contains("is below 0"));
    CHECK_THAT(mend("exp(x)", some_infinite, DType::f32),
               Catch::Contains("exp(x) of f32 is infinite from about 88 on"));
    CHECK_THAT(mend("exp(x)*y", some_infinite), Catch::Contains("about 709"));
    CHECK_THAT(mend("log1p(x)", some_nan), Catch::Contains("is -inf where x is -1"));
}

TEST_CASE("where no function does, a wider type is told unless there is none", "[executor][finite]") {
    for (std::string const join : {"x*y", "x^2", "x/2", "x + log(2)"}) {
        CAPTURE(join);
        CHECK_THAT(mend(join, some_infinite, DType::f32),
                   Catch::Contains("beyond what f32 holds: give the node a wider"));
        CHECK_THAT(mend(join, some_infinite),
                   Catch::Contains("beyond what f64 holds: look at what it reads") && !Catch::Contains("wider"));
    }
}
