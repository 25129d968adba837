// A LLaMA of a published size, or any other, with random weights: a prefill ("first token") graph, or one that decodes
// (see llama_graph.hpp). Example: LlamaSizes sizes = *llama_sizes("tiny"); sizes.sequence = 8; llama(sizes, "f32") has
// logits [1, 1, 128].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/eintool/llama/llama_graph.hpp"

namespace ein::apps::tool {

/// Names of published sizes, and tiny; nothing for an unknown name.
std::vector<std::string> llama_names();
std::optional<LlamaSizes> llama_sizes(std::string const& name);

/// @return EinGraph JSON
/// @throws UsageError where heads do not divide dim, kv_heads not heads, a head has an odd dimension, or all logits are
/// wanted of a graph that decodes
std::string llama(LlamaSizes const& sizes, std::string const& dtype);

}  // namespace ein::apps::tool
