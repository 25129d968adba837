// Networks from other tools as EinGraph JSON: a product of random tensors in the order that the file gives, if any.
// Formats: opt_einsum ({"einsum", "shapes", "path"}, and einsum_benchmark's {"format_string", "paths"}), cotengra
// ({"inputs", "output", "size_dict"} with a path, ssa_path or tree), omeinsum ({"inputs", "output", "tree"} or
// {"einsum": {"ixs", "iy"}}, with {"size"}).
// Example: {"inputs": [["a", "b"], ["b"]], "output": ["a"], "size_dict": {"a": 2, "b": 3}} is "ab,b->a".
#pragma once

#include <string>

#include "apps/eintool/network/read_network.hpp"

namespace ein::apps::tool {

struct NetworkImport {
    std::string format, file, dtype;  // dtype empty: the file's, or f32
    bool replan = false;              // orders and slices in the file are left out
};

/// @throws InputError with all faults of the file
std::string import_network(NetworkImport const& request);

}  // namespace ein::apps::tool
