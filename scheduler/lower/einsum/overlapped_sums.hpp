// Partial results of several ranks that are combined while they are computed. A rank computes first what others keep,
// part by part, and sends each part when it is made; last what it keeps itself, onto what came in meanwhile. So nothing
// is left to exchange or to add when the last kernel call ends. Who sends what to whom, and when, says sum_order.hpp;
// here it becomes tasks.
// Example: Z summed on ranks 0 and 1, each keeps half: rank 0 computes its share of rank 1's half, sends it, and gets
// rank 1's share of its own; it computes its own share onto that. No addition.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "scheduler/lower/einsum/call_groups.hpp"
#include "scheduler/lower/einsum/reduce_scatter.hpp"
#include "scheduler/lower/einsum/split_call.hpp"
#include "scheduler/lower/einsum/sum_order.hpp"

namespace ein::scheduler {

/// A call whose operands are under way.
struct PreparedCall {
    SplitCall split;
    std::vector<std::vector<BlockId>> operands;  // of each operand, by source
    std::vector<double> at_hand;                 // of each subcall, when its operands have come, in seconds

    std::vector<BlockId> operands_of(SubCall const& part) const;
};

/// Of each operand of a call, whether it is taken source by source.
using BySource = std::function<std::vector<bool>(Call const&)>;

/// Decides whether the sums of a group are made while their terms are, and in which parts: in two of each subblock,
/// where calls may be made so small and take their operands as before. So one is under way while the other is made.
/// @param of_group  numbers of its calls, one of each member
void choose_parts(LoweringContext const& context, graph::Node const& node, graph::EinSum const& einsum,
                  std::vector<Call> const& calls, std::vector<std::size_t> const& of_group, CallGroup& group,
                  DType accumulated, BySource const& by_source);

/// The calls of a group, one of each member.
struct GroupCalls {
    std::vector<Call const*> calls;
    std::vector<PreparedCall const*> prepared;
};

class OverlappedSums {
public:
    OverlappedSums(LoweringContext& context, graph::Node const& node, graph::EinSum const& einsum,
                   schedule::KernelId kernel, Combining const& how, CallGroup const& group, GroupCalls const& calls);

    /// Makes the tasks. @return the sum of each subblock, on its keeper
    std::vector<Partial> make();

private:
    /// What a member has of a part.
    struct Summand {
        std::optional<BlockId> block;
        TaskNumber last = no_task;  // that wrote there
        std::size_t left = 0;       // calls to come
        bool received = false;      // all of it was there before the first of them
        std::set<Box> written;      // by calls
        std::vector<BlockId> came;  // to be added when they have been made
    };

    SharedSum shared_sum(graph::EinSum const& einsum) const;
    void compute(SumEvent const& event);
    void deliver(SumEvent const& event);
    void add(std::size_t member, std::size_t part, BlockId came);
    BlockId block_of(std::size_t member, std::size_t part);

    LoweringContext& context_;
    graph::Node const& node_;
    graph::EinSum const& einsum_;
    schedule::KernelId kernel_;
    Combining how_;
    CallGroup const& group_;
    GroupCalls const& calls_;
    std::vector<std::vector<Summand>> summands_;  // of each member, by part
    std::vector<std::optional<BlockId>> kept_;    // of each subblock, on its keeper
};

}  // namespace ein::scheduler
