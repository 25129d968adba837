#include "lib/graph/read/read_storage.hpp"

#include "lib/graph/read/fields.hpp"

namespace ein::graph {

void read_storage(Cursor const& node, ValueId value, GraphBuilder& builder) {
    auto const at = optional_at(node, "sparse");
    auto const sparse = at ? at->boolean() : std::nullopt;
    if (!sparse) return;
    if (builder.producer(value))
        return builder.set_storage(value, *sparse ? StorageWish::sparse : StorageWish::dense, at->pointer());
    Value const& kept = builder.value(value);  // a leaf, of which this is another name
    if (kept.listing.has_value() == *sparse) return;
    at->fail(*sparse ? "a node that computes something" : "a node whose result is not sparse",
             "another name of '" + kept.name + "', which is kept " + (*sparse ? "dense" : "sparse"),
             "remove \"sparse\" here, or write it where '" + kept.name + "' is given");
}

}  // namespace ein::graph
