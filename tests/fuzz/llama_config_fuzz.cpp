// Any JSON is either the config of a LLaMA, of sizes that belong together, or an InputError with at least one fault.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apps/eintool/llama/llama_config.hpp"
#include "lib/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace ein;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        apps::tool::LlamaSizes const s = apps::tool::llama_config(parse_json(text, "fuzz.json"), "fuzz.json").sizes;
        bool const sound = s.layers > 0 && s.dim > 0 && s.ffn > 0 && s.vocab > 0 && s.group() > 0 &&
                           s.group() * s.kv_heads == s.heads && s.head() > 0 && s.head() % 2 == 0 &&
                           s.norm_epsilon > 0 && s.rotary_base > 0 && s.rotary_scaling.factor > 0 &&
                           s.rotary_scaling.low <= s.rotary_scaling.high;
        if (!sound) std::abort();
    } catch (InputError const& error) {
        if (error.faults().empty()) std::abort();
    }
    return 0;
}
