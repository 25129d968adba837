// A LLaMA prefill ("first token") graph: from tokens to logits, weights random. Layers have RMSNorm, rotary positions, causal
// attention with grouped query heads, and SwiGLU.
// Labels are words with one meaning throughout: batch, seq (positions of queries), key (positions of keys), dim, heads
// (of keys and values), group (queries that share such a head), pair and half (a query's two halves), head, ffn, vocab.
// Example: LlamaSizes sizes = *llama_sizes("tiny"); sizes.sequence = 8; llama(sizes, "f32") has logits [1, 1, 128].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/box.hpp"

namespace ein::apps::tool {

struct LlamaSizes {
    Extent layers, dim, heads, kv_heads, ffn, vocab;
    Extent batch = 1, sequence = 1024;
    bool all_logits = false;  // of all positions; else of the last
};

/// Names of published sizes, and tiny; nothing for an unknown name.
std::vector<std::string> llama_names();
std::optional<LlamaSizes> llama_sizes(std::string const& name);

/// @return EinGraph JSON
/// @throws UsageError where heads do not divide dim, kv_heads not heads, or a head has an odd dimension
std::string llama(LlamaSizes const& sizes, std::string const& dtype);

}  // namespace ein::apps::tool
