// The GPU of this machine against the reference: kernels, random graphs at 1 and 2 ranks on it, all examples. Run by
// scripts/gpu-check.sh; elsewhere, and where there is no GPU, it says so and is skipped (77). EIN_SEEDS=FIRST:COUNT
// runs other random graphs, EIN_KERNELS=N so many random kernels, EIN_EXAMPLES=FOLDER the graphs there instead of the
// sources' examples; --device says only which GPU it is.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "tests/executor/device/cuda/cases.hpp"
#include "tests/executor/device/cuda/on_accelerator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/results.hpp"
#include "tests/support/run_catch.hpp"

using namespace ein;
using executor::DeviceKind;
using enum ein::DType;
using scalar::Agg;

namespace {

std::unique_ptr<executor::Device> gpu() { return executor::make_device({DeviceKind::cuda}); }

/// @return where a kernel differs from the reference, or ""
std::string differences(executor::cuda::Cases const& cases) {
    std::unique_ptr<executor::Device> const device = gpu();
    executor::OnAccelerator on(*device->accelerator(), std::int64_t{64} << 20);
    return cases.differences(on);
}

}  // namespace

TEST_CASE("kernels on the GPU agree with the reference", "[gpu][kernels]") {
    executor::cuda::Cases cases(77);
    char const* const asked = std::getenv("EIN_KERNELS");
    std::size_t const kernels = asked == nullptr ? 300 : static_cast<std::size_t>(std::atoi(asked));
    while (cases.size() < kernels) cases.add_random(false);
    while (cases.size() < kernels * 3 / 2) cases.add_random(true);
    REQUIRE(differences(cases) == "");
}

TEST_CASE("products of every type and layout agree with the reference", "[gpu][kernels]") {
    executor::cuda::Cases cases(78);
    for (auto const& [type, out] :
         {std::pair{f64, f64}, {f32, f32}, {c64, c64}, {c128, c128}, {f16, f16}, {bf16, bf16}, {f16, f32}, {bf16, f32}})
        for (bool const scattered : {false, true}) {
            cases.add("ij,jk->ik", {67, 130, 45}, "x*y", Agg::sum, {type, type}, out, scattered, false);
            cases.add("bij,bkj->bik", {5, 33, 64, 40}, "x*y", Agg::sum, {type, type}, out, scattered, false);
            cases.add("aibj,icjd->acbd", {6, 7, 5, 8, 9, 4}, "x*y/4", Agg::sum, {type, type}, out, scattered, false);
        }
    REQUIRE(differences(cases) == "");
}

TEST_CASE("random graphs give the interpreter's results on the GPU", "[gpu][graphs]") {
    auto const dtype = GENERATE("f64", "f32", "mixed", "i32", "c128");
    auto const [first, count] = test::seeds(10);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Json const json = test::random_graph(seed, {.dtype = dtype, .sparse = seed % 3 == 0 ? 40 : 0});
        INFO("seed " << seed << " " << dtype << "\n" << json.dump());
        test::WholeRunSetup setup;
        setup.ranks = 1 + static_cast<int>(seed % 2);
        setup.device = {DeviceKind::cuda};
        setup.device_memory = seed % 4 < 2 ? 0 : std::int64_t{1} << 26;
        setup.device_messages =
            executor::DeviceMessages::off;  // ranks as threads copy between them with the host's means
        test::check_results(test::whole_run(json, setup));
    }
}

TEST_CASE("the examples run on the GPU", "[gpu][examples]") {
    char const* const asked = std::getenv("EIN_EXAMPLES");
    std::size_t run = 0;
    for (auto const& entry : std::filesystem::directory_iterator(asked == nullptr ? EIN_EXAMPLES : asked)) {
        if (entry.path().extension() != ".json") continue;
        Json const json = Json::parse(read_text_file(entry.path()));
        INFO(entry.path().filename());
        test::WholeRunSetup setup;
        if (json.contains("mesh"))
            for (Json const& size : json["mesh"]) setup.ranks *= size.get<int>();
        setup.device = {DeviceKind::cuda};
        setup.device_memory = std::int64_t{1} << 26;
        setup.device_messages = executor::DeviceMessages::off;
        test::check_results(test::whole_run(json, setup));
        ++run;
    }
    REQUIRE(run > 0);
}

int main(int argc, char** argv) {
    try {
        bool const only = argc == 2 && std::string_view(argv[1]) == "--device";
        std::printf(only ? "%s\n" : "on %s\n", gpu()->description().c_str());
        if (only) return 0;
    } catch (Error const& error) {
        std::printf("skipped: %s\n", error.what());
        return 77;
    }
    return test::run_catch(argc, argv);
}
