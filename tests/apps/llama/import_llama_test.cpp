// Imported LLaMAs give the logits and tokens of the same model in plain loops, at several rank counts; folders that are
// no LLaMA are refused with all that is wrong.
#include "apps/eintool/llama/import_llama.hpp"

#include "apps/eintool/llama/llama_config.hpp"
#include "lib/tensor/compare.hpp"
#include "tests/apps/llama/llama_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
using apps::tool::import_llama;

namespace {

std::vector<int> const first{3, 17, 0, 39, 8}, second{21, 21, 5, 30, 2};

test::PlainLlama model(bool tied = false) {
    test::PlainLlama m;
    m.tied = tied;
    m.make_weights(8);  // whose best tokens are clear and varied
    return m;
}

test::WholeRun run_of(std::string const& text, test::WholeRunSetup const& setup) {
    test::WholeRun run = test::whole_run(Json::parse(text), setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected) {
        CAPTURE(name);
        CHECK(tensor::compare(run.results.at(name), expected, 1e-4).count == 0);
    }
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
        CHECK(run.ranks[rank].transfers.bytes_sent == run.schedule.header.prediction.bytes_sent[rank]);
    return run;
}

/// Of all prompts, one behind another.
tensor::HostTensor logits_of(test::PlainLlama const& m, std::vector<std::vector<int>> const& prompts, bool all) {
    test::Vector values;
    for (auto const& prompt : prompts) {
        auto const logits = m.logits(prompt);
        for (std::size_t p = all ? 0 : logits.size() - 1; p < logits.size(); ++p)
            values.insert(values.end(), logits[p].begin(), logits[p].end());
    }
    Extent const batch = static_cast<Extent>(prompts.size()), seq = all ? static_cast<Extent>(prompts[0].size()) : 1;
    tensor::HostTensor out(DType::f64, {batch, seq, m.vocab});
    std::memcpy(out.bytes().data(), values.data(), out.bytes().size());
    return out;
}

void expect_tokens(tensor::HostTensor const& found, std::vector<std::vector<int>> const& expected) {
    std::vector<std::vector<int>> rows(expected.size());
    REQUIRE(found.shape() == Shape{static_cast<Extent>(rows.size()), static_cast<Extent>(expected[0].size())});
    CHECK(found.dtype() == DType::i64);
    for (Extent k = 0; k < found.elements(); ++k)
        rows[static_cast<std::size_t>(k / found.shape()[1])].push_back(static_cast<int>(found.at(k).integer));
    CHECK(rows == expected);
}

/// Every fault as "FILE: PLACE: expected ...", without the folder.
std::vector<std::string> faults_of(TemporaryFolder const& folder, apps::tool::ImportLlama options) {
    options.folder = folder.path().string();
    try {
        import_llama(options);
    } catch (InputError const& error) {
        std::vector<std::string> out;
        for (Fault const& fault : error.faults()) {
            std::string text = fault.text();
            for (std::string const prefix = folder.path().string() + "/"; text.find(prefix) != std::string::npos;)
                text.erase(text.find(prefix), prefix.size());
            out.push_back(text);
        }
        return out;
    }
    return {"accepted"};
}

/// As many faults as beginnings, and each is the beginning of one.
void expect_faults(std::vector<std::string> const& found, std::vector<std::string> const& beginnings) {
    for (std::string const& text : found) UNSCOPED_INFO(text);
    CHECK(found.size() == beginnings.size());
    for (std::string const& beginning : beginnings) {
        CAPTURE(beginning);
        CHECK(std::count_if(found.begin(), found.end(),
                            [&](std::string const& text) { return text.starts_with(beginning); }) == 1);
    }
}

}  // namespace

TEST_CASE("logits of an imported model are those of the model", "[apps][llama]") {
    TemporaryFolder const folder;
    bool const tied = GENERATE(false, true);
    DType const stored = GENERATE(DType::f16, DType::bf16, DType::f32, DType::f64);
    std::size_t const files = stored == DType::f32 ? 1 : 3;
    CAPTURE(tied, name(stored), files);
    test::PlainLlama const m = model(tied);
    test::save(m, folder, stored, files);
    apps::tool::ImportLlama options{.folder = folder.path().string(), .dtype = "f64", .all_logits = true};
    options.tokens = test::save_tokens(folder, {first, second}, {2, 5});
    auto const run = run_of(import_llama(options), {.ranks = 3});
    CHECK(tensor::compare(run.results.at("logits"), logits_of(m, {first, second}, true), 1e-12).count == 0);
}

TEST_CASE("logits of the last position, in f32, of one prompt", "[apps][llama]") {
    TemporaryFolder const folder;
    test::PlainLlama const m = model();
    test::save(m, folder, DType::bf16);
    apps::tool::ImportLlama options{.folder = folder.path().string()};
    options.tokens = test::save_tokens(folder, {first}, {5});
    auto const run = run_of(import_llama(options), {.ranks = 2});
    CHECK(run.results.at("logits").dtype() == DType::f32);
    CHECK(tensor::compare(run.results.at("logits"), logits_of(m, {first}, false), 1e-5).count == 0);
}

TEST_CASE("a model whose heads are not dim / heads, with other constants", "[apps][llama]") {
    TemporaryFolder const folder;
    test::PlainLlama m;
    m.head = 6, m.theta = 500, m.epsilon = 0.125, m.kv_heads = 4;
    m.make_weights(2);
    test::save(m, folder, DType::f32);
    apps::tool::ImportLlama options{.folder = folder.path().string(), .dtype = "f64"};
    options.tokens = test::save_tokens(folder, {first, second}, {2, 5});
    auto const run = run_of(import_llama(options), {.ranks = 1});
    CHECK(tensor::compare(run.results.at("logits"), logits_of(m, {first, second}, false), 1e-12).count == 0);
}

TEST_CASE("scaled rotary positions", "[apps][llama]") {
    TemporaryFolder const folder;
    test::PlainLlama m = model();
    m.head = 12, m.heads = 2, m.kv_heads = 1, m.factor = 8, m.theta = 100;
    if (GENERATE(false, true)) m.original = 40, m.low = 0.5, m.high = 3;  // keeps one, smooths three, divides two
    CAPTURE(m.original);
    m.make_weights(3);
    test::save(m, folder, DType::f32);
    apps::tool::ImportLlama options{.folder = folder.path().string(), .dtype = "f64", .all_logits = true};
    options.tokens = test::save_tokens(folder, {first}, {5});
    auto logits = [&] { return run_of(import_llama(options), {.ranks = 2}).results.at("logits"); };
    CHECK(tensor::compare(logits(), logits_of(m, {first}, true), 1e-12).count == 0);

    Json config = test::config_of(m);  // as newer files say it
    config["rope_parameters"] = config["rope_scaling"];
    config["rope_parameters"]["rope_theta"] = config["rope_theta"];
    config.erase("rope_scaling"), config.erase("rope_theta");
    folder.write("config.json", config.dump());
    CHECK(tensor::compare(logits(), logits_of(m, {first}, true), 1e-12).count == 0);
}

TEST_CASE("biases and windows, as a Qwen2, a Mistral and a LLaMA with biases have them", "[apps][llama]") {
    TemporaryFolder const folder;
    test::PlainLlama m;
    int const kind = GENERATE(0, 1, 2, 3);
    CAPTURE(kind);
    if (kind == 0) m.type = "qwen2", m.qkv_bias = true, m.tied = true;
    if (kind == 1) m.type = "qwen2", m.qkv_bias = true, m.window = 2, m.first_window = 1;
    if (kind == 2) m.type = "mistral", m.window = 3;
    if (kind == 3) m.qkv_bias = m.o_bias = m.mlp_bias = true;
    m.make_weights(8 + static_cast<unsigned>(kind));
    test::save(m, folder, DType::f32, 2);
    apps::tool::ImportLlama options{.folder = folder.path().string(), .dtype = "f64", .all_logits = true};
    options.tokens = test::save_tokens(folder, {first, second}, {2, 5});
    auto const run = run_of(import_llama(options), {.ranks = 2});
    CHECK(tensor::compare(run.results.at("logits"), logits_of(m, {first, second}, true), 1e-12).count == 0);

    std::vector<std::vector<int>> const expected{m.greedy(first, 6), m.greedy(second, 6)};
    REQUIRE(!expected[0].empty());
    REQUIRE(!expected[1].empty());
    options.all_logits = false, options.decode = 6;
    expect_tokens(run_of(import_llama(options), {.ranks = 3}).results.at("tokens_out"), expected);
}

TEST_CASE("windows are read as each type of model says them", "[apps][llama]") {
    auto windows = [](test::PlainLlama const& m, Json const& patch) {
        Json config = test::config_of(m);
        config.update(patch);
        return apps::tool::llama_config(config, "config.json").sizes.windows;
    };
    using Windows = std::vector<Extent>;
    test::PlainLlama mistral, qwen, llama;
    mistral.type = "mistral", qwen.type = "qwen2", qwen.window = 7, qwen.first_window = 1;
    Json without = test::config_of(mistral);
    without.erase("sliding_window");
    CHECK(apps::tool::llama_config(without, "config.json").sizes.windows == Windows{4096, 4096});
    CHECK(windows(mistral, Json::object()).empty());
    CHECK(windows(mistral, {{"sliding_window", 5}}) == Windows{5, 5});
    CHECK(windows(qwen, Json::object()) == Windows{0, 7});
    CHECK(windows(qwen, {{"use_sliding_window", false}}).empty());
    CHECK(windows(qwen, {{"sliding_window", nullptr}}).empty());
    CHECK(windows(qwen, {{"layer_types", {"sliding_attention", "full_attention"}}}) == Windows{7, 0});
    CHECK(windows(llama, {{"sliding_window", 5}}).empty());
    CHECK_THROWS_AS(windows(llama, {{"layer_types", {"sliding_attention", "full_attention"}}}), InputError);
    CHECK_THROWS_AS(windows(qwen, {{"layer_types", {"full_attention"}}}), InputError);
    CHECK_THROWS_AS(windows(qwen, {{"layer_types", {"full_attention", "chunked_attention"}}}), InputError);
    CHECK_THROWS_AS(windows(qwen, {{"sliding_window", 0}}), InputError);
}

TEST_CASE("decoded tokens are those of the model run from the beginning for each", "[apps][llama]") {
    TemporaryFolder const folder;
    int const ranks = GENERATE(1, 2, 3, 4);
    auto const [count, dtype] = GENERATE(std::pair{1, "f32"}, std::pair{2, "f64"}, std::pair{12, "f32"});
    CAPTURE(ranks, count, dtype);
    test::PlainLlama const m = model();
    std::vector<std::vector<int>> const expected{m.greedy(first, count), m.greedy(second, count)};
    REQUIRE(!expected[0].empty());
    REQUIRE(!expected[1].empty());
    test::save(m, folder, DType::f16);
    apps::tool::ImportLlama options{.folder = folder.path().string(), .dtype = dtype, .decode = count};
    options.tokens = test::save_tokens(folder, {first, second}, {2, 5});
    auto const run = run_of(import_llama(options), {.ranks = ranks, .threads = 2});
    expect_tokens(run.results.at("tokens_out"), expected);
}

TEST_CASE("files in an imported graph are named from the graph's folder", "[apps][llama]") {
    TemporaryFolder const folder;
    std::filesystem::create_directories(folder.path() / "model");
    std::filesystem::create_directories(folder.path() / "graphs");
    test::save(model(), folder, DType::f32);
    for (std::string const name : {"config.json", "model.safetensors"})
        std::filesystem::rename(folder.path() / name, folder.path() / "model" / name);
    apps::tool::ImportLlama options{.folder = folder.file("model/")};
    options.tokens = test::save_tokens(folder, {first}, {5});
    options.out = folder.file("graphs/g.json");
    Json const graph = Json::parse(import_llama(options));
    CHECK(graph["tensors"]["embedding"]["data"]["safetensors"] == "../model/model.safetensors");
    CHECK(graph["tensors"]["tokens"]["data"]["npy"] == "../tokens.npy");
    options.out = "";
    CHECK(Json::parse(import_llama(options))["tensors"]["embedding"]["data"]["safetensors"] ==
          (std::filesystem::canonical(folder.path()) / "model/model.safetensors").string());
}

TEST_CASE("tokens may be left to the run", "[apps][llama]") {
    TemporaryFolder const folder;
    test::save(model(), folder, DType::f32);
    Json const graph =
        Json::parse(import_llama({.folder = folder.path().string(), .sequence = 7, .batch = 3, .decode = 2}));
    CHECK(graph["tensors"]["tokens"] == Json{{"shape", {3, 7}}, {"dtype", "i32"}});
    CHECK_THROWS_AS(import_llama({.folder = folder.path().string()}), UsageError);
    CHECK_THROWS_AS(import_llama({.folder = folder.path().string(), .sequence = 7, .dtype = "i32"}), UsageError);
}

TEST_CASE("all faults of config.json are reported", "[apps][llama]") {
    TemporaryFolder const folder;
    test::save(model(), folder, DType::f32);
    Json config = test::config_of(model());
    config["model_type"] = "gpt2";
    config["hidden_act"] = "gelu";
    config["hidden_size"] = -16;
    config["vocab_size"] = "many";
    config["rope_scaling"] = {{"type", "dynamic"}, {"factor", 2.0}};
    config["rms_norm_eps"] = 0;
    config["quantization_config"] = {{"bits", 4}};
    config["partial_rotary_factor"] = 0.5;
    config["rope_parameters"] = {{"rope_type", "llama3"}, {"factor", -1}};
    config.erase("num_hidden_layers");
    folder.write("config.json", config.dump());
    expect_faults(
        faults_of(folder, {.sequence = 4}),
        {"config.json: /model_type: expected llama, mistral or qwen2, found 'gpt2'",
         "config.json: /hidden_act: expected \"silu\"", "config.json: /hidden_size: expected a whole number from 1",
         "config.json: /vocab_size: ",
         "config.json: /rope_scaling/type: expected default, linear or llama3, found 'dynamic'",
         "config.json: /rms_norm_eps: expected a number above 0", "config.json: /quantization_config: expected null",
         "config.json: /partial_rotary_factor: expected 1",
         "config.json: /rope_parameters/factor: expected a number above 0",
         "config.json: /rope_parameters: expected the key \"low_freq_factor\"",
         "config.json: /rope_parameters: expected the key \"high_freq_factor\"",
         "config.json: /rope_parameters: expected the key \"original_max_position_embeddings\"",
         "config.json: expected the key \"num_hidden_layers\""});
}

TEST_CASE("sizes that do not belong together are refused", "[apps][llama]") {
    TemporaryFolder const folder;
    test::save(model(), folder, DType::f32);
    auto refused = [&](Json const& patch, apps::tool::ImportLlama const& options, std::string const& text) {
        Json config = test::config_of(model());
        config.merge_patch(patch);
        folder.write("config.json", config.dump());
        expect_faults(faults_of(folder, options), {text});
    };
    refused({{"num_key_value_heads", 3}}, {.sequence = 4},
            "config.json: /num_key_value_heads: expected a divisor of num_attention_heads (4), found 3");
    refused({{"head_dim", nullptr}, {"num_attention_heads", 6}}, {.sequence = 4},
            "config.json: /hidden_size: expected a multiple of num_attention_heads (6), found 16");
    refused({{"model_type", "mistral"}, {"attention_bias", true}}, {.sequence = 4},
            "config.json: /attention_bias: expected false in a model of the type mistral, found true");
    refused({{"model_type", "qwen2"}, {"num_key_value_heads", nullptr}}, {.sequence = 4},
            "config.json: expected the key \"num_key_value_heads\"");
    refused({{"head_dim", 5}}, {.sequence = 4}, "config.json: /head_dim: expected heads of an even dimension, found 5");
    refused(Json::object(), {.sequence = 60, .decode = 6},
            "config.json: /max_position_embeddings: expected at least 65");
    refused(Json::object(), {.tokens = test::save_tokens(folder, {first}, {5}), .batch = 2},
            "tokens.npy: expected integers of shape");
}

TEST_CASE("all faults of the weights are reported", "[apps][llama]") {
    TemporaryFolder const folder;
    std::size_t const files = GENERATE(std::size_t{1}, std::size_t{2});
    test::PlainLlama m = model();
    m.weights.erase("model.norm.weight");
    m.weights["model.layers.1.mlp.up_proj.weight"].shape = {16, 20};
    m.weights["model.layers.0.self_attn.q_proj.bias"] = {{16}, test::Vector(16)};
    m.weights["model.layers.2.input_layernorm.weight"] = {{16}, test::Vector(16)};
    m.weights["model.layers.1.self_attn.rotary_emb.inv_freq"] = {{2}, test::Vector(2)};  // old files have it; of no use
    test::save(m, folder, DType::f32, files);
    auto const found = faults_of(folder, {.sequence = 4});
    CHECK(found.size() == 4);
    for (std::string const text :
         {"expected a tensor named 'model.norm.weight', found none",
          "/model.layers.1.mlp.up_proj.weight: expected shape (20, 16) by config.json, found (16, 20)",
          "/model.layers.0.self_attn.q_proj.bias: expected a tensor that a LLaMA",
          "/model.layers.2.input_layernorm.weight: expected a tensor that a LLaMA"}) {
        CAPTURE(text);
        CHECK(std::count_if(found.begin(), found.end(),
                            [&](std::string const& fault) { return fault.find(text) != std::string::npos; }) == 1);
    }
}

TEST_CASE("weights that are no floating numbers, and files that are not there, are refused", "[apps][llama]") {
    TemporaryFolder const folder;
    test::PlainLlama const m = model();
    test::save(m, folder, DType::i8);
    auto const quantized = faults_of(folder, {.sequence = 4});
    CHECK(quantized.size() == m.weights.size());
    CHECK(quantized[0].find("expected f16, bf16, f32 or f64, found i8") != std::string::npos);

    std::filesystem::remove(folder.file("model.safetensors"));
    CHECK(faults_of(folder, {.sequence = 4})[0].find("expected a .safetensors file, found none") != std::string::npos);
    test::save(m, folder, DType::f32, 3);
    std::filesystem::remove(folder.file("model-0.safetensors"));
    std::filesystem::remove(folder.file("model-1.safetensors"));
    expect_faults(faults_of(folder, {.sequence = 4}), {"model-0.safetensors: ", "model-1.safetensors: "});
    std::filesystem::remove(folder.file("model.safetensors.index.json"));
    folder.write("again.safetensors", test::safetensors({{"lm_head.weight", {{1}, {0}}}}, DType::f32));
    folder.write("model.safetensors", test::safetensors({{"lm_head.weight", {{1}, {0}}}}, DType::f32));
    CHECK(faults_of(folder, {.sequence = 4})[0].find("'lm_head.weight' in again.safetensors too") != std::string::npos);
    CHECK(faults_of(folder, {.folder = "", .sequence = 4}).size() == 1);
}
