#include "lib/tensor/non_finite.hpp"

#include <cmath>

#include "lib/tensor/host_tensor.hpp"
#include "tests/lib/tensor/special_values.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using tensor::NonFinite;

namespace {

using test::inf;
using test::not_a_number;

tensor::HostTensor numbers(DType dtype, std::vector<std::complex<double>> const& values) {
    tensor::HostTensor out(dtype, {static_cast<Extent>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) out.set(static_cast<Extent>(i), scalar::Scalar::of(values[i]));
    return out;
}

NonFinite count(tensor::HostTensor const& of) {
    return tensor::count_non_finite(of.dtype(), of.bytes().data(), static_cast<std::size_t>(of.elements()));
}

double largest(DType dtype) {
    switch (dtype) {
        case DType::f16: return 65504;
        case DType::bf16: return 0x1.fep127;
        case DType::f32:
        case DType::c64: return std::numeric_limits<float>::max();
        default: return std::numeric_limits<double>::max();
    }
}

}  // namespace

TEST_CASE("NaN and infinities of every dtype that has them are counted, and nothing else", "[lib][tensor]") {
    DType const dtype = GENERATE(DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128);
    CAPTURE(name(dtype));
    double const most = largest(dtype);
    CHECK(count(numbers(dtype, {0, -0.0, 1, -1, most, -most, 1e-300, 6e-8})) == NonFinite{});
    CHECK(count(numbers(dtype, {not_a_number, 1, inf, -inf, -not_a_number, inf})) == NonFinite{2, 3});
    CHECK(count(numbers(dtype, {})) == NonFinite{});
}

TEST_CASE("a complex element counts once, as NaN where one of its parts is", "[lib][tensor]") {
    DType const dtype = GENERATE(DType::c64, DType::c128);
    CHECK(count(numbers(dtype, {{inf, inf}, {0, -inf}, {inf, not_a_number}, {not_a_number, not_a_number}, {1, 2}})) ==
          NonFinite{2, 2});
}

TEST_CASE("integers and bool are finite whatever their bits", "[lib][tensor]") {
    DType const dtype = GENERATE(DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::boolean);
    std::vector<std::byte> const bits(64, std::byte{0xff});
    CHECK(tensor::count_non_finite(dtype, bits.data(), bits.size() / size_of(dtype)) == NonFinite{});
}

TEST_CASE("one element is found wherever it stands", "[lib][tensor]") {
    DType const dtype = GENERATE(DType::f16, DType::f32, DType::f64, DType::c64);
    Extent const elements = 4096 * 2 + 37;
    tensor::HostTensor of(dtype, {elements});
    for (Extent const at : {Extent{0}, Extent{1}, Extent{4095}, Extent{4096}, Extent{8191}, elements - 1}) {
        CAPTURE(name(dtype), at);
        of.set(at, scalar::Scalar::of(std::complex<double>(not_a_number)));
        CHECK(count(of) == NonFinite{1, 0});
        of.set(at, scalar::Scalar::of(std::complex<double>(-inf)));
        CHECK(count(of) == NonFinite{0, 1});
        of.set(at, scalar::Scalar::of(std::complex<double>(0)));
    }
    CHECK(count(of) == NonFinite{});
}
