#include "scheduler/move/block_directory.hpp"

#include <algorithm>
#include <span>

#include "lib/base/hash.hpp"

namespace ein::scheduler {

BlockDirectory::BlockDirectory(graph::EinGraph const& graph, std::vector<ValueParts> const& parts)
    : graph_(graph), entries_(graph.values.size()) {
    for (std::size_t v = 0; v < entries_.size(); ++v) entries_[v].cut = Cut(graph.values[v].shape, parts[v].made);
    for (std::size_t leaf = 0; leaf < graph.leaves.size(); ++leaf)
        at(graph.leaves[leaf].value).input = schedule::InputId{static_cast<std::int32_t>(leaf)};
}

void BlockDirectory::recut(ValueId value, Cut cut) {
    if (notes_ != nullptr) notes_->push_back({value, DirectoryEntry::Recut{std::make_shared<Cut const>(cut)}});
    Entry& here = at(value);
    here.cut = std::move(cut);
    here.blocks = {};
}

bool BlockDirectory::has_blocks(ValueId value) const {
    auto const& blocks = at(value).blocks;
    return std::any_of(blocks.begin(), blocks.end(), [](auto const& block) { return block.has_value(); });
}

void BlockDirectory::Copies::add(Holding holding) {
    auto place = by_rank.end();  // most come in the order of ranks
    if (!by_rank.empty() && by_rank.back().rank >= holding.rank)
        place = std::lower_bound(by_rank.begin(), by_rank.end(), holding.rank,
                                 [](Holding const& each, Rank rank) { return each.rank < rank; });
    if (place == by_rank.end() || place->rank != holding.rank) by_rank.insert(place, std::move(holding));
}

Holding const* BlockDirectory::Copies::on(Rank rank) const {
    auto const place = std::lower_bound(by_rank.begin(), by_rank.end(), rank,
                                        [](Holding const& each, Rank wanted) { return each.rank < wanted; });
    return place == by_rank.end() || place->rank != rank ? nullptr : &*place;
}

std::size_t BlockDirectory::BoxHash::operator()(Box const& box) const {
    std::uint64_t hash = box.order();
    for (auto const& list : {std::span(box.begin), std::span(box.length)})
        for (Extent number : list) hash = mix64(hash ^ static_cast<std::uint64_t>(number));
    return hash;
}

Holding const* BlockDirectory::copy_of(ValueId value, Box const& box, Rank rank) const {
    auto const& copies = at(value).copies;
    auto const found = copies.find(box);
    return found == copies.end() ? nullptr : found->second.on(rank);
}

std::optional<Holding> BlockDirectory::listed_copy_of(ValueId value, Box const& box, Box const& around,
                                                      tensor::SparseLayout const& layout, Rank rank) const {
    auto const& listed = at(value).listed;
    if (auto const found = listed.find({box, layout}); found != listed.end())
        for (Holding const& copy : found->second)
            if (copy.rank == rank && copy.box.contains(around)) return copy;
    return std::nullopt;
}

std::vector<Held> BlockDirectory::held(ValueId value, Box const& region) const {
    std::map<Rank, double> bytes;
    double const element = static_cast<double>(size_of(graph_.value(value).dtype));
    auto const met = cut(value).blocks_meeting(region);
    for (Cut::Block const& part : met)
        if (auto const& block = this->block(value, part.index))
            bytes[block->rank] += element * static_cast<double>(intersection(part.box, region).elements());
    auto whole_at = [&](Box const& box) {
        if (auto const copies = at(value).copies.find(box); copies != at(value).copies.end())
            for (Holding const& copy : copies->second.by_rank)
                bytes[copy.rank] = element * static_cast<double>(region.elements());
    };
    whole_at(region);
    if (met.size() == 1) whole_at(met.front().box);
    std::vector<Held> out;
    for (auto const& [rank, amount] : bytes) out.push_back({rank, amount});
    return out;
}

void BlockDirectory::note_in(std::vector<DirectoryEntry>& notes, std::vector<ValueId> const& passing) {
    notes_ = &notes;
    passing_ = passing;
    for (ValueId value : passing_) at(value).passes = true;
}

void BlockDirectory::stop_noting() {
    notes_ = nullptr;
    for (ValueId value : passing_) at(value).passes = false;
    passing_.clear();
}

void BlockDirectory::describe(ValueId value, DirectoryState& state) const {
    auto const describe_box = [&](Box const& box) {
        state.numbers.insert(state.numbers.end(), box.begin.begin(), box.begin.end());
        state.numbers.insert(state.numbers.end(), box.length.begin(), box.length.end());
    };
    auto const describe_holding = [&](Holding const& holding) {
        state.numbers.push_back(holding.rank.value());
        describe_box(holding.box);
        state.places.push_back({holding.rank, holding.block});
    };
    Entry const& here = at(value);
    here.cut.describe(state.numbers);
    state.numbers.push_back(here.input ? 1 : 0);
    state.numbers.push_back(static_cast<Extent>(here.blocks.size()));
    for (auto const& block : here.blocks)
        if (block)
            describe_holding(*block);
        else
            state.numbers.push_back(-1);
    using Known = std::pair<Box const, Copies>;
    std::vector<Known const*> copies;
    for (Known const& known : here.copies) copies.push_back(&known);
    std::sort(copies.begin(), copies.end(), [](Known const* a, Known const* b) { return a->first < b->first; });
    for (Known const* known : copies) {
        state.numbers.push_back(static_cast<Extent>(known->second.by_rank.size()));
        describe_box(known->first);
        for (Holding const& holding : known->second.by_rank) describe_holding(holding);
    }
    state.numbers.push_back(-1);
}

std::vector<Rank> BlockDirectory::homes_of(Entry const& entry) {
    if (!entry.homes.empty()) return entry.homes;
    std::vector<Rank> out;
    if (entry.blocks.empty()) out.assign(entry.cut.blocks(), Rank{-1});
    for (auto const& block : entry.blocks) out.push_back(block ? block->rank : Rank{-1});
    return out;
}

void BlockDirectory::take_place(ValueId value, ValueId other) {
    Entry &from = at(value), &to = at(other);
    from.homes = homes_of(from);
    to.cut = from.cut;
    to.blocks = std::move(from.blocks), to.copies = std::move(from.copies), to.listed = std::move(from.listed);
    forget(value);
}

void BlockDirectory::forget(ValueId value) {
    forget_copies(value);
    at(value).homes = homes_of(at(value));
    at(value).blocks = {};
}

Layout BlockDirectory::layout(ValueId value) const {
    Cut const& cut = at(value).cut;
    Layout out{cut.parts(), cut.subblocks().value_or(Parts{}), {}};
    std::vector<Rank> const homes = homes_of(at(value));
    if (cut.merged() && !out.subblocks.empty()) {  // by cells of the grid, whatever merged parts are subdivided in
        out.subblocks.assign(out.parts.size(), 1);
        for_each_index(cut.parts(), [&](std::vector<Extent> const& cell) {
            auto const met = cut.blocks_meeting(block_box(cut.shape(), cut.parts(), cell));
            met.empty() ? out.ranks.push_back(Rank{-1})  // a cell of no elements
                        : out.ranks.push_back(homes[met.front().index]);
        });
    } else {
        out.ranks = homes;
    }
    if (std::all_of(out.ranks.begin(), out.ranks.end(), [](Rank rank) { return rank == Rank{-1}; })) out.ranks.clear();
    return out;
}

}  // namespace ein::scheduler
