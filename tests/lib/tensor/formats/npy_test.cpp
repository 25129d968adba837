// .npy files: boxes in either axis and byte order, headers as NumPy and others write them, and what is refused.
#include <sys/stat.h>

#include <thread>

#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/read.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::samples;
using tensor::HostTensor;
using tensor::NpySource;

namespace {

std::string descr(DType dtype, char order) {
    constexpr char const* letters[] = {"b", "i", "f", "c"};
    std::string const letter = dtype == DType::u8 ? "u" : letters[static_cast<std::size_t>(kind(dtype))];
    return std::string(1, size_of(dtype) == 1 ? '|' : order) + letter + std::to_string(size_of(dtype));
}

std::size_t number_bytes(DType dtype) { return is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype); }

}  // namespace

TEST_CASE("boxes of C and Fortran order files of either byte order are what the whole has there",
          "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    int files = 0;
    for (DType dtype : {DType::f16, DType::f32, DType::f64, DType::c64, DType::c128, DType::i8, DType::i16, DType::i64,
                        DType::u8, DType::boolean})
        for (Shape const& shape :
             {Shape{}, Shape{7}, Shape{5, 9}, Shape{4, 1, 6}, Shape{3, 4, 2, 5}, Shape{40, 70}, Shape{3, 0, 2}})
            for (bool fortran : {false, true})
                for (char order : {'<', '>', '='}) {
                    HostTensor const whole = sample(dtype, shape);
                    std::string bytes = fortran ? fortran_bytes(whole) : text_of(whole.bytes());
                    if (order == '>') bytes = swapped(bytes, number_bytes(dtype));
                    std::string const file = "f" + std::to_string(files++) + ".npy";
                    folder.write(file, header(descr(dtype, order), fortran, shape) + bytes);
                    auto const reader = tensor::open(NpySource{file}, "T", dtype, shape, folder.path());
                    CAPTURE(name(dtype), to_string(shape), fortran, order);
                    REQUIRE(wrong_box(*reader, whole, 12, 3) == "");
                }
}

TEST_CASE("large boxes are read in pieces: far apart rows, long runs, Fortran order cut for the cache",
          "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    Shape const shape{700, 3, 1100};
    HostTensor const whole = sample(DType::f32, shape);
    folder.write("c.npy", header("<f4", false, shape) + text_of(whole.bytes()));
    folder.write("f.npy", header("<f4", true, shape) + fortran_bytes(whole));
    for (std::string const file : {"c.npy", "f.npy"}) {
        auto const reader = tensor::open(NpySource{file}, "T", DType::f32, shape, folder.path());
        for (Box const& box : {Box::whole(shape), Box{{0, 1, 0}, {700, 1, 1}}, Box{{3, 0, 5}, {690, 3, 1000}},
                               Box{{10, 0, 0}, {600, 3, 1100}}}) {
            std::vector<std::byte> out(static_cast<std::size_t>(box.elements()) * 4);
            reader->read(box, out);
            CAPTURE(file, to_string(box));
            REQUIRE(out == take(whole, box));
        }
    }
}

TEST_CASE("headers are read in any order, spacing, quoting and version", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    HostTensor const whole = sample(DType::i32, {2, 3});
    std::string const data = text_of(whole.bytes());
    int files = 0;
    for (std::string const& text : {
             header("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", 1),
             header("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }     ", 2),
             header("{\"shape\":(2,3,),\"descr\":\"<i4\",\"fortran_order\":False}", 3),
             header("  { 'fortran_order' : False , 'shape' : ( 2L , 3L ) , 'descr' : '=i4' }", 1),
         }) {
        std::string const file = folder.write("h" + std::to_string(files++) + ".npy", text + data);
        CAPTURE(text);
        HostTensor const read = tensor::read_npy(file);
        CHECK(read.dtype() == DType::i32);
        CHECK(read.shape() == whole.shape());
        CHECK(read.bytes() == whole.bytes());
    }
}

TEST_CASE("bytes as NumPy wrote them", "[lib][tensor][npy]") {
    // numpy.save of numpy.asfortranarray([[1.5, -2], [3, 4]], dtype='>f4'), NumPy 1.24
    std::string golden = "\x93NUMPY\x01";
    golden += std::string("\x00\x76\x00", 3) + "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 2), }";
    golden += std::string(127 - golden.size(), ' ') + "\n";
    golden += std::string("\x3f\xc0\x00\x00\x40\x40\x00\x00\xc0\x00\x00\x00\x40\x80\x00\x00", 16);
    TemporaryFolder const folder;
    HostTensor const read = tensor::read_npy(folder.write("g.npy", golden));
    REQUIRE(read.dtype() == DType::f32);
    CHECK(read.at(0).number == 1.5);
    CHECK(read.at(1).number == -2.0);
    CHECK(read.at(2).number == 3.0);
    CHECK(read.at(3).number == 4.0);
    // numpy.save writes this header for zeros((3, 4), 'f4')
    std::string expected = "\x93NUMPY\x01";
    expected += std::string("\x00\x76\x00", 3) + "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }";
    expected += std::string(127 - expected.size(), ' ') + "\n";
    CHECK(tensor::npy_header(DType::f32, {3, 4}) == expected);
}

TEST_CASE("a bf16 tensor is read from '<V2' as it is and from f32 rounded", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    HostTensor const brain = sample(DType::bf16, {3, 5});
    folder.write("v.npy", header("<V2", false, {3, 5}) + text_of(brain.bytes()));
    CHECK(tensor::read_all(NpySource{"v.npy"}, "T", DType::bf16, {3, 5}, folder.path()).bytes() == brain.bytes());
    CHECK(tensor::npy_contents(folder.file("v.npy")).dtype == DType::bf16);
    HostTensor single(DType::f32, {3});
    for (Extent i = 0; i < 3; ++i)
        single.set(i, scalar::Scalar::of(std::complex<double>(1.0 + 0x1p-9 * static_cast<double>(i * 3))));
    folder.write("s.npy", header("<f4", false, {3}) + text_of(single.bytes()));
    HostTensor const rounded = tensor::read_all(NpySource{"s.npy"}, "T", DType::bf16, {3}, folder.path());
    CHECK(rounded.at(0).number == 1.0);
    CHECK(rounded.at(1).number == 1.0 + 0x1p-7);
    CHECK(rounded.at(2).number == 1.0 + 0x1p-6);  // a tie: to even
}

TEST_CASE("files that are not what is declared are refused with the fix", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    std::string const file = folder.write("a.npy", header("<f8", false, {2, 3}) + std::string(48, '\1'));
    auto open = [&](std::string const& name, DType dtype, Shape const& shape) {
        return faults_of([&] { tensor::open(NpySource{name}, "A", dtype, shape, folder.path()); });
    };
    using Faults = std::vector<Fault>;
    CHECK(
        open("a.npy", DType::f32, {2, 3}) ==
        Faults{{file, "tensor 'A'", "f32", "f64",
                "convert what is in the file: a.astype(\"float32\"), or write \"dtype\": \"f64\" with this file as the "
                "tensor's \"data\", and plan again"}});
    CHECK(open("a.npy", DType::f64, {3, 2}) ==
          Faults{{file, "tensor 'A'", "shape (3, 2)", "shape (2, 3)",
                  "declare \"shape\": [2, 3], or transpose what is in the file: a.T"}});
    CHECK(open("a.npy", DType::f16, {1}).size() == 2);
    auto const none = open("none.npy", DType::f32, {1});
    REQUIRE(none.size() == 1);
    CHECK(none[0].file == folder.file("none.npy"));
    CHECK(none[0].where == "tensor 'A'");
    CHECK(none[0].found == "none");
    CHECK(none[0].fix.find("--input A=FILE") != std::string::npos);
    CHECK(open(".", DType::f32, {1})[0].found == "a folder");
    CHECK(
        faults_of([&] { tensor::open(NpySource{"./none.npy"}, "A", DType::f32, {1}, folder.path() / "."); })[0].file ==
        folder.file("none.npy"));
}

TEST_CASE("a file shorter or longer than its header promises is refused with both sizes, at once or while reading",
          "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    std::string const text = header("<f8", false, {2, 3});
    std::string const file = folder.write("short.npy", text + std::string(47, '\1'));
    auto const faults = faults_of([&] {
        tensor::open(NpySource{"short.npy"}, "A", DType::f64, {2, 3}, folder.path());
    });
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].expected.find(std::to_string(text.size() + 48) + " bytes") == 0);
    CHECK(faults[0].found == std::to_string(text.size() + 47) + " bytes");
    CHECK(faults[0].fix.find("cut short") != std::string::npos);

    std::string const longer = folder.write("longer.npy", text + std::string(49, '\1'));
    for (auto const& long_faults : {faults_of([&] {
                                        tensor::open(NpySource{"longer.npy"}, "A", DType::f64, {2, 3}, folder.path());
                                    }),
                                    faults_of([&] { tensor::read_npy(longer); })}) {
        REQUIRE(long_faults.size() == 1);
        CHECK(long_faults[0].expected.find(std::to_string(text.size() + 48) + " bytes (48 for (2, 3) of f64") == 0);
        CHECK(long_faults[0].found == std::to_string(text.size() + 49) + " bytes");
        CHECK(long_faults[0].fix == "the file is damaged or has more than one array: write one array a file");
    }

    std::string const later = folder.write("later.npy", text + std::string(48, '\1'));
    auto const reader = tensor::open(NpySource{"later.npy"}, "A", DType::f64, {2, 3}, folder.path());
    std::filesystem::resize_file(later, text.size() + 10);
    std::vector<std::byte> out(48);
    CHECK(faults_of([&] {
              reader->read(Box::whole({2, 3}), out);
          })[0]
              .found == std::to_string(text.size() + 10) + " bytes");
}

TEST_CASE("headers that make no sense are refused, each with its own words", "[lib][tensor][npy]") {
    struct Case {
        std::string text;
        std::string expected, found;
    };
    std::string const one = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)";
    TemporaryFolder const folder;
    int files = 0;
    for (Case const& bad : {
             Case{"", "a .npy file of format version 1, 2 or 3", "what looks like an empty file"},
             Case{"PK\3\4 and more than ten bytes", "a .npy file of format version 1, 2 or 3",
                  "what looks like a zip archive, as .npz is"},
             Case{header(one + "}", 4), "a .npy file of format version 1, 2 or 3", "version 4"},
             Case{header(one + "}", 2).substr(0, 20), "at least 68 bytes", "20 bytes"},
             Case{header(one), "'}'", "the header's end"},
             Case{header(one + "} x"), "the header's end", "more text"},
             Case{header(one + ", 'shape': (2,)}"), "each key once", "'shape' twice"},
             Case{header(one + ", 'colour': 1}"), "descr, fortran_order or shape", "the key 'colour'"},
             Case{header("{'descr': '<f4', 'shape': (1,)}"), "the key 'fortran_order'", "a header without it"},
             Case{header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"), "one number an element",
                  ""},
             Case{header("{'descr': '<u4', 'fortran_order': False, 'shape': (1,)}"), "", "'<u4'"},
             Case{header("{'descr': '', 'fortran_order': False, 'shape': (1,)}"), "", "''"},
             Case{header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"), "", "'|O'"},
             Case{header("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}"), "True or False", ""},
             Case{header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), "an extent", ""},
             Case{header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
                  "an extent below 2^63", ""},
             Case{header("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999)}"),
                  "a shape of fewer than 2^63 elements", ""},
             Case{header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}"),
                  "fewer than 2^63 bytes", ""},
         }) {
        std::string const file = folder.write("bad" + std::to_string(files++) + ".npy", bad.text);
        auto const faults = faults_of([&] { tensor::npy_contents(file); });
        CAPTURE(bad.text);
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].file == file);
        if (!bad.expected.empty()) CHECK(faults[0].expected == bad.expected);
        if (!bad.found.empty()) CHECK(faults[0].found == bad.found);
        CHECK_FALSE(faults[0].fix.empty());
    }
}

TEST_CASE("many threads read one file at once", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    HostTensor const whole = sample(DType::f32, {50, 60});
    tensor::write_npy(folder.path() / "t.npy", whole);
    auto const reader = tensor::open(NpySource{"t.npy"}, "T", DType::f32, {50, 60}, folder.path());
    std::vector<std::string> wrong(4, "not run");
    {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 4; ++i) threads.emplace_back([&, i] { wrong[i] = wrong_box(*reader, whole, 50, i); });
        for (std::thread& thread : threads) thread.join();
    }
    CHECK(wrong == std::vector<std::string>(4, ""));
}

TEST_CASE("more files can be open than the system has descriptors to spare", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    std::vector<std::unique_ptr<tensor::Reader>> readers;
    for (int i = 0; i < 300; ++i) {
        HostTensor const one = sample(DType::i32, {2}, static_cast<unsigned>(i));
        tensor::write_npy(folder.path() / (std::to_string(i) + ".npy"), one);
        readers.push_back(tensor::open(NpySource{std::to_string(i) + ".npy"}, "T", DType::i32, {2}, folder.path()));
    }
    for (unsigned i = 0; i < 300; ++i) REQUIRE(wrong_box(*readers[i], sample(DType::i32, {2}, i), 1, 0) == "");
    // a file whose descriptor was let go and that was replaced since is not read as if it were the old one
    folder.write("0.npy", "something else");
    std::vector<std::byte> out(8);
    for (unsigned i = 1; i < 200; ++i) readers[i]->read(Box::whole({2}), out);
    CHECK(faults_of([&] { readers[0]->read(Box::whole({2}), out); }).size() == 1);
}

TEST_CASE("elements beyond 4 GiB are found", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    Shape const shape{3, Extent{1} << 31};  // 6 GiB of u8, sparse
    tensor::HostTensor const piece = sample(DType::u8, {1, 100});
    std::string const text = header("|u1", false, shape);
    folder.write("big.npy", text);
    std::filesystem::resize_file(folder.path() / "big.npy", text.size() + (std::uint64_t{6} << 30));
    Box const box{{2, (Extent{1} << 31) - 100}, {1, 100}};
    {
        std::ofstream out(folder.path() / "big.npy", std::ios::binary | std::ios::in);
        out.seekp(static_cast<std::streamoff>(text.size() + (std::uint64_t{6} << 30) - 100));
        out << text_of(piece.bytes());
    }
    std::vector<std::byte> read(100);
    tensor::open(NpySource{"big.npy"}, "T", DType::u8, shape, folder.path())->read(box, read);
    CHECK(read == piece.bytes());
}
