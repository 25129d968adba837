// Headers of tensor files beyond their limits are refused with the setting that moves it.
#include "lib/base/error.hpp"
#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/read.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/lib/tensor/zip_maker.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/limits_set.hpp"

using namespace ein;

namespace {

std::string const small_npy = tensor::npy_header(DType::f32, {2}) + std::string(8, '\0');

/// Why a source of tensor "T", f32 (2,), is refused.
std::string refusal_of(tensor::Source const& source, TemporaryFolder const& folder) {
    try {
        tensor::open(source, "T", DType::f32, {2}, folder.path());
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("headers of tensor files have limits", "[lib][tensor][limits]") {
    TemporaryFolder const folder;
    std::string const file = folder.write("t.npy", small_npy);
    samples::ZipMaker zip(samples::Packing::stored, samples::ZipSizes::bits32);
    zip.add("t.npy", small_npy);
    folder.write("t.npz", zip.finish());
    std::string const json = R"({"t": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})";
    folder.write("t.safetensors", static_cast<char>(json.size()) + std::string(7, '\0') + json + std::string(8, '\0'));
    tensor::Source const sources[] = {tensor::NpySource{"t.npy"}, tensor::NpzSource{"t.npz", "t"},
                                      tensor::SafetensorsSource{"t.safetensors", "t"}};
    test::LimitsSet const set("npy-header=40,npz-directory=10,safetensors-header=20");
    CHECK(refusal_of(sources[0], folder) ==
          file +
              ": expected the header of a .npy file of at most 40 B, found 118 B; check that it is the right file, "
              "or allow more with EINLOOM_LIMITS=npy-header=128");
    CHECK_THAT(refusal_of(sources[1], folder),
               Catch::Contains("expected the directory of a .npz file of at most 10 B, found 51 B; check") &&
                   Catch::EndsWith("or allow more with EINLOOM_LIMITS=npz-directory=64"));
    CHECK_THAT(refusal_of(sources[2], folder),
               Catch::Contains("expected the header of a .safetensors file of at most 20 B, found 61 B; check") &&
                   Catch::EndsWith("or allow more with EINLOOM_LIMITS=safetensors-header=64"));
    test::LimitsSet const moved("npy-header=128,npz-directory=64,safetensors-header=64");
    for (tensor::Source const& source : sources) CHECK(refusal_of(source, folder).empty());
}
