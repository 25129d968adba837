// What sparse values of a graph list in any box, leaves as counted and results as bounded, for many threads. Of what a
// loop carries: if no iteration adds a place, what it begins with; else the larger of that and of what an iteration
// ends with if it begins with everything. Example: x begins with 10 elements of 100 and an iteration ends with A*x, A
// listing 25: x lists at most 25.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lib/base/threads/mutex.hpp"
#include "lib/relation/listed_results.hpp"

namespace ein::relation {

/// A node whose result is sparse.
struct MadeListing {
    std::variant<graph::EinSum, graph::Move, graph::Reshape> op;
    std::vector<ValueId> inputs;
    graph::IdleSets idle;
    Shape from, to;  // of a Reshape
    bool is_row_lookup = false;
};

class AllCounts {
public:
    /// @param grows  of what iterations begin with, what lists more places in later ones
    AllCounts(ListedElements const& leaves, graph::EinGraph const& graph, std::set<ValueId> const& grows);

    void add(ValueId result, MadeListing made) { made_.emplace(result, std::move(made)); }
    /// Whether loops hand the value from iteration to iteration.
    bool is_carried(ValueId value) const { return carried_.contains(value) || by_result_.contains(value); }
    /// It is sparse, and copied from this one.
    void carry(ValueId value, ValueId from);
    /// What iterations end with is known from now on. @return whether anything carried is sparse
    bool know_ends();

    ListedCount count(ValueId value, Box const& box) { return count(value, box, Carried::bounded); }
    ListedCount of(MadeListing const& made, Box const& box) { return of(made, box, Carried::bounded); }

private:
    /// What is taken of what loops carry: the bound, all of it, or what it begins with.
    enum class Carried { bounded, whole, begun };
    struct Carry {
        std::optional<ValueId> begins, ends;
        bool grows = false;
    };

    ListedCount count(ValueId value, Box const& box, Carried how);
    ListedCount computed(ValueId value, Box const& box, Carried how);
    ListedCount of_carried(Carry const& carry, Box const& box, Carried how);
    ListedCount of(MadeListing const& made, Box const& box, Carried how);

    ListedBound leaf_;
    ListedEstimate expected_;
    FibreCounts fibres_;
    std::map<ValueId, MadeListing> made_;
    std::map<ValueId, Carry> carried_;      // by what iterations begin with
    std::map<ValueId, ValueId> by_result_;  // what they end with: what the next one begins with
    bool knows_ends_ = false;
    Mutex mutex_;
    std::map<std::tuple<ValueId, Box, Carried>, ListedCount> known_ EIN_GUARDED_BY(mutex_);
};

}  // namespace ein::relation
