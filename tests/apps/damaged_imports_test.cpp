// Damaged circuits, networks, configs, indices and safetensors files: each of hundreds is refused, with its file, the
// place, what was expected and found, and a mend. The damages are made here, always the same ones.
#include <functional>
#include <set>

#include "apps/eintool/llama/import_llama.hpp"
#include "apps/eintool/network/import_network.hpp"
#include "apps/eintool/qasm/read_circuit.hpp"
#include "apps/eintool/qasm/tokens.hpp"
#include "lib/base/error.hpp"
#include "tests/apps/llama/llama_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::apps::tool;

namespace {

/// The first fault of what must be refused.
Fault refusal(std::function<void()> const& read) {
    try {
        read();
    } catch (InputError const& error) {
        REQUIRE(!error.faults().empty());
        for (Fault const& fault : error.faults()) {
            CAPTURE(fault.text());
            CHECK(!fault.file.empty());
            CHECK(!fault.expected.empty());
            CHECK(!fault.found.empty());
            CHECK(!fault.fix.empty());
        }
        return error.faults().front();
    }
    FAIL_CHECK("accepted");
    return {};
}

using Damaged = std::pair<std::string, Json>;  // the pointer of what was changed, and the document

/// A document with the value at a pointer replaced.
Damaged with(Json document, std::string const& pointer, Json const& value) {
    document[Json::json_pointer(pointer)] = value;
    return {pointer, document};
}

/// Values of no number, of no string, of no list of anything.
std::vector<Json> const no_extent{-1, "x", 1.5, Json::array(), Json::object(), true};
std::vector<Json> const no_text{7, Json::array(), Json::object(), true};

/// Texts that end too early, `count` of them.
std::vector<std::string> cut_short(std::string const& text, std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t k = 0; k < count; ++k) out.push_back(text.substr(0, (text.size() - 1) * k / count));
    return out;
}

std::string const circuit = R"(OPENQASM 2.0;
include "qelib1.inc";
gate inner(x, y) a, b { rx(x/y) b; barrier a, b; cx b, a; }
gate outer(t) a, b, c { inner(t, 2) c, a; U(0, -t^2, sin(pi)) c; }
qreg q[3];
qreg r[3]; creg c[3];
outer(0.5e-1) q[0], q[2], q[1];
cx q, r; cu3(1, .5, -pi) q[0], r;
barrier q, r[1];
measure r -> c; measure q[0] -> c[1];
)";

/// Model, index and weights of two files in a folder of its own.
struct Model {
    TemporaryFolder folder;
    test::PlainLlama plain;

    Model() {
        plain.make_weights(8);
        plain.factor = 8, plain.original = 40, plain.low = 0.5, plain.high = 3;
        test::save(plain, folder, DType::f32, 2);
    }
    void import() const { import_llama({.folder = folder.path().string(), .sequence = 4}); }
};

}  // namespace

TEST_CASE("damaged circuits are refused where they are damaged", "[apps][damaged]") {
    std::string const file = "c.qasm";
    REQUIRE_NOTHROW(qasm::read_circuit(circuit, file));
    qasm::Tokens const tokens(circuit, file);
    int count = 0;
    for (std::size_t k = 0; tokens.peek(k).kind != qasm::TokenKind::end; ++k) {
        qasm::Token const token = tokens.peek(k);
        bool const quoted = token.kind == qasm::TokenKind::string;
        std::size_t const begin = static_cast<std::size_t>(token.text.data() - circuit.data()) - (quoted ? 1 : 0);
        CAPTURE(token.place.text(), std::string(token.text));
        std::string damaged = circuit;
        damaged.replace(begin, token.text.size() + (quoted ? 2 : 0), "@");
        CHECK(refusal([&] { qasm::read_circuit(damaged, file); }).where == token.place.text());
        ++count;
        bool const between = k > 0 && (tokens.peek(k - 1).text == ";" || tokens.peek(k - 1).text == "}");
        if (k > 0 && !between) {
            Fault const fault = refusal([&] { qasm::read_circuit(circuit.substr(0, begin), file); });
            CHECK(fault.found.find("end of the file") != std::string::npos);
            ++count;
        }
    }
    CHECK(count > 250);
}

TEST_CASE("damaged configs are refused where they are damaged", "[apps][damaged]") {
    Model const model;
    REQUIRE_NOTHROW(model.import());
    Json const config = test::config_of(model.plain);
    std::vector<Damaged> damaged;
    for (std::string const key : {"/hidden_size", "/intermediate_size", "/num_hidden_layers", "/num_attention_heads",
                                  "/num_key_value_heads", "/head_dim", "/vocab_size", "/max_position_embeddings"})
        for (Json const& value : no_extent) damaged.push_back(with(config, key, value));
    for (std::string const key : {"/rms_norm_eps", "/rope_theta", "/rope_scaling/factor"})
        for (Json const& value : {Json(-1), Json(0), Json("x"), Json::array(), Json(true)})
            damaged.push_back(with(config, key, value));
    for (std::string const key : {"/model_type", "/hidden_act", "/torch_dtype", "/rope_scaling/rope_type"})
        for (Json const& value : no_text) damaged.push_back(with(config, key, value));
    for (std::string const key : {"/model_type", "/hidden_act", "/rope_scaling/rope_type"})
        damaged.push_back(with(config, key, "other"));
    for (std::string const key : {"/tie_word_embeddings", "/attention_bias", "/mlp_bias"})
        for (Json const& value : {Json("x"), Json(2), Json::array()}) damaged.push_back(with(config, key, value));
    damaged.push_back(with(config, "/layer_types", {"full_attention"}));
    damaged.push_back(with(config, "/quantization_config", {{"bits", 4}}));
    for (auto const& [pointer, document] : damaged) {
        CAPTURE(pointer, document[Json::json_pointer(pointer)].dump());
        model.folder.write("config.json", document.dump());
        Fault const fault = refusal([&] { model.import(); });
        CHECK(fault.file == model.folder.file("config.json"));
        CHECK(fault.where == pointer);
    }
    for (std::string const& text : cut_short(config.dump(), 12)) {
        CAPTURE(text);
        model.folder.write("config.json", text);
        CHECK(refusal([&] { model.import(); }).where.starts_with("line "));
    }
    CHECK(damaged.size() > 90);
}

TEST_CASE("damaged indices are refused where they are damaged", "[apps][damaged]") {
    Model const model;
    std::string const name = "model.safetensors.index.json";
    Json const index = Json::parse(read_text_file(model.folder.file(name)));
    int count = 0;
    auto refused = [&](std::string const& text, std::string const& in, std::string const& where) {
        CAPTURE(text);
        model.folder.write(name, text);
        Fault const fault = refusal([&] { model.import(); });
        CHECK(fault.file == model.folder.file(in));
        CHECK(fault.where.starts_with(where));
        ++count;
    };
    for (auto const& [tensor, unused] : index["weight_map"].items()) {
        std::string const pointer = "/weight_map/" + tensor;
        refused(with(index, pointer, "../model-0.safetensors").second.dump(), name, pointer);
        refused(with(index, pointer, 3).second.dump(), name, pointer);
        refused(with(index, pointer, "none.safetensors").second.dump(), "none.safetensors", "");
    }
    for (Json const& value : {Json(), Json(3), Json::array(), Json("x")})
        refused(with(index, "/weight_map", value).second.dump(), name, "/weight_map");
    refused("{}", name, "");
    refused("[]", name, "");
    for (std::string const& text : cut_short(index.dump(), 10)) refused(text, name, "line ");
    CHECK(count > 60);
}

TEST_CASE("damaged safetensors files are refused where they are damaged", "[apps][damaged]") {
    Model const model;
    std::string const name = "model-0.safetensors";
    std::string const whole = read_text_file(model.folder.file(name));
    std::size_t length = 0;
    for (std::size_t k = 8; k > 0; --k) length = 256 * length + static_cast<unsigned char>(whole[k - 1]);
    Json const header = Json::parse(whole.substr(8, length));
    std::string const data = whole.substr(8 + length);
    int count = 0;
    auto refused = [&](std::string const& bytes, std::string const& where) {
        model.folder.write(name, bytes);
        Fault const fault = refusal([&] { model.import(); });
        CHECK(fault.file == model.folder.file(name));
        CHECK(fault.where.starts_with(where));
        ++count;
    };
    auto with_header = [&](Json const& changed) {
        std::string const text = changed.dump();
        std::string out(8, '\0');
        for (std::size_t k = 0; k < 8; ++k) out[k] = static_cast<char>(text.size() >> (8 * k) & 0xff);
        return out + text + data;
    };
    for (auto const& [tensor, entry] : header.items()) {
        if (tensor == "__metadata__") continue;
        CAPTURE(tensor);
        std::string const at = "/" + tensor;
        std::int64_t const begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
        auto changed = [&](std::string const& key, Json const& value) {
            refused(with_header(with(header, at + key, value).second), at);
        };
        changed("/dtype", "F31"), changed("/dtype", 4), changed("/dtype", "I8"), changed("/shape", {1, 1, 1});
        changed("/shape", {-1}), changed("/shape", "x"), changed("/shape", {std::int64_t{1} << 62, 8});
        changed("/data_offsets", {end, begin}), changed("/data_offsets", {begin, end + (1 << 20)});
        changed("/data_offsets", {-4, end}), changed("/data_offsets", {begin}), changed("", Json::array());
        Json without = header;
        without.erase(tensor);
        refused(with_header(without), "");
    }
    for (std::size_t kept : {std::size_t{0}, std::size_t{7}, std::size_t{8}, 8 + length / 2})
        refused(whole.substr(0, kept), "");
    refused(whole.substr(0, whole.size() - 1), "/");
    refused(std::string(8, '\xff') + whole.substr(8), "");
    refused(with_header(Json::array()), "");
    CHECK(count > 120);
}

TEST_CASE("damaged networks are refused where they are damaged", "[apps][damaged]") {
    TemporaryFolder const folder;
    int count = 0;
    auto refused = [&](std::string const& format, std::string const& text, std::string const& where) {
        CAPTURE(format, text);
        folder.write("n.json", text);
        Fault const fault =
            refusal([&] { import_network({.format = format, .file = folder.file("n.json"), .dtype = ""}); });
        CHECK(fault.file == folder.file("n.json"));
        bool const as_a_whole = fault.where.empty() && fault.found == "what looks like an empty file";
        CHECK((as_a_whole || fault.where.starts_with(where)));
        ++count;
    };
    auto damage = [&](std::string const& format, Json const& document, std::vector<std::string> const& pointers,
                      std::vector<Json> const& values, std::string const& where = "/") {
        for (std::string const& pointer : pointers)
            for (Json const& value : values)
                refused(format, with(document, pointer, value).second.dump(), where == "/" ? pointer : where);
    };
    Json const text = Json::parse(
        R"({"einsum": "ab,bcü,cd->adü", "shapes": [[2, 3], [3, 4, 5], [4, 2]],
            "path": [[0, 1], [0, 1]], "dtype": "f64"})");
    damage("opt_einsum", text, {"/shapes/0/1", "/shapes/1/0", "/shapes/1/1", "/shapes/2/0"},
           {-1, "x", 1.5, Json::array()});
    damage("opt_einsum", text, {"/shapes/2/0"}, {9});
    damage("opt_einsum", text, {"/shapes/0", "/shapes/1", "/shapes/2", "/shapes"},
           {Json::array({1}), 7, Json::object()});
    damage("opt_einsum", text, {"/path/0/0", "/path/1/1"}, {99, -1, "x", Json::array()});
    damage("opt_einsum", text, {"/path"}, {7, Json::array(), Json::array({Json::array({0, 1})})});
    damage("opt_einsum", text, {"/einsum"}, {"ab,bcü,cd->adüz", "ab,bcü,cd->aad", "ab,...,cd", "ab->bc->cd", 7});
    damage("opt_einsum", text, {"/einsum"}, {"ab,bc,cd->ad"}, "/shapes/1");
    damage("opt_einsum", text, {"/einsum"}, {"ab,bcü->a"}, "/shapes");
    damage("opt_einsum", text, {"/dtype"}, {"f33", 7});
    damage("opt_einsum", text, {"/shape"}, {7}, "");
    for (std::string const& part : cut_short(text.dump(), 10)) refused("opt_einsum", part, "line ");

    Json const lists = Json::parse(
        R"({"inputs": [["a", "b"], ["b", "c"], ["c", 7]], "output": ["a"],
            "size_dict": {"a": 2, "b": 3, "c": 4, "7": 1},
            "tree": [[0, 1], 2]})");
    damage("cotengra", lists, {"/size_dict/a", "/size_dict/7"}, {-1, "x", 1.5, Json::array(), true});
    damage("cotengra", lists, {"/inputs/0/0", "/inputs/2/1"}, {"none"}, "/size_dict");
    damage("cotengra", lists, {"/inputs/0/0", "/inputs/2/1"}, {1.5, Json::array()});
    damage("cotengra", lists, {"/inputs/0", "/inputs", "/output", "/size_dict"}, {7, true});
    damage("cotengra", lists, {"/output"}, {{"a", "a"}, {"z"}});
    damage("cotengra", lists, {"/tree/0/0", "/tree/1"}, {1, 3, -1, "x", 1.5}, "/tree");
    damage("cotengra", lists, {"/tree"}, {0, "x", Json::array({0, 1}), Json::object()});
    damage("cotengra", lists, {"/sliced"}, {{"z"}, 7});
    Json numbered = lists;
    numbered.erase("tree");
    numbered["ssa_path"] = {{0, 1}, {3, 2}};
    damage("cotengra", numbered, {"/ssa_path/0/0", "/ssa_path/1/0", "/ssa_path/1/1"}, {1, 4, -1, "x", 1.5},
           "/ssa_path");
    damage("cotengra", numbered, {"/ssa_path"}, {7, Json::array(), Json::array({Json::array({0, 1})})});
    damage("cotengra", numbered, {"/ssa_path/0"}, {Json::array(), 7});
    for (std::string const key : {"inputs", "output", "size_dict"}) {
        Json without = lists;
        without.erase(key);
        refused("cotengra", without.dump(), "");
    }

    Json const nested = Json::parse(R"({"einsum": {"ixs": [[1, 2], [2, 3]], "iy": [1],
        "tree": {"args": [{"isleaf": true, "tensorindex": 1}, {"isleaf": true, "tensorindex": 2}]}},
        "size": {"1": 2, "2": 3, "3": 4}})");
    damage("omeinsum", nested, {"/einsum/tree/args/0/tensorindex", "/einsum/tree/args/1/tensorindex"}, {0, 3, -1, "x"},
           "/einsum/tree/args/");
    damage("omeinsum", nested, {"/einsum/tree/args", "/einsum/tree"}, {7, Json::array()}, "/einsum/tree");
    damage("omeinsum", nested, {"/einsum/ixs/0/1"}, {9}, "/size");
    damage("omeinsum", nested, {"/einsum/ixs", "/einsum/iy", "/size"}, {7});
    damage("omeinsum", nested, {"/slices"}, {{9}, 7});
    for (std::string const& part : cut_short(nested.dump(), 10)) refused("omeinsum", part, "line ");
    CHECK(count > 120);
}
