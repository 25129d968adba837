#include "scheduler/move/block_directory.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/saturating.hpp"

namespace ein::scheduler {

using schedule::TaskKind;

BlockDirectory::BlockDirectory(graph::EinGraph const& graph, std::vector<ValueParts> const& parts, InputsPolicy inputs,
                     Staging staging, Messages messages, std::vector<SectionBuilder>& sections, Tables& tables)
    : graph_(graph),
      inputs_(inputs),
      staging_(staging),
      messages_(messages),
      sections_(sections),
      tables_(tables),
      states_(graph.values.size()),
      traffic_(graph.nodes.size()),
      next_tags_(sections.size()),
      levels_(graph.values.size(), 0),
      turns_(graph.turns_of_values()) {
    std::vector<std::int32_t> const loops = graph.loops_of_values();
    for (std::size_t v = 0; v < loops.size(); ++v) levels_[v] = static_cast<int>(graph.loops_around(loops[v]).size());
    for (std::size_t v = 0; v < states_.size(); ++v) {
        states_[v].cut = Cut(graph.values[v].shape, parts[v].made);
        states_[v].blocks.resize(states_[v].cut.blocks());
    }
    for (std::size_t leaf = 0; leaf < graph.leaves.size(); ++leaf)
        state(graph.leaves[leaf].value).source = static_cast<std::int32_t>(leaf);
}

void BlockDirectory::slice(ValueId value, std::vector<Parts> slices) {
    State& here = state(value);
    here.cut.slice(std::move(slices));
    here.blocks.assign(here.cut.blocks(), std::nullopt);
}

void BlockDirectory::merge(ValueId value, std::vector<Box> parts) {
    State& here = state(value);
    here.cut.merge(std::move(parts));
    here.blocks.assign(here.cut.blocks(), std::nullopt);
}

void BlockDirectory::cut_like(ValueId value, ValueId other) {
    State& here = state(value);
    here.cut = state(other).cut;
    here.blocks.assign(here.cut.blocks(), std::nullopt);
}

bool BlockDirectory::is_fresh_leaf(ValueId value) const {
    State const& here = state(value);
    return here.source >= 0 && inputs_ == InputsPolicy::once &&
           std::none_of(here.blocks.begin(), here.blocks.end(), [](auto const& block) { return block.has_value(); });
}

void BlockDirectory::load_on(ValueId leaf, std::vector<Rank> const& ranks) {
    for (std::size_t index = 0; index < ranks.size(); ++index) home(leaf, index, ranks[index]);
}

void BlockDirectory::put(ValueId value, std::size_t index, Holding holding) {
    state(value).blocks[index] = std::move(holding);
}

BlockId BlockDirectory::load(ValueId value, Box const& box, Rank rank) {
    BlockId const block = on(rank).add_block(value.value(), graph_.value(value).dtype, box);
    on(rank).add({.kind = TaskKind::load, .spec = state(value).source, .inputs = {}, .output = block, .region = {}});
    return block;
}

Holding const& BlockDirectory::home(ValueId value, std::size_t index, Rank asking) {
    auto& block = state(value).blocks[index];
    if (!block) {
        promise(state(value).source >= 0, "a block is read before it is made");
        Box const box = cut(value).box(index);
        block = Holding{asking, load(value, box, asking), box};
    }
    return *block;
}

std::vector<Held> BlockDirectory::held(ValueId value, Box const& region) const {
    std::map<Rank, double> bytes;
    double const element = static_cast<double>(size_of(graph_.value(value).dtype));
    auto const pieces = blocks_meeting(value, region);
    for (Piece const& piece : pieces)
        if (auto const& block = state(value).blocks[piece.index])
            bytes[block->rank] += element * static_cast<double>(intersection(piece.box, region).elements());
    auto whole_at = [&](Box const& box) {
        if (auto const copies = state(value).copies.find(box); copies != state(value).copies.end())
            for (Holding const& copy : copies->second)
                bytes[copy.rank] = element * static_cast<double>(region.elements());
    };
    whole_at(region);
    if (pieces.size() == 1) whole_at(pieces.front().box);
    std::vector<Held> out;
    for (auto const& [rank, amount] : bytes) out.push_back({rank, amount});
    return out;
}

std::optional<Holding> BlockDirectory::copy_of(ValueId value, Box const& box, Rank rank) const {
    if (auto const copies = state(value).copies.find(box); copies != state(value).copies.end())
        for (Holding const& copy : copies->second)
            if (copy.rank == rank) return copy;
    return std::nullopt;
}

void BlockDirectory::begin(NodeId node) {
    node_ = static_cast<std::size_t>(node.value());
    operand_ = 0;
    merges_parts_ = false;
    received_.assign(sections_.size(), 0);
    traffic_[node_].inputs.assign(graph_.node(node).inputs.size(), 0);
}

void BlockDirectory::count(Rank to, Purpose purpose, ValueId value, std::int64_t once) {
    Traffic& traffic = traffic_[node_];
    std::int64_t const bytes = saturating_product(once, turns_[static_cast<std::size_t>(value.value())]);
    auto add = [&](std::int64_t& sum) { sum = saturating_sum(sum, bytes); };
    add(purpose == Purpose::join ? traffic.join : purpose == Purpose::agg ? traffic.agg : traffic.repart);
    if (purpose != Purpose::agg) add(traffic.inputs[operand_]);
    std::int64_t& received = received_[static_cast<std::size_t>(to.value())];
    add(received);
    traffic.busiest = std::max(traffic.busiest, received);
}

Layout BlockDirectory::layout(ValueId value) const {
    Cut const& cut = state(value).cut;
    Layout out{cut.parts(), cut.slices().value_or(Parts{}), {}};
    auto const& blocks = state(value).blocks;
    auto enter = [&](std::size_t block) { out.ranks.push_back(blocks[block] ? blocks[block]->rank : Rank{-1}); };
    if (cut.merged() && !out.slices.empty()) {  // by cells of the grid
        for_each_index(cut.parts(), [&](std::vector<Extent> const& cell) {
            auto const met = cut.blocks_meeting(block_box(cut.shape(), cut.parts(), cell));
            met.empty() ? out.ranks.push_back(Rank{-1}) : enter(met.front().index);  // a cell of no elements
        });
    } else {
        for (std::size_t block = 0; block < blocks.size(); ++block) enter(block);
    }
    if (std::all_of(out.ranks.begin(), out.ranks.end(), [](Rank rank) { return rank == Rank{-1}; })) out.ranks.clear();
    return out;
}

int BlockDirectory::next_tag(Rank from, Rank to) {
    std::vector<int>& tags = next_tags_[static_cast<std::size_t>(from.value())];
    tags.resize(sections_.size());
    return tags[static_cast<std::size_t>(to.value())]++;
}

BlockId BlockDirectory::transfer(Holding const& from, std::int32_t tensor, DType dtype, Rank to, Purpose purpose,
                            bool packed) {
    count(to, purpose, ValueId{tensor}, on(from.rank).bytes_of(from.block));
    BlockId const there = on(to).add_block(tensor, dtype, from.box, packed);
    add_message({from.block, {}, from.rank}, {there, {}, to}, levels_[static_cast<std::size_t>(tensor)]);
    return there;
}

BlockId BlockDirectory::transfer_part(Holding const& from, Box const& part, std::int32_t tensor, DType dtype, Rank to,
                                 Purpose purpose) {
    BlockId const there = on(to).add_block(tensor, dtype, part);
    count(to, purpose, ValueId{tensor}, on(to).bytes_of(there));
    add_message({from.block, part, from.rank}, {there, {}, to}, levels_[static_cast<std::size_t>(tensor)]);
    return there;
}

void BlockDirectory::add_message(End const& sent, End const& received, int level) {
    int const tag = next_tag(sent.rank, received.rank);
    on(sent.rank).add({.kind = TaskKind::send,
                       .inputs = {sent.block},
                       .output = {},
                       .region = sent.part,
                       .peer = received.rank.value(),
                       .tag = tag,
                       .level = level});
    on(received.rank)
        .add({.kind = TaskKind::receive,
              .inputs = {},
              .output = received.block,
              .region = received.part,
              .peer = sent.rank.value(),
              .tag = tag,
              .level = level});
}

void BlockDirectory::copy(ValueId value, Holding const& from, BlockId to, Box const& region) {
    std::int32_t const movement = tables_.identity_movement(graph_.value(value).name, region.order());
    on(from.rank).add({.kind = TaskKind::copy,
                       .spec = movement,
                       .inputs = {from.block},
                       .output = to,
                       .region = region,
                       .level = level_of(value)});
}

Holding BlockDirectory::need(ValueId value, Box const& region, Rank rank) {
    if (auto copy = copy_of(value, region, rank)) return *copy;
    if (region.empty()) {  // nothing to bring: any block of that shape will do
        BlockId const block = on(rank).add_block(value.value(), graph_.value(value).dtype, region);
        std::int32_t const zero = tables_.fill({graph_.value(value).name, {}});
        on(rank).add({.kind = TaskKind::fill,
                      .spec = zero,
                      .inputs = {},
                      .output = block,
                      .region = {},
                      .level = level_of(value)});
        remember(value, region, {rank, block, region});
        return {rank, block, region};
    }
    if (state(value).source >= 0 && inputs_ == InputsPolicy::shared) {
        BlockId const block = load(value, region, rank);
        remember(value, region, {rank, block, region});
        return {rank, block, region};
    }
    auto const pieces = blocks_meeting(value, region);
    Purpose const purpose = purpose_of(value, region);
    Holding out = pieces.size() == 1 ? from_one_block(value, pieces.front(), region, rank, purpose)
                                     : assembled(value, pieces, region, rank, purpose);
    if (!exchanging_) deliver();
    return out;
}

/// Whole parts of the value as it is cut (in one block or in slices) are an operand of a join; any other region is cut anew.
Purpose BlockDirectory::purpose_of(ValueId value, Box const& region) const {
    auto const parts = cut(value).parts_meeting(region);
    bool const whole = std::all_of(parts.begin(), parts.end(), [&](std::size_t part) {
        Box const box = cut(value).part_box(part);
        return intersection(box, region) == box;
    });
    return whole && (parts.size() == 1 || merges_parts_) ? Purpose::join : Purpose::repart;
}

/// A block on the rank that has the region, which lies inside one block of the value.
std::optional<Holding> BlockDirectory::at_hand(ValueId value, Piece const& piece, Box const& region, Rank rank) {
    Holding const& from = home(value, piece.index, rank);
    if (from.rank == rank) return from;
    if (auto copy = copy_of(value, piece.box, rank)) return copy;
    return copy_of(value, region, rank);
}

/// The region lies inside one block: that block when it is on this rank, else a copy of the block or of the piece.
Holding BlockDirectory::from_one_block(ValueId value, Piece const& piece, Box const& region, Rank rank, Purpose purpose) {
    if (auto found = at_hand(value, piece, region, rank)) return *found;
    BlockId const there = on(rank).add_block(value.value(), graph_.value(value).dtype, region);
    Holding const to{rank, there, region};
    bring(value, region, home(value, piece.index, rank), to, purpose);
    remember(value, region, to);
    return to;
}

Holding BlockDirectory::assembled(ValueId value, std::vector<Piece> const& pieces, Box const& region, Rank rank,
                             Purpose purpose) {
    BlockId const block = on(rank).add_block(value.value(), graph_.value(value).dtype, region);
    Holding const whole{rank, block, region};
    for (Piece const& piece : pieces) {
        Box const part = intersection(piece.box, region);
        if (auto found = at_hand(value, piece, part, rank)) {
            placings_.push_back({value, std::move(*found), block, part});
            continue;
        }
        bring(value, part, home(value, piece.index, rank), whole, purpose);
        remember(value, part, whole);
    }
    remember(value, region, whole);
    return whole;
}

/// A part of a block as a block of its own on the same rank.
BlockId BlockDirectory::cut_out(ValueId value, Holding const& from, Box const& region) {
    if (auto const cut = copy_of(value, region, from.rank); cut && cut->box == region) return cut->block;
    BlockId const cut = on(from.rank).add_block(value.value(), graph_.value(value).dtype, region);
    copy(value, from, cut, region);
    remember(value, region, {from.rank, cut, region});
    return cut;
}

std::vector<Source> BlockDirectory::sources(ValueId value, Box const& region, Rank rank) const {
    bool const loaded_here = state(value).source >= 0 && inputs_ == InputsPolicy::shared;
    if (loaded_here || region.empty() || copy_of(value, region, rank)) return {{region, rank}};
    std::vector<Source> out;
    for (Piece const& piece : blocks_meeting(value, region)) {
        auto const& block = state(value).blocks[piece.index];
        Box part = intersection(piece.box, region);
        bool const here = !block || copy_of(value, piece.box, rank) || copy_of(value, part, rank);
        out.push_back({std::move(part), here ? rank : block->rank, block ? block->rank : rank});
    }
    return out;
}

Holding BlockDirectory::need_source(ValueId value, Box const& region, Source const& source, Rank rank) {
    Holding out =
        from_one_block(value, blocks_meeting(value, source.box).front(), source.box, rank, purpose_of(value, region));
    if (!exchanging_) deliver();
    return out;
}

}  // namespace ein::scheduler
