// Any text is either an EinGraph or an InputError with at least one fault: reading never crashes, hangs or breaks a
// promise of its own.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/base/error.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        ein::graph::EinGraph graph = ein::graph::read_graph(text, "fuzz.json");
        graph = ein::graph::lower_contractions(std::move(graph));
        ein::graph::verify(graph, "lower_contractions");
    } catch (ein::InputError const& error) {
        if (error.faults().empty()) std::abort();
    }
    return 0;
}
