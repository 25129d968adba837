// How much of a run is checked while it runs, in one place. Seconds are fixed figures of one core, so that the same
// elements are checked on every machine and however busy it is. All of it is chosen and not measured closely: a figure
// that is wrong by a factor of two makes checks cost twice as much, or half.
// Example: a product of 2e9 operations is taken to last 0.1 s, of which checks may take call_share.
#pragma once

#include <cstdint>

namespace ein::executor::tuning {

/// Of the time that a call takes: for computing elements of it again.
inline constexpr double call_share = 0.05;
/// Of one call, where nobody says how many.
inline constexpr double most_elements_a_call = 16;
/// Messages about elements that differ, of one rank; it looks at no more calls then.
inline constexpr std::size_t most_mismatches = 8;

inline constexpr double seconds_a_call = 2e-6;             // to run any task
inline constexpr double seconds_a_call_operation = 5e-11;  // of a kernel
inline constexpr double seconds_a_moved_byte = 1e-10;      // written by a kernel, a copy, a reshape
inline constexpr double seconds_a_look = 2e-5;             // to look at any call
inline constexpr double seconds_a_plain_term = 3e-9;       // of a sum of products, computed again
inline constexpr double seconds_a_term = 1.5e-7;           // of another join
inline constexpr double seconds_a_shared_element = 1e-9;   // of a reshape, to find one of them

}  // namespace ein::executor::tuning
