// Graphs of many rounds that are alike (period.hpp) are lowered with few of them. Where the tasks of two rounds of
// that, one after the other, are alike on every rank, the second one is said to be repeated as often as rounds were
// left out (schedule::Repeat), and everything has its name in the whole graph. What that takes grows with the nodes of
// a round, not with how many rounds there are.
#pragma once

#include <optional>

#include "scheduler/lower/lowering.hpp"

namespace ein::scheduler {

/// As lower(). @return nothing where there are no such rounds, or their tasks are not alike; the header is as it was
std::optional<Lowered> lower_repeated(graph::EinGraph const& graph, relation::Plan const& plan,
                                      LoweringOptions const& options, schedule::Header& header);

}  // namespace ein::scheduler
