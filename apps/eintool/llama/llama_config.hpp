// What a Hugging Face config.json says of a LLaMA, a Mistral or a Qwen2, which differ in biases and windows. What would
// change the model's results and is not supported is refused; keys that would not (of training, of generation) are
// ignored, as they are many and new ones come.
#pragma once

#include <string>

#include "apps/eintool/llama/llama_graph.hpp"
#include "lib/base/json.hpp"

namespace ein::apps::tool {

struct LlamaConfig {
    LlamaSizes sizes{};
    bool tied_embeddings = false;                                     // the embedding is the unembedding too
    bool qkv_bias = false, attention_bias = false, mlp_bias = false;  // of q, k, v; of their output; of gate, up, down
    Extent most_positions = 0;                                        // that the model was trained for; 0: not given
    std::string weights_dtype;                                        // as config.json names it; empty: not given
};

/// @param file  names it in messages  @throws InputError with all faults of the file
LlamaConfig llama_config(Json const& document, std::string const& file);

}  // namespace ein::apps::tool
