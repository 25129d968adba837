// A PlainLlama as the folder that Hugging Face would write: config.json, and safetensors files with or without an
// index.
#pragma once

#include "lib/base/json.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "tests/apps/llama/plain_llama.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"

namespace ein::test {

inline Json rope_scaling_of(PlainLlama const& m) {
    if (m.factor == 1) return nullptr;
    if (m.original == 0) return Json{{"type", "linear"}, {"factor", m.factor}};
    return Json{{"rope_type", "llama3"},
                {"factor", m.factor},
                {"low_freq_factor", m.low},
                {"high_freq_factor", m.high},
                {"original_max_position_embeddings", m.original}};
}

/// What only some types of models have.
inline Json config_of_type(PlainLlama const& m) {
    if (m.type == "mistral") return Json{{"sliding_window", m.window > 0 ? Json(m.window) : Json()}};
    if (m.type == "qwen2")
        return Json{{"use_sliding_window", m.window > 0},
                    {"sliding_window", m.window > 0 ? m.window : 32768},
                    {"max_window_layers", m.first_window}};
    return Json{{"attention_bias", m.o_bias}, {"mlp_bias", m.mlp_bias}};
}

inline Json config_of(PlainLlama const& m) {
    Json config{{"architectures", {"LlamaForCausalLM"}},
                {"model_type", m.type},
                {"hidden_size", m.dim},
                {"intermediate_size", m.ffn},
                {"num_hidden_layers", m.layers},
                {"num_attention_heads", m.heads},
                {"num_key_value_heads", m.kv_heads},
                {"head_dim", m.head},
                {"vocab_size", m.vocab},
                {"max_position_embeddings", 64},
                {"rms_norm_eps", m.epsilon},
                {"rope_theta", m.theta},
                {"rope_scaling", rope_scaling_of(m)},
                {"hidden_act", "silu"},
                {"tie_word_embeddings", m.tied},
                {"torch_dtype", "float32"},
                {"use_cache", true}};
    config.update(config_of_type(m));
    return config;
}

/// Some tensors as a safetensors file. @param type  "F16", "BF16", "F32" or "F64"
inline std::string safetensors(std::map<std::string, PlainTensor> const& tensors, DType dtype) {
    static std::map<DType, std::string> const names{
        {DType::f16, "F16"}, {DType::bf16, "BF16"}, {DType::f32, "F32"}, {DType::f64, "F64"}, {DType::i8, "I8"}};
    Json header{{"__metadata__", {{"format", "pt"}}}};
    std::string data;
    for (auto const& [name, tensor] : tensors) {
        std::size_t const begin = data.size(), count = tensor.values.size();
        data.resize(begin + count * size_of(dtype));
        tensor::convert(DType::f64, tensor.values.data(), 1, dtype, data.data() + begin, count);
        header[name] = {{"dtype", names.at(dtype)}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
    }
    std::string const text = header.dump();
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>((text.size() >> (8 * i)) & 0xff);
    return out + text + data;
}

/// In one file, or dealt out to `files` with an index.
inline void save(PlainLlama const& model, TemporaryFolder const& folder, DType dtype, std::size_t files = 1) {
    folder.write("config.json", config_of(model).dump());
    if (files == 1) {
        folder.write("model.safetensors", safetensors(model.weights, dtype));
        return;
    }
    std::map<std::string, std::map<std::string, PlainTensor>> dealt;
    Json index{{"metadata", {{"total_size", 0}}}};
    std::size_t k = 0;
    for (auto const& [name, tensor] : model.weights) {
        std::string const file = "model-" + std::to_string(++k % files) + ".safetensors";
        dealt[file][name] = tensor;
        index["weight_map"][name] = file;
    }
    for (auto const& [file, tensors] : dealt) folder.write(file, safetensors(tensors, dtype));
    folder.write("model.safetensors.index.json", index.dump());
}

/// Prompts of one length as rows, in tokens.npy. @param shape  [seq] or [batch, seq]
inline std::string save_tokens(TemporaryFolder const& folder, std::vector<std::vector<int>> const& prompts,
                               Shape const& shape) {
    tensor::HostTensor tokens(DType::i64, shape);
    std::vector<std::int64_t> all;
    for (auto const& prompt : prompts) all.insert(all.end(), prompt.begin(), prompt.end());
    std::memcpy(tokens.bytes().data(), all.data(), tokens.bytes().size());
    tensor::write_npy(folder.file("tokens.npy"), tokens);
    return folder.file("tokens.npy");
}

}  // namespace ein::test
