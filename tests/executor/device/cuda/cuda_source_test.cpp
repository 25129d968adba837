#include "tests/executor/device/cuda/cases.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::executor::cuda;

namespace {

/// So small that a few hundred elements keep it busy: every way to share work comes up with small shapes.
constexpr Gpu tiny{2, 16};

std::string compare(Cases const& cases, HostCudaDevice& device) {
    cases.gather(device);
    device.compile();
    return cases.differences(device);
}

}  // namespace

TEST_CASE("generated kernels agree with the reference on random kernels", "[executor][device][cuda]") {
    Cases cases(2024);
    while (cases.size() < 500) cases.add_random(false);
    while (cases.size() < 800) cases.add_random(true);
    HostCudaDevice device(tiny);
    REQUIRE(compare(cases, device) == "");
}
