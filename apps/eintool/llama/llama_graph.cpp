#include "apps/eintool/llama/llama_graph.hpp"

#include <algorithm>
#include <set>

namespace ein::apps::tool {
namespace {

/// Queries of all positions of a prompt, or that of the one position which an iteration of the loop is at.
enum class Stage { prefill, step };

std::string text_of(double number) { return OrderedJson(number).dump(); }

std::string at_layer(std::size_t layer) { return "layer" + std::to_string(layer) + "."; }

class LlamaWriter {
public:
    LlamaWriter(GraphText& g, std::string const& dtype, LlamaSizes const& sizes, LlamaWeights const& weights)
        : g_(g), dtype_(dtype), s_(sizes), w_(weights) {
        g_.fill("rotary_base", {}, s_.rotary_base, "f64");
        g_.einsum("frequencies", {{"in", {OrderedJson::array()}}, {"out", {"half"}}}, {"rotary_base"},
                  {{"sizes", {{"half", s_.head() / 2}}}, {"join", frequency()}});
    }

    std::string prefill() {
        std::string const x = prompt();
        if (s_.all_logits) {
            logits(x, "batch seq");
        } else {
            g_.op("last", "slice", {x}, {{"start", {s_.sequence - 1}}, {"stop", {s_.sequence}}, {"axes", {1}}});
            logits("last", "batch last");
        }
        return g_.text({"logits"});
    }

    std::string decode() {
        std::string const x = prompt();
        g_.op("last", "slice", {x}, {{"slices", ":, -1"}});
        logits("last", "batch");
        best_token("token");
        g_.einsum("made", "batch -> batch turn", {"token"},
                  {{"sizes", {{"turn", s_.decode}}}, {"join", "where([turn] == 0, x, 0)"}});
        if (s_.decode > 1) loop();
        g_.einsum("tokens_out", "batch turn -> batch turn", {s_.decode > 1 ? "decode/made" : "made"});
        return g_.text({"tokens_out"});
    }

private:
    /// From the prompt's tokens to what the last layer makes of them.
    std::string prompt() {
        stage_ = Stage::prefill, rows_ = "batch seq", seq_ = "seq ";
        rotation("[seq] * x", "half -> seq", {"frequencies"}, {{"seq", s_.sequence}});
        return layers(w_.tokens);
    }

    /// An iteration reads the token of `position`, P in the first, and makes the one behind it, number
    /// position - P + 1.
    void loop() {
        g_.fill("position", {}, static_cast<double>(s_.sequence), "i64");
        for (std::size_t k = 0; k < w_.layers.size(); ++k) {
            room(at_layer(k) + "keys", at_layer(k) + "k_turned", 5);
            room(at_layer(k) + "values", at_layer(k) + "v", 4);
        }
        OrderedJson carry{{"token", "token_next"}, {"position", "position_next"}, {"made", "made_next"}};
        for (std::size_t k = 0; k < w_.layers.size(); ++k)
            for (std::string const cache : {"keys", "values"})
                carry[at_layer(k) + cache] = at_layer(k) + cache + "_next";
        g_.loop("decode", {{"times", s_.decode - 1}}, carry, [&] { iteration(); });
    }

    /// A prompt's keys or values [batch, seq, ...], and zeros for positions to come.
    void room(std::string const& name, std::string const& of, std::size_t axes) {
        OrderedJson width = OrderedJson::array();
        for (std::size_t axis = 0; axis < axes; ++axis) width.push_back({0, axis == 1 ? s_.decode : 0});
        g_.op(name, "pad", {of}, {{"pad_width", width}});
    }

    void iteration() {
        stage_ = Stage::step, rows_ = "batch", seq_ = "";
        rotation("y * x", "half, ->", {"frequencies", "position"}, OrderedJson::object());
        OrderedJson const positions{{"in", {OrderedJson::array()}}, {"out", {"key"}}};
        auto mark = [&](std::string const& name, std::string const& join) {
            g_.einsum(name, positions, {"position"},
                      {{"sizes", {{"key", s_.capacity()}}}, {"join", join}, {"dtype", "bool"}});
        };
        mark("here", "[key] == x");
        mark("seen", "[key] <= x");
        std::set<Extent> windows;
        for (std::size_t k = 0; k < w_.layers.size(); ++k)
            if (Extent const window = s_.window(k); window > 0 && windows.insert(window).second)
                mark("seen." + std::to_string(window), "[key] <= x && x - [key] < " + std::to_string(window));
        logits(layers("token"), "batch");
        best_token("token_next");
        g_.einsum("position_next", "->", {"position"}, {{"join", "x + 1"}});
        g_.einsum("made_next", "batch turn, batch, -> batch turn", {"made", "token_next", "position"},
                  {{"join", "where([turn] == z - " + std::to_string(s_.sequence - 1) + ", y, x)"}});
    }

    void best_token(std::string const& name) {
        g_.einsum(name, "batch vocab -> batch", {"logits"}, {{"agg", "argmax"}});
    }

    /// Of a rotary base x: by how much a pair turns from position to position.
    std::string frequency() const {
        RotaryScaling const& scaling = s_.rotary_scaling;
        std::string const plain = "x ^ (-[half] / " + std::to_string(s_.head() / 2) + ")";
        if (scaling.factor == 1) return plain;
        std::string const scaled = plain + " / " + text_of(scaling.factor);
        if (scaling.positions == 0) return scaled;
        std::string const turns = text_of(scaling.positions) + " * " + plain + " / (2*pi)";
        std::string const kept = "min(max((" + turns + " - " + text_of(scaling.low) + ") / " +
                                 text_of(scaling.high - scaling.low) + ", 0), 1)";
        return scaled + " + " + kept + " * (" + plain + " - " + scaled + ")";
    }

    /// What turns (pair) into (turned) at each position; angles are in double precision, since they grow with the
    /// position.
    /// @param angle  in the join  @param labels  of the inputs, and the result's first if there are any
    void rotation(std::string const& angle, std::string const& labels, std::vector<std::string> const& inputs,
                  OrderedJson sizes) {
        sizes.update({{"turned", 2}, {"pair", 2}});
        g_.einsum("rotation", labels + " half turned pair", inputs,
                  {{"sizes", sizes},
                   {"join", "where([turned] == [pair], cos(" + angle + "), where([turned] > [pair], sin(" + angle +
                                "), -sin(" + angle + ")))"},
                   {"dtype", dtype_}});
    }

    std::string layers(std::string const& tokens) {
        g_.op("x0", "gather", {w_.embedding, tokens}, {{"axis", 0}});
        std::string x = "x0";
        for (std::size_t k = 0; k < w_.layers.size(); ++k) {
            window_ = s_.window(k);
            x = layer(at_layer(k), w_.layers[k], x);
        }
        return x;
    }

    std::string layer(std::string const& at, LlamaLayerWeights const& w, std::string const& x) {
        std::string const h = norm(at + "attention_norm", x, w.attention_norm, rows_);
        std::string const y = residual(at + "attention_sum", x, attention(at, w, h));
        return residual(at + "ffn_sum", y, feed_forward(at, w, norm(at + "ffn_norm", y, w.ffn_norm, rows_)));
    }

    /// @param at  labels of all axes but the last, which is dim
    std::string norm(std::string const& name, std::string const& x, std::string const& weight, std::string const& at) {
        std::string const all = at + " dim", epsilon = text_of(s_.norm_epsilon);
        g_.einsum(name + ".squares", all + " -> " + at, {x}, {{"join", "x*x"}});
        g_.einsum(name, all + ", " + at + ", dim -> " + all, {x, name + ".squares", weight},
                  {{"join", "x*rsqrt(y/" + std::to_string(s_.dim) + " + " + epsilon + ")*z"}});
        return name;
    }

    std::string residual(std::string const& name, std::string const& x, std::string const& y) {
        std::string const all = rows_ + " dim";
        g_.einsum(name, all + ", " + all + " -> " + all, {x, y}, {{"join", "x+y"}});
        return name;
    }

    /// x [rows, from] times a weight, and its bias.
    void project(std::string const& name, std::string const& x, std::string const& from, LabeledTensor const& weight,
                 std::string const& to) {
        std::string const product = weight.bias.empty() ? name : name + ".product", all = rows_ + " " + to;
        g_.einsum(product, rows_ + " " + from + ", " + weight.labels + " -> " + all, {x, weight.name});
        if (weight.bias.empty()) return;
        g_.einsum(name, all + ", " + to + " -> " + all, {product, weight.bias}, {{"join", "x+y"}});
    }

    std::string attention(std::string const& at, LlamaLayerWeights const& w, std::string const& h) {
        project(at + "q", h, "dim", w.wq, "heads group pair half");
        project(at + "k", h, "dim", w.wk, "heads pair half");
        project(at + "v", h, "dim", w.wv, "heads head");
        turn_halves(at + "q", "heads group");
        turn_halves(at + "k", "heads");
        attend(at);
        project(at + "attention", at + "attended", "heads group head", w.wo, "dim");
        return at + "attention";
    }

    void turn_halves(std::string const& x, std::string const& heads) {
        std::string const all = rows_ + " " + heads;
        g_.einsum(x + "_turned", all + " pair half, " + seq_ + "half turned pair -> " + all + " turned half",
                  {x, "rotation"});
    }

    void attend(std::string const& at) {
        std::string const keys = seen(at + "keys", at + "k_turned", "heads pair half");
        std::string const values = seen(at + "values", at + "v", "heads head");
        std::string const rows = stage_ == Stage::prefill ? "batch heads group seq" : "batch heads group";
        std::string const all = rows + " key";
        g_.einsum(at + "scores", rows_ + " heads group pair half, batch key heads pair half -> " + all,
                  {at + "q_turned", keys});
        mask(at, all);
        g_.einsum(at + "largest", all + " -> " + rows, {at + "masked"}, {{"agg", "max"}});
        g_.einsum(at + "powers", all + ", " + rows + " -> " + all, {at + "masked", at + "largest"},
                  {{"join", "exp(x-y)"}});
        g_.einsum(at + "total", all + " -> " + rows, {at + "powers"});
        g_.einsum(at + "weights", all + ", " + rows + " -> " + all, {at + "powers", at + "total"}, {{"join", "x/y"}});
        g_.einsum(at + "attended", all + ", batch key heads head -> " + rows_ + " heads group head",
                  {at + "weights", values});
    }

    /// Keys or values of the positions that attention reads: a prompt's own, or a cache's with the new position's in
    /// its place.
    std::string seen(std::string const& cache, std::string const& fresh, std::string const& axes) {
        if (stage_ == Stage::prefill) return fresh;
        std::string const all = "batch key " + axes;
        g_.einsum(cache + "_next", "key, batch " + axes + ", " + all + " -> " + all, {"here", fresh, cache},
                  {{"join", "where(x, y, z)"}});
        return cache + "_next";
    }

    void mask(std::string const& at, std::string const& all) {
        std::string const scaled = "x/sqrt(" + std::to_string(s_.head()) + ")";
        std::string const window = std::to_string(window_);
        std::string const near = window_ > 0 ? " && [seq] - [key] < " + window : "";
        if (stage_ == Stage::prefill)
            g_.einsum(at + "masked", all + " -> " + all, {at + "scores"},
                      {{"join", "where([seq] >= [key]" + near + ", " + scaled + ", -inf)"}});
        else
            g_.einsum(at + "masked", all + ", key -> " + all, {at + "scores", window_ > 0 ? "seen." + window : "seen"},
                      {{"join", "where(y, " + scaled + ", -inf)"}});
    }

    std::string feed_forward(std::string const& at, LlamaLayerWeights const& w, std::string const& h) {
        project(at + "gate", h, "dim", w.gate, "ffn");
        project(at + "up", h, "dim", w.up, "ffn");
        std::string const all = rows_ + " ffn";
        g_.einsum(at + "gated", all + ", " + all + " -> " + all, {at + "gate", at + "up"}, {{"join", "silu(x)*y"}});
        project(at + "ffn", at + "gated", "ffn", w.down, "dim");
        return at + "ffn";
    }

    /// @param at  labels of all axes but the last, which is dim
    void logits(std::string const& x, std::string const& at) {
        g_.einsum("logits", at + " dim, " + w_.unembedding.labels + " -> " + at + " vocab",
                  {norm("norm", x, w_.norm, at), w_.unembedding.name});
    }

    GraphText& g_;
    std::string const& dtype_;
    LlamaSizes const& s_;
    LlamaWeights const& w_;
    Stage stage_ = Stage::prefill;
    std::string rows_, seq_;  // labels of a layer's rows; seq and a space where they have it
    Extent window_ = 0;       // of the layer
};

}  // namespace

std::string llama_text(GraphText& g, std::string const& dtype, LlamaSizes const& sizes, LlamaWeights const& weights) {
    LlamaWriter writer(g, dtype, sizes, weights);
    return sizes.decode > 0 ? writer.decode() : writer.prefill();
}

}  // namespace ein::apps::tool
