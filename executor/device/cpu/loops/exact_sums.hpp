// Sums that keep what rounding drops, for the loops of one instruction set: to be included where EIN_INSTRUCTION_SET is
// defined, so that each set has functions of its own. Example: add_one(sum, low, v) for every v; sum + low.
#pragma once

#include <cstddef>

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// What rounding a + v lost is added to `low`. Source: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
template <class T>
void add_one(T& a, T& low, T v) {
    T const sum = a + v, added = sum - a;
    low += (a - (sum - added)) + (v - added);
    a = sum;
}

/// total[j] + low[j] grows by values[j], without loss.
template <class T>
void add_total(T* total, T* low, T const* values, std::size_t width) {
    for (std::size_t j = 0; j < width; ++j) {
        T const a = total[j], b = values[j], s = a + b, of_b = s - a;
        T const lost = (a - (s - of_b)) + (b - of_b);
        total[j] = s;
        low[j] += lost == lost ? lost : T(0);  // of an infinite sum nothing is lost
    }
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
