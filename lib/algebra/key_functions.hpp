// Keys of tensor relations and the functions on them: keyFunc of rekey, boolFunc of filter. They are scalar expressions
// of the key's parts, written [k0], [k1], ..., so that they print, compare and compose. A KeyMap may make several keys
// of one: [t] counts them (a tile's number, a copy's number). Example: KeyMap::parse(2, {"2*[k0] + [k1]"}) maps (1, 1)
// to (3); KeyMap::insert(2, 1, 3) maps (a, b) to (a, 0, b), (a, 1, b), (a, 2, b).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/algebra/checked.hpp"
#include "lib/base/box.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::tra {

using Key = std::vector<Extent>;
using KeyDims = std::vector<int>;  // positions in a key

/// "(1, 0)" and "⟨0,2⟩".
std::string text(Key const& key);
std::string text(KeyDims const& dims);

/// The positions below `arity` that `dims` lacks, in order.
KeyDims complement(KeyDims const& dims, int arity);
/// from[dims[0]], from[dims[1]], ...: of a key, a frontier or extents.
std::vector<Extent> picked(std::vector<Extent> const& from, std::vector<int> const& dims);
/// Where `dim` stands in `dims`.
std::optional<int> position(KeyDims const& dims, int dim);
bool contains(KeyDims const& dims, int dim);
/// Whether every one of `some` is among `all`.
bool subset(KeyDims const& some, KeyDims const& all);
/// What is wrong with `dims` as distinct positions in a key.
std::optional<Problem> fault_in(KeyDims const& dims, int arity, std::string const& what);

struct KeyMap {
    int arity = 0;                    // of the keys that it reads
    Extent copies = 1;                // keys made of one
    std::vector<scalar::Expr> parts;  // of the new key; label d is [k<d>], label `arity` is [t]

    static KeyMap identity(int arity);
    /// The new key's parts are those at `dims`: a projection or a permutation.
    static KeyMap pick(int arity, KeyDims const& dims);
    /// @throws InputError for text that is no expression of [k0], ..., [t]
    static KeyMap parse(int arity, std::vector<std::string> const& parts, Extent copies = 1);
    /// The paper's insertDim: `copies` keys, with 0, 1, ... put in at position `dim`.
    static KeyMap insert(int arity, int dim, Extent copies);

    int made_arity() const { return static_cast<int>(parts.size()); }
    bool is_identity() const;
    /// Where the copy number stands, if that is all that is new.
    std::optional<int> inserted() const;
    /// The part of the new key that is part `dim` of the old one, unchanged; nothing when there is none.
    std::optional<int> image(int dim) const;
    /// The part of the old key that part `dim` of the new one is, unchanged; nothing when it is computed.
    std::optional<int> source(int dim) const;
    Checked<Key> operator()(Key const& key, Extent copy) const;
    friend bool operator==(KeyMap const&, KeyMap const&) = default;
};

/// outer ∘ inner, each of one copy.
KeyMap composed(KeyMap const& outer, KeyMap const& inner);
std::string text(KeyMap const& map);

struct KeyPredicate {
    int arity = 0;
    scalar::Expr accepts;  // not 0: the key is kept

    static KeyPredicate parse(int arity, std::string const& accepts);
    Checked<bool> operator()(Key const& key) const;
    /// The parts of the key that it looks at.
    KeyDims dims() const;
    friend bool operator==(KeyPredicate const&, KeyPredicate const&) = default;
};

KeyPredicate both(KeyPredicate const& a, KeyPredicate const& b);
/// The predicate on keys of `arity` whose part dims[d] is what was part d.
KeyPredicate moved(KeyPredicate const& predicate, KeyDims const& dims, int arity);
std::string text(KeyPredicate const& predicate);

}  // namespace ein::tra
