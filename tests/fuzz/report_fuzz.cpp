// Any JSON is either a run report, shown on one screen, or an InputError with at least one fault.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apps/eintool/report/report_screen.hpp"
#include "lib/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace ein;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        apps::tool::NamedReport const report{"r.json", parse_json(text, "r.json")};
        if (apps::tool::report_screen({report}).empty()) std::abort();
        apps::tool::report_screen({report, report});
    } catch (InputError const& error) {
        if (error.faults().empty()) std::abort();
    }
    return 0;
}
