// How the points of a kernel with sparse operands are found without looking at all of them: as a value.
//
// Of each idle set one operand is taken as witness: the first of the set that lists its element. Each choice of
// witnesses is a term, and the terms' points are distinct. The first witness is walked, the next ones are joined to it
// by the labels that both have, and labels that no witness has are counted through. A label of the output that all
// first witnesses have is the row label: rows are done one after another, each with accumulators of its own.
// Example: "ik,kj->ij" with sets {0}, {1}: one term, walks row i of operand 0 and row k of operand 1 for each element.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

struct SparsePlan {
    static constexpr int none = -1;

    /// A sparse operand and the order of its labels, as a launch wants its elements sorted.
    struct Source {
        std::size_t operand = 0;
        std::vector<int> labels;  // distinct
        friend bool operator==(Source const&, Source const&) = default;
    };
    /// A witness that is walked. Its labels' first `bound` have indices by then.
    struct Step {
        std::size_t source = 0;
        std::size_t bound = 0;
    };
    /// An operand that is looked up where a point is known.
    struct Lookup {
        std::size_t source = 0;
        bool early = false;  // before `counted` are
    };
    struct Term {
        std::vector<Step> steps;
        std::vector<int> witnesses;  // operand of each idle set
        std::vector<int> counted;    // labels that nothing before has bound, but the inner one
        std::vector<Lookup> lookups;
    };

    std::vector<Source> sources;
    std::vector<Term> terms;
    std::vector<std::vector<int>> idle_sets;  // in the order of Term::witnesses
    int row = none;                           // label
    /// Where all sparse operands have the same labels: these, the row's first, as all sources are sorted. Rows, of the
    /// first label, are merged, and each source is a term. Empty: terms are walked.
    std::vector<int> merged;
    int inner = none;  // a label that no sparse operand has, and that runs along vector tiles
};

/// @return nothing where there would be too many terms
std::optional<SparsePlan> plan_sparse(KernelShape const& shape);

/// @return the same points, found by merging; nothing where that cannot be
std::optional<SparsePlan> merged_plan(KernelShape const& shape, SparsePlan const& plan);

/// The labels of a sparse operand in the order of its block, each once.
std::vector<int> labels_in_order(KernelShape const& shape, std::size_t operand);

/// The same, but where order is kept as the node wants them, however this block lies.
std::vector<int> walked_labels(KernelShape const& shape, std::size_t operand);

}  // namespace ein::executor
