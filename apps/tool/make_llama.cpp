#include "apps/tool/make_llama.hpp"

#include <cmath>
#include <map>

#include "apps/tool/graph_text.hpp"
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
}

class LlamaMaker {
public:
    LlamaMaker(LlamaSizes const& sizes, std::string const& dtype)
        : s_(sizes),
          head_(sizes.dim / sizes.heads),
          group_(sizes.heads / sizes.kv_heads),
          g_("llama-prefill", dtype),
          dtype_(dtype) {}

    std::string text() {
        g_.random_integers("tokens", {s_.batch, s_.sequence}, "i32", s_.vocab);
        weight("embedding", {s_.vocab, s_.dim}, 1);
        make_rotation();
        g_.op("x0", "gather", {"embedding", "tokens"}, {{"axis", 0}});
        std::string x = "x0";
        for (Extent k = 0; k < s_.layers; ++k) x = layer("layer" + std::to_string(k) + ".", x);
        return logits(x);
    }

private:
    void weight(std::string const& name, Shape const& shape, Extent inputs) {
        g_.normal(name, shape, 1 / std::sqrt(static_cast<double>(inputs)));  // results stay near 1
    }

    /// What turns (pair) into (turned) at each position, in double precision: angles grow with the position.
    void make_rotation() {
        g_.fill("rotary_base", {}, 10000, "f64");
        std::string const angle = "([seq] * x ^ (-[half] / " + std::to_string(head_ / 2) + "))";
        g_.einsum("rotation", {{"in", {OrderedJson::array()}}, {"out", {"seq", "half", "turned", "pair"}}},
                  {"rotary_base"},
                  {{"sizes", {{"seq", s_.sequence}, {"half", head_ / 2}, {"turned", 2}, {"pair", 2}}},
                   {"join", "where([turned] == [pair], cos" + angle + ", where([turned] > [pair], sin" + angle +
                                ", -sin" + angle + "))"},
                   {"dtype", dtype_}});
    }

    /// @param at  labels of all axes but the last, which is dim
    std::string norm(std::string const& name, std::string const& x, std::string const& at) {
        std::string const all = at + " dim";
        g_.fill(name + ".weight", {s_.dim}, 1);
        g_.einsum(name + ".squares", all + " -> " + at, {x}, {{"join", "x*x"}});
        g_.einsum(name, all + ", " + at + ", dim -> " + all, {x, name + ".squares", name + ".weight"},
                  {{"join", "x*rsqrt(y/" + std::to_string(s_.dim) + " + 1e-5)*z"}});
        return name;
    }

    std::string residual(std::string const& name, std::string const& x, std::string const& y) {
        g_.einsum(name, "batch seq dim, batch seq dim -> batch seq dim", {x, y}, {{"join", "x+y"}});
        return name;
    }

    std::string layer(std::string const& at, std::string const& x) {
        std::string const h = norm(at + "attention_norm", x, "batch seq");
        std::string const y = residual(at + "attention_sum", x, attention(at, h));
        return residual(at + "ffn_sum", y, feed_forward(at, norm(at + "ffn_norm", y, "batch seq")));
    }

    std::string attention(std::string const& at, std::string const& h) {
        Extent const d = s_.dim, kv = s_.kv_heads;
        weight(at + "wq", {d, kv, group_, 2, head_ / 2}, d);
        weight(at + "wk", {d, kv, 2, head_ / 2}, d);
        weight(at + "wv", {d, kv, head_}, d);
        weight(at + "wo", {kv, group_, head_, d}, d);
        g_.einsum(at + "q", "batch seq dim, dim heads group pair half -> batch seq heads group pair half",
                  {h, at + "wq"});
        g_.einsum(at + "k", "batch seq dim, dim heads pair half -> batch seq heads pair half", {h, at + "wk"});
        g_.einsum(at + "v", "batch seq dim, dim heads head -> batch seq heads head", {h, at + "wv"});
        g_.einsum(at + "q_turned",
                  "batch seq heads group pair half, seq half turned pair -> batch seq heads group turned half",
                  {at + "q", "rotation"});
        g_.einsum(at + "k_turned", "batch seq heads pair half, seq half turned pair -> batch seq heads turned half",
                  {at + "k", "rotation"});
        g_.einsum(at + "scores",
                  "batch seq heads group pair half, batch key heads pair half -> batch heads group seq key",
                  {at + "q_turned", at + "k_turned"});
        std::string const rows = "batch heads group seq", all = rows + " key";
        g_.einsum(at + "masked", all + " -> " + all, {at + "scores"},
                  {{"join", "where([seq] >= [key], x/sqrt(" + std::to_string(head_) + "), -inf)"}});
        g_.einsum(at + "largest", all + " -> " + rows, {at + "masked"}, {{"agg", "max"}});
        g_.einsum(at + "powers", all + ", " + rows + " -> " + all, {at + "masked", at + "largest"},
                  {{"join", "exp(x-y)"}});
        g_.einsum(at + "total", all + " -> " + rows, {at + "powers"});
        g_.einsum(at + "weights", all + ", " + rows + " -> " + all, {at + "powers", at + "total"}, {{"join", "x/y"}});
        g_.einsum(at + "attended", all + ", batch key heads head -> batch seq heads group head",
                  {at + "weights", at + "v"});
        g_.einsum(at + "attention", "batch seq heads group head, heads group head dim -> batch seq dim",
                  {at + "attended", at + "wo"});
        return at + "attention";
    }

    std::string feed_forward(std::string const& at, std::string const& h) {
        weight(at + "w_gate", {s_.dim, s_.ffn}, s_.dim);
        weight(at + "w_up", {s_.dim, s_.ffn}, s_.dim);
        weight(at + "w_down", {s_.ffn, s_.dim}, s_.ffn);
        g_.einsum(at + "gate", "batch seq dim, dim ffn -> batch seq ffn", {h, at + "w_gate"});
        g_.einsum(at + "up", "batch seq dim, dim ffn -> batch seq ffn", {h, at + "w_up"});
        g_.einsum(at + "gated", "batch seq ffn, batch seq ffn -> batch seq ffn", {at + "gate", at + "up"},
                  {{"join", "silu(x)*y"}});
        g_.einsum(at + "ffn", "batch seq ffn, ffn dim -> batch seq dim", {at + "gated", at + "w_down"});
        return at + "ffn";
    }

    std::string logits(std::string const& x) {
        std::string last = x, at = "batch seq";
        if (!s_.all_logits) {
            last = "last", at = "batch last";
            g_.op(last, "slice", {x}, {{"start", {s_.sequence - 1}}, {"stop", {s_.sequence}}, {"axes", {1}}});
        }
        weight("unembedding", {s_.dim, s_.vocab}, s_.dim);
        g_.einsum("logits", at + " dim, dim vocab -> " + at + " vocab", {norm("norm", last, at), "unembedding"});
        return g_.text({"logits"});
    }

    LlamaSizes const& s_;
    Extent head_, group_;
    GraphText g_;
    std::string dtype_;
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
    return LlamaMaker(sizes, dtype).text();
}

}  // namespace ein::apps::tool
