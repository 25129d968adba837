// The operators of the algebra as values, with what each does to a type and to tuples. The implementation algebra runs
// the same operators on each site's part, so each is defined here once; there is no recursion and no notion of sites in
// this file. Uniqueness, frontiers and bounds are checked by type_of; continuity only where an operator needs it
// (concat), because a filter may leave holes that a rekey closes. Example: Join{{1}, {0}, mat_mul()} then
// Aggregation{{0, 2}, mat_add()} is the matrix product. Source: [T] 2.1 (operators), 4.3 (frontiers).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/algebra/array.hpp"
#include "lib/algebra/kernel.hpp"
#include "lib/algebra/key_functions.hpp"
#include "lib/algebra/relation_type.hpp"

namespace ein::tra {

struct Tuple {
    Key key;
    Array array;
    friend bool operator==(Tuple const&, Tuple const&) = default;
};
using Tuples = std::vector<Tuple>;  // by key; several of one key only where pieces are yet to be aggregated

/// Pairs whose keys agree at left[i] and right[i]. The new key: the left one, then the right one's parts that were not
/// joined on; then `rekey` of that, where another operator was merged in.
struct Join {
    KeyDims left, right;
    Kernel kernel;
    std::optional<KeyMap> rekey = std::nullopt;
    friend bool operator==(Join const&, Join const&) = default;
};

/// Arrays with equal key parts at group_by, combined; `start` of each before and `finish` after, where transforms were
/// merged in.
struct Aggregation {
    KeyDims group_by;
    Kernel combine;
    Kernel start = {};
    Kernel finish = {};
    friend bool operator==(Aggregation const&, Aggregation const&) = default;
};

struct Filter {
    KeyPredicate accepts;
    friend bool operator==(Filter const&, Filter const&) = default;
};

/// Rekey (array: idOp), transform (keys: idOp), tile and duplicate (several copies).
struct Map {
    KeyMap keys;
    Kernel array;
    friend bool operator==(Map const&, Map const&) = default;
};

/// The arrays of keys that differ at key_dim alone, one behind the other along array_dim.
struct Concat {
    int key_dim = 0;
    int array_dim = 0;
    friend bool operator==(Concat const&, Concat const&) = default;
};

/// Tile for keys of `arity` and arrays of `bound`: the new last key part counts the tiles.
Checked<Map> tile_map(int dim, Extent size, int arity, Shape const& bound);

// For each key part of a join's right operand, the part of the joined key (before rekey) that has its value.
KeyDims right_places(Join const& join, int left_arity, int right_arity);

Checked<RelationType> type_of(Join const& join, RelationType const& left, RelationType const& right);
Checked<RelationType> type_of(Aggregation const& aggregation, RelationType const& type);
Checked<RelationType> type_of(Filter const& filter, RelationType const& type);
Checked<RelationType> type_of(Map const& map, RelationType const& type);
Checked<RelationType> type_of(Concat const& concat, RelationType const& type);

Tuples applied(Join const& join, Tuples const& left, Tuples const& right);
Tuples applied(Aggregation const& aggregation, Tuples const& tuples);
Tuples applied(Filter const& filter, Tuples const& tuples);
Tuples applied(Map const& map, Tuples const& tuples);
Tuples applied(Concat const& concat, Tuples const& tuples);

/// As the paper writes the subscript: "(⟨1⟩,⟨0⟩,matMul)".
std::string text(Join const& join);
std::string text(Aggregation const& aggregation);
std::string text(Filter const& filter);
std::string text(Map const& map);
std::string text(Concat const& concat);

}  // namespace ein::tra
