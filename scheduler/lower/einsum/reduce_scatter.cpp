#include "scheduler/lower/einsum/reduce_scatter.hpp"

#include <algorithm>
#include <iterator>

namespace ein::scheduler {

/// Adds up what ranks have of one box, on one rank: in the block of its own summand where that is the box, else in a
/// new block.
class ReduceScatter::Sum {
public:
    Sum(ReduceScatter& of, Box const& box, Partial const& own) : of_(of), result_{own.rank, own.block, box, own.last} {
        if (own.box == box) return;
        result_.block = of.context_.emit.add_block(own.rank, of.node_.output, of.how_.accumulated, box);
        reduce(own.block, false);
    }
    void add(Partial const& summand) { reduce(of_.sent(summand, result_.box, result_.rank), true); }
    Partial const& result() const { return result_; }

private:
    void reduce(BlockId from, bool accumulate) {
        result_.last = of_.context_.emit.reduce(result_.rank, {of_.how_.kernel, from, result_.block, result_.box,
                                                               accumulate, accumulate ? result_.last : no_task});
    }

    ReduceScatter& of_;
    Partial result_;
};

void ReduceScatter::combine(Box const& box, CallGroup const& group, std::size_t number) {
    auto subblocks = context_.directory.cut(node_.output).blocks_meeting(box);
    if (box.empty()) subblocks = {{number, box}};  // an empty value has one block
    bool const made_by_subblock = !group.subblocks.empty();
    if (!made_by_subblock && combine_in_steps(subblocks, group.partials, number)) return;
    for (std::size_t s = 0; s < subblocks.size(); ++s) {
        Rank const keeper = group.members[keeper_of(s, subblocks.size(), group.members.size(), number)];
        std::vector<Partial> of_subblock;
        if (made_by_subblock)
            std::copy_if(group.partials.begin(), group.partials.end(), std::back_inserter(of_subblock),
                         [&](Partial const& partial) { return partial.box == subblocks[s].box; });
        put(subblocks[s], summed_on(keeper, subblocks[s].box, made_by_subblock ? of_subblock : group.partials));
    }
}

/// The keeper's own first, then the others' in their order.
Partial ReduceScatter::summed_on(Rank keeper, Box const& box, std::vector<Partial> const& partials) {
    auto const own = std::find_if(partials.begin(), partials.end(), [&](Partial const& p) { return p.rank == keeper; });
    Sum sum(*this, box, *own);
    for (Partial const& partial : partials)
        if (partial.rank != keeper) sum.add(partial);
    return sum.result();
}

/// A part of a partial result on another rank.
BlockId ReduceScatter::sent(Partial const& from, Box const& box, Rank to) {
    Holding holding{from.rank, from.block, from.box};
    if (from.box != box && !is_one_run(box, from.box)) {
        holding = {from.rank, context_.emit.add_block(from.rank, node_.output, how_.accumulated, box), box};
        schedule::MovementId const movement = context_.tables.identity_movement(node_.name, box.order());
        context_.emit.copy(from.rank, {movement, from.block, holding.block, box});
    }
    return context_.delivery.transfer_part(holding, box, node_.output, how_.accumulated, to, Purpose::agg);
}

/// Ranks stand in rows of one rank a subblock. Each row scatters its sums in steps; then the rows' sums of each
/// subblock are added up through a tree.
/// @return false when that is not worth while, and nothing was done
bool ReduceScatter::combine_in_steps(std::vector<Cut::Block> const& subblocks, std::vector<Partial> const& partials,
                                     std::size_t number) {
    auto const element = static_cast<std::int64_t>(size_of(how_.accumulated));
    if (!context_.options.staging.suits(partials.size(), subblocks[0].box.elements() * element) ||
        partials.size() % subblocks.size() != 0 || subblocks[0].box.empty())
        return false;
    std::vector<Box> boxes;
    for (Cut::Block const& subblock : subblocks) boxes.push_back(subblock.box);
    auto const grid = grid_of(boxes);
    if (!grid) return false;

    std::size_t const rows = partials.size() / subblocks.size();
    std::vector<std::vector<Partial>> sums(subblocks.size());  // of each subblock, by row
    for (std::size_t k = 0; k < rows; ++k) {
        std::size_t const row = (number + k) % rows;  // blocks of one group of ranks end on each of them in turn
        std::vector<Partial> members;
        for (std::size_t s = 0; s < subblocks.size(); ++s) members.push_back(partials[s * rows + row]);
        members = scattered(*grid, std::move(members));
        for (std::size_t s = 0; s < subblocks.size(); ++s) sums[s].push_back(members[s]);
    }
    for (std::size_t s = 0; s < subblocks.size(); ++s) put(subblocks[s], summed_in_tree(std::move(sums[s])));
    return true;
}

/// What each member of a row has of its own cell when the row has exchanged sums.
std::vector<Partial> ReduceScatter::scattered(CellGrid const& grid, std::vector<Partial> members) {
    for (CollectiveStep const& step : staged_reduce_scatter(grid)) {
        std::vector<Partial> next;
        for (std::size_t m = 0; m < members.size(); ++m) {
            Sum sum(*this, step.boxes[m], members[m]);
            for (std::size_t peer : step.peers[m])
                if (peer != m) sum.add(members[peer]);
            next.push_back(sum.result());
        }
        members = std::move(next);
    }
    return members;
}

/// Sums of one box on several ranks, on the first of them.
Partial ReduceScatter::summed_in_tree(std::vector<Partial> sums) {
    for (Addition const& addition : sum_tree(sums.size())) {
        Partial& into = sums[addition.into];
        Sum sum(*this, into.box, into);
        for (std::size_t from : addition.from) sum.add(sums[from]);
        into = sum.result();
    }
    return sums.front();
}

/// Enters a block of the node's value, rounded from the accumulate type to the value's dtype.
void ReduceScatter::put(Cut::Block const& subblock, Partial const& result) {
    BlockId block = result.block;
    graph::Value const& value = context_.value(node_.output);
    if (how_.partial && how_.accumulated != value.dtype) {
        schedule::KernelId const kernel =
            context_.tables.kernel({node_.name, graph::identity_einsum(value.shape), how_.accumulated});
        block = context_.emit.add_block(result.rank, node_.output, value.dtype, subblock.box);
        context_.emit.reduce(result.rank, {kernel, result.block, block, subblock.box});
    }
    context_.directory.put(node_.output, subblock.index, {result.rank, block, subblock.box});
}

}  // namespace ein::scheduler
