// Any JSON, read as each format, is either a network whose parts belong together, or an InputError with faults.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apps/eintool/network/read_network.hpp"
#include "lib/base/error.hpp"

namespace {

using namespace ein::apps::tool;

bool is_order(ein::graph::Path const& path, std::size_t operands) {
    if (path.size() + 1 != operands) return false;
    for (std::size_t k = 0; k < path.size(); ++k) {
        auto const [a, b] = path[k];
        if (a < 0 || b < 0 || a == b || static_cast<std::size_t>(a < b ? b : a) >= operands - k) return false;
    }
    return true;
}

bool is_sound(Network const& network) {
    if (network.inputs.empty() || network.shapes.size() != network.inputs.size()) return false;
    for (std::size_t k = 0; k < network.inputs.size(); ++k) {
        if (network.shapes[k].size() != network.inputs[k].size()) return false;
        for (ein::Extent extent : network.shapes[k])
            if (extent < 0) return false;
    }
    return !network.path || is_order(*network.path, network.inputs.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    for (std::string const format : {"opt_einsum", "cotengra", "omeinsum"}) try {
            ein::Json const document = ein::parse_json(text, "fuzz.json");
            if (!is_sound(read_network(document, format, "fuzz.json", NetworkOrder::kept))) std::abort();
        } catch (ein::InputError const& error) {
            if (error.faults().empty()) std::abort();
        }
    return 0;
}
