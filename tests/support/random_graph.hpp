// Random EinGraph files for property tests: every kind of node, label use, join, aggregation and dtype, odd extents.
// The same seed gives the same file. Values stay small and comparisons are made of exact values only, so that runs can
// be compared with the reference.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "lib/base/json.hpp"

namespace ein::test {

struct GraphTaste {
    std::string dtype = "f64";  // of the leaves; "mixed" draws one for each
    int nodes = 6;
    bool structural = true;  // reshape, slice, concat, pad, gather, ... too
    bool macros = true;      // softmax, mean, ...
    bool zero_extents = true;
    int sparse = 0;  // leaves that are, of 100
};

Json random_graph(std::uint64_t seed, GraphTaste const& taste = {});

/// The first seed and how many: 1 and `count` (a third of it where a test runs again on EIN_TEST_DEVICE), or EIN_SEEDS
/// as FIRST or FIRST:COUNT.
std::pair<std::uint64_t, std::uint64_t> seeds(std::uint64_t count);

}  // namespace ein::test
