// Nodes that are alike are lowered once. What a node becomes depends on its operation, on its plan, and on where the
// blocks of its inputs lie: layers of a network are the same in all of that from the third on or so. Their tasks are
// those of the earlier one under other names, made without placing, cutting and matching boxes again.
// Example: of 32 equal layers two or three are lowered; lower(id, ...) makes the others again, task by task.
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <unordered_map>

#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

class AlikeNodes {
public:
    explicit AlikeNodes(LoweringContext& context);

    /// Lowers the node: as the one before it that is alike, else by calling lower().
    /// @param last_read  inputs that no node after it reads, whose copies are forgotten when it is lowered
    void lower(NodeId id, std::vector<ValueId> const& last_read, std::function<void()> const& lower);
    /// The node whose tasks were made again for that one; itself, where it was lowered.
    NodeId like(NodeId id) const { return like_[at(id)]; }
    /// The node is not lowered at all.
    void pass_over(NodeId id);
    /// Those to come are expected to be like the last `count` nodes, up to that one: others are forgotten.
    void settle_on(NodeId last, std::size_t count);

private:
    using Key = std::uint64_t;
    /// All that decides what a node becomes, but for its operation.
    struct State {
        DirectoryState directory;
        std::vector<ValueId> values;     // distinct inputs, then the output
        std::vector<std::string> names;  // that tables may have entries under
        std::vector<bool> last_read;     // by value
    };
    /// A node as it was lowered.
    struct Lowered {
        NodeId node;
        Key key, check;                        // of its state, and of the operation's hash
        State state;                           // without its numbers
        std::vector<SectionEnds> first, last;  // by rank
        std::vector<TableEntry> entries;
        std::vector<DirectoryEntry> directory;
        std::int64_t tasks() const;  // of all ranks
        std::size_t weight() const { return state.directory.places.size() + directory.size() + 2 * first.size(); }
    };
    using Place = std::list<Lowered>::iterator;
    /// Nodes of one outline: not lowered yet, and kept.
    struct OfOutline {
        int left = 0, kept = 0;
    };

    bool may_be_alike(NodeId id) const;
    State state_of(NodeId id, std::vector<ValueId> const& last_read) const;
    void describe_plan(NodeId id, std::vector<Extent>& numbers) const;
    static bool notes_all_of(State const& before, State const& now);
    Place find(NodeId id, Key key, Key check, State const& state);
    void lower_and_keep(Lowered made, std::vector<ValueId> const& last_read, std::function<void()> const& lower);
    bool repeat(Lowered const& as, State const& state, NodeId id);
    std::optional<std::vector<BlockNames>> block_names(State const& from, State const& to) const;
    Renaming enter(Lowered const& as, State const& state);
    OfOutline& of_outline(NodeId node) { return of_outline_.at(context_.outlines[at(node)]); }
    Place forget(Place kept);
    void forget_cut_like(NodeId id);
    std::vector<SectionEnds> ends() const;

    LoweringContext& context_;
    std::vector<NodeId> like_;  // by NodeId
    std::vector<bool> once_;    // by NodeId: no other node is cut like it
    std::unordered_map<std::uint64_t, OfOutline> of_outline_;
    std::list<Lowered> kept_;  // the one used last comes first
    std::unordered_multimap<Key, Place> places_;
    std::size_t weight_ = 0;
};

}  // namespace ein::scheduler
