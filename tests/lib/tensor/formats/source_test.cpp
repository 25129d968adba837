// safetensors, raw, fill, values, missing sources, and what --input means.
#include "lib/tensor/source.hpp"

#include "lib/tensor/read.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::samples;
using namespace ein::tensor;

namespace {

std::string safetensors(std::string const& json, std::string const& data) {
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>((json.size() >> (8 * i)) & 0xff);
    return out + json + data;
}

}  // namespace

TEST_CASE("tensors of a safetensors file are read box by box", "[lib][tensor][safetensors]") {
    TemporaryFolder const folder;
    struct Named {
        char const* type;
        DType dtype;
    };
    std::string json = "{\"__metadata__\": {\"format\": \"pt\"}", data;
    std::vector<HostTensor> wholes;
    Named const types[] = {{"F16", DType::f16}, {"BF16", DType::bf16},   {"F32", DType::f32}, {"F64", DType::f64},
                           {"I8", DType::i8},   {"I16", DType::i16},     {"I32", DType::i32}, {"I64", DType::i64},
                           {"U8", DType::u8},   {"BOOL", DType::boolean}};
    for (Named const& type : types) {
        wholes.push_back(sample(type.dtype, {6, 5, 4}));
        json += std::string(", \"t.") + type.type + "\": {\"dtype\": \"" + type.type +
                "\", \"shape\": [6, 5, 4], \"data_offsets\": [" + std::to_string(data.size()) + ", " +
                std::to_string(data.size() + wholes.back().bytes().size()) + "]}";
        data += text_of(wholes.back().bytes());
    }
    folder.write("m.safetensors", safetensors(json + "}", data));
    for (std::size_t i = 0; i < std::size(types); ++i) {
        auto const reader = open(SafetensorsSource{"m.safetensors", std::string("t.") + types[i].type}, "T",
                                 types[i].dtype, {6, 5, 4}, folder.path());
        CAPTURE(types[i].type);
        CHECK(wrong_box(*reader, wholes[i], 20, 4) == "");
    }
}

TEST_CASE("axes of a safetensors tensor may be split", "[lib][tensor][safetensors]") {
    TemporaryFolder const folder;
    HostTensor const whole = sample(DType::f32, {6, 1, 10});
    folder.write("m.safetensors", safetensors(R"({"t": {"dtype": "F32", "shape": [6, 1, 10], "data_offsets": [0, 240]},
                     "none": {"dtype": "F32", "shape": [0, 4], "data_offsets": [240, 240]}})",
                                              text_of(whole.bytes())));
    auto refused = [&](std::string const& name, Shape const& shape) {
        return !faults_of([&] {
                    open(SafetensorsSource{"m.safetensors", name}, "T", DType::f32, shape, folder.path());
                }).empty();
    };
    for (Shape const& shape :
         {Shape{6, 1, 10}, Shape{6, 10}, Shape{2, 3, 10}, Shape{3, 2, 5, 2}, Shape{1, 6, 1, 2, 5, 1}}) {
        CAPTURE(to_string(shape));
        CHECK(!refused("t", shape));
    }
    for (Shape const& shape :
         {Shape{60}, Shape{10, 6}, Shape{4, 15}, Shape{6}, Shape{6, 10, 2}, Shape{6, 5}, Shape{0}, Shape{}}) {
        CAPTURE(to_string(shape));
        CHECK(refused("t", shape));
    }
    CHECK(!refused("none", {0, 4}));
    CHECK(refused("none", {0, 2, 2}));
    HostTensor split(DType::f32, {3, 2, 5, 2});
    split.bytes() = whole.bytes();
    auto const reader = open(SafetensorsSource{"m.safetensors", "t"}, "T", DType::f32, split.shape(), folder.path());
    CHECK(wrong_box(*reader, split, 20, 4) == "");
}

TEST_CASE("safetensors files that do not hold what is wanted are refused", "[lib][tensor][safetensors]") {
    TemporaryFolder const folder;
    std::string const file =
        folder.write("m.safetensors", safetensors(
                                          R"({"tok.w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            "odd": {"dtype": "F8_E5M2", "shape": [2], "data_offsets": [0, 2]},
            "long": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]},
            "off": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]},
            "huge": {"dtype": "F32", "shape": [9223372036854775807, 4], "data_offsets": [0, 8]},
            "minus": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]},
            "bare": {"dtype": "F32"}})",
                                          std::string(8, '\1')));
    auto refuse = [&](std::string const& tensor, DType dtype = DType::f32, Shape const& shape = {2}) {
        auto const faults = faults_of([&] {
            open(SafetensorsSource{"m.safetensors", tensor}, "T", dtype, shape, folder.path());
        });
        return faults.empty() ? Fault{} : faults.front();
    };
    CHECK(refuse("tok.w") == Fault{});
    CHECK(refuse("tok.v") == Fault{file, "", "a tensor named 'tok.v'", "none among its 7", "did you mean \"tok.w\"?"});
    CHECK(refuse("__metadata__").expected == "a tensor named '__metadata__'");
    CHECK(refuse("odd").where == "/odd/dtype");
    CHECK(refuse("odd").found == "'F8_E5M2'");
    CHECK(refuse("long").where == "/long/data_offsets");
    CHECK(refuse("long").expected == "[begin, end] inside the 8 bytes of data in the file");
    CHECK(refuse("off").expected == "12 bytes for (3,) of f32");
    CHECK(refuse("off").found == "8");
    CHECK(refuse("huge").expected.find("fewer than 2^63 bytes") == 0);
    CHECK(refuse("minus").where == "/minus/shape/0");
    CHECK(refuse("bare").expected == "the key \"shape\"");
    CHECK(refuse("tok.w", DType::bf16).fix ==
          "convert what is in the file, or write \"dtype\": \"f32\" with this file as the tensor's \"data\", and plan "
          "again");
    CHECK(refuse("tok.w", DType::f32, {4}).found == "shape (2,)");
    int files = 0;
    for (std::string const& bytes :
         {std::string("short"), std::string(8, '\xff'), safetensors("[]", ""), safetensors("{", "")}) {
        std::string const name = "bad" + std::to_string(files++) + ".safetensors";
        folder.write(name, bytes);
        CHECK(faults_of([&] { open(SafetensorsSource{name, "T"}, "T", DType::f32, {}, folder.path()); }).size() == 1);
    }
}

TEST_CASE("raw files are read from an offset and their length is checked", "[lib][tensor][source]") {
    TemporaryFolder const folder;
    HostTensor const whole = sample(DType::i16, {4, 5});
    std::string const file = folder.write("r.bin", "head" + text_of(whole.bytes()));
    CHECK(wrong_box(*open(RawSource{"r.bin", 4}, "R", DType::i16, {4, 5}, folder.path()), whole, 10, 2) == "");
    CHECK(wrong_box(*open(RawSource{file, 4}, "R", DType::i16, {4, 5}, "/nowhere"), whole, 1, 2) ==
          "");  // absolute paths stay
    auto const faults = faults_of([&] { open(RawSource{"r.bin", 5}, "R", DType::i16, {4, 5}, folder.path()); });
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].expected == "at least 45 bytes (40 for (4, 5) of i16 from byte 5 on)");
    CHECK(faults[0].found == "44 bytes");
    CHECK(faults_of([&] { open(RawSource{"r.bin", -1}, "R", DType::i16, {4, 5}, folder.path()); })[0].found == "-1");
    CHECK(faults_of([&] { open(RawSource{"r.bin", INT64_MAX}, "R", DType::i16, {4, 5}, folder.path()); }).size() == 1);
}

TEST_CASE("a raw file without an offset is exactly the tensor", "[lib][tensor][source]") {
    TemporaryFolder const folder;
    std::string const file = folder.write("r.bin", std::string(44, '\1'));
    auto refused = [&](std::optional<std::int64_t> offset) {
        return faults_of([&] { open(RawSource{"r.bin", offset}, "R", DType::i16, {4, 5}, folder.path()); });
    };
    CHECK(refused(std::nullopt) ==
          std::vector{Fault{file, "tensor 'R'", "40 bytes (40 for (4, 5) of i16 from byte 0 on)", "44 bytes",
                            "correct the shape or dtype, or give \"offset\": with it the file may have more than the "
                            "tensor"}});
    CHECK(refused(0).empty());
    folder.write("r.bin", std::string(40, '\1'));
    CHECK(refused(std::nullopt).empty());
    folder.write("r.bin", std::string(39, '\1'));
    CHECK(refused(std::nullopt).at(0).fix == "the file is cut short: copy or write it again");
}

TEST_CASE("fill gives one value everywhere, integers to the last bit", "[lib][tensor][source]") {
    std::int64_t const large = (std::int64_t{1} << 62) + 1;
    CHECK(read_all(FillSource{static_cast<double>(large), large}, "F", DType::i64, {2}, "").at(1).integer == large);
    CHECK(read_all(FillSource{2.5, 0}, "F", DType::f32, {2, 2}, "").at(3).number == 2.5);
    CHECK(read_all(FillSource{2.0, 0}, "F", DType::i8, {2}, "").at(0).integer == 2);
    CHECK(read_all(FillSource{{1, -1}, 0}, "F", DType::c64, {}, "").at(0).number == std::complex<double>(1, -1));
    CHECK(read_all(FillSource{1.0, 1}, "F", DType::boolean, {1}, "").at(0).integer == 1);
}

TEST_CASE("values are read by boxes and must fill the shape", "[lib][tensor][source]") {
    HostTensor const whole = sample(DType::f64, {3, 4});
    CHECK(wrong_box(*open(ValuesSource{whole.bytes()}, "V", DType::f64, {3, 4}, ""), whole, 20, 6) == "");
    auto const faults = faults_of([&] { open(ValuesSource{whole.bytes()}, "V", DType::f64, {3, 5}, ""); });
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == "values of tensor 'V'");
    CHECK(faults[0].expected == "120 bytes for (3, 5) of f64");
    CHECK(faults[0].found == "96");
}

TEST_CASE("a tensor without data says how to give it", "[lib][tensor][source]") {
    auto const faults = faults_of([&] { open(MissingSource{}, "X", DType::f32, {1}, ""); });
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].text() == "tensor 'X': expected data for it, found none; give it with --input X=FILE");
}

TEST_CASE("--input's file means a source by its extension", "[lib][tensor][source]") {
    CHECK(source_for_file("d/a.npy", "A") == Source(NpySource{"d/a.npy"}));
    CHECK(source_for_file("a.NPZ", "A") == Source(NpzSource{"a.NPZ", "A"}));
    CHECK(source_for_file("m.safetensors", "tok.w") == Source(SafetensorsSource{"m.safetensors", "tok.w"}));
    CHECK(source_for_file("d/two.npz:b", "A") == Source(NpzSource{"d/two.npz", "b"}));
    CHECK(source_for_file("m.safetensors:a:b/c", "A") == Source(SafetensorsSource{"m.safetensors", "a:b/c"}));
    CHECK(source_for_file("a.bin", "A") == Source(RawSource{"a.bin", std::nullopt}));
}
