#include "scheduler/lower/einsum/reduce_scatter.hpp"

#include <algorithm>
#include <map>

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

/// What is to be summed on one rank, which has one of the summands itself.
struct ReduceScatter::Summands {
    Box box;
    std::vector<Partial const*> list;
    std::size_t own;       // in the list
    std::size_t wave = 0;  // of its rank's sums: how many are made before it
};

void ReduceScatter::combine(Box const& box, CallGroup const& group, std::size_t number) {
    auto subblocks = context_.directory.cut(node_.output).blocks_meeting(box);
    if (box.empty()) subblocks = {{number, box}};  // an empty value has one block
    bool const made_by_subblock = !group.subblocks.empty();
    if (!made_by_subblock && combine_in_steps(subblocks, group.partials, number)) return;
    std::vector<Summands> all;
    std::map<Rank, std::size_t> kept;
    for (std::size_t s = 0; s < subblocks.size(); ++s) {
        Rank const keeper = group.members[keeper_of(s, subblocks.size(), group.members.size(), number)];
        Summands of_subblock{subblocks[s].box, {}, 0, kept[keeper]++};
        for (Partial const& partial : group.partials)
            if (!made_by_subblock || partial.box == subblocks[s].box) of_subblock.list.push_back(&partial);
        auto const own = std::find_if(of_subblock.list.begin(), of_subblock.list.end(),
                                      [&](Partial const* partial) { return partial->rank == keeper; });
        of_subblock.own = static_cast<std::size_t>(own - of_subblock.list.begin());
        all.push_back(std::move(of_subblock));
    }
    std::vector<Partial> const sums = summed_in_turns(all);
    for (std::size_t s = 0; s < subblocks.size(); ++s) put(subblocks[s], sums[s]);
}

/// The keepers' own first, then in turns those after it in the list, and round to the one before it. All keepers' turns
/// are made together, of the first sums of each, then of the second ones: that is the order in which ranks send.
std::vector<Partial> ReduceScatter::summed_in_turns(std::vector<Summands> const& all) {
    std::vector<Sum> sums;
    std::size_t turns = 0, waves = 1;
    for (Summands const& each : all) {
        sums.emplace_back(*this, each.box, *each.list[each.own]);
        turns = std::max(turns, each.list.size());
        waves = std::max(waves, each.wave + 1);
    }
    for (std::size_t wave = 0; wave < waves; ++wave)
        for (std::size_t turn = 1; turn < turns; ++turn)
            for (std::size_t s = 0; s < all.size(); ++s)
                if (all[s].wave == wave && turn < all[s].list.size())
                    sums[s].add(*all[s].list[(all[s].own + turn) % all[s].list.size()]);
    std::vector<Partial> out;
    for (Sum const& sum : sums) out.push_back(sum.result());
    return out;
}

/// A part of a partial result on another rank.
BlockId ReduceScatter::sent(Partial const& from, Box const& box, Rank to) {
    Holding holding{from.rank, from.block, from.box};
    if (from.box != box && !is_one_run(box, from.box)) {
        holding = {from.rank, context_.emit.add_block(from.rank, node_.output, how_.accumulated, box), box};
        schedule::MovementId const movement = context_.tables.identity_movement(node_.name, box.order());
        context_.emit.copy(from.rank, {movement, from.block, holding.block, view(box)});
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
        std::vector<Summands> all;
        for (std::size_t m = 0; m < members.size(); ++m) {
            all.push_back({step.boxes[m], {}, 0, 0});
            for (std::size_t peer : step.peers[m]) {
                if (peer == m) all.back().own = all.back().list.size();
                all.back().list.push_back(&members[peer]);
            }
        }
        members = summed_in_turns(all);
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
