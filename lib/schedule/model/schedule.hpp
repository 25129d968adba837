// THE CONTRACT between scheduler and executor: for every rank its blocks and its tasks in order, with all that they
// need. What a task is, is said once, by its kind (tasks.hpp); what a block is, by its format (block.hpp). Leaves the
// file to lib/schedule/file, checks to verify/, memory to memory/, the order of a run to dispatch/, printing to
// print.hpp. Example: rank 0 of "ij,jk->ik" on 2 ranks: load A[0:2, :], load B, send B to rank 1, apply kernel 0, store
// Z[0:2, :].
#pragma once

#include "lib/schedule/model/header.hpp"
#include "lib/schedule/model/section.hpp"

namespace ein::schedule {

struct Schedule {
    Header header;
    Table<Rank, Section> sections;

    /// Whether tasks stand there once that are done several times (repeat/unrolled.hpp).
    bool repeats() const { return !sections.empty() && sections[Rank{0}].repeat.has_value(); }
};

}  // namespace ein::schedule
