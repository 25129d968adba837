// Sums that keep what rounding drops, for the loops of one instruction set: to be included where EIN_INSTRUCTION_SET is
// defined, so that each set has functions of its own. Example: add_one(sum, low, v) for every v; sum + low.
#pragma once

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// What rounding a + v lost is added to `low`. Source: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
template <class T>
void add_one(T& a, T& low, T v) {
    T const sum = a + v, added = sum - a;
    low += (a - (sum - added)) + (v - added);
    a = sum;
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
