#include "scheduler/lower/einsum/subblocks.hpp"

#include <algorithm>
#include <set>

namespace ein::scheduler {
namespace {

Parts subblocks_of(LoweringContext const& context, ValueId id, std::size_t part, std::size_t sharers) {
    return shared_subblocks(context.directory.cut(id), part, sharers, size_of(context.value(id).dtype),
                            context.parts[static_cast<std::size_t>(id.value())].wanted, context.options.subblock_bytes,
                            context.options.split);
}

void subdivide(BlockDirectory& directory, ValueId value, std::vector<Parts> subblocks) {
    Cut cut = directory.cut(value);
    cut.subdivide(std::move(subblocks));
    directory.recut(value, std::move(cut));
}

/// The ranks that read each part of a leaf, in the order of their calls.
std::vector<std::vector<Rank>> sharers_of(Cut const& cut, ValueId leaf, graph::Node const& node,
                                          graph::EinSum const& einsum, std::vector<Call> const& calls) {
    std::vector<std::vector<Rank>> out(cut.part_count());
    for (Call const& call : calls)
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            if (node.inputs[k] != leaf) continue;
            for (std::size_t part : cut.parts_meeting(projected(call.region, einsum.inputs[k])))
                if (std::find(out[part].begin(), out[part].end(), call.rank) == out[part].end())
                    out[part].push_back(call.rank);
        }
    return out;
}

void share_leaf(LoweringContext& context, ValueId leaf, std::vector<std::vector<Rank>> const& sharers) {
    std::vector<Parts> subblocks;
    std::vector<Rank> loaders;
    for (std::size_t part = 0; part < sharers.size(); ++part) {
        subblocks.push_back(subblocks_of(context, leaf, part, sharers[part].size()));
        auto const count = static_cast<std::size_t>(element_count(subblocks.back()));
        for (Rank rank : loaders_of(sharers[part], count, part)) loaders.push_back(rank);
    }
    subdivide(context.directory, leaf, std::move(subblocks));
    if (loaders.size() != context.directory.cut(leaf).blocks()) return;  // parts that nobody reads here
    for (std::size_t index = 0; index < loaders.size(); ++index) context.delivery.home(leaf, index, loaders[index]);
}

}  // namespace

std::vector<Rank> loaders_of(std::vector<Rank> const& sharers, std::size_t subblocks, std::size_t part) {
    std::vector<Rank> out;
    std::size_t const ranks = sharers.size();
    for (std::size_t s = 0; s < subblocks && ranks > 0; ++s)
        out.push_back(sharers[(s * ranks / subblocks + (subblocks == 1 ? part : 0)) % ranks]);
    return out;
}

void share_leaves(LoweringContext& context, graph::Node const& node, graph::EinSum const& einsum,
                  std::vector<Call> const& calls) {
    for (ValueId leaf : std::set<ValueId>(node.inputs.begin(), node.inputs.end()))
        if (context.delivery.is_fresh_leaf(leaf))
            share_leaf(context, leaf, sharers_of(context.directory.cut(leaf), leaf, node, einsum, calls));
}

void subdivide_partials(LoweringContext& context, ValueId output, std::vector<Call> const& calls,
                        std::vector<std::size_t> const& first) {
    std::vector<Parts> subblocks;
    for (std::size_t part = 0; part + 1 < first.size(); ++part) {
        std::set<Rank> ranks;
        for (std::size_t c = first[part]; c < first[part + 1]; ++c) ranks.insert(calls[c].rank);
        subblocks.push_back(subblocks_of(context, output, subblocks.size(), ranks.size()));
    }
    subdivide(context.directory, output, std::move(subblocks));
}

void subdivide_for_pipelining(LoweringContext& context, ValueId output) {
    subdivide(context.directory, output,
              std::vector<Parts>(context.directory.cut(output).part_count(),
                                 context.pipelined[static_cast<std::size_t>(output.value())]));
}

}  // namespace ein::scheduler
