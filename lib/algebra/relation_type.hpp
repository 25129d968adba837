// The type of a tensor relation, exact enough to count with: its frontier, the bound of its arrays, and which keys it
// has. A relation without holes (continuity, [T] 2.2) has every key below its frontier and need not list them; one that
// a filter or a rekey left with holes lists its keys, so that counts stay exact and one can tell where the holes came
// from. Example: frontier (4, 4) and keys (0,0), (1,1), (2,2), (3,3) of 2 x 2 arrays: 4 arrays, 16 numbers, not 64.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/algebra/key_functions.hpp"

namespace ein::tra {

/// The most keys that are ever listed: a relation of more blocks is a mistake in block sizes.
inline constexpr Extent max_listed_keys = Extent{1} << 20;
/// The most numbers in the arrays of one relation: counting them does not overflow.
inline constexpr Extent max_relation_floats = Extent{1} << 62;

struct RelationType {
    Shape frontier;                          // the least vector above every key
    Shape bound;                             // of each array
    std::optional<std::vector<Key>> listed;  // sorted; nothing: every key below the frontier
    std::string holes_by;                    // the operator that left the first holes

    int arity() const { return static_cast<int>(frontier.size()); }
    bool continuous() const { return !listed; }
    Extent keys() const { return listed ? static_cast<Extent>(listed->size()) : element_count(frontier); }
    /// Numbers in all arrays together.
    double floats() const { return static_cast<double>(keys()) * static_cast<double>(element_count(bound)); }
    /// The same as [T] 4.3 counts: as if there were no holes.
    double frontier_floats() const;
    bool has(Key const& key) const;
    void for_each_key(std::function<void(Key const&)> const& visit) const;
    /// The least key below the frontier that is missing.
    std::optional<Key> first_hole() const;
    friend bool operator==(RelationType const& a, RelationType const& b) {
        return a.frontier == b.frontier && a.bound == b.bound && a.listed == b.listed;
    }
};

/// A type from its keys, in any order and distinct. @param by  the operator that makes them
RelationType type_of_keys(std::vector<Key> keys, int arity, Shape bound, std::string const& by);

/// Continuity as a problem, or nothing when there are no holes.
std::optional<Problem> holes_in(RelationType const& type);

/// "frontier (4, 4), bound (2, 2)"
std::string text(RelationType const& type);

}  // namespace ein::tra
