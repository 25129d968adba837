#include "apps/eintool/llama/llama_config.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace ein::apps::tool {
namespace {

class ConfigReader {
public:
    explicit ConfigReader(Cursor const& root) : root_(root) {}

    LlamaConfig read() {
        if (!root_.expect_object()) return {};
        std::string const type = model_type();
        LlamaConfig c;
        LlamaSizes& s = c.sizes;
        s.dim = extent("hidden_size"), s.ffn = extent("intermediate_size"),
        s.layers = extent("num_hidden_layers", 1000);
        s.heads = extent("num_attention_heads"), s.vocab = extent("vocab_size");
        s.kv_heads = type != "llama" || given("num_key_value_heads") ? extent("num_key_value_heads") : s.heads;
        if (given("head_dim")) s.head_dim = extent("head_dim");
        c.most_positions = given("max_position_embeddings") ? extent("max_position_embeddings") : 0;
        s.norm_epsilon = positive("rms_norm_eps", 1e-6);  // LlamaConfig's own defaults
        s.rotary_base = positive("rope_theta", 10000);
        c.tied_embeddings = is_true("tie_word_embeddings");
        for (std::string const key : {"torch_dtype", "dtype"})
            if (given(key)) c.weights_dtype = root_.at(key).string().value_or("");
        check_heads(s);
        read_biases(c, type);
        read_windows(s, type);
        refuse_unsupported(s);
        return c;
    }

private:
    bool given(std::string const& key) const { return root_.has(key) && !root_.at(key).value().is_null(); }

    bool is_true(std::string const& key) const { return given(key) && root_.at(key).boolean().value_or(false); }

    std::string model_type() const {
        std::vector<std::string> const known{"llama", "mistral", "qwen2"};
        auto const type = given("model_type") ? root_.at("model_type").string() : std::nullopt;
        if (!given("model_type"))
            root_.fail("the key \"model_type\"", "none", "write " + one_of(known) + " if it is one of these");
        else if (type && std::find(known.begin(), known.end(), *type) == known.end())
            root_.at("model_type")
                .fail(one_of(known), "'" + *type + "'", "import a model of such a type; others differ in their layers");
        return type.value_or("llama");
    }

    /// 1 where there is a fault: what else is checked needs a number.
    Extent extent(std::string const& key, Extent most = Extent{1} << 30) const {
        if (!given(key)) {
            root_.fail("the key \"" + key + "\"", "none", "take the config.json that belongs to the model");
            return 1;
        }
        auto const value = root_.at(key).integer();
        bool const fits = value && *value >= 1 && *value <= most;
        if (value && !fits)
            root_.at(key).fail("a whole number from 1 to " + std::to_string(most), std::to_string(*value), fix_);
        return fits ? *value : 1;
    }

    double positive(std::string const& key, double fallback) const {
        if (!given(key)) return fallback;
        auto const value = root_.at(key).number();
        if (value && !(*value > 0 && *value < 1e300))
            root_.at(key).fail("a number above 0", brief(root_.at(key).value()), fix_);
        return value.value_or(fallback);
    }

    /// A missing key means what is wanted.
    void only(std::string const& key, std::string const& wanted, std::string const& fix) const {
        if (!given(key)) return;
        auto const found = root_.at(key).string();
        if (found && *found != wanted) root_.at(key).fail("\"" + wanted + "\"", "'" + *found + "'", fix);
    }

    void check_heads(LlamaSizes const& s) const {
        if (!root_.faults().empty()) return;  // extents may be missing
        if (s.heads % s.kv_heads != 0)
            root_.at("num_key_value_heads")
                .fail("a divisor of num_attention_heads (" + std::to_string(s.heads) + ")", std::to_string(s.kv_heads),
                      fix_);
        if (s.head_dim == 0 && s.dim % s.heads != 0)
            root_.at("hidden_size")
                .fail("a multiple of num_attention_heads (" + std::to_string(s.heads) + ")", std::to_string(s.dim),
                      "give head_dim too");
        else if (s.head() % 2 != 0)
            root_.at(s.head_dim > 0 ? "head_dim" : "hidden_size")
                .fail("heads of an even dimension", std::to_string(s.head()), fix_);
    }

    /// LlamaConfig says it in two keys; of the others, a Qwen2 has them for queries, keys and values, without a key.
    void read_biases(LlamaConfig& c, std::string const& type) const {
        if (type == "llama") {
            c.qkv_bias = c.attention_bias = is_true("attention_bias");
            c.mlp_bias = is_true("mlp_bias");
            return;
        }
        c.qkv_bias = type == "qwen2";
        for (std::string const key : {"attention_bias", "mlp_bias"})
            if (is_true(key))
                root_.at(key).fail("false in a model of the type " + type, "true", "import a model without them");
    }

    /// MistralConfig has a window in all layers unless it is null, Qwen2Config where use_sliding_window is true, from
    /// layer max_window_layers on; newer files list the layers' types.
    void read_windows(LlamaSizes& s, std::string const& type) const {
        bool const none = root_.has("sliding_window") && !given("sliding_window");
        bool const used = !none && (type == "mistral" || (type == "qwen2" && is_true("use_sliding_window")));
        if (!used && !given("layer_types")) return;
        Extent const window = !used ? 0 : given("sliding_window") ? extent("sliding_window") : default_window;
        Extent const first = type == "qwen2" ? natural("max_window_layers", 28) : 0;
        s.windows.assign(at(s.layers), 0);
        if (given("layer_types")) return read_layer_types(s, window);
        for (Extent k = first; k < s.layers; ++k) s.windows[at(k)] = window;
    }

    void read_layer_types(LlamaSizes& s, Extent window) const {
        Cursor const types = root_.at("layer_types");
        if (!types.expect_list()) return;
        if (types.size() != at(s.layers))
            types.fail(std::to_string(s.layers) + " types, one a layer", std::to_string(types.size()), fix_);
        for (std::size_t k = 0; k < std::min(types.size(), at(s.layers)); ++k) {
            auto const type = types.at(k).string();
            if (type == "sliding_attention" && window > 0)
                s.windows[k] = window;
            else if (type && *type != "full_attention")
                types.at(k).fail(window > 0 ? "full_attention or sliding_attention" : "full_attention",
                                 "'" + *type + "'",
                                 "import a model whose layers attend so, or give its sliding_window");
        }
    }

    /// A whole number from 0 on.
    Extent natural(std::string const& key, Extent fallback) const {
        if (!given(key)) return fallback;
        auto const value = root_.at(key).integer();
        if (value && *value < 0) root_.at(key).fail("a whole number from 0 on", std::to_string(*value), fix_);
        return std::max<Extent>(value.value_or(fallback), 0);
    }

    static std::size_t at(Extent index) { return static_cast<std::size_t>(index); }

    /// What changes a model's results.
    void refuse_unsupported(LlamaSizes& s) const {
        only("hidden_act", "silu", "import a model with that activation");
        if (given("quantization_config"))
            root_.at("quantization_config")
                .fail("null", brief(root_.at("quantization_config").value()),
                      "import a model that is not quantized; this version has no quantized weights");
        if (given("partial_rotary_factor") && root_.at("partial_rotary_factor").number() != 1.0)
            root_.at("partial_rotary_factor")
                .fail("1", brief(root_.at("partial_rotary_factor").value()), "import a model that turns whole heads");
        for (std::string const key : {"rope_scaling", "rope_parameters"})
            if (given(key) && root_.at(key).expect_object()) ConfigReader(root_.at(key)).read_rope(s);
    }

    /// rope_scaling; rope_parameters, as newer files call it, has rope_theta too.
    void read_rope(LlamaSizes& s) const {
        s.rotary_base = positive("rope_theta", s.rotary_base);
        std::string const key = given("rope_type") || !given("type") ? "rope_type" : "type";
        std::string const type = given(key) ? root_.at(key).string().value_or("default") : "default";
        if (type == "linear" || type == "llama3") s.rotary_scaling.factor = required("factor");
        if (type == "llama3") {
            RotaryScaling& scaling = s.rotary_scaling;
            scaling.low = required("low_freq_factor"), scaling.high = required("high_freq_factor");
            scaling.positions = required("original_max_position_embeddings");
            if (root_.faults().empty() && scaling.low >= scaling.high)
                root_.at("high_freq_factor")
                    .fail("more than low_freq_factor (" + brief(root_.at("low_freq_factor").value()) + ")",
                          brief(root_.at("high_freq_factor").value()), fix_);
        } else if (type != "linear" && type != "default") {
            root_.at(key).fail("default, linear or llama3", "'" + type + "'",
                               "import a model whose rotary positions are of such a type");
        }
    }

    double required(std::string const& key) const {
        if (!given(key)) root_.fail("the key \"" + key + "\"", "none", fix_);
        return positive(key, 1);
    }

    static constexpr Extent default_window = 4096;  // of MistralConfig and Qwen2Config

    Cursor root_;
    std::string const fix_ = "the file is damaged or of another model: take the config.json that belongs to the model";
};

}  // namespace

LlamaConfig llama_config(Json const& document, std::string const& file) {
    Faults faults(file);
    LlamaConfig const config = ConfigReader(Cursor(document, faults)).read();
    faults.throw_if_any();
    return config;
}

}  // namespace ein::apps::tool
