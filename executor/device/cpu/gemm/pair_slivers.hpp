// What packing is from and to: a block of an operand, and the slivers in which the elements of each term lie side by
// side. Example: 100 columns in units of 16 are slivers of 48, 48 and 16; the last four columns are beyond the end.
#pragma once

#include "executor/device/cpu/gemm/pair_labels.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// How the wide direction of a block is cut: units of some elements, spread evenly. What is beyond the end of the block
/// is zero.
struct Slivers {
    Index count, unit, each, more;  // the first `more` have a unit more than the others
    Slivers(Index units, Index slivers, Index of)
        : count(slivers), unit(of), each(units / slivers), more(units % slivers) {}
    Index first(Index sliver) const { return (sliver * each + at_most(sliver, more)) * unit; }
    Index width(Index sliver) const { return (each + (sliver < more ? 1 : 0)) * unit; }
    Index of(Index element) const {
        Index const at = element / unit, longer = more * (each + 1);
        return at < longer ? at / (each + 1) : more + (at - longer) / each;
    }
};

/// The elements of a block: `wide` of them for each term.
template <class T>
struct Source {
    T const* from;
    Index const* wide_at;
    Index wide;
    Index const* term_at;
    Index terms;
};

/// What is packed is fetched some steps before, of so many elements: memory does not guess where the next one begins.
template <class T>
Index steps_ahead(Index elements) {
    Index const bytes = elements * static_cast<Index>(sizeof(T));
    return at_most(1 + (Index{4} << 10) / bytes, 8);  // steps may lie a multiple of a page apart, and share a cache set
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
