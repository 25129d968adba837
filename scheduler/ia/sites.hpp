// Where the tuples of a physical relation are: ALL, every tuple at every site; PART over a set D of key dimensions,
// each tuple at one site, which its key's parts at D alone decide; or scattered, each tuple at one site, but no saying
// which. The site is the sum of those parts modulo the number of sites: the same for any order of D and for both sides
// of a join, and even where one of the dimensions is. Example: PART⟨0,2⟩ on 4 sites puts key (3, 9, 2) at site 1, and
// every key (3, *, 2) with it. Source: [T] section 3, which leaves the function open; two relations join locally only
// when it is the same one.
#pragma once

#include <compare>
#include <string>

#include "lib/algebra/key_functions.hpp"

namespace ein::ia {

using tra::Key;
using tra::KeyDims;

class Sites {
public:
    enum class Kind { all, part, scattered };

    static Sites all() { return Sites(Kind::all, {}); }
    static Sites part(KeyDims dims);  // in any order
    static Sites scattered() { return Sites(Kind::scattered, {}); }

    Kind kind() const { return kind_; }
    bool is_all() const { return kind_ == Kind::all; }
    bool is_part() const { return kind_ == Kind::part; }
    KeyDims const& dims() const { return dims_; }  // of PART, increasing
    /// Whether tuples that agree at `dims` are at one site (or at all of them).
    bool keeps_together(KeyDims const& dims) const;
    friend auto operator<=>(Sites const&, Sites const&) = default;

private:
    Sites(Kind kind, KeyDims dims) : kind_(kind), dims_(std::move(dims)) {}
    Kind kind_;
    KeyDims dims_;
};

/// The site, 0 to sites - 1, of a key under PART over `dims`.
int site_of(Key const& key, KeyDims const& dims, int sites);

std::string text(Sites const& sites);

}  // namespace ein::ia
