// The graph of what is left, while it is made: copies of a graph's nodes and loops, each reading what its inputs are by
// now: what was saved, what was copied last, or nothing that is known. Which nodes are copied, and in which order, is
// said by rest_of. Example: after hand_over(L), what L carries begins with what the last copied iteration of it made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

class RestBuilder {
public:
    explicit RestBuilder(EinGraph const& graph);

    /// A saved value is read where its node would be copied, until begin_rest.
    void add_saved(ValueId value, tensor::Source source);
    /// A value that is carried by a loop that has ended, as its last iteration had it.
    void add_last(ValueId value, tensor::Source source);
    /// What the loop carries is no longer what it began with.
    void forget_begins(std::int32_t loop);
    /// From now on every node that is copied is one that has not run, and so reads nothing unknown.
    void begin_rest() { is_rest_ = true; }
    /// What the loop carries has its result in the copy of its last iteration.
    void keep_results(std::int32_t loop);

    /// Where a copy goes.
    struct Place {
        std::int32_t loop = -1;          // of the graph that is built
        bool again = false;              // the graph may have a copy of the same more: it needs another name
        std::optional<ValueId> goes_on;  // nothing that is done counts where it is 0
    };
    void copy(Node const& node, Place const& in);
    /// @return its number in the graph that is built
    std::int32_t begin_loop(std::int32_t loop, std::int64_t iterations, Place const& in);
    void end_loop(std::int32_t loop, std::int32_t made, Place const& in);

    void hand_over(std::int32_t loop);
    /// The loop has its first iteration even where its condition, as it was copied last, has ended it: then that
    /// iteration, and no other, changes nothing.
    /// @return what says so, in the loop
    ValueId begin_guard(std::int32_t loop, std::int32_t made);
    void end_guarded(std::int32_t loop, Place const& in);

    EinGraph finish();

private:
    struct Carried {
        std::int32_t loop = -1;
        bool inside = false;
    };

    Loop const& loop(std::int32_t number) const { return graph_.loops[static_cast<std::size_t>(number)]; }
    Node const& producer(ValueId value) const { return graph_.node(*producers_[at(value)]); }
    std::optional<ValueId>& now(ValueId value) { return now_[at(value)]; }
    ValueId known(ValueId value);
    std::optional<ValueId> saved_result(std::int32_t loop, ValueId result) const;
    std::string name_of(ValueId value, Place const& in) const;
    ValueId add(Node node, std::string name, Shape shape, DType dtype);
    ValueId add_leaf(std::string name, Value const& like, tensor::Source source);
    ValueId add_einsum(std::string const& name, EinSum einsum, std::vector<ValueId> inputs, DType dtype,
                       std::int32_t in_loop);
    ValueId add_inside(ValueId inside, Place const& in);
    void name_values(EinGraph& rest) const;
    ValueId both(std::string const& name, ValueId a, ValueId b, std::int32_t in_loop);
    ValueId is_not_zero(std::string const& name, ValueId value, std::int32_t in_loop);

    EinGraph const& graph_;
    EinGraph out_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<NodeId>> consumers_;
    std::vector<std::int32_t> changes_;          // by value of the graph: loops_of_values
    std::vector<Carried> carried_;               // by value of the graph
    std::vector<std::optional<ValueId>> now_;    // by value of the graph: what it is; nothing: unknown
    std::vector<std::optional<ValueId>> saved_;  // by value of the graph: its leaf
    std::vector<std::optional<ValueId>> last_;   // by value of the graph that is carried: its leaf, when its loop ended
    std::vector<bool> forgotten_;                // by value of the graph
    std::vector<std::int32_t> from_;             // by loop that is built: which one it is a copy of
    bool is_rest_ = false;
    std::int32_t keeps_ = -1, guarded_ = -1;  // loops of the graph
};

}  // namespace ein::graph
