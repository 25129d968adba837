// A small LLaMA, Mistral or Qwen2 with random weights, computed with plain loops over one prompt, as Hugging Face's
// LlamaForCausalLM does: weights [out, in], heads one after another, pairs half a head apart. What graphs of the same
// model are compared by; it shares no code with them. Weights are multiples of 1/64, so that every floating type holds
// them exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ein::test {

using Vector = std::vector<double>;

struct PlainTensor {
    std::vector<std::int64_t> shape;
    Vector values;
};

struct PlainLlama {
    int layers = 2, dim = 16, heads = 4, kv_heads = 2, head = 4, ffn = 20, vocab = 40;
    double theta = 10000, epsilon = 1e-5;
    bool tied = false;
    std::string type = "llama";
    bool qkv_bias = false, o_bias = false, mlp_bias = false;
    int window = 0, first_window = 0;  // positions that layers attend to from that layer on; 0: all before
    double factor = 1, low = 0, high = 0, original = 0;  // rope scaling of the type llama3; linear where original is 0
    std::map<std::string, PlainTensor> weights;

    void make_weights(unsigned seed) {
        std::mt19937 numbers(seed);  // the same everywhere, other than distributions
        auto make = [&](std::string const& name, std::vector<std::int64_t> const& shape, double middle) {
            std::int64_t count = 1;
            for (std::int64_t extent : shape) count *= extent;
            Vector values(static_cast<std::size_t>(count));
            for (double& v : values) v = middle + (static_cast<int>(numbers() % 65) - 32) / 64.0;
            weights[name] = {shape, values};
        };
        make("model.embed_tokens.weight", {vocab, dim}, 0);
        for (int k = 0; k < layers; ++k) {
            std::string const at = "model.layers." + std::to_string(k) + ".";
            make(at + "input_layernorm.weight", {dim}, 1);
            make(at + "self_attn.q_proj.weight", {heads * head, dim}, 0);
            make(at + "self_attn.k_proj.weight", {kv_heads * head, dim}, 0);
            make(at + "self_attn.v_proj.weight", {kv_heads * head, dim}, 0);
            make(at + "self_attn.o_proj.weight", {dim, heads * head}, 0);
            if (qkv_bias) make(at + "self_attn.q_proj.bias", {heads * head}, 0);
            if (qkv_bias) make(at + "self_attn.k_proj.bias", {kv_heads * head}, 0);
            if (qkv_bias) make(at + "self_attn.v_proj.bias", {kv_heads * head}, 0);
            if (o_bias) make(at + "self_attn.o_proj.bias", {dim}, 0);
            if (mlp_bias) make(at + "mlp.gate_proj.bias", {ffn}, 0);
            if (mlp_bias) make(at + "mlp.up_proj.bias", {ffn}, 0);
            if (mlp_bias) make(at + "mlp.down_proj.bias", {dim}, 0);
            make(at + "post_attention_layernorm.weight", {dim}, 1);
            make(at + "mlp.gate_proj.weight", {ffn, dim}, 0);
            make(at + "mlp.up_proj.weight", {ffn, dim}, 0);
            make(at + "mlp.down_proj.weight", {dim, ffn}, 0);
        }
        make("model.norm.weight", {dim}, 1);
        if (!tied) make("lm_head.weight", {vocab, dim}, 0);
    }

    /// Logits of every position.
    std::vector<Vector> logits(std::vector<int> const& tokens) const {
        std::vector<Vector> xs, out;
        for (int token : tokens) xs.push_back(row("model.embed_tokens.weight", token));
        for (int k = 0; k < layers; ++k) {
            std::string const at = "model.layers." + std::to_string(k) + ".";
            std::vector<Vector> const mixed =
                attention(at + "self_attn.", xs, at + "input_layernorm.weight", k >= first_window ? window : 0);
            for (std::size_t p = 0; p < xs.size(); ++p) {
                add(xs[p], mixed[p]);
                add(xs[p], feed_forward(at + "mlp.", norm(xs[p], at + "post_attention_layernorm.weight")));
            }
        }
        for (Vector const& x : xs)
            out.push_back(times(tied ? "model.embed_tokens.weight" : "lm_head.weight", norm(x, "model.norm.weight")));
        return out;
    }

    /// The likeliest token after the prompt, again and again, each from the whole text before it.
    /// @return nothing where the best two are so near that rounding may decide
    std::vector<int> greedy(std::vector<int> tokens, int count) const {
        std::vector<int> made;
        while (static_cast<int>(made.size()) < count) {
            Vector const last = logits(tokens).back();
            auto const best = std::max_element(last.begin(), last.end());
            for (auto other = last.begin(); other != last.end(); ++other)
                if (other != best && *best - *other < 1e-3) return {};
            made.push_back(static_cast<int>(best - last.begin()));
            tokens.push_back(made.back());
        }
        return made;
    }

private:
    Vector row(std::string const& name, int index) const {
        PlainTensor const& t = weights.at(name);
        auto const begin = t.values.begin() + index * t.shape[1];
        return {begin, begin + t.shape[1]};
    }

    /// @param name  of a weight; its bias, if there is one, is added
    Vector times(std::string const& name, Vector const& x) const {
        Vector out;
        for (int o = 0; o < weights.at(name).shape[0]; ++o) out.push_back(dot(row(name, o), x));
        auto const bias = weights.find(name.substr(0, name.rfind('.')) + ".bias");
        if (bias != weights.end()) add(out, bias->second.values);
        return out;
    }

    static double dot(Vector const& x, Vector const& y) {
        double sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
        return sum;
    }

    static void add(Vector& x, Vector const& y) {
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += y[k];
    }

    Vector norm(Vector x, std::string const& weight) const {
        double const scale = 1 / std::sqrt(dot(x, x) / dim + epsilon);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] *= scale * weights.at(weight).values[k];
        return x;
    }

    /// rotate_half of Hugging Face, for each head.
    Vector turned(Vector const& x, std::size_t position) const {
        Vector out(x.size());
        int const half = head / 2;
        for (std::size_t at = 0; at < x.size(); at += static_cast<std::size_t>(head))
            for (int i = 0; i < half; ++i) {
                double const angle = static_cast<double>(position) * frequency(i);
                std::size_t const a = at + static_cast<std::size_t>(i), b = a + static_cast<std::size_t>(half);
                out[a] = x[a] * std::cos(angle) - x[b] * std::sin(angle);
                out[b] = x[b] * std::cos(angle) + x[a] * std::sin(angle);
            }
        return out;
    }

    /// _compute_llama3_parameters of Hugging Face.
    double frequency(int i) const {
        double const plain = std::pow(theta, -2.0 * i / head), wavelength = 2 * std::acos(-1.0) / plain;
        if (original == 0 || wavelength > original / low) return plain / factor;
        if (wavelength < original / high) return plain;
        double const smooth = (original / wavelength - low) / (high - low);
        return (1 - smooth) * plain / factor + smooth * plain;
    }

    Vector part(Vector const& x, int index) const { return {x.begin() + index * head, x.begin() + (index + 1) * head}; }

    std::vector<Vector> attention(std::string const& at, std::vector<Vector> const& xs, std::string const& scale,
                                  int last) const {
        std::vector<Vector> keys, values, out;
        for (std::size_t p = 0; p < xs.size(); ++p) {
            Vector const h = norm(xs[p], scale);
            keys.push_back(turned(times(at + "k_proj.weight", h), p));
            values.push_back(times(at + "v_proj.weight", h));
            Vector const query = turned(times(at + "q_proj.weight", h), p);
            Vector mixed;
            for (int j = 0; j < heads; ++j)
                for (double v : attended(part(query, j), keys, values, j / (heads / kv_heads), last))
                    mixed.push_back(v);
            out.push_back(times(at + "o_proj.weight", mixed));
        }
        return out;
    }

    Vector attended(Vector const& query, std::vector<Vector> const& keys, std::vector<Vector> const& values, int kv,
                    int last) const {
        Vector sum(static_cast<std::size_t>(head));
        double total = 0;
        auto const most = static_cast<std::size_t>(last);
        for (std::size_t p = last > 0 && keys.size() > most ? keys.size() - most : 0; p < keys.size(); ++p) {
            double const weight = std::exp(dot(query, part(keys[p], kv)) / std::sqrt(head));
            total += weight;
            for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * part(values[p], kv)[k];
        }
        for (double& v : sum) v /= total;
        return sum;
    }

    Vector feed_forward(std::string const& at, Vector const& h) const {
        Vector gate = times(at + "gate_proj.weight", h), up = times(at + "up_proj.weight", h);
        for (std::size_t k = 0; k < gate.size(); ++k) gate[k] = gate[k] / (1 + std::exp(-gate[k])) * up[k];
        return times(at + "down_proj.weight", gate);
    }
};

}  // namespace ein::test
