#include "tests/executor/device/cuda/nvrtc.hpp"
#include "tests/executor/device/cuda/cases.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::executor::cuda;
using enum ein::DType;
using scalar::Agg;

namespace {

/// One kernel of every kind, as shapes of an everyday size give them, and a few random ones.
void gather_sample(HostCudaDevice& device) {
    Cases cases(12);
    cases.add("ij->i", {512, 512}, "x", Agg::sum, {f16}, f16);
    cases.add("ij->j", {512, 512}, "x", Agg::logsumexp, {f32}, f32);
    cases.add("ij->", {512, 512}, "x*x", Agg::sum, {bf16}, f32);
    cases.add("ij,j->ij", {512, 512}, "gelu(x+y)", Agg::sum, {bf16, bf16}, bf16);
    cases.add("ij->ji", {64, 64}, "x", Agg::sum, {f16}, f16);
    cases.add("ik,kj->ij", {64, 64, 64}, "x+y", Agg::min, {f32, f32}, f32);
    cases.add("ik,jk->ij", {64, 64, 64}, "x*y", Agg::sum, {c128, c128}, c128);
    cases.add("vd,i->id", {64, 64, 64}, "where(y == [v], x, 0)", Agg::sum, {f32, i32}, f32);
    cases.add("id,i->vd", {64, 64, 64}, "where(y == [v], x, 0)", Agg::sum, {f32, i32}, f32);
    while (cases.size() < 24) cases.add_random(false);
    cases.add("ik,kj->ij", {512, 64, 512}, "x*y", Agg::sum, {f32, f32}, f32);  // more outputs a thread
    cases.add("ki,jk->ij", {64, 512, 512}, "x+y", Agg::min, {f16, f16}, f16);
    cases.add("ji->ij", {512, 128}, "x", Agg::sum, {f32}, f32);  // in large tiles
    cases.gather(device);
    SoloWorkerTeam solo;
    std::vector<std::byte> bytes(256);
    device.fill(bytes.data(), 64, f32, scalar::Scalar::of(std::int64_t{1}), solo);
    schedule::ReshapeSpec const spec{"", {6, 10}, {4, 15}};
    device.reshape(
        {bytes.data(), bytes.data(), Box::whole(spec.from), {{0, 0}, {4, 7}}, &spec, ReshapeCall::Form::pack, f32},
        solo);
    std::vector<graph::AxisMap> const axes{{0, 1}, {3, -1}};
    device.copy({bytes.data(), {{0, 0}, {4, 4}}, bytes.data(), {{0, 0}, {4, 4}}, {{0, 0}, {4, 4}}, axes, f32}, solo);
}

/// Lines of a log that speak of our kernels: CUDA's own functions may use local memory in rare cases.
std::string lines_about_kernels(std::string const& log) {
    std::string lines;
    for (std::size_t at = 0; at < log.size();) {
        std::size_t const end = std::min(log.find('\n', at), log.size());
        std::string const line = log.substr(at, end - at);
        bool const of_ours = line.find("warning") != std::string::npos && line.find("ptxas") == std::string::npos;
        if (of_ours || line.find("'ein_") != std::string::npos || line.find("error") != std::string::npos)
            lines += line + "\n";
        at = end + 1;
    }
    return lines;
}

}  // namespace

TEST_CASE("NVIDIA's run-time compiler takes the texts without a warning", "[executor][device][cuda]") {
    std::optional<Nvrtc> const nvrtc = Nvrtc::find();
    if (!nvrtc) {
        WARN("skipped: there is no libnvrtc here");
        return;
    }
    struct Sample {
        Gpu gpu;  // small, so that lanes and parts come up
        std::string architecture;
    };
    for (Sample const& sample : {Sample{{2, 16}, "sm_80"}, Sample{{4, 512}, "sm_90"}, Sample{{2, 16}, "compute_90"},
                                 Sample{{4, 512, 0}, "sm_90"}}) {
        HostCudaDevice device(sample.gpu);
        gather_sample(device);
        std::string text = prelude();
        for (auto const& [name, source] : device.sources()) text += source;
        Nvrtc::Result const result = nvrtc->compile(text, sample.architecture);
        CAPTURE(sample.architecture, sample.gpu.wide_from);
        CHECK(lines_about_kernels(result.log) == "");
        REQUIRE(result.compiled);
        for (auto const& [name, source] : device.sources()) {
            CAPTURE(name);
            CHECK(result.code.find(name) != std::string::npos);
        }
    }
}
