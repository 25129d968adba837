#include "apps/eintool/llama/import_llama.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/eintool/llama/llama_config.hpp"
#include "apps/eintool/llama/safetensors_folder.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/files/input_file.hpp"
#include "lib/base/files/missing_path.hpp"
#include "lib/tensor/read.hpp"

namespace ein::apps::tool {
namespace {

namespace fs = std::filesystem;

/// How the graph, which is to stand in the folder of `out`, names a file.
std::string path_in_graph(fs::path const& file, std::string const& out) {
    fs::path const place =
        fs::canonical(file.parent_path().empty() ? "." : file.parent_path());  // the file may be a link: keep its name
    if (out.empty()) return (place / file.filename()).string();
    fs::path const from = fs::weakly_canonical(fs::absolute(out).parent_path());
    return (place.lexically_relative(from) / file.filename()).lexically_normal().string();
}

class ImportedWeights {
public:
    ImportedWeights(GraphText& g, LlamaConfig const& config, DType dtype, SafetensorsFolder const& files,
                    std::string const& out)
        : g_(g), c_(config), s_(config.sizes), dtype_(dtype), files_(files), out_(out) {}

    /// All but the tokens. @throws InputError for missing tensors, wrong shapes and dtypes, and tensors without a place
    /// in a LLaMA
    LlamaWeights all() {
        bool const tied = c_.tied_embeddings;
        LlamaWeights w;
        w.embedding = weight("embedding", "model.embed_tokens.weight", {s_.vocab, s_.dim});
        for (Extent k = 0; k < s_.layers; ++k)
            w.layers.push_back(layer("layer" + std::to_string(k) + ".", "model.layers." + std::to_string(k) + "."));
        w.norm = weight("norm.weight", "model.norm.weight", {s_.dim});
        w.unembedding = {tied ? w.embedding : weight("unembedding", "lm_head.weight", {s_.vocab, s_.dim}), "vocab dim"};
        if (tied) used_.insert("lm_head.weight");  // some files have it twice
        refuse_unused();
        if (!faults_.empty()) throw InputError(faults_);
        return w;
    }

private:
    LlamaLayerWeights layer(std::string const& at, std::string const& in) {
        Extent const d = s_.dim, head = s_.head(), kv = s_.kv_heads, group = s_.group();
        std::string const attention = in + "self_attn.", mlp = in + "mlp.";
        LlamaLayerWeights w;
        w.attention_norm = weight(at + "attention_norm.weight", in + "input_layernorm.weight", {d});
        w.wq = {weight(at + "wq", attention + "q_proj.weight", {s_.heads * head, d}, {kv, group, 2, head / 2, d}),
                "heads group pair half dim"};
        w.wk = {weight(at + "wk", attention + "k_proj.weight", {kv * head, d}, {kv, 2, head / 2, d}),
                "heads pair half dim"};
        w.wv = {weight(at + "wv", attention + "v_proj.weight", {kv * head, d}, {kv, head, d}), "heads head dim"};
        w.wo = {weight(at + "wo", attention + "o_proj.weight", {d, s_.heads * head}, {d, kv, group, head}),
                "dim heads group head"};
        if (c_.qkv_bias) {
            w.wq.bias = weight(at + "wq.bias", attention + "q_proj.bias", {s_.heads * head}, {kv, group, 2, head / 2});
            w.wk.bias = weight(at + "wk.bias", attention + "k_proj.bias", {kv * head}, {kv, 2, head / 2});
            w.wv.bias = weight(at + "wv.bias", attention + "v_proj.bias", {kv * head}, {kv, head});
        }
        if (c_.attention_bias) w.wo.bias = weight(at + "wo.bias", attention + "o_proj.bias", {d});
        w.ffn_norm = weight(at + "ffn_norm.weight", in + "post_attention_layernorm.weight", {d});
        w.gate = {weight(at + "w_gate", mlp + "gate_proj.weight", {s_.ffn, d}), "ffn dim"};
        w.up = {weight(at + "w_up", mlp + "up_proj.weight", {s_.ffn, d}), "ffn dim"};
        w.down = {weight(at + "w_down", mlp + "down_proj.weight", {d, s_.ffn}), "dim ffn"};
        if (c_.mlp_bias) {
            w.gate.bias = weight(at + "w_gate.bias", mlp + "gate_proj.bias", {s_.ffn});
            w.up.bias = weight(at + "w_up.bias", mlp + "up_proj.bias", {s_.ffn});
            w.down.bias = weight(at + "w_down.bias", mlp + "down_proj.bias", {d});
        }
        return w;
    }

    /// @param name  of what layers read  @param stored  the tensor's own name  @param split  its shape with heads apart
    /// apart
    std::string weight(std::string const& name, std::string const& stored, Shape const& shape,
                       Shape const& split = {}) {
        used_.insert(stored);
        auto const found = find(stored, shape);
        if (!found) return name;
        bool const cast = found->entry.dtype != dtype_;
        std::string const leaf = cast ? name + ".stored" : name;
        g_.tensor(leaf, split.empty() ? shape : split, std::string(ein::name(found->entry.dtype)),
                  {{"safetensors", path_in_graph(found->file, out_)}, {"tensor", stored}});
        if (cast) g_.op(name, "cast", {leaf}, {{"dtype", ein::name(dtype_)}});
        return name;
    }

    std::optional<SafetensorsFolder::Found> find(std::string const& stored, Shape const& shape) {
        try {
            SafetensorsFolder::Found const found = files_.find(stored);
            auto expect = [&](bool right, std::string const& expected, std::string const& is, std::string const& fix) {
                if (!right) faults_.push_back({found.file.string(), "/" + stored, expected, is, fix});
            };
            expect(found.entry.shape == shape, "shape " + to_string(shape) + " by config.json",
                   to_string(found.entry.shape), "take the config.json that belongs to the model");
            expect(kind(found.entry.dtype) == Kind::real, "f16, bf16, f32 or f64",
                   std::string(ein::name(found.entry.dtype)), "save the model unquantized, in one of these");
            return found;
        } catch (InputError const& error) {
            faults_.insert(faults_.end(), error.faults().begin(), error.faults().end());
            return std::nullopt;
        }
    }

    /// A bias that the type has not, an adapter, a layer more than config.json says: without it results would be
    /// another model's.
    void refuse_unused() {
        for (std::string const& name : files_.names())
            if (!used_.contains(name) && !name.ends_with("rotary_emb.inv_freq"))
                faults_.push_back(
                    {files_.place_of(name), "/" + name, "a tensor that a LLaMA of config.json has",
                     "one that it has not",
                     "take the config.json that belongs to the model, or remove the tensor if it is of no use"});
    }

    GraphText& g_;
    LlamaConfig const& c_;
    LlamaSizes const& s_;
    DType dtype_;
    SafetensorsFolder const& files_;
    std::string const& out_;
    std::set<std::string> used_;
    std::vector<Fault> faults_;
};

/// The prompt: sets batch and sequence, and adds the tensor `tokens`.
class Prompt {
public:
    Prompt(ImportLlama const& options, LlamaSizes& sizes) : o_(options), s_(sizes) {
        s_.batch = o_.batch.value_or(1);
        if (o_.sequence)
            s_.sequence = *o_.sequence;
        else
            read_shape();
    }

    /// @return a node or tensor [batch, seq]
    std::string add(GraphText& g) const {
        if (o_.sequence) {
            g.tensor("tokens", {s_.batch, s_.sequence}, "i32");
            return "tokens";
        }
        g.tensor("tokens", found_.shape, std::string(name(found_.dtype)), {{"npy", path_in_graph(o_.tokens, o_.out)}});
        if (found_.shape.size() == 2) return "tokens";
        g.op("prompt", "reshape", {"tokens"}, {{"shape", {1, s_.sequence}}});
        return "prompt";
    }

private:
    void read_shape() {
        refuse_text();
        found_ = tensor::npy_contents(o_.tokens);
        Shape const& shape = found_.shape;
        bool const fits = (shape.size() == 1 || shape.size() == 2) && element_count(shape) > 0 &&
                          (!o_.batch || *o_.batch == (shape.size() == 2 ? shape[0] : 1));
        if (!fits || !is_integer(found_.dtype))
            throw InputError(Fault{o_.tokens, "",
                                   "integers of shape [seq] or [batch, seq]" +
                                       (o_.batch ? ", batch " + std::to_string(*o_.batch) + " (--batch)" : ""),
                                   to_string(shape) + " of " + std::string(name(found_.dtype)),
                                   fits ? "convert the numbers before saving them: a.astype(\"int64\")"
                                        : "write one prompt, or several of one length as rows"});
        s_.sequence = shape.back();
        if (shape.size() == 2) s_.batch = shape[0];
    }

    /// Tokens as a text, or in place of a file.
    void refuse_text() const {
        std::string const expected = "a .npy file of integers";
        std::error_code error;
        if (!std::filesystem::exists(o_.tokens, error) &&
            o_.tokens.find_first_not_of("0123456789 ,[]") == std::string::npos)
            throw InputError(Fault{o_.tokens, "", expected, "numbers themselves",
                                   "write them into one: numpy.save(\"tokens.npy\", numpy.array([1, 2, 3]))"});
        auto kind = kind_of_file(o_.tokens);
        if (!kind || kind->between == 0) return;
        std::string const ends = "))";  // of save(..., loadtxt(...))
        kind->mend.insert(kind->mend.size() - ends.size(), ", dtype=int");
        throw InputError(Fault{o_.tokens, "", expected, found_text(*kind), kind->mend});
    }

    ImportLlama const& o_;
    LlamaSizes& s_;
    tensor::FileContents found_;
};

/// Of options alone: before any file is read. @return the dtype to compute in, if one is given
std::optional<DType> check_usage(ImportLlama const& options) {
    if (options.tokens.empty() == !options.sequence)
        throw UsageError("import safetensors-llama: expected --tokens FILE.npy or --sequence N, found " +
                         std::string(options.sequence ? "both" : "neither"));
    if (options.dtype.empty()) return std::nullopt;
    auto const dtype = dtype_from_name(options.dtype);
    if (!dtype || kind(*dtype) != Kind::real)
        throw UsageError(Fault{"", "import safetensors-llama --dtype", "f16, bf16, f32 or f64",
                               "'" + options.dtype + "'", dtype ? "" : mend_dtype(options.dtype)});
    return dtype;
}

void check_positions(LlamaConfig const& config, fs::path const& file) {
    Extent const read =
        config.sizes.sequence + std::max<Extent>(0, config.sizes.decode - 1);  // the last made one is not
    if (config.most_positions == 0 || read <= config.most_positions) return;
    throw InputError(Fault{file.string(), "/max_position_embeddings",
                           "at least " + std::to_string(read) + ", the positions of prompt and made tokens",
                           std::to_string(config.most_positions), "give a shorter prompt, or make fewer tokens"});
}

}  // namespace

std::string import_llama(ImportLlama const& options) {
    auto const given_dtype = check_usage(options);
    fs::path const folder = options.folder, file = folder / "config.json";
    if (!fs::is_directory(folder))
        throw InputError(Fault{options.folder, "", "a folder with config.json and .safetensors files",
                               fs::exists(folder) ? "a file" : "none",
                               fs::exists(folder) ? "give a model's folder" : mend_missing(folder, PathIs::folder)});
    LlamaConfig config = llama_config(parse_json(read_input_text(file), file.string()), file.string());
    LlamaSizes& sizes = config.sizes;
    sizes.all_logits = options.all_logits, sizes.decode = options.decode;
    DType const dtype = given_dtype.value_or(config.weights_dtype == "float64" ? DType::f64 : DType::f32);
    Prompt const prompt(options, sizes);
    check_positions(config, file);
    std::string const dtype_name(name(dtype));
    GraphText g(sizes.decode > 0 ? "llama-decode" : "llama-prefill", dtype_name);
    std::string const tokens = prompt.add(g);
    SafetensorsFolder const files(folder);
    LlamaWeights weights = ImportedWeights(g, config, dtype, files, options.out).all();
    weights.tokens = tokens;
    return llama_text(g, dtype_name, sizes, weights);
}

}  // namespace ein::apps::tool
