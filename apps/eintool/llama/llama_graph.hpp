// A LLaMA, or a model of its kind (Mistral, Qwen2), as EinSums: layers with RMSNorm, rotary positions, causal attention
// with grouped query heads, perhaps of a window of positions, SwiGLU, and biases where a model has them. Two
// graphs of them: prefill, from a prompt's tokens to logits; and decode, the prefill and then a loop that makes one
// greedy token an iteration, with what attention reads of earlier positions kept in caches of fixed capacity. Labels
// are words with one meaning throughout: batch, seq (positions of queries), key (positions of keys), dim, heads (of
// keys and values), group (queries that share such a head), pair and half (a query's two halves), head, ffn, vocab.
// Where weights come from, and in which order their axes lie, is the caller's (make_llama.hpp, import_llama.hpp).
#pragma once

#include <string>
#include <vector>

#include "apps/eintool/graph_text.hpp"

namespace ein::apps::tool {

/// Slower turning of models that were trained further on longer texts: the frequencies that turn fewer than `low` times
/// in `positions` are divided by `factor`, those that turn more than `high` times are kept, and between them lies a
/// straight line. Where `positions` is 0 all are divided. Source: Hugging Face's rope types llama3 and linear.
struct RotaryScaling {
    double factor = 1, low = 0, high = 0, positions = 0;
};

struct LlamaSizes {
    Extent layers, dim, heads, kv_heads, ffn, vocab;
    Extent batch = 1, sequence = 1024;
    bool all_logits = false;  // of all positions; else of the last
    Extent decode = 0;        // tokens to make after the prompt; 0: logits are the result
    Extent head_dim = 0;      // 0: dim / heads
    double norm_epsilon = 1e-5, rotary_base = 10000;
    RotaryScaling rotary_scaling = {};
    /// By layer: how many positions attention reads at most, its own among them; 0, or no entry: all up to its own.
    std::vector<Extent> windows = {};

    Extent head() const { return head_dim > 0 ? head_dim : dim / heads; }
    Extent group() const { return heads / kv_heads; }
    /// Positions that a cache has room for: the prompt's and the made tokens'.
    Extent capacity() const { return sequence + decode; }
    /// 0 where the layer's window holds every position that there will be.
    Extent window(std::size_t layer) const {
        return layer < windows.size() && windows[layer] < capacity() ? windows[layer] : 0;
    }
};

/// A tensor or node, and its axes' labels in the order in which they lie there.
struct LabeledTensor {
    std::string name, labels;
    std::string bias = {};  // added to a product with it, of the labels that come out in their order below; or none
};

struct LlamaLayerWeights {
    std::string attention_norm;  // [dim]
    LabeledTensor wq;            // dim heads group pair half
    LabeledTensor wk;            // dim heads pair half
    LabeledTensor wv;            // dim heads head
    LabeledTensor wo;            // heads group head dim
    std::string ffn_norm;        // [dim]
    LabeledTensor gate, up;      // dim ffn
    LabeledTensor down;          // ffn dim
};

struct LlamaWeights {
    std::string tokens;     // integers [batch, seq], all below vocab
    std::string embedding;  // [vocab, dim]
    std::vector<LlamaLayerWeights> layers;
    std::string norm;           // [dim]
    LabeledTensor unembedding;  // dim vocab
};

/// Adds the nodes behind `weights`.
/// @return the graph's text; its output is `logits` [batch, seq or 1, vocab], or `tokens_out` [batch, decode] of i64
std::string llama_text(GraphText& g, std::string const& dtype, LlamaSizes const& sizes, LlamaWeights const& weights);

}  // namespace ein::apps::tool
