// Any JSON is either a cluster, which is the same when written and read again, or an InputError with at least one
// fault.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/base/error.hpp"
#include "scheduler/simulate/cluster.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace ein;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        scheduler::Cluster const cluster = scheduler::cluster_from_json(parse_json(text, "fuzz.json"), "fuzz.json");
        if (!(scheduler::cluster_from_json(to_json(cluster), "again.json") == cluster)) std::abort();
    } catch (InputError const& error) {
        if (error.faults().empty() || error.faults().front().file == "again.json") std::abort();
    }
    return 0;
}
