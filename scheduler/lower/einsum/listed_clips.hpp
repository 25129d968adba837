// Of a label that is aggregated, a kernel call takes what lies between the elements of a sparse leaf that decides alone
// whether anything is contributed (idle_sets.hpp): of a banded matrix each rank wants of the vector what is near its
// rows. Example: "ij,j->i", A tridiagonal of 100,000 rows on 4 ranks: the call of rows [25000:50000] takes j in
// [24242:50439], by cells of 391 of A's histogram, and x is sent there alone.
// Considered: positions that are wanted, listed one by one (CombBLAS, PETSc's scatters). They save more where elements
// lie apart, but are another kind of message; boxes are what everything else here is made of.
#pragma once

#include "lib/graph/sparse/idle_sets.hpp"
#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

class ListedClips {
public:
    /// Clips the calls. Nothing is clipped of what lists something nearly everywhere.
    ListedClips(LoweringContext const& context, graph::Node const& node, graph::EinSum const& einsum,
                graph::IdleSets const& idle, std::vector<Call>& calls);

    /// The box of an operand in a call's region, but for what the operand itself clipped: it lists nothing there that
    /// is outside the region.
    Box around(std::size_t operand, Call const& call, std::size_t number) const;

private:
    void clip(std::size_t operand, ValueId leaf, std::vector<Call>& calls);

    LoweringContext const& context_;
    graph::EinSum const& einsum_;
    std::vector<int> clipper_;    // of each label the operand that clips it, or -1
    std::vector<Box> unclipped_;  // regions of the calls as they were
};

}  // namespace ein::scheduler
