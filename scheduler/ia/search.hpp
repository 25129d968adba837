// Finds what sends least among the expressions that the rules reach.
// First kernels are merged and filters pushed down (R1, R2-2), which never sends more. Then, Cascades-like: every
// operator is a group whose result may be in several forms (Sites). For a group and the forms of its operands, the
// rules R2, R3 and D are closed over the compiled operator alone; that gives every way to make the group, with what it
// sends. A dynamic program over the groups, in order, keeps for each set of forms that are still needed the least cost
// of having made them. A relation that several read is made and sent once; so sharing is costed exactly, which choosing
// for each consumer by itself would not do. Deterministic: no hash order is ever looked at. Bounded: beyond max_states
// the dearest are dropped, and `exact` says so. Example: a product with rows of X and Y in place broadcasts the
// smaller; with a long common dimension it shuffles both by that. Source: [T] 4.3 and 5; the memo is Graefe's.
#pragma once

#include "scheduler/ia/compile.hpp"
#include "scheduler/ia/cost.hpp"

namespace ein::ia {

/// An input and the forms in which it may be laid out at first, at no cost.
struct FreeInput {
    RelationType type;
    std::vector<Sites> layouts;  // at least one
    /// Never sent: a part of the data that has to stay where it is.
    bool pinned = false;
    friend bool operator==(FreeInput const&, FreeInput const&) = default;
};

struct SearchOptions {
    int site_count = 1;
    std::size_t max_states = 20000;  // kept after each operator
    std::size_t max_ways = 400;      // of making one operator from operands in given forms
    /// Joins too must use as many sites as the longest part of their keys alone would: what is sent is not all that
    /// counts.
    bool spread_joins = false;
};

struct Found {
    std::vector<Expr> roots;
    Cost cost;
    bool exact = true;  // no bound was met: nothing that the search can reach sends less
};

/// @throws InputError for an expression that is no tensor relation, or when no plan leaves pinned inputs in place
Found search(std::vector<tra::Expr> const& roots, std::map<std::string, FreeInput> const& inputs,
             SearchOptions const& options);

/// Kernels merged and filters pushed down as far as it goes; an operator that several read is left as it is.
std::vector<Expr> with_merged_kernels(std::vector<Expr> roots);

}  // namespace ein::ia
