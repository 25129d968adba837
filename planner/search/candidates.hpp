// The ways to cut one node: every partition vector over its distinct labels whose product is exactly the wanted number
// of kernel calls, powers of two or not. Knows extents only; what a vector costs is in cost.hpp.
// Example: extents (8, 8, 8) and 8 calls: the 10 vectors (8,1,1), (4,2,1), (4,1,2), ..., (1,1,8).
// Source: [E] sections 6 and 8.1 (there p is a power of two).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/partition.hpp"

namespace ein::planner {

struct Candidates {
    std::int64_t calls = 1;    // product of every vector
    double total = 1;          // vectors with that product; more than listed when there was a limit
    std::vector<Parts> parts;  // larger parts on earlier labels first; never empty
};

/// The largest product of parts, at most `calls`, that the extents allow: a label of extent e takes 1 to max(1, e)
/// parts.
std::int64_t attainable_calls(std::span<Extent const> extents, std::int64_t calls);

/// How many vectors have the product `calls` exactly (a double: the count may be huge).
double count_candidates(std::span<Extent const> extents, std::int64_t calls);

/// All vectors whose product is attainable_calls(extents, calls).
/// When there are more than `limit`, only as many labels are cut as keep within it, those of the largest extents
/// (the earlier label first among equals): tensor networks have dozens of labels of extent 2.
/// @param fixed  the part of each label that is given, 0 where it is free; empty: all are free. The vectors are those
/// that
///               agree with it and have the largest product up to `calls` - or just what is given, where that alone is
///               `calls` or more
Candidates candidates(std::span<Extent const> extents, std::int64_t calls, std::size_t limit = 20000,
                      std::span<std::int64_t const> fixed = {});

}  // namespace ein::planner
