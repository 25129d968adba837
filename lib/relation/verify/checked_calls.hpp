// What was found when elements of kernel calls were computed again while a run lasted, from the blocks that the calls
// read: as a value, of all ranks together. Looking is the executor's (executor/call_check).
// Example: {.elements = 96, .calls = 12, .of_calls = 40, .nodes = 3, .of_nodes = 3}: each node was looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/json_fwd.hpp"

namespace ein::relation {

struct CheckedCalls {
    std::int64_t elements = 0;
    std::int64_t calls = 0, of_calls = 0;                        // of which elements were checked; that were made
    std::int64_t nodes = 0, of_nodes = 0;                        // to which they belong; that have calls
    std::int64_t differ = 0, ill_conditioned = 0, overflow = 0;  // elements; as of VerifiedOutput
    double max_rel = 0, tolerance = 0;  // of the sum of an element's terms: the greatest difference, the greatest usual
    std::vector<std::string> mismatches = {};       // a message each, of the first
    std::vector<std::string> unchecked_nodes = {};  // names: with calls, of which none was checked

    /// Something was checked of every node.
    bool covers_all() const { return elements > 0 && unchecked_nodes.empty(); }
};

Json to_json(CheckedCalls const& calls);

/// "96 elements of 12 of 40 calls, of 3 of 3 nodes, against the blocks that they read: 0 differ, ..."
std::string text_of(CheckedCalls const& calls);

/// "0 differ, 3 excused (2 ill-conditioned, 1 overflow)"
std::string counts_text(std::int64_t differ, std::int64_t ill_conditioned, std::int64_t overflow);

}  // namespace ein::relation
