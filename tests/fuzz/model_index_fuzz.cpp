// Any JSON is either an index of safetensors files, whose files have plain names, or an InputError with faults.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apps/eintool/llama/safetensors_folder.hpp"
#include "lib/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace ein;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        for (auto const& [tensor, file] : apps::tool::weight_map(parse_json(text, "fuzz.json"), "fuzz.json"))
            if (file.empty() || file.find('/') != std::string::npos) std::abort();
    } catch (InputError const& error) {
        if (error.faults().empty()) std::abort();
    }
    return 0;
}
