// Writing .npy: in parts, whole, and what happens when the disk or the folder refuses.
#include "lib/tensor/formats/npy_write.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/read.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::samples;
using tensor::HostTensor;

namespace {

template <class Act>
std::string run_error_of(Act&& act) {
    try {
        act();
    } catch (RunError const& error) {
        return error.what();
    }
    return "";
}

std::size_t files_in(std::filesystem::path const& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("a tensor of every dtype and order comes back as it was written", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    for (int d = 0; d < dtype_count; ++d) {
        auto const dtype = static_cast<DType>(d);
        if (dtype == DType::bf16) continue;
        for (Shape const& shape : {Shape{}, Shape{5}, Shape{2, 3, 4}, Shape{0, 3}}) {
            HostTensor const whole = sample(dtype, shape);
            tensor::write_npy(folder.path() / "t.npy", whole);
            HostTensor const read = tensor::read_npy(folder.path() / "t.npy");
            CAPTURE(name(dtype), to_string(shape));
            CHECK(read.dtype() == dtype);
            CHECK(read.shape() == shape);
            CHECK(read.bytes() == whole.bytes());
        }
    }
    CHECK(files_in(folder.path()) == 1);  // no temporary file stays
}

TEST_CASE("bf16 is written as f32", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    HostTensor brain(DType::bf16, {70000});  // more than one batch of conversion
    for (Extent i = 0; i < brain.elements(); ++i)
        brain.set(i, scalar::Scalar::of(std::complex<double>(static_cast<double>(i % 256))));
    tensor::write_npy(folder.path() / "b.npy", brain);
    HostTensor const read = tensor::read_npy(folder.path() / "b.npy");
    REQUIRE(read.dtype() == DType::f32);
    bool equal = true;
    for (Extent i = 0; i < brain.elements(); ++i) equal = equal && read.at(i).number == brain.at(i).number;
    CHECK(equal);
}

TEST_CASE("boxes written by many make the whole", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    Shape const shape{7, 5, 6};
    HostTensor const whole = sample(DType::c64, shape);
    auto const file = folder.path() / "parts.npy";
    tensor::create_npy(file, DType::c64, shape);
    CHECK(std::filesystem::file_size(file) == 128 + whole.bytes().size());
    for (Extent i : {Extent{0}, Extent{4}})
        for (Extent j = 0; j < 5; ++j)
            for (Extent k : {Extent{0}, Extent{3}}) {
                Box const box{{i, j, k}, {i == 0 ? 4 : 3, 1, 3}};
                tensor::write_npy_box(file, DType::c64, shape, box, take(whole, box));
            }
    CHECK(tensor::read_npy(file).bytes() == whole.bytes());
}

TEST_CASE("elements begin at a multiple of 64 whatever the shape", "[lib][tensor][npy]") {
    for (std::size_t order = 0; order < 40; ++order) {
        std::string const text = tensor::npy_header(DType::f64, Shape(order, 10));
        REQUIRE(text.size() % 64 == 0);
        REQUIRE(text.back() == '\n');
    }
    std::string const long_one = tensor::npy_header(DType::u8, Shape(30000, 1));
    CHECK(long_one[6] == 2);
    TemporaryFolder const folder;
    CHECK(tensor::npy_contents(folder.write("l.npy", long_one + "x")).shape == Shape(30000, 1));
}

TEST_CASE("a folder that cannot be written is reported with the file, the bytes and the reason", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    auto const file = folder.path() / "no" / "a.npy";
    std::string const text = run_error_of([&] { tensor::create_npy(file, DType::f32, {2, 3}); });
    CHECK(text == "cannot write " + file.string() +
                      " (152 bytes): No such file or directory; check the folder and its permissions, or choose "
                      "another with --out");
    CHECK(run_error_of([&] { tensor::write_npy(file, HostTensor(DType::f32, {2})); }).find("No such file") !=
          std::string::npos);
    CHECK_FALSE(run_error_of([&] {
                    tensor::write_npy_box(file, DType::f32, {2}, Box::whole({2}), std::vector<std::byte>(8));
                }).empty());
}

TEST_CASE("a full disk is found before anything is computed, and nothing stays behind", "[lib][tensor][npy]") {
    TemporaryFolder const folder;
    if (::geteuid() != 0 || ::mount("none", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
        WARN("skipped: mounting a small file system needs root");
        return;
    }
    std::string const text = run_error_of([&] {
        tensor::create_npy(folder.path() / "a.npy", DType::f64, {1000, 1000});
    });
    std::size_t const left = files_in(folder.path());
    ::umount2(folder.path().c_str(), MNT_DETACH);
    CHECK(text.find("8000128 bytes): No space left on device; free some space") != std::string::npos);
    CHECK(left == 0);
}
