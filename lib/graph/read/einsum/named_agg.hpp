// What "agg" of an EinSum node names, one row each: the aggregations of the table (scalar/expression/agg.hpp), and
// those that become several nodes when a graph is read, as argmax does. Example: named_agg("argmax") aggregates by max,
// over one label, into i64; named_agg("summ") is nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph_builder.hpp"
#include "lib/scalar/expression/parse/spellings.hpp"

namespace ein::graph {

/// An EinSum node that is to be made, its faults reported.
struct AggLowering {
    NodeBuilder& builder;
    EinSum einsum;  // with the row's agg
    std::vector<ValueId> inputs;
    DType inside, output;
    std::optional<Path> path;
    double correction = 0;  // what var and std take from the number of elements
};

struct NamedAgg {
    std::string_view name;
    scalar::Agg agg = scalar::Agg::sum;           // that it is, or is made of
    bool one_label = false;                       // over exactly one label
    DType (*result)(DType common);                // of the node that gives no dtype, from its inputs' common type
    DType (*inside)(DType common, DType output);  // of the EinSum that has the join
    ValueId (*lower)(AggLowering lowering);
    bool own_join = false;  // it is computed of another join than the node's: a "path" has nothing to follow
};

/// The aggregation of this name or of another spelling of it.
std::optional<NamedAgg> named_agg(std::string_view name);
/// In the order in which they are listed.
std::vector<std::string> named_agg_names();
/// Other spellings of them: NumPy's and others' names.
std::span<scalar::Taken const> taken_aggs();

}  // namespace ein::graph
