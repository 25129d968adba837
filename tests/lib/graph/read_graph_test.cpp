#include <cstring>

#include "lib/graph/contract.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;
using Lines = std::vector<std::string>;

namespace {

std::vector<std::string> names_of(EinGraph const& graph) {
    std::vector<std::string> names;
    for (Value const& value : graph.values) names.push_back(value.name);
    return names;
}

/// A graph of one tensor "A" with these keys.
std::string with_tensor(std::string const& tensor) {
    return R"({"eingraph": 1, "tensors": {"A": )" + tensor + R"(}, "outputs": ["A"]})";
}

template <class Source>
Source source_of(std::string const& tensor) {
    return std::get<Source>(read_graph(with_tensor(tensor), "g.json").leaves.at(0).source);
}

template <class T>
std::vector<T> values_of(std::string const& tensor) {
    auto const bytes = source_of<tensor::ValuesSource>(tensor).bytes;
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

}  // namespace

TEST_CASE("nodes come in any order; what no output needs is gone", "[lib][graph]") {
    EinGraph const graph = read_graph(R"({"eingraph": 1, "name": "g", "x-note": [1], "dtype": "f64", "tensors": {
        "A": {"shape": [2, 2]}, "unused": {"shape": [9], "dtype": "i8"}},
        "nodes": [{"name": "F", "einsum": "ij,jk->ik", "inputs": ["E", "C"], "x-why": "last"},
                  {"name": "dead", "einsum": "ij->i", "inputs": ["F"]},
                  {"name": "E", "einsum": "ij->ji", "inputs": ["C"]},
                  {"name": "C", "einsum": "ij->ij", "inputs": ["A"]}],
        "outputs": ["F", "A"]})",
                                      "g.json");
    CHECK(graph.name == "g");
    CHECK(names_of(graph) == Lines{"A", "C", "E", "F"});
    CHECK(describe(graph) == Lines{"C f64(2, 2) = A(i j) -> (i j) sum x", "E f64(2, 2) = C(i j) -> (j i) sum x",
                                   "F f64(2, 2) = E(i j) C(j k) -> (i k) sum x*y"});
    CHECK(graph.outputs == std::vector{ValueId{3}, ValueId{0}});
    CHECK(graph.producers() == std::vector<std::optional<NodeId>>{std::nullopt, NodeId{0}, NodeId{1}, NodeId{2}});
    CHECK(graph.consumers()[1] == std::vector{NodeId{1}, NodeId{2}});
}

TEST_CASE("every kind of data", "[lib][graph]") {
    CHECK(source_of<tensor::NpySource>(R"({"shape": [2], "data": {"npy": "A.npy"}})").file == "A.npy");
    CHECK(source_of<tensor::NpzSource>(R"({"shape": [2], "data": {"npz": "A.npz", "entry": "w"}})") ==
          tensor::NpzSource{"A.npz", "w"});
    CHECK(source_of<tensor::SafetensorsSource>(R"({"shape": [2], "data": {"safetensors": "m", "tensor": "w"}})") ==
          tensor::SafetensorsSource{"m", "w"});
    CHECK(source_of<tensor::RawSource>(R"({"shape": [2], "data": {"raw": "A.bin", "offset": 128}})") ==
          tensor::RawSource{"A.bin", 128});
    CHECK(source_of<tensor::RawSource>(R"({"shape": [2], "data": {"raw": "A.bin"}})") ==
          tensor::RawSource{"A.bin", std::nullopt});
    CHECK(source_of<tensor::FillSource>(R"({"shape": [2], "data": {"fill": "-inf"}})").value.real() == -INFINITY);
    CHECK(source_of<tensor::FillSource>(R"({"shape": [2], "dtype": "i64", "data": {"fill": 9223372036854775807}})")
              .integer == INT64_MAX);
    CHECK(source_of<tensor::RandomSource>(
              R"({"shape": [2], "data": {"random": "uniform", "low": -1, "high": 1, "seed": 18446744073709551615}})") ==
          tensor::RandomSource{tensor::Distribution::uniform, -1, 1, UINT64_MAX});
    CHECK(source_of<tensor::RandomSource>(R"({"shape": [2], "data": {"random": "normal"}})") ==
          tensor::RandomSource{tensor::Distribution::normal, 0, 1, 0});
    CHECK(source_of<tensor::RandomSource>(R"({"shape": [2], "dtype": "u8", "data": {"random": "uniform"}})") ==
          tensor::RandomSource{tensor::Distribution::uniform, 0, 10, 0});
    CHECK(source_of<tensor::MtxSource>(R"({"shape": [2, 3], "data": {"mtx": "A.mtx"}})") == tensor::MtxSource{"A.mtx"});
    CHECK(source_of<tensor::TnsSource>(R"({"shape": [2], "data": {"tns": "A.tns"}})") == tensor::TnsSource{"A.tns"});
    CHECK(source_of<tensor::ScipySource>(R"({"shape": [2, 3], "data": {"scipy": "A.npz"}})") ==
          tensor::ScipySource{"A.npz"});
    CHECK(source_of<tensor::SparseRandomSource>(R"({"shape": [2], "data": {"random": "normal", "density": 0.25}})") ==
          tensor::SparseRandomSource{{tensor::Distribution::normal, 0, 1, 0}, 0.25});
    CHECK(source_of<tensor::SparseRandomSource>(R"({"shape": [2], "data": {"random": "uniform", "density": 1}})") ==
          tensor::SparseRandomSource{{tensor::Distribution::uniform, 0, 1, 0}, 1});
    source_of<tensor::MissingSource>(R"({"shape": [2]})");
}

TEST_CASE("listed values", "[lib][graph]") {
    CHECK(values_of<float>(R"({"shape": [2, 2], "data": {"values": [[1, 2.5], [true, "inf"]]}})") ==
          std::vector<float>{1, 2.5f, 1, INFINITY});
    CHECK(values_of<float>(R"({"shape": [], "data": {"values": 3}})") == std::vector<float>{3});
    CHECK(values_of<float>(R"({"shape": [1], "data": {"values": [9007199791611905]}})") ==
          std::vector<float>{9007200328482816.0f});  // by way of f64 9007199254740992
    CHECK(values_of<std::int64_t>(
              R"({"shape": [2], "dtype": "i64", "data": {"values": [9007199254740993, -9223372036854775808]}})") ==
          std::vector<std::int64_t>{9007199254740993, INT64_MIN});
    CHECK(values_of<std::uint8_t>(R"({"shape": [3], "dtype": "bool", "data": {"values": [true, 0, 1]}})") ==
          std::vector<std::uint8_t>{1, 0, 1});
    CHECK(values_of<float>(R"({"shape": [2], "dtype": "c64", "data": {"values": [[1, -2], 3]}})") ==
          std::vector<float>{1, -2, 3, 0});
    CHECK(values_of<std::uint16_t>(R"({"shape": [2], "dtype": "f16", "data": {"values": [65519, "-inf"]}})") ==
          std::vector<std::uint16_t>{0x7bff, 0xfc00});
    CHECK(values_of<std::uint16_t>(R"({"shape": [1], "dtype": "f16", "data": {"values": [1.5]}})") ==
          std::vector<std::uint16_t>{0x3e00});
    CHECK(values_of<float>(R"({"shape": [0, 3], "data": {"values": []}})").empty());
    CHECK(values_of<float>(R"({"data": {"values": [[1, 2], [3, 4]]}})") == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("each fault of a tensor", "[lib][graph]") {
    struct Row {
        char const* tensor;
        char const* where;
        char const* expected;
        char const* found;
    };
    auto const row = GENERATE(values<Row>(
        {{"{}", "/tensors/A", "the key \"shape\"", "none"},
         {"[2]", "/tensors/A", "an object", "[2]"},
         {R"({"shape": [2, -1]})", "/tensors/A/shape/1", "an extent of 0 or more", "-1"},
         {R"({"shape": [2.5]})", "/tensors/A/shape/0", "an integer", "2.5"},
         {R"({"shape": null})", "/tensors/A/shape", "a list", "null"},
         {R"({"data": {"npy": "A.npy"}})", "/tensors/A", "the key \"shape\"", "none"},
         {R"({"data": {"values": [[1], [2, 3]]}})", "/tensors/A", "the key \"shape\"", "none"},
         {R"({"dtype": "c64", "data": {"values": [1, 2]}})", "/tensors/A", "the key \"shape\"", "none"},
         {R"({"shape": [4611686018427387904]})", "/tensors/A/shape", "a tensor of at most 2^62 bytes",
          "(4611686018427387904,)"},
         {R"({"shape": [2], "dtyp": "f32"})", "/tensors/A/dtyp", "shape, dtype, data, sparse, fill or listed",
          "the unknown key \"dtyp\""},
         {R"({"shape": [2], "data": {}})", "/tensors/A/data",
          "one kind of data: npy, npz, safetensors, raw, fill, values, random, mtx, tns or scipy", "{}"},
         {R"({"shape": [2], "data": {"npy": "A", "fill": 1}})", "/tensors/A/data",
          "one kind of data: npy, npz, safetensors, raw, fill, values, random, mtx, tns or scipy", "both npy and fill"},
         {R"({"shape": [2], "data": {"npy": ""}})", "/tensors/A/data/npy", "a name", "an empty string"},
         {R"({"shape": [2], "data": {"npz": "A.npz"}})", "/tensors/A/data", "the key \"entry\"", "none"},
         {R"({"shape": [2], "data": {"raw": "A", "offset": -1}})", "/tensors/A/data/offset",
          "an offset of 0 or more bytes", "-1"},
         {R"({"shape": [2], "data": {"random": "unifrom"}})", "/tensors/A/data/random", "\"uniform\" or \"normal\"",
          "'unifrom'"},
         {R"({"shape": [2], "data": {"random": "normal", "low": 1}})", "/tensors/A/data/random",
          "\"uniform\" beside \"low\" and \"high\"", "'normal'"},
         {R"({"shape": [2], "data": {"random": "uniform", "low": 2}})", "/tensors/A/data", "low <= high",
          "low 2.0 and high 1.0"},
         {R"({"shape": [2], "dtype": "i32", "data": {"random": "uniform", "low": 0.2, "high": 0.8}})",
          "/tensors/A/data", "a whole number v with low <= v < high", "low 0.2 and high 0.8"},
         {R"({"shape": [2], "dtype": "i32", "data": {"random": "normal"}})", "/tensors/A/data/random",
          "\"uniform\" for i32", "\"normal\""},
         {R"({"shape": [2], "data": {"random": "normal", "std": -1}})", "/tensors/A/data/std",
          "a standard deviation of 0 or more", "-1.0"},
         {R"({"shape": [2], "data": {"random": "uniform", "density": 1.5}})", "/tensors/A/data/density",
          "a share of the elements, from 0 to 1", "1.5"},
         {R"({"shape": [2], "data": {"random": "normal", "seed": -1}})", "/tensors/A/data/seed",
          "a seed from 0 to 2^64 - 1", "-1"},
         {R"({"shape": [2], "data": {"fill": "infinity"}})", "/tensors/A/data/fill", "a number", "\"infinity\""},
         {R"({"shape": [2], "dtype": "i8", "data": {"fill": 128}})", "/tensors/A/data/fill",
          "a whole number from -128 to 127", "128"},
         {R"({"shape": [2], "dtype": "i8", "data": {"values": [1, -129]}})", "/tensors/A/data/values/1",
          "a whole number from -128 to 127", "-129"},
         {R"({"shape": [2], "dtype": "u8", "data": {"fill": -1}})", "/tensors/A/data/fill",
          "a whole number from 0 to 255", "-1"},
         {R"({"shape": [2], "data": {"fill": 1e39}})", "/tensors/A/data/fill", "a number that f32 holds", "1e+39"},
         {R"({"shape": [2], "dtype": "f16", "data": {"values": [65519, -65520]}})", "/tensors/A/data/values/1",
          "a number that f16 holds", "-65520"},
         {R"({"shape": [], "dtype": "c64", "data": {"fill": [0, 1e39]}})", "/tensors/A/data/fill/1",
          "a number that c64 holds", "1e+39"},
         {R"({"shape": [2, 2], "data": {"values": [[1, 2], [3]]}})", "/tensors/A/data/values",
          "4 numbers (shape (2, 2))", "3"},
         {R"({"shape": [2, 2], "data": {"values": [[1, 2], [3, 4, 5]]}})", "/tensors/A/data/values/1",
          "a list of 2 (axis 1 of shape (2, 2))", "a list of 3"},
         {R"({"shape": [2], "dtype": "bool", "data": {"values": [true, 2]}})", "/tensors/A/data/values/1",
          "true, false, 0 or 1", "2"},
         {R"({"shape": [1], "dtype": "c64", "data": {"values": [[1, 2, 3]]}})", "/tensors/A/data/values/0",
          "a complex number: [re, im]", "[1,2,3]"}}));
    CAPTURE(row.tensor);
    auto const faults = faults_of(with_tensor(row.tensor));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == row.where);
    CHECK(faults[0].expected == row.expected);
    CHECK(faults[0].found == row.found);
    CHECK(!faults[0].fix.empty());
}

TEST_CASE("each fault of the whole", "[lib][graph]") {
    struct Row {
        char const* text;
        char const* where;
        char const* found;
    };
    auto const row = GENERATE(values<Row>(
        {{R"([])", "", "[]"},
         {R"({"tensors": {"A": {"shape": []}}, "outputs": ["A"]})", "", "none"},
         {R"({"eingraph": 2, "tensors": {"A": {"shape": []}}, "outputs": ["A"]})", "/eingraph", "2"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}}, "outputs": []})", "/outputs", "none"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}}})", "", "none"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}}, "outputs": ["A", "A"]})", "/outputs/1", "'A' again"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}}, "outputs": ["AA"]})", "/outputs/0", "'AA'"},
         {R"({"eingraph": 1, "tensors": {"a/b": {"shape": []}, "a.b": {"shape": []}}, "outputs": ["a/b", "a.b"]})",
          "/outputs/1", "'a.b' and 'a/b', both of which are written to a.b.npy"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}}, "nodes": [{"name": "A", "einsum": "->", "inputs": ["A"]}],
              "outputs": ["A"]})",
          "/nodes/0/name", "'A' again"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}}, "nodes": [{"einsum": "->", "inputs": ["A"]}],
              "outputs": ["A"]})",
          "/nodes/0", "none"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}}, "nodes": [{"name": "B", "inputs": ["A"]}],
              "outputs": ["A"]})",
          "/nodes/0", "none"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}},
              "nodes": [{"name": "B", "op": "softmax", "einsum": "->", "inputs": ["A"]}], "outputs": ["A"]})",
          "/nodes/0", "2 of them"},
         {R"({"eingraph": 1, "tensors": {"A": {"shape": []}}, "nodes": [{"name": "B", "op": "softmx", "inputs": ["A"]}],
              "outputs": ["A"]})",
          "/nodes/0/op", "'softmx'"},
         {R"({"eingraph": 1, "params": {"x1": 2}, "tensors": {"A": {"shape": []}}, "outputs": ["A"]})", "/params/x1",
          "'x1', an operand"},
         {R"({"eingraph": 1, "params": {"pi": 3}, "tensors": {"A": {"shape": []}}, "outputs": ["A"]})", "/params/pi",
          "'pi', a constant"},
         {R"({"eingraph": 1, "params": {"exp": 3}, "tensors": {"A": {"shape": []}}, "outputs": ["A"]})", "/params/exp",
          "'exp', a function"},
         {R"({"eingraph": 1, "params": {"a b": 3}, "tensors": {"A": {"shape": []}}, "outputs": ["A"]})", "/params/a b",
          "'a b'"},
         {R"({"eingraph": 1, "params": {"a": "b"}, "tensors": {"A": {"shape": []}}, "outputs": ["A"]})", "/params/a",
          "\"b\""},
         {R"({"eingraph": 1, "tensors": {"": {"shape": []}, "A": {"shape": []}}, "outputs": ["A"]})", "/tensors/",
          "an empty string"}}));
    CAPTURE(row.text);
    auto const faults = faults_of(row.text);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == row.where);
    CHECK(faults[0].found == row.found);
    CHECK(!faults[0].fix.empty());
}

TEST_CASE("all faults of a file at once, and no consequences of them", "[lib][graph]") {
    auto const faults = faults_of(R"({"eingraph": 1, "tensors": {"A": {"shape": [2, 3]}, "B": {"shape": [-1]}},
        "nodes": [{"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "A"]},
                  {"name": "D", "einsum": "ik->i", "inputs": ["C"], "agg": "summ", "join": "x+q"},
                  {"name": "E", "einsum": "ij->i", "inputs": ["A"], "join": "y"},
                  {"name": "F", "einsum": "ij->i", "inputs": ["E"]},
                  {"name": "G", "op": "softmax", "inputs": ["B"], "axs": 1}],
        "outputs": ["D", "F", "Q"]})");
    std::vector<std::string> places;
    for (Fault const& fault : faults) places.push_back(fault.where);
    // F reads E, whose join is wrong but whose shape is known: its order is wrong for "ij".
    CHECK(places == Lines{"/tensors/B/shape/0", "/nodes/0/einsum", "/nodes/1/agg", "/nodes/1/join", "/nodes/2/join",
                          "/nodes/3/einsum", "/nodes/4/axs", "/outputs/2"});
}

TEST_CASE("names among what could not be read are not reported as unknown", "[lib][graph]") {
    struct Row {
        char const* keys;
        char const* where;
    };
    auto const row = GENERATE(
        values<Row>({{R"("tensors": {}, "nodes": {})", "/nodes"},
                     {R"("tensors": {}, "nodes": 3)", "/nodes"},
                     {R"("tensors": {}, "nodes": [7])", "/nodes/0"},
                     {R"("tensors": {}, "nodes": [{"einsum": "->", "inputs": ["C"]}])", "/nodes/0"},
                     {R"("tensors": [], "nodes": [{"name": "D", "einsum": "->", "inputs": ["A"]}])", "/tensors"}}));
    CAPTURE(row.keys);
    auto const faults = faults_of(R"({"eingraph": 1, )" + std::string(row.keys) + R"(, "outputs": ["C"]})");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == row.where);
}

TEST_CASE("a cycle is reported with the names along it", "[lib][graph]") {
    auto const faults = faults_of(R"({"eingraph": 1, "tensors": {"A": {"shape": [2]}},
        "nodes": [{"name": "p", "einsum": "i,i->i", "inputs": ["A", "r"]},
                  {"name": "q", "einsum": "i->i", "inputs": ["p"]},
                  {"name": "r", "einsum": "i->i", "inputs": ["q"]},
                  {"name": "s", "einsum": "i,i->i", "inputs": ["s", "A"]}],
        "outputs": ["q"]})");
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].where == "/nodes/0/inputs");
    CHECK(faults[0].found == "the cycle 'p' -> 'q' -> 'r' -> 'p'");
    CHECK(faults[1].found == "the cycle 's' -> 's'");
}

TEST_CASE("parts never take a name of the user's", "[lib][graph]") {
    EinGraph const graph = read_graph(R"({"eingraph": 1, "tensors": {"P:max": {"shape": [2]}},
        "nodes": [{"name": "P", "op": "softmax", "inputs": ["P:max"]}], "outputs": ["P"]})",
                                      "g.json");
    CHECK(names_of(graph) == Lines{"P:max", "P:max:2", "P:sum", "P"});
}

TEST_CASE("a chain of 60000 nodes, last first, is read, in bounded stack", "[lib][graph]") {
    constexpr int length = 60000;  // with 140 bytes of stack each, more than there is
    std::string text = R"({"eingraph": 1, "tensors": {"t0": {"shape": [8]}}, "nodes": [)";
    for (int k = length; k > 0; --k)
        text += R"({"name": "t)" + std::to_string(k) + R"(", "einsum": "i->i", "inputs": ["t)" + std::to_string(k - 1) +
                R"("], "join": "x+1"})" + (k > 1 ? "," : "");
    text += R"(], "outputs": ["t)" + std::to_string(length) + R"("]})";
    EinGraph const graph = lower_contractions(read_graph(text, "g.json"));
    CHECK(graph.nodes.size() == length);
    CHECK(graph.value(graph.nodes.front().output).name == "t1");
}
