// How long the reference interpreter takes, and how much of it --verify may ask for, in one place. "Measured" was timed
// on one core of an AMD EPYC that others used too, so within a factor of two or three; "chosen" was set and not
// measured. Fixed numbers: what is verified must not depend on how busy a machine is. Example: 10^6 operations of a
// join take 10^6 tuning::seconds_an_operation: 60 ms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::relation::tuning {

// Seconds (work_time.hpp).

/// Of a join, element by element; of a sum of products of reals, for each operation. Measured.
inline constexpr double seconds_an_operation = 6e-8, seconds_a_plain_operation = 1.5e-9;
/// Of an element that is read, moved or looked up. Measured.
inline constexpr double seconds_an_element = 3e-8;
/// Of pairwise contraction, for each operation (a multiply-add is two): of aggregations by exponentials; of integers
/// and other aggregations; of complex and of real sums of products. Measured.
inline constexpr double seconds_an_exponential = 2e-8, seconds_a_compared_product = 1.5e-9,
                        seconds_a_complex_product = 2e-9, seconds_a_real_product = 5e-10;

// Pairwise contraction (pairwise/).

/// Elements of one result on the way: half a GiB of doubles. Chosen.
inline constexpr double most_pairwise_elements = 1 << 26;
/// Rows and columns of a tile of the result, kept in registers, and terms at a time, whose panel stays in the cache.
/// Chosen.
inline constexpr std::size_t tile_rows = 4, tile_columns = 4, tile_terms = 512;

// Reading and moving.

/// Elements that are read in one box although only some of them are wanted: up to so many, or so many times those that
/// are wanted. Chosen.
inline constexpr Extent most_read_together = 1 << 16, most_read_for_one = 4;
/// Ranks of a plan file. Chosen.
inline constexpr std::int64_t most_plan_ranks = 65536;

// Sparse results (listed_results.hpp).

/// Most of its elements that a sparse result may list: beyond, dense ones take little more room and
/// their kernels are faster. Chosen.
inline constexpr double most_listed_share = 0.25;
/// Most of its elements that a sparse tensor may list for results to be computed at its places alone: a product of
/// matrices takes a tenth of the time for a term, but a sampled one also needs that much less room. Chosen.
inline constexpr double most_sampled_share = 0.125;
/// Elements of a sparse tensor below which results are computed everywhere: a node more costs some microseconds.
/// Chosen.
inline constexpr double least_sampled_elements = 1 << 14;
/// Indices for each of which it is counted what an operand lists: 512 MiB of counts. Chosen.
inline constexpr double most_fibres = 1 << 26;
/// Elements that are looked through for those that a slice with strides meets: of more, what lies between is counted.
/// Chosen.
inline constexpr Extent most_counted_strided = 1 << 24;

// Verifying (verify/).

/// Indices along each label of a sample, the most first that can be afforded. Chosen.
inline constexpr std::array<std::int64_t, 4> sample_sizes{64, 16, 4, 1};
/// Bytes of values that the interpreter may hold. Chosen.
inline constexpr double most_interpreter_bytes = 4e9;
/// Rounds of rounding at random: that chance keeps all errors small happens less than once in a million elements; each
/// order of sums comes three times.
inline constexpr std::uint64_t rounding_rounds = 12;
/// Rounds for the few elements that these leave in doubt: what changes by steps, as a whole number that reals are cut
/// to does, may keep its side of a step in twelve of them. At most so many, or one in so many of those in doubt; where
/// more are left they are wrong. Chosen.
inline constexpr std::uint64_t rounds_for_few = 60;
inline constexpr std::size_t few_in_doubt = 8, few_of = 20;
/// A doubtful element is wrong when it is further off than so many times its spread. Chosen.
inline constexpr double spreads_allowed = 8;
/// Seconds for finding out what rounding may do, beside those of a request. Chosen.
inline constexpr double seconds_for_doubt = 10;
/// How much longer pairwise contraction takes with magnitudes and noise. Chosen.
inline constexpr double slower_with_noise = 3;
/// Outputs that a summary lists, and values on the way that a message suggests as outputs.
inline constexpr std::size_t most_output_lines = 8, most_suggestions = 2;

}  // namespace ein::relation::tuning
