// What the reader of one node may use: its JSON, its inputs so far, and the graph that it adds to. One node has one
// reader (read_einsum, read_tra, or an op of lib/graph/ops/). A reader reports every fault that it can see, and gives
// the node's value: nothing when not even its shape is known, so that nodes that read it report no fault that follows
// from this one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {

/// An EinSum node as its file has it, before an aggregation such as "mean" becomes several nodes.
struct WrittenEinSum {
    EinSum einsum;
    std::string_view agg;  // its name, one of named_agg_names
    DType join, output;    // the join's type, and the node's
};

struct NodeContext {
    Cursor node;
    GraphBuilder& graph;
    std::string name;
    std::vector<std::optional<ValueId>> inputs;  // nothing: unknown, because of another fault
    std::vector<std::string> const& params;
    DType default_dtype;                        // the graph's
    std::optional<WrittenEinSum> written = {};  // by read_einsum, of a node without faults
    std::vector<std::string> notes = {};        // by readers: what is sound and hardly meant

    /// Where the file names input k.
    Cursor input_at(std::size_t k) const { return entry_at(node.at("inputs"), k); }
    /// What the file calls each input.
    std::vector<std::string> input_names() const {
        std::vector<std::string> names;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            Json const& name = input_at(k).value();
            names.push_back(name.is_string() ? name.get<std::string>() : "");
        }
        return names;
    }

    bool inputs_known() const {
        for (auto const& input : inputs)
            if (!input) return false;
        return true;
    }
};

/// Reads {"name", "einsum", "inputs", "join", "agg", "dtype", "compute", "sizes", "path", "sparse"}.
std::optional<ValueId> read_einsum(NodeContext& context);

/// Reads {"name", "op", "inputs", and the op's attributes}.
std::optional<ValueId> read_op(NodeContext& context);

/// Reads {"name", "grad": {"of", "wrt"}}, whose inputs are "of" and those of "wrt".
/// @return a value for each of "wrt"
std::vector<std::optional<ValueId>> read_gradient(NodeContext& context);

/// Reads {"name", "tra", "inputs", "cut", "result", "dtype"}: a program of the tensor relational algebra.
std::optional<ValueId> read_tra(NodeContext& context);

}  // namespace ein::graph
