// A raw file says nothing of itself: what it hardly is, is noted, and nothing else.
#include "lib/tensor/formats/raw_doubts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "lib/tensor/convert.hpp"
#include "lib/tensor/read.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

constexpr int raw_count = 512;

/// Numbers from 0 to 1 that look like random ones.
double drawn(int k) { return std::fmod(k * 0.6180339887498949 + k * (k * 0.7548776662466927), 1.0); }

double normal_like(int k) {
    return std::sqrt(-2 * std::log(1 - drawn(2 * k + 3))) * std::cos(6.283185307 * drawn(k * 2 + 4));
}

std::string raw_bytes(DType dtype, std::function<double(int)> const& number, int elements = raw_count) {
    std::vector<double> numbers(static_cast<std::size_t>(elements));
    for (int k = 0; k < elements; ++k) numbers[static_cast<std::size_t>(k)] = number(k);
    std::string bytes(numbers.size() * size_of(dtype), '\0');
    tensor::convert(DType::f64, numbers.data(), 1, dtype, bytes.data(), numbers.size());
    return bytes;
}

/// What is said of a file when it is read as a vector of `dtype`, as long as it may be.
std::string doubt(std::string const& bytes, DType dtype, std::int64_t offset = 0) {
    TemporaryFolder const folder;
    folder.write("h.bin", bytes);
    auto const elements = (bytes.size() - static_cast<std::size_t>(offset)) / size_of(dtype);
    return tensor::doubt_of_raw({"h.bin", offset}, "A", dtype, {static_cast<Extent>(elements)}, folder.path())
        .value_or("");
}

std::string in_other_order(std::string bytes, std::size_t size) {
    for (auto at = bytes.begin(); at != bytes.end(); at += static_cast<std::ptrdiff_t>(size))
        std::reverse(at, at + static_cast<std::ptrdiff_t>(size));
    return bytes;
}

}  // namespace

TEST_CASE("floats and integers that are read as others are noted with what they look like", "[lib][tensor][raw]") {
    struct Written {
        DType dtype;
        double (*number)(int);
    };
    Written const files[] = {
        {DType::f16, normal_like},
        {DType::f32, normal_like},
        {DType::f64, normal_like},
        {DType::f32, [](int k) { return 100 + 100 * drawn(k); }},
        {DType::f64, [](int k) { return std::floor(100 * drawn(k)); }},
        {DType::f32, [](int k) { return std::max(0.0, normal_like(k)); }},
        {DType::i32, [](int k) { return std::floor(10 * drawn(k)); }},
        {DType::i32, [](int k) { return std::floor(50000 * drawn(k)) - 25000; }},
        {DType::i64, [](int k) { return std::floor(10 * drawn(k)); }},
    };
    for (auto const& [dtype, number] : files) {
        std::string const bytes = raw_bytes(dtype, number);
        for (DType const declared : {DType::f32, DType::f64, DType::i32, DType::i64}) {
            CAPTURE(name(dtype), name(declared), number(1), number(2));
            std::string const said = doubt(bytes, declared);
            // Large integers of one sign may be times and identifiers.
            bool const one_sign = dtype == DType::f32 && declared == DType::i32 && number != &normal_like;
            if (declared == dtype || one_sign)
                CHECK(said == "");
            else
                CHECK_THAT(said, Catch::Contains(": give the tensor \"dtype\": \"" + std::string(name(dtype)) + "\""));
        }
    }
}

TEST_CASE("the note says both what it makes and what it would be", "[lib][tensor][raw]") {
    std::string const bytes = raw_bytes(DType::f32, [](int k) { return 100 + 100 * drawn(k); });
    std::string const said = doubt("HEADER__" + bytes, DType::f64, 8);
    CHECK_THAT(said, Catch::StartsWith("'A' is read from 'h.bin' from byte 8 on as f64, numbers of "));
    CHECK_THAT(said, Catch::EndsWith("; as f32 they are 100 to 200: give the tensor \"dtype\": \"f32\" and "
                                     "\"shape\": [512], or \"dtype\": \"c64\", if that was written"));
}

TEST_CASE("another dtype comes with the shape that the file has of it, and the error agrees", "[lib][tensor][raw]") {
    TemporaryFolder const folder;
    folder.write("h.bin", raw_bytes(DType::f64, normal_like));
    auto const of = [&](DType dtype, Shape const& shape) {
        return tensor::doubt_of_raw({"h.bin", std::nullopt}, "A", dtype, shape, folder.path()).value_or("");
    };
    CHECK_THAT(of(DType::f32, {128, 8}),
               Catch::Contains("give the tensor \"dtype\": \"f64\" and \"shape\": [64, 8] if that was written"));
    CHECK_THAT(of(DType::f32, {1, 1024}), Catch::EndsWith("give the tensor \"dtype\": \"f64\" if that was written"));
    auto const refused = [&](DType dtype, Shape const& shape) -> std::string {
        try {
            open(tensor::RawSource{"h.bin", std::nullopt}, "A", dtype, shape, folder.path());
        } catch (InputError const& error) {
            return error.what();
        }
        return "";
    };
    CHECK(refused(DType::f64, {64, 8}) == "");
    std::string const said = refused(DType::f64, {128, 8});
    CHECK_THAT(said, Catch::Contains("write \"shape\": [64, 8], of which f64 takes so many bytes"));
    CHECK_THAT(said, !Catch::Contains("\"f32\""));
    CHECK_THAT(refused(DType::f32, {64, 8}), Catch::Contains("write \"dtype\": \"f64\"") &&
                                                 Catch::Contains("which this shape takes so many bytes of") &&
                                                 !Catch::Contains("[128, 8]"));
}

TEST_CASE("bytes in the other order are noted with how to write them", "[lib][tensor][raw]") {
    CHECK_THAT(doubt(in_other_order(raw_bytes(DType::f64, normal_like), 8), DType::f64),
               Catch::Contains("with its bytes in the other order f64 of -") &&
                   Catch::Contains("numpy.asarray(A).astype(\"<f8\").tofile does"));
    CHECK_THAT(
        doubt(in_other_order(raw_bytes(DType::i32, [](int k) { return std::floor(90 * drawn(k)); }), 4), DType::i32),
        Catch::Contains("astype(\"<i4\").tofile does"));
}

TEST_CASE("numbers that are large, small, far apart or 0 are what they are", "[lib][tensor][raw]") {
    std::vector<std::function<double(int)>> const plain = {
        [](int k) { return std::exp(10 * normal_like(k)); },  // far apart
        [](int k) { return 1e-30 * normal_like(k); },         // constants of physics
        [](int k) { return 1e13 * normal_like(k); },          //
        [](int k) { return std::exp2(std::floor(60 * drawn(k)) - 30); },
        [](int k) { return k % 2 == 0 ? 0.0 : normal_like(k); },     // pairs with nothing in the first
        [](int k) { return drawn(k) < 0.05 ? normal_like(k) : 0; },  // mostly 0
        [](int k) { return drawn(k) < 0.5 ? -std::numeric_limits<double>::infinity() : 0; },
        [](int k) { return drawn(k) < 0.1 ? std::numeric_limits<double>::quiet_NaN() : normal_like(k); },
        [](int) { return 3.7; },
        [](int k) { return std::floor(10 * drawn(k)); },
        [](int) { return 0.0; },
    };
    for (std::size_t k = 0; k < plain.size(); ++k)
        for (DType const dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64}) {
            CAPTURE(k, name(dtype));
            CHECK(doubt(raw_bytes(dtype, plain[k]), dtype) == "");
        }
    for (auto const& times : {std::function<double(int)>([](int k) { return 1.1e9 + 1e7 * drawn(k); }),
                              std::function<double(int)>([](int k) { return 2e9 * (drawn(k) - 0.5); }),
                              std::function<double(int)>([](int k) { return k; })}) {
        CHECK(doubt(raw_bytes(DType::i32, times), DType::i32) == "");
        CHECK(doubt(raw_bytes(DType::i64, times), DType::i64) == "");
    }
    CHECK(doubt(raw_bytes(DType::f32, normal_like, 20), DType::f64) == "");  // too few to tell
    CHECK(doubt(raw_bytes(DType::f32, normal_like), DType::u8) == "");       // any byte is one
}

TEST_CASE("a .npy file that is read as raw is noted unless its header is left out", "[lib][tensor][raw]") {
    std::string const header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (512,), }" + std::string(57, ' ') + "\n";
    std::string npy = "\x93NUMPY\x01";
    npy += '\0', npy += static_cast<char>(header.size()), npy += '\0';
    npy += header + raw_bytes(DType::f32, normal_like);
    auto const begin = static_cast<std::int64_t>(10 + header.size());
    CHECK_THAT(doubt(npy, DType::f32, 8),
               Catch::Contains("which is a .npy file whose elements begin at byte " + std::to_string(begin)));
    CHECK(doubt(npy, DType::f32, begin) == "");
}

TEST_CASE("a file that is not there is told elsewhere", "[lib][tensor][raw]") {
    CHECK(!tensor::doubt_of_raw({"none.bin", 0}, "A", DType::f32, {4}, "/nonexistent"));
}
