// A directory of what lies where: how every value is cut, which rank holds each block, and who has copies of which
// regions. Makes no tasks and moves nothing: others say what was made or brought (delivery.hpp), and asked by whoever
// places, moves or reports.
// Example: Z in two rows; d.put(Z, 1, {rank 3, block 7, row 1}); d.held(Z, column 0) is {rank 3: its half of the
// column, in bytes}.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/schedule/model/ids.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"
#include "scheduler/move/cut.hpp"
#include "scheduler/move/value_parts.hpp"
#include "scheduler/place/placement.hpp"

namespace ein::scheduler {

/// A block of a value on a rank.
struct Holding {
    Rank rank;
    BlockId block;
    Box box;
};

/// Where a value lies once it is made or loaded: the grid of its parts, the grid of subblocks that each part is cut
/// into again, and the rank of every block, parts in C order, then the subblocks of each.
struct Layout {
    Parts parts;
    Parts subblocks;  // empty when parts are subdivided in different ways
    /// -1 for a block that nobody reads; empty when no block has a home, as of what every rank reads for itself.
    std::vector<Rank> ranks;
};

/// Something that was entered in a directory.
struct DirectoryEntry {
    struct Recut {
        std::shared_ptr<Cut const> cut;  // large, and few among many copies
    };
    struct Put {
        std::size_t index;
        Holding holding;
    };
    struct Copy {
        Box box;
        Holding holding;
    };
    ValueId value;
    std::variant<Recut, Put, Copy> what;
};

/// All that a directory knows of some values: two descriptions with the same numbers differ at most in the names of
/// blocks, listed in the same order.
struct DirectoryState {
    struct Place {
        Rank rank;
        BlockId block;
    };
    std::vector<Extent> numbers;
    std::vector<Place> places;
};

class BlockDirectory {
public:
    /// @param parts  of every value, by ValueId
    BlockDirectory(graph::EinGraph const& graph, std::vector<ValueParts> const& parts);

    Cut const& cut(ValueId value) const { return at(value).cut; }
    /// Cuts a value in another way, before any of its blocks is made.
    void recut(ValueId value, Cut cut);
    /// The input that a leaf is loaded from; nothing for what nodes make.
    std::optional<schedule::InputId> input_of(ValueId value) const { return at(value).input; }
    /// Whether some block of the value has been made or loaded.
    bool has_blocks(ValueId value) const;

    /// Enters a block that was made or loaded: block number `index` of the value's cut.
    void put(ValueId value, std::size_t index, Holding holding) {
        if (notes_ != nullptr) notes_->push_back({value, DirectoryEntry::Put{index, holding}});
        Entry& here = at(value);
        if (here.blocks.empty()) here.blocks.resize(here.cut.blocks());
        here.blocks[index] = std::move(holding);
    }
    /// Where that block is; nothing before it is made.
    std::optional<Holding> const& block(ValueId value, std::size_t index) const {
        static std::optional<Holding> const none;
        return at(value).blocks.empty() ? none : at(value).blocks[index];
    }

    /// Enters a block that has the box of a value on another rank than its home, maybe as a part of more.
    void remember(ValueId value, Box const& box, Holding holding) {
        if (notes_ != nullptr && !at(value).passes) notes_->push_back({value, DirectoryEntry::Copy{box, holding}});
        at(value).copies[box].add(std::move(holding));
    }
    /// The first that was entered there, or none. It stays where it is until the next one is entered.
    Holding const* copy_of(ValueId value, Box const& box, Rank rank) const;
    /// The same for blocks of a sparse value, which lie in the order that their reader wants.
    void remember_listed(ValueId value, Box const& box, tensor::SparseLayout const& layout, Holding holding) {
        at(value).listed[{box, layout}].push_back(std::move(holding));
    }
    std::optional<Holding> listed_copy_of(ValueId value, Box const& box, tensor::SparseLayout const& layout,
                                          Rank rank) const {
        return listed_copy_of(value, box, box, layout, rank);
    }
    /// Of those that are known to have all that `around` lists.
    std::optional<Holding> listed_copy_of(ValueId value, Box const& box, Box const& around,
                                          tensor::SparseLayout const& layout, Rank rank) const;
    /// Forgets copies: nobody will need them again. What is under way is freed by counting, as ever.
    void forget_copies(ValueId value) { at(value).copies = {}, at(value).listed = {}; }  // clear() keeps the buckets
    /// All blocks and copies of a value become those of another one that is alike.
    void take_place(ValueId value, ValueId other);
    /// Forgets a value but for its layout: nobody will ask for its blocks again.
    void forget(ValueId value);

    /// Ranks that hold parts of `region`, with the bytes of it that they hold; leaves not yet loaded are nowhere.
    std::vector<Held> held(ValueId value, Box const& region) const;
    Layout layout(ValueId value) const;

    /// Adds what is known of a dense value.
    void describe(ValueId value, DirectoryState& state) const;
    /// Notes what is entered of dense values, until stop_noting(): but for copies of those that pass, which nobody asks
    /// for later.
    void note_in(std::vector<DirectoryEntry>& notes, std::vector<ValueId> const& passing);
    void stop_noting();

private:
    /// By rank: all ranks may have a copy of the same.
    struct Copies {
        std::vector<Holding> by_rank;  // ascending
        void add(Holding holding);
        Holding const* on(Rank rank) const;
    };
    struct BoxHash {
        std::size_t operator()(Box const& box) const;
    };
    struct Entry {
        Cut cut;
        std::vector<std::optional<Holding>> blocks;       // by the cut's index; none: of no block
        std::vector<Rank> homes;                          // of blocks that were forgotten; -1: of none
        std::unordered_map<Box, Copies, BoxHash> copies;  // got from elsewhere, cut or assembled; in no order
        std::map<std::pair<Box, tensor::SparseLayout>, std::vector<Holding>> listed;  // the same of a sparse value
        std::optional<schedule::InputId> input;                                       // of a leaf
        bool passes = false;                                                          // its copies are not noted
    };
    static std::vector<Rank> homes_of(Entry const& entry);
    Entry& at(ValueId value) { return entries_[static_cast<std::size_t>(value.value())]; }
    Entry const& at(ValueId value) const { return entries_[static_cast<std::size_t>(value.value())]; }

    graph::EinGraph const& graph_;
    std::vector<Entry> entries_;  // by ValueId
    std::vector<DirectoryEntry>* notes_ = nullptr;
    std::vector<ValueId> passing_;  // while notes are taken
};

}  // namespace ein::scheduler
