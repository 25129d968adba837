// einrun --verify: reads the outputs back and compares them with what the reference interpreter says of the graph, all
// elements when that is little work, else some of them at positions that depend on the shape alone. An element that is
// further off than usual is not wrong yet: it is computed again with rounding errors at random, and judged by how far
// these move it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "executor/report/verification.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/relation/interpret.hpp"

namespace ein::apps {

struct VerifySetup {
    std::string graph_text, graph_file;
    std::filesystem::path data_folder, output_folder;
    std::vector<std::string> inputs;  // NAME=FILE, as given to the run
    scalar::Params params;
    std::optional<std::int64_t> samples;
    bool tf32 = false;  // multiplications in f32 were allowed to round their factors to 11 significant bits
};

/// @throws InputError, RunError
executor::Verification verify_run(VerifySetup const& setup);

/// At least `count` positions of a tensor, where it has so many, and not many more: a product of index sets, with first
/// and last of each axis where there is room.
relation::IndexSets sampled_indices(Shape const& shape, std::int64_t count);

}  // namespace ein::apps
