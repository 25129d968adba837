// Where every value's blocks live, and how a rank gets the part of a value that a task needs: the block itself when it is there,
// a piece cut out and sent, or several pieces put together. What a rank has once got it keeps until its last reader.
// Example: value cut in rows on ranks 0 and 1; rank 0 needs columns [0:2): a piece of rank 1's block comes, and both are assembled.
// Source: repartition of [E] 4.2; each needed piece moves once, straight to its consumer.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "lib/base/partition.hpp"
#include "lib/graph/ein_graph.hpp"
#include "scheduler/lower/split_call.hpp"
#include "scheduler/move/cut.hpp"
#include "scheduler/place/placement.hpp"
#include "scheduler/lower/section_builder.hpp"
#include "scheduler/lower/tables.hpp"
#include "scheduler/move/value_parts.hpp"

namespace ein::scheduler {

/// A block of a value on a rank.
struct Holding {
    Rank rank;
    BlockId block;
    Box box;
};

/// Whether each input element is loaded by one rank and sent, or read from its file by every rank that needs it.
enum class InputsPolicy { once, shared };

/// Why bytes go to another rank: a kernel call wants a block as it is cut, partial results are combined, or a value is wanted in
/// another cut than it has.
enum class Purpose { join, agg, repart };

/// Bytes that cross ranks for one node.
struct Traffic {
    std::int64_t join = 0, agg = 0, repart = 0;
    std::int64_t busiest = 0;          // received by the rank that receives most for this node
    std::vector<std::int64_t> inputs;  // for each operand: of join and repart, what came for it
    std::int64_t total() const { return join + agg + repart; }
};

/// Where a value lies once it is made or loaded: the grid of its parts, the grid of slices that each part is cut into again, and the
/// rank of every block, parts in C order, then the slices of each.
struct Layout {
    Parts parts;
    Parts slices;  // empty when parts are sliced in different ways
    /// -1 for a block that nobody reads; empty when no block has a home, as of what every rank reads for itself.
    std::vector<Rank> ranks;
};

/// When many ranks that exchange pieces do so in stages: for large pieces the copies in between would cost more than messages.
struct Staging {
    std::size_t ranks = 8;           // of the group, at least
    std::int64_t bytes = 128 << 10;  // of a piece, at most
    bool suits(std::size_t group, std::int64_t piece) const { return group >= ranks && piece <= bytes; }
};

/// How a piece travels whose elements lie apart in the block that it comes from, or in the one that it becomes a part of: cut into
/// messages that stay in a core's cache from one end to the other. What lies together at both ends is one message.
struct Messages {
    std::int64_t bytes = std::int64_t{2} << 20;  // of one; pieces of less than two are not cut
    std::int64_t most = 256;                     // for one region, about: those of very large ones are larger
    std::int64_t window = cut_window;  // on one rank, cut before they are sent, or received before they are put away
};

struct CellGrid;

class BlockDirectory {
public:
    /// @param parts  of every value, by ValueId
    BlockDirectory(graph::EinGraph const& graph, std::vector<ValueParts> const& parts, InputsPolicy inputs, Staging staging,
              Messages messages, std::vector<SectionBuilder>& sections, Tables& tables);

    Cut const& cut(ValueId value) const { return state(value).cut; }
    /// Cuts the parts of a value again, before any of its blocks is made: part k in slices[k]. Merges cells of its grid (see Cut).
    void slice(ValueId value, std::vector<Parts> slices);
    void merge(ValueId value, std::vector<Box> parts);
    /// Whether no block of a leaf has been loaded yet; then readers may share the loading of it: a rank for each block.
    bool is_fresh_leaf(ValueId value) const;
    void load_on(ValueId leaf, std::vector<Rank> const& ranks);
    /// Cuts a value, none of whose blocks is made, as another one is cut.
    void cut_like(ValueId value, ValueId other);
    /// Enters a block that a node made: block number `index` of the value's cut.
    void put(ValueId value, std::size_t index, Holding holding);

    /// A block on `rank` that covers `region` of the value; tasks that bring it there are appended to the sections.
    Holding need(ValueId value, Box const& region, Rank rank);
    /// The blocks that need() would put together there, what each has of the region; one, of the region, where it would not.
    std::vector<Source> sources(ValueId value, Box const& region, Rank rank) const;
    /// A block on `rank` that covers one of those sources, brought there but not put together with the rest of the region.
    Holding need_source(ValueId value, Box const& region, Source const& source, Rank rank);
    /// Calls bring(), which asks for what several ranks need at the same time: their messages are sent in turns, so that all send and receive
    /// at once. A rank gets what it asked for first before what it asked for next. What need() gives meanwhile may be read by tasks that are
    /// appended afterwards.
    template <class Bring>
    void exchange(Bring&& bring) {
        exchanging_ = true;
        bring();
        exchanging_ = false;
        deliver();
    }
    /// Brings a region that several ranks will need to all of them, in stages where that saves messages; else does nothing.
    void spread(ValueId value, Box const& region, std::vector<Rank> ranks);
    /// Forgets what was brought: nobody will need it again. What is under way is freed by counting, as ever.
    void forget_copies(ValueId value) { state(value).copies.clear(); }
    /// A block that has the box of a value on another rank than its home.
    void remember(ValueId value, Box const& box, Holding holding) {
        state(value).copies[box].push_back(std::move(holding));
    }
    /// Ranks that hold parts of `region`, with the bytes of it that they hold; leaves not yet loaded are nowhere.
    std::vector<Held> held(ValueId value, Box const& region) const;

    /// Copies whole block `from` to another rank, counted as traffic of the node that lowering is at. @return the block there
    BlockId transfer(Holding const& from, std::int32_t tensor, DType dtype, Rank to, Purpose purpose,
                     bool packed = false);
    /// The same for a part of it that lies in one run.
    BlockId transfer_part(Holding const& from, Box const& part, std::int32_t tensor, DType dtype, Rank to,
                          Purpose purpose);
    /// What follows is for this node.
    void begin(NodeId node);
    /// Kernel calls of this node want several parts at once as they are.
    void wants_merged_parts() { merges_parts_ = true; }
    /// What follows is brought for this operand of the node.
    void begin_operand(std::size_t operand) { operand_ = operand; }
    std::vector<Traffic> const& traffic() const { return traffic_; }  // by NodeId
    Layout layout(ValueId value) const;

    /// The blocks of a value whose box meets `region`.
    using Piece = Cut::Block;
    std::vector<Piece> blocks_meeting(ValueId value, Box const& region) const {
        return cut(value).blocks_meeting(region);
    }
    /// The holding of one block; a leaf's block is loaded where it is first asked for.
    Holding const& home(ValueId value, std::size_t index, Rank asking);

private:
    /// A region that is on its way to a block, or a part of one, on another rank.
    struct Delivery {
        ValueId value;
        Holding from, to;
        std::vector<Box> messages;
        std::size_t sent = 0;  // of the messages
    };
    /// A part of a block that is copied into another one on the same rank.
    struct Placing {
        ValueId value;
        Holding from;
        BlockId to;
        Box region;
    };
    class Arrivals;
    struct State {
        Cut cut;
        std::vector<std::optional<Holding>> blocks;  // by the cut's index
        std::map<Box, std::vector<Holding>> copies;  // got from elsewhere, cut or assembled; maybe as a part of more
        std::int32_t source = -1;                    // of a leaf, in Header::inputs
    };
    State& state(ValueId value) { return states_[static_cast<std::size_t>(value.value())]; }
    State const& state(ValueId value) const { return states_[static_cast<std::size_t>(value.value())]; }
    SectionBuilder& on(Rank rank) { return sections_[static_cast<std::size_t>(rank.value())]; }

    std::optional<Holding> copy_of(ValueId value, Box const& box, Rank rank) const;
    BlockId load(ValueId value, Box const& box, Rank rank);
    int next_tag(Rank from, Rank to);
    /// @param once  bytes that come to a rank each time that the value changes
    void count(Rank to, Purpose purpose, ValueId value, std::int64_t once);
    std::optional<Holding> at_hand(ValueId value, Piece const& piece, Box const& region, Rank rank);
    Holding from_one_block(ValueId value, Piece const& piece, Box const& region, Rank rank, Purpose purpose);
    Holding assembled(ValueId value, std::vector<Piece> const& pieces, Box const& region, Rank rank, Purpose purpose);
    Purpose purpose_of(ValueId value, Box const& region) const;
    BlockId cut_out(ValueId value, Holding const& from, Box const& region);
    void bring(ValueId value, Box const& region, Holding const& from, Holding const& to, Purpose purpose);
    std::vector<Box> messages_of(ValueId value, Box const& region, Box const& from, Box const& to) const;
    void deliver();
    void send(Delivery const& delivery, Box const& message, Arrivals& arrivals);
    struct End {
        BlockId block;
        Box part;  // without axes: all of it
        Rank rank;
    };
    void add_message(End const& sent, End const& received, int level);
    /// How many loops around a value's turns are. What brings it to a rank comes before the loops in which it does not change.
    int level_of(ValueId value) const { return levels_[static_cast<std::size_t>(value.value())]; }
    struct Spreading;
    std::optional<Spreading> spreading(ValueId value, Box const& region, std::vector<Rank> const& ranks) const;
    void gather(ValueId value, CellGrid const& grid, std::vector<Rank> const& row, Purpose purpose,
                std::vector<Holding>& ends);
    Holding exactly(ValueId value, Box const& region, Rank rank);
    void copy(ValueId value, Holding const& from, BlockId to, Box const& region);

    graph::EinGraph const& graph_;
    InputsPolicy inputs_;
    Staging staging_;
    Messages messages_;
    std::vector<SectionBuilder>& sections_;
    Tables& tables_;
    std::vector<State> states_;
    std::vector<Traffic> traffic_;
    std::vector<std::vector<int>> next_tags_;  // by rank from, then rank to; empty while a rank has sent nothing
    std::vector<int> levels_;                  // by value
    std::vector<std::int64_t> turns_;          // by value: how often it changes
    std::size_t node_ = 0, operand_ = 0;
    bool merges_parts_ = false;
    bool exchanging_ = false;
    std::vector<Delivery> deliveries_;    // asked for, not yet in the sections; those to one block follow one another
    std::vector<Placing> placings_;       // to come after them
    std::vector<std::int64_t> received_;  // by rank, for the node that lowering is at
};

}  // namespace ein::scheduler
