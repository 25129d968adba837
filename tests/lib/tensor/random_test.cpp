#include "lib/tensor/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "lib/base/error.hpp"
#include "lib/tensor/read.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using tensor::Distribution;
using tensor::HostTensor;
using tensor::RandomSource;

namespace {

HostTensor draw(RandomSource const& source, DType dtype, Shape const& shape) {
    return tensor::read_all(source, "R", dtype, shape, "");
}

template <class T>
std::vector<T> elements(HostTensor const& tensor) {
    std::vector<T> out(tensor.bytes().size() / sizeof(T));
    std::memcpy(out.data(), tensor.bytes().data(), tensor.bytes().size());
    return out;
}

Fault fault_of(RandomSource const& source, DType dtype) {
    try {
        draw(source, dtype, {3});
    } catch (InputError const& error) {
        return error.faults().front();
    }
    return {};
}

}  // namespace

TEST_CASE("philox gives the published known answers", "[lib][tensor][random]") {
    // kat_vectors of Random123: philox4x32 10
    using Words = std::array<std::uint32_t, 4>;
    CHECK(tensor::philox({0, 0, 0, 0}, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(tensor::philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff) ==
          Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(tensor::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
          Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform elements follow the documented formula bit by bit", "[lib][tensor][random]") {
    RandomSource const source{Distribution::uniform, -1, 1, 0x123456789abcdef0};
    auto const values = elements<double>(draw(source, DType::f64, {7}));
    auto const narrow = elements<float>(draw(source, DType::f32, {7}));
    for (std::size_t n = 0; n < values.size(); ++n) {
        auto const words = tensor::philox({static_cast<std::uint32_t>(n / 2), 0, 0, 0}, source.seed);
        std::uint64_t const bits = words[2 * (n % 2)] | std::uint64_t{words[2 * (n % 2) + 1]} << 32;
        double const unit = static_cast<double>(bits >> 11) / 0x1p53;
        CHECK(values[n] == -1 + 2 * unit);
        CHECK(narrow[n] == static_cast<float>(values[n]));
    }
}

TEST_CASE("normal elements follow the documented formula", "[lib][tensor][random]") {
    RandomSource const source{Distribution::normal, 3, 2, 99};
    auto const values = elements<double>(draw(source, DType::f64, {1000}));
    double sum = 0, squares = 0;
    for (std::size_t n = 0; n < values.size(); ++n) {
        auto const w = tensor::philox({static_cast<std::uint32_t>(n), 0, 1, 0}, source.seed);
        long double const u = static_cast<long double>(((w[0] | std::uint64_t{w[1]} << 32) >> 11) + 1) / 0x1p53L;
        long double const v = static_cast<long double>((w[2] | std::uint64_t{w[3]} << 32) >> 11) / 0x1p53L;
        long double const z = std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846264L * v);
        CHECK(values[n] == Approx(static_cast<double>(3 + 2 * z)).epsilon(0).margin(2e-14));
        sum += values[n];
        squares += (values[n] - 3) * (values[n] - 3);
    }
    CHECK(sum / 1000 == Approx(3).margin(0.2));
    CHECK(std::sqrt(squares / 1000) == Approx(2).margin(0.2));
}

TEST_CASE("golden values never change", "[lib][tensor][random]") {
    auto const bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    auto const uniform = elements<double>(draw({Distribution::uniform, 0, 1, 7}, DType::f64, {3}));
    auto const normal = elements<double>(draw({Distribution::normal, 0, 1, 7}, DType::f64, {3}));
    auto const whole = elements<std::int32_t>(draw({Distribution::uniform, -10, 10, 7}, DType::i32, {8}));
    CHECK(bits(uniform[0]) == 0x3fe8013f3b9e8c0f);
    CHECK(bits(uniform[1]) == 0x3fb5edac821d3ab8);
    CHECK(bits(uniform[2]) == 0x3fe972f7826d05d1);
    CHECK(bits(normal[0]) == 0x3fd292d4ca5e0af9);
    CHECK(bits(normal[1]) == 0xbfd4e58bf496c9e8);
    CHECK(bits(normal[2]) == 0xbfbbbda47fcfb076);
    CHECK(whole == std::vector<std::int32_t>{5, -9, 5, 9, -10, 6, -5, -8});
}

TEST_CASE("every dtype and partition sees the same tensor", "[lib][tensor][random]") {
    std::mt19937 random(5);
    Shape const shape{9, 7, 11};
    for (int d = 0; d < dtype_count; ++d) {
        auto const dtype = static_cast<DType>(d);
        for (Distribution distribution : {Distribution::uniform, Distribution::normal}) {
            RandomSource const source{distribution, dtype == DType::u8 ? 1.0 : -3.0, 5, 11};
            HostTensor const whole = draw(source, dtype, shape);
            auto const reader = tensor::open(source, "R", dtype, shape, "");
            for (int trial = 0; trial < 20; ++trial) {
                Box box = Box::whole(shape);
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    box.begin[axis] = static_cast<Extent>(random() % static_cast<unsigned>(shape[axis]));
                    box.length[axis] =
                        static_cast<Extent>(random() % static_cast<unsigned>(shape[axis] - box.begin[axis] + 1));
                }
                HostTensor part(dtype, box.length);
                reader->read(box, part.bytes());
                Extent at = 0;
                bool equal = true;
                for_each_index(box.length, [&](std::vector<Extent> const& index) {
                    Extent const linear =
                        ((box.begin[0] + index[0]) * 7 + box.begin[1] + index[1]) * 11 + box.begin[2] + index[2];
                    equal =
                        equal && std::memcmp(part.bytes().data() + static_cast<std::size_t>(at++) * size_of(dtype),
                                             whole.bytes().data() + static_cast<std::size_t>(linear) * size_of(dtype),
                                             size_of(dtype)) == 0;
                });
                CAPTURE(name(dtype), to_string(box));
                REQUIRE(equal);
            }
        }
    }
}

TEST_CASE("uniform stays below high in every real dtype", "[lib][tensor][random]") {
    double const low = 1.0, high = 1.001;  // f16 has 1 and 1.00098 here, bf16 only 1
    for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
        HostTensor const values = draw({Distribution::uniform, low, high, 3}, dtype, {5000});
        bool inside = true;
        for (Extent i = 0; i < values.elements(); ++i) {
            double const value = values.at(i).number.real();
            inside = inside && value >= low && value < high;
        }
        CAPTURE(name(dtype));
        CHECK(inside);
    }
    HostTensor const tight = draw({Distribution::uniform, 16777216.0, 16777218.0, 3}, DType::f32, {100});
    for (Extent i = 0; i < 100; ++i) REQUIRE(tight.at(i).number.real() == 16777216.0);
}

TEST_CASE("complex elements are pairs of reals", "[lib][tensor][random]") {
    RandomSource const source{Distribution::normal, 0, 1, 21};
    CHECK(draw(source, DType::c64, {5, 3}).bytes() == draw(source, DType::f32, {5, 3, 2}).bytes());
    CHECK(draw(source, DType::c128, {5, 3}).bytes() == draw(source, DType::f64, {5, 3, 2}).bytes());
}

TEST_CASE("integers cover low to high - 1, bool is above the midpoint", "[lib][tensor][random]") {
    std::array<int, 6> counts{};
    for (auto value : elements<std::int8_t>(draw({Distribution::uniform, -2, 4, 1}, DType::i8, {6000})))
        ++counts.at(static_cast<std::size_t>(value + 2));
    for (int count : counts) CHECK(count == Approx(1000).margin(150));
    int truths = 0;
    for (auto value : elements<std::uint8_t>(draw({Distribution::uniform, 0, 1, 1}, DType::boolean, {1000})))
        truths += value;
    CHECK(truths == Approx(500).margin(80));
    for (auto value : elements<std::uint8_t>(draw({Distribution::normal, 0, 1e6, 1}, DType::u8, {100})))
        CHECK((value == 0 || value == 255));
    auto const wide = elements<std::int64_t>(draw({Distribution::uniform, -0x1p63, 0x1p63, 1}, DType::i64, {100}));
    CHECK(std::count_if(wide.begin(), wide.end(), [](auto value) { return value < 0; }) == Approx(50).margin(25));
}

TEST_CASE("senseless random sources are refused", "[lib][tensor][random]") {
    Fault const exchanged = fault_of({Distribution::uniform, 2, 1, 0}, DType::f32);
    CHECK(exchanged.where == "random tensor 'R'");
    CHECK(exchanged.expected == "low <= high");
    CHECK(exchanged.found == "low 2, high 1");
    CHECK(exchanged.fix == "exchange low and high");
    CHECK(fault_of({Distribution::normal, 0, -1, 0}, DType::f32).expected == "std >= 0");
    CHECK(fault_of({Distribution::uniform, 0, INFINITY, 0}, DType::f32).expected == "finite numbers");
    CHECK(fault_of({Distribution::uniform, 0.2, 0.8, 0}, DType::i32).expected == "a whole number between low and high");
    CHECK(fault_of({Distribution::uniform, -1, 8, 0}, DType::u8).expected == "whole numbers that u8 can hold");
    CHECK(fault_of({Distribution::uniform, 0, 257, 0}, DType::u8).expected == "whole numbers that u8 can hold");
    CHECK(fault_of({Distribution::uniform, 0, 256, 0}, DType::u8) == Fault{});
    CHECK(fault_of({Distribution::uniform, 4, 4, 0}, DType::i32) == Fault{});
}
