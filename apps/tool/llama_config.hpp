// What a Hugging Face config.json says of a LLaMA. What would change the model's results and is not supported is refused; keys that would
// not (of training, of generation) are ignored, as they are many and new ones come.
#pragma once

#include <filesystem>
#include <string>

#include "apps/tool/llama_graph.hpp"

namespace ein::apps::tool {

struct LlamaConfig {
    LlamaSizes sizes{};
    bool tied_embeddings = false;  // the embedding is the unembedding too
    Extent most_positions = 0;     // that the model was trained for; 0: not told
    std::string weights_dtype;     // as config.json names it; empty: not told
};

/// @throws InputError with all faults of the file
LlamaConfig read_llama_config(std::filesystem::path const& file);

}  // namespace ein::apps::tool
