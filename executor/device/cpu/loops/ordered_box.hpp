// A box of an operand in the order of an output whose labels are short: rows of two elements, of three, of twelve have
// no loop of their own. Where each element of a few rows comes from is found once, and used again and again; tiles of
// two labels that are not that short are turned in registers.
// Example: [4][2][3] of f32 whose labels lie 24, 4 and 8 bytes apart: element (i, j, k) from byte 24 i + 4 j + 8 k.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lib/base/box.hpp"

namespace ein::executor {

class OrderedBox {
public:
    /// A label of the box, outermost first: how many of it, and how far apart in the operand, in bytes.
    struct Label {
        Extent length, step;
    };

    /// @param size  bytes of an element  @param labels  their product is at most 2^20; the first two may be shorter in
    /// a call
    OrderedBox(std::size_t size, std::vector<Label> labels);

    /// @param first, second  lengths of the first two labels
    void bring(std::byte const* from, Extent first, Extent second, std::byte* to) const;

private:
    void take_runs();
    void find_turned();
    void list();
    /// Lengths of the labels in one call.
    struct Call {
        Extent first, second;
    };
    Extent length(std::size_t label, Call const& call) const;
    Extent bytes_inside(std::size_t label, Call const& call) const;
    void turn(std::byte const* from, std::size_t label, Call const& call, std::byte* to) const;
    std::byte* bring_rows(std::byte const* from, std::size_t label, Extent length, std::byte* to) const;
    std::byte* bring_listed(std::byte const* from, Extent units, std::byte* to) const;

    std::vector<Label> labels_;  // of runs
    /// The label along which runs lie side by side, if tiles of it and the last one are turned.
    std::optional<std::size_t> turned_;
    std::size_t run_bytes_;   // side by side in the operand too
    std::size_t listed_ = 0;  // the first label whose indices are listed: inner ones wholly,
    Extent at_once_ = 1;      // of itself so many
    Extent inner_ = 1;        // runs of one index of it
    std::vector<Extent> at_;  // in bytes
};

}  // namespace ein::executor
