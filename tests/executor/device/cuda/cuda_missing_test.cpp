// Machines that lack something of CUDA: what they report. Libraries stay loaded, so one case goes from nothing to
// almost everything.
#include <filesystem>
#include <fstream>

#include "executor/device/cuda/make_cuda_device.hpp"
#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fake_cuda/fake_cuda.hpp"

using namespace ein;
using namespace ein::executor;
namespace fs = std::filesystem;

TEST_CASE("what is missing of CUDA is reported with the fix", "[executor][cuda]") {
    fs::path const folder = fs::temp_directory_path() / "einloom_cuda_missing_test";
    fs::remove_all(folder);
    fs::create_directories(folder);
    auto const reported = [&](std::initializer_list<test::FakeCuda::Setting> settings) {
        test::FakeCuda const fake(settings);
        std::string problem = cuda::cuda_problem();
        try {
            cuda::make_cuda_device({});
        } catch (RunError const& error) {
            return problem == error.what() ? problem : "";
        }
        return std::string("made");
    };
    auto const idle = [&](std::initializer_list<test::FakeCuda::Setting> settings) {
        test::FakeCuda const fake(settings);
        return cuda::cuda_library_problem();
    };
    test::FakeCuda::Setting const here{"EINLOOM_CUDA_LIBRARIES", folder.string()};
    CHECK_THAT(reported({here}),
               Catch::Contains("expected libcuda.so.1, found none (looked in " + folder.string() + "/)") &&
                   Catch::Contains("install NVIDIA's driver"));
    CHECK(idle({here}) == "");  // no GPU that anybody could miss
    std::ofstream(folder / "libcuda.so.1") << "no library\n";
    CHECK_THAT(reported({here}), Catch::Contains("found none") && Catch::Contains("file too short"));
    fs::remove(folder / "libcuda.so.1");
    fs::create_symlink(EIN_FAKE_CUDA "/libcuda.so.1", folder / "libcuda.so.1");
    CHECK_THAT(reported({here, {"FAKE_CUDA_DRIVER", "11040"}}),
               Catch::Contains("expected a driver for CUDA 12 or later, found one for CUDA 11.4"));
    CHECK_THAT(reported({here, {"FAKE_CUDA_DEVICES", "0"}}), Catch::Contains("expected a GPU, found none"));
    CHECK_THAT(reported({here}), Catch::Contains("expected libnvrtc.so.13 or libnvrtc.so.12, found none") &&
                                     Catch::Contains("CUDA_HOME"));
    CHECK_THAT(idle({here}), Catch::Contains("expected libnvrtc.so.13 or libnvrtc.so.12, found none"));
    CHECK_THAT(reported({here, {"FAKE_CUDA_DRIVER", "12040"}}),
               Catch::Contains("expected libnvrtc.so.12, found none") && Catch::Contains("supports up to 12.4"));
    auto const install = [&](std::string const& name) { fs::copy_file(fs::path(EIN_FAKE_CUDA) / name, folder / name); };
    install("libnvrtc.so.13");
    CHECK_THAT(reported({here}), Catch::Contains("libnvrtc.so.13 in " + folder.string() + " compiles nothing") &&
                                     Catch::Contains("libnvrtc-builtins.so.13.99 neither in that folder nor on"));
    install("libnvrtc-builtins.so.13.99");
    install("libcublas.so.13");
    CHECK(reported({here}) == "made");
    CHECK(idle({here}) == "");

    // NVRTC 13 compiles for no GPU before sm_75, and cuBLAS 13 runs on none.
    test::FakeCuda::Setting const old{"FAKE_CUDA_ARCHITECTURE", "70"};
    CHECK_THAT(reported({here, old}), Catch::Contains("compiles for sm_75 to sm_121, not for this GPU's sm_70"));
    install("libnvrtc.so.12");
    install("libnvrtc-builtins.so.12.99");
    CHECK_THAT(idle({here, old}), Catch::Contains("expected libcublas.so.12, found none"));
    install("libcublas.so.12");
    CHECK(reported({here, old}) == "made");
    CHECK_THAT(reported({here, {"FAKE_CUDA_ARCHITECTURE", "61"}}), Catch::Contains("compute capability 7.0 or later"));
    fs::remove_all(folder);
}
