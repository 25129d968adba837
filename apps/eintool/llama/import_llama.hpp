// A LLaMA, Mistral or Qwen2 from a Hugging Face folder (config.json and safetensors files): the graph of
// llama_graph.hpp with the model's weights. Its weights are [out, in] with heads one after another along out or in, and
// pairs to be turned a half of a head apart: they are read with axes split, so that heads, groups, pairs and halves can
// be told apart. What is stored in another dtype than the computing one is cast. Example: import_llama({.folder =
// "llama", .sequence = 8, .out = "g.json"}) reads tokens [1, 8] given with --input.
#pragma once

#include <optional>
#include <string>

#include "lib/base/box.hpp"

namespace ein::apps::tool {

struct ImportLlama {
    std::string folder = {};
    std::string tokens = {};  // a .npy file of integers [seq] or [batch, seq]; empty: given when the graph is run
    std::optional<Extent> sequence = {};  // without tokens
    std::optional<Extent> batch = {};
    std::string dtype = {};  // to compute in; empty: f32, and f64 for a model of f64
    bool all_logits = false;
    Extent decode = 0;
    std::string out = {};  // the graph's file: paths in it are relative to its folder; empty: they are absolute
};

/// @return EinGraph JSON
/// @throws InputError with all faults of config.json, else all of the weights; UsageError
std::string import_llama(ImportLlama const& options);

}  // namespace ein::apps::tool
