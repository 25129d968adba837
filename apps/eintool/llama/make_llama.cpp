#include "apps/eintool/llama/make_llama.hpp"

#include <cmath>
#include <map>

#include "lib/base/error.hpp"

namespace ein::apps::tool {
namespace {

/// Touvron et al., LLaMA, 2023, table 2.
std::map<std::string, LlamaSizes> const& known_sizes() {
    static std::map<std::string, LlamaSizes> const sizes{
        {"7b", {.layers = 32, .dim = 4096, .heads = 32, .kv_heads = 32, .ffn = 11008, .vocab = 32000}},
        {"13b", {.layers = 40, .dim = 5120, .heads = 40, .kv_heads = 40, .ffn = 13824, .vocab = 32000}},
        {"65b", {.layers = 80, .dim = 8192, .heads = 64, .kv_heads = 64, .ffn = 22016, .vocab = 32000}},
        {"tiny",
         {.layers = 2, .dim = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 128, .batch = 1, .sequence = 16}}};
    return sizes;
}

void check(LlamaSizes const& s) {
    auto refuse = [](std::string const& option, std::string const& expected, Extent found) {
        throw UsageError("make llama " + option + ": expected " + expected + ", found " + std::to_string(found));
    };
    if (s.dim % (2 * s.heads) != 0)
        refuse("--dim", "a multiple of twice the heads (" + std::to_string(s.heads) + ")", s.dim);
    if (s.heads % s.kv_heads != 0)
        refuse("--kv-heads", "a divisor of the heads (" + std::to_string(s.heads) + ")", s.kv_heads);
    if (s.all_logits && s.decode > 0)
        refuse("--decode", "none beside --logits all (what is written are tokens)", s.decode);
}

/// Random weights in their natural order, inputs first: results stay near 1.
class RandomWeights {
public:
    RandomWeights(GraphText& g, LlamaSizes const& sizes) : g_(g), s_(sizes) {}

    LlamaWeights all() {
        LlamaWeights w;
        g_.random_integers(w.tokens = "tokens", {s_.batch, s_.sequence}, "i32", s_.vocab);
        w.embedding = weight("embedding", "vocab dim", {s_.vocab, s_.dim}, 1).name;
        for (Extent k = 0; k < s_.layers; ++k) w.layers.push_back(layer("layer" + std::to_string(k) + "."));
        w.unembedding = weight("unembedding", "dim vocab", {s_.dim, s_.vocab}, s_.dim);
        w.norm = ones("norm.weight");
        return w;
    }

private:
    LlamaLayerWeights layer(std::string const& at) {
        Extent const d = s_.dim, kv = s_.kv_heads, head = s_.head();
        LlamaLayerWeights w;
        w.attention_norm = ones(at + "attention_norm.weight");
        w.wq = weight(at + "wq", "dim heads group pair half", {d, kv, s_.group(), 2, head / 2}, d);
        w.wk = weight(at + "wk", "dim heads pair half", {d, kv, 2, head / 2}, d);
        w.wv = weight(at + "wv", "dim heads head", {d, kv, head}, d);
        w.wo = weight(at + "wo", "heads group head dim", {kv, s_.group(), head, d}, d);
        w.ffn_norm = ones(at + "ffn_norm.weight");
        w.gate = weight(at + "w_gate", "dim ffn", {d, s_.ffn}, d);
        w.up = weight(at + "w_up", "dim ffn", {d, s_.ffn}, d);
        w.down = weight(at + "w_down", "ffn dim", {s_.ffn, d}, s_.ffn);
        return w;
    }

    LabeledTensor weight(std::string const& name, std::string const& labels, Shape const& shape, Extent inputs) {
        g_.normal(name, shape, 1 / std::sqrt(static_cast<double>(inputs)));
        return {name, labels};
    }

    std::string ones(std::string const& name) {
        g_.fill(name, {s_.dim}, 1);
        return name;
    }

    GraphText& g_;
    LlamaSizes const& s_;
};

}  // namespace

std::vector<std::string> llama_names() {
    std::vector<std::string> names;
    for (auto const& [name, unused] : known_sizes()) names.push_back(name);
    return names;
}

std::optional<LlamaSizes> llama_sizes(std::string const& name) {
    auto const at = known_sizes().find(name);
    if (at == known_sizes().end()) return std::nullopt;
    return at->second;
}

std::string llama(LlamaSizes const& sizes, std::string const& dtype) {
    check(sizes);
    GraphText g(sizes.decode > 0 ? "llama-decode" : "llama-prefill", dtype);
    LlamaWeights const weights = RandomWeights(g, sizes).all();
    return llama_text(g, dtype, sizes, weights);
}

}  // namespace ein::apps::tool
