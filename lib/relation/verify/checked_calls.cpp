#include "lib/relation/verify/checked_calls.hpp"

#include <cstdio>

#include "lib/base/json.hpp"
#include "lib/base/text/counted.hpp"

namespace ein::relation {

Json to_json(CheckedCalls const& calls) {
    return {{"elements", calls.elements},
            {"calls", calls.calls},
            {"of_calls", calls.of_calls},
            {"nodes", calls.nodes},
            {"of_nodes", calls.of_nodes},
            {"differ", calls.differ},
            {"excused", {{"ill_conditioned", calls.ill_conditioned}, {"overflow", calls.overflow}}},
            {"max_rel", calls.max_rel},
            {"tolerance", calls.tolerance},
            {"unchecked_nodes", calls.unchecked_nodes}};
}

std::string counts_text(std::int64_t differ, std::int64_t ill_conditioned, std::int64_t overflow) {
    std::string out = std::to_string(differ) + " differ";
    if (ill_conditioned + overflow == 0) return out;
    out += ", " + std::to_string(ill_conditioned + overflow) + " excused (";
    if (ill_conditioned > 0) out += std::to_string(ill_conditioned) + " ill-conditioned";
    if (overflow > 0) out += (ill_conditioned > 0 ? ", " : "") + std::to_string(overflow) + " overflow";
    return out + ")";
}

std::string text_of(CheckedCalls const& calls) {
    char worst[96];
    std::snprintf(worst, sizeof worst, "; worst difference %.2g, tolerance %.2g", calls.max_rel, calls.tolerance);
    auto const of = [](std::int64_t some, std::int64_t all) {
        return std::to_string(some) + " of " + std::to_string(all);
    };
    return counted(calls.elements, "element") + " of " + of(calls.calls, calls.of_calls) + " calls, of " +
           of(calls.nodes, calls.of_nodes) + " nodes, against the blocks that they read: " +
           counts_text(calls.differ, calls.ill_conditioned, calls.overflow) + worst;
}

}  // namespace ein::relation
