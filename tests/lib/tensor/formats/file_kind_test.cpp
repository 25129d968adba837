// What a file looks like, and that every reader says so of a file of another kind.
#include "lib/tensor/formats/file_kind.hpp"

#include "lib/base/error.hpp"
#include "lib/tensor/read.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::samples;
using namespace ein::tensor;
using namespace std::string_literals;

namespace {

struct Sample {
    std::string name, bytes, looks, mend;
};

std::string eight(std::uint64_t number) {
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>((number >> (8 * i)) & 0xff);
    return out;
}

std::vector<Sample> kinds() {
    return {
        {"X.csv", "1,2.5\n3,4e-3\n", "numbers as text, with commas (\"1,2.5\")",
         R"(numpy.save("X.npy", numpy.loadtxt("X.csv", delimiter=",")))"},
        {"X.csv", "a,b\r\n1,2\r\n", "numbers as text, with commas (\"a,b\")", R"(delimiter=",", skiprows=1))"},
        {"X.csv", "1;2\n", "with semicolons", R"(delimiter=";")"},
        {"X.txt", "1\t-2\n", "with tabs", R"(numpy.loadtxt("X.txt"))"},
        {"X.dat", "  1.0   2.0\n", "with spaces", R"(numpy.loadtxt("X.dat"))"},
        {"X.npy", "<!DOCTYPE html>\n<html>", "a page of HTML", "get the file again"},
        {"X.npy", "[[1, 2], [3, 4]]", "JSON", "json.load"},
        {"X.npy", "hello\n", "text (\"hello\")", "numpy.save"},
        {"X.npy", "version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS", "git lfs pull"},
        {"X.h5", "\x89HDF\r\n\x1a\n"s + std::string(100, '\0'), "an HDF5 file", R"(h5py.File("X.h5")[NAME][:])"},
        {"X.mat", "MATLAB 5.0 MAT-file, Platform"s, "a MATLAB file", "scipy.io.loadmat"},
        {"X.npy.gz", "\x1f\x8b\x08\0"s + std::string(20, '\1'), "packed by gzip", "gunzip X.npy.gz"},
        {"X.pkl", "\x80\4\x95\0\0"s + std::string(20, '\1'), "a pickle of Python", "pickle.load"},
        {"X.png", "\x89PNG\r\n"s, "an image", "PIL.Image.open"},
        {"X.st", eight(2) + "{}", "a .safetensors file", R"({"safetensors": "X.st", "tensor": NAME})"},
        {"X.zip", "PK\3\4"s + std::string(40, '\0'), "a zip archive", R"({"npz": "X.zip", "entry": NAME})"},
        {"X.bin", "\x93NUMPY\1\0"s, "a .npy file", R"({"npy": "X.bin"})"},
        {"X.bin", "%%MatrixMarket matrix coordinate real general\n", "a Matrix Market file", R"({"mtx": "X.bin"})"},
        {"X.npy", "", "an empty file", "write it again"},
    };
}

}  // namespace

TEST_CASE("a file is told by its first bytes", "[lib][tensor][file_kind]") {
    TemporaryFolder const folder;
    for (Sample const& kind : kinds()) {
        CAPTURE(kind.name, kind.looks);
        auto const found = file_kind(*open_file(folder.write(kind.name, kind.bytes)));
        REQUIRE(found);
        CHECK_THAT(found->looks, Catch::Contains(kind.looks));
        CHECK_THAT(found->mend, Catch::Contains(kind.mend));
    }
    CHECK_FALSE(file_kind(*open_file(folder.write("numbers", "\0\0\x80\x3f\0\0\0\x40"s))));
}

TEST_CASE("every reader says what a file of another kind looks like", "[lib][tensor][file_kind]") {
    TemporaryFolder const folder;
    for (Sample const& kind : kinds()) {
        std::string const& name = kind.name;
        folder.write(name, kind.bytes);
        Source const sources[] = {NpySource{name}, NpzSource{name, "A"}, SafetensorsSource{name, "A"},
                                  MtxSource{name}, ScipySource{name},    RawSource{name, std::nullopt}};
        for (Source const& source : sources) {
            CAPTURE(name, kind.looks, source.index());
            bool const own =
                (kind.looks == "a .npy file" && std::holds_alternative<NpySource>(source)) ||
                (kind.looks == "a .safetensors file" && std::holds_alternative<SafetensorsSource>(source)) ||
                (kind.looks == "a Matrix Market file" && std::holds_alternative<MtxSource>(source)) ||
                (kind.looks == "a zip archive" &&
                 (std::holds_alternative<NpzSource>(source) || std::holds_alternative<ScipySource>(source)));
            auto const faults = faults_of([&] { open(source, "A", DType::f32, {300, 2}, folder.path()); });
            REQUIRE(faults.size() == 1);
            if (own) continue;  // damaged, and told as such
            // Words might be a first line that is nearly right: the line is named.
            auto const kind_found = file_kind(*open_file(folder.path() / name));
            bool const words = kind.bytes.empty() || (kind_found && kind_found->words);
            if (std::holds_alternative<MtxSource>(source) && words) {
                CHECK(faults[0].where == "line 1");
                continue;
            }
            CHECK_THAT(faults[0].found, Catch::Contains("what looks like ") && Catch::Contains(kind.looks));
            CHECK_THAT(faults[0].fix, Catch::Contains(kind.mend));
        }
    }
}

TEST_CASE("only what begins as another kind is refused as tns", "[lib][tensor][file_kind]") {
    TemporaryFolder const folder;
    folder.write("X.npy", "\x93NUMPY\1\0"s + std::string(20, ' '));
    folder.write("X.tns", "1 1 2.5\n");
    auto const faults = faults_of([&] { contents_of(TnsSource{"X.npy"}, "A", folder.path()); });
    REQUIRE(faults.size() == 1);
    CHECK_THAT(faults[0].found, Catch::Contains("what looks like a .npy file"));
    CHECK_FALSE(contents_of(TnsSource{"X.tns"}, "A", folder.path()));
    CHECK_THROWS_AS(contents_of(NpySource{"none.npy"}, "A", folder.path()), UnopenedFile);
}
