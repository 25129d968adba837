// tra nodes: what they become, and every fault at its place.
#include "lib/graph/tra/read_program.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;
using Lines = std::vector<std::string>;

namespace {

/// A graph with X, Y (6, 6), L (256,) and a tra node "Z" of X and Y (and L where it is named) with the given keys.
std::string tra_text(std::string const& keys) {
    bool const large = keys.find("\"L\"") != std::string::npos;
    return R"({"eingraph": 1, "params": {"eta": 0.5}, "tensors": {"X": {"shape": [6, 6]}, "Y": {"shape": [6, 6]},
        "L": {"shape": [256]}, "c": {"shape": [2], "dtype": "c64"}, "e": {"shape": [0]}},
        "nodes": [{"name": "Z", "inputs": )" +
           std::string(large ? R"(["L"])" : R"(["X", "Y"])") + ", " + keys + R"(}], "outputs": ["Z"]})";
}
Lines lines_of(std::string const& keys) { return describe(read_graph(tra_text(keys), "g.json")); }
Lines tail(Lines lines, std::size_t from) { return {lines.begin() + static_cast<std::ptrdiff_t>(from), lines.end()}; }

std::string const blocks = R"j("cut": {"X": [2, 2], "Y": [2, {"into": 3}]}, "tra": )j";

Fault fault_of(std::string const& keys) {
    auto const faults = faults_of(tra_text(keys));
    CAPTURE(keys);
    REQUIRE(faults.size() == 1);
    return faults.front();
}

}  // namespace

TEST_CASE("the matrix product over blocks is one EinSum of the cut tensors", "[lib][graph][tra]") {
    CHECK(lines_of(blocks + R"j({"aggregate": {"by": [0, 2], "kernel": "matAdd"},
        "of": {"join": {"on": [[1], [0]], "kernel": "matMul"}, "of": ["X", "Y"]}})j") ==
          Lines{"Z:X f32(3, 2, 3, 2) = reshape X", "Z:Y f32(3, 2, 3, 2) = reshape Y",
                "Z:blocks f32(3, 2, 3, 2) = Z:X(k0 a0 s0 s1) Z:Y(s0 s1 k1 a1) -> (k0 a0 k1 a1) sum x*y",
                "Z f32(6, 6) = reshape Z:blocks"});
}

TEST_CASE("diag(X + Y) adds what is on the diagonal and nothing else", "[lib][graph][tra]") {
    CHECK(tail(lines_of(blocks + R"j({"transform": "diag", "of": {"rekey": ["[k0]"], "of": {"filter": "[k0] == [k1]",
        "of": {"join": {"on": [[0, 1], [0, 1]], "kernel": "matAdd"}, "of": ["X", "Y"]}}}})j"),
               2) == Lines{"Z:blocks f32(3, 2) = Z:X(k0 a0 k0 a0) Z:Y(k0 a0 k0 a0) -> (k0 a0) sum x + y",
                           "Z f32(6,) = reshape Z:blocks"});
}

TEST_CASE("filters and key functions that are ranges and steps become slices", "[lib][graph][tra]") {
    CHECK(tail(lines_of(blocks + R"j({"rekey": ["2 - [k0]", "[k1]"], "of": "X"})j"), 1) ==
          Lines{"Z:slice f32(3, 2, 3, 2) = Z:X[2/-1 0 0 0]->[0:3, 0:2, 0:3, 0:2]", "Z f32(6, 6) = reshape Z:slice"});
    CHECK(tail(lines_of(blocks + R"j({"rekey": ["[k1]", "[k0]"], "of": {"filter": "[k0] < 2", "of": "X"}})j"), 1) ==
          Lines{"Z:slice f32(2, 2, 3, 2) = Z:X[0 0 0 0]->[0:2, 0:2, 0:3, 0:2]",
                "Z:blocks f32(3, 2, 2, 2) = Z:slice(k1 a0 k0 a1) -> (k0 a0 k1 a1) sum x",
                "Z f32(6, 4) = reshape Z:blocks"});
    CHECK(tail(lines_of(blocks + R"j({"rekey": ["[k1]"], "of": {"filter": "[k0] == 2", "of": "X"}})j"), 1) ==
          Lines{"Z:slice f32(1, 2, 3, 2) = Z:X[2 0 0 0]->[0:1, 0:2, 0:3, 0:2]",
                "Z:squeeze f32(2, 3, 2) = reshape Z:slice",
                "Z:blocks f32(3, 2, 2) = Z:squeeze(a0 k0 a1) -> (k0 a0 a1) sum x", "Z f32(6, 2) = reshape Z:blocks"});
}

TEST_CASE("relations with holes are lists of runs; groups of unlike size are filled up once", "[lib][graph][tra]") {
    Lines const lines = tail(lines_of(blocks + R"j({"aggregate": {"by": [0], "kernel": "max(x, y)"},
        "of": {"filter": "[k0] <= [k1]", "of": "X"}})j"),
                             2);
    CHECK(lines == Lines{"Z:cells f32(9, 2, 2) = reshape Z:blocks",
                         "Z:moved f32(9, 2, 2) = Z:cells[0 0 0]->[0:3, 0:2, 0:2] Z:cells[4 0 0]->[3:5, 0:2, 0:2] "
                         "Z:cells[8 0 0]->[6:7, 0:2, 0:2] fill -inf",
                         "Z:grid f32(3, 3, 2, 2) = reshape Z:moved",
                         "Z:blocks:2 f32(3, 2, 2) = Z:grid(k0 s0 a0 a1) -> (k0 a0 a1) max x",
                         "Z f32(6, 2) = reshape Z:blocks:2"});
}

TEST_CASE("very many runs are looked up", "[lib][graph][tra]") {
    std::string const odd = R"j("cut": {"L": [1]}, "tra": {"aggregate": {"by": [], "kernel": "max(x, y)"},
        "of": {"filter": "mod([k0]*[k0], 7) < 3", "of": "L"}})j";
    Lines const lines = lines_of(odd);
    REQUIRE(lines.size() == 3);
    CHECK(lines[1].find("Z:positions(cell) -> (cell axis1) sum where(y == [axis0], x, 0)") != std::string::npos);
    EinGraph const graph = read_graph(tra_text(odd), "g.json");
    CHECK(as_lookup(std::get<EinSum>(graph.nodes[1].op)));
}

TEST_CASE("a join of aggregated blocks stores them first; what is read twice is computed once", "[lib][graph][tra]") {
    CHECK(tail(lines_of(blocks + R"j([
        {"name": "sums", "transform": "rowSum", "of": {"aggregate": {"by": [0], "kernel": "matAdd"}, "of": "X"}},
        {"join": {"on": [[0], [0]], "kernel": "x - eta*y"}, "of": ["sums", "sums"]}])j"),
               1) == Lines{"Z:transform f32(3, 2) = Z:X(k0 a0 s0 s1) -> (k0 a0) sum x",
                           "Z:blocks f32(3, 2) = Z:transform(k0 a0) Z:transform(k0 a0) -> (k0 a0) sum x - eta*y",
                           "Z f32(6,) = reshape Z:blocks"});
}

TEST_CASE("tile, concat and result axes", "[lib][graph][tra]") {
    CHECK(lines_of(R"j("cut": {"X": [3, null]}, "result": [["k1", "a0"], ["k0"], ["a1"]],
        "tra": {"tile": {"axis": 1, "size": 2}, "of": "X"})j") ==
          Lines{"Z:X f32(2, 3, 6) = reshape X", "Z:tiles f32(2, 3, 3, 2) = reshape Z:X",
                "Z:blocks f32(3, 3, 2, 2) = Z:tiles(k0 a0 k1 a1) -> (k1 a0 k0 a1) sum x",
                "Z f32(9, 2, 2) = reshape Z:blocks"});
    CHECK(lines_of(blocks + R"j({"concat": {"key": 1, "axis": 1}, "of": "X"})j") ==
          Lines{"Z:X f32(3, 2, 3, 2) = reshape X", "Z:concat f32(3, 2, 6) = reshape Z:X",
                "Z f32(6, 6) = reshape Z:concat"});
    CHECK(lines_of(R"j("dtype": "f64", "tra": "X")j") ==
          Lines{"Z:X:cast f64(6, 6) = X(axis0 axis1) -> (axis0 axis1) sum x",
                "Z f64(6, 6) = Z:X:cast(a0 a1) -> (a0 a1) sum x"});
}

TEST_CASE("every way to be wrong has its place", "[lib][graph][tra][faults]") {
    struct Wrong {
        std::string keys, where, part;  // part of what was expected or found
    };
    std::string const join = R"j({"join": {"on": [[1], [0]], "kernel": "matMul"}, "of": ["X", "Y"]})j";
    auto const wrong = GENERATE_COPY(values<Wrong>(
        {{R"("tra": "W")", "/tra", "X or Y"},
         {R"("tra": 3)", "/tra", "an operator"},
         {R"("tra": [])", "/tra", "none"},
         {R"("tra": {"of": "X"})", "/tra", "none"},
         {R"("tra": {"fliter": "1", "of": "X"})", "/tra", "filter"},
         {R"("tra": {"filter": "1", "rekey": [], "of": "X"})", "/tra", "rekey or filter"},
         {R"("tra": {"filter": "1", "of": "X", "on": 1})", "/tra/on", "on"},
         {R"("tra": {"filter": "1"})", "/tra", "\"of\""},
         {R"("tra": {"filter": "1", "of": ["X", "Y"]})", "/tra/of", "2"},
         {R"("tra": {"join": {"on": [[], []], "kernel": "matAdd"}, "of": "X"})", "/tra/of", "two relations"},
         {R"("tra": [{"filter": "1", "of": "X"}, "Y"])", "/tra/0", "\"name\""},
         {R"("tra": [{"name": "X", "filter": "1", "of": "X"}, "Y"])", "/tra/0/name", "'X' again"},
         {R"("cut": {"W": [2]}, "tra": "X")", "/cut/W", "'W'"},
         {R"("cut": {"X": [2]}, "tra": "X")", "/cut/X", "2 entries"},
         {R"("cut": {"X": [2, 4]}, "tra": "X")", "/cut/X/1", "divides"},
         {R"("cut": {"X": [2, {"into": 0}]}, "tra": "X")", "/cut/X/1/into", "0"},
         {R"("cut": {"X": [2, {"into": 2, "by": 2}]}, "tra": "X")", "/cut/X/1/by", "by"},
         {R"("cut": {"X": [2, "2"]}, "tra": "X")", "/cut/X/1", "null"},
         {blocks + R"({"filter": "[k2] == 0", "of": "X"})", "/tra/filter", "k2"},
         {blocks + R"({"filter": "complex([k0], 1) < 2", "of": "X"})", "/tra/filter", "complex"},
         {blocks + R"({"rekey": "[k0]", "of": "X"})", "/tra/rekey", "a list"},
         // integrity: uniqueness, keys, continuity, bounds
         {blocks + R"({"rekey": ["[k0]"], "of": "X"})", "/tra/rekey", "keys (0, 0) and (0, 1) both give (0)"},
         {blocks + R"({"rekey": ["[k0] - 1", "[k1]"], "of": "X"})", "/tra/rekey", "made of key (0, 0)"},
         {blocks + R"({"rekey": ["[k0]/2", "[k1]"], "of": "X"})", "/tra/rekey", "0.5"},
         {blocks + R"({"filter": "[k0] == [k1]", "of": "X"})", "/tra", "no key (0, 1) below frontier (3, 3)"},
         {blocks + R"({"filter": "[k0] > 7", "of": "X"})", "/tra", "none"},
         {blocks + R"j({"filter": "log([k0] - 1)", "of": "X"})j", "/tra/filter", "nan for key (0, 0)"},
         {blocks + R"({"aggregate": {"by": [], "kernel": "matAdd"}, "of": {"filter": "[k0] > 7", "of": "X"}})", "/tra",
          "no key at all"},
         {blocks + R"({"concat": {"key": 1, "axis": 0}, "of": {"filter": "[k0] != 1 || [k1] > 1", "of": "X"}})",
          "/tra/concat", "1 for key (1)"},
         {blocks + R"({"concat": {"key": 2, "axis": 0}, "of": "X"})", "/tra/concat", "⟨2⟩"},
         {blocks + R"({"concat": {"key": 0, "axis": 2}, "of": "X"})", "/tra/concat", "an axis below 2"},
         {blocks + R"({"concat": {"key": 0, "axis": 0}, "of": {"filter": "0", "of": "X"}})", "/tra", "none"},
         {blocks + R"({"tile": {"axis": 2, "size": 1}, "of": "X"})", "/tra/tile", "an axis below 2"},
         {blocks + R"j({"join": {"on": [[0], [0]], "kernel": "matVecSub"}, "of": ["X", "Y"]})j", "/tra/join",
          "one row"},
         {blocks + R"({"tile": {"axis": 0, "size": 4}, "of": "X"})", "/tra/tile", "multiple of 4"},
         {blocks + R"({"tile": {"axis": 0}, "of": "X"})", "/tra/tile", "\"size\""},
         {blocks + R"({"aggregate": {"by": [2], "kernel": "matAdd"}, "of": "X"})", "/tra/aggregate", "⟨2⟩"},
         {blocks + R"({"aggregate": {"by": [-1], "kernel": "matAdd"}, "of": "X"})", "/tra/aggregate/by/0", "-1"},
         {blocks + R"({"aggregate": {"by": [0], "kernel": "x - y"}, "of": "X"})", "/tra/aggregate/kernel", "any order"},
         {blocks + R"({"join": {"on": [[0], [0, 1]], "kernel": "matAdd"}, "of": ["X", "Y"]})", "/tra/join", "as many"},
         {blocks + R"({"join": {"on": [[0]], "kernel": "matAdd"}, "of": ["X", "Y"]})", "/tra/join/on", "1"},
         {blocks + R"({"join": {"on": [[0], [0]], "kernel": "matMull"}, "of": ["X", "Y"]})", "/tra/join/kernel",
          "'matMull'"},
         {blocks + R"({"join": {"on": [[0], [0]], "kernel": "diag"}, "of": ["X", "Y"]})", "/tra/join/kernel",
          "of one array"},
         {blocks + R"({"join": {"on": [[0], [0]], "kernel": "x + z"}, "of": ["X", "Y"]})", "/tra/join/kernel", "z"},
         {blocks + R"({"join": {"on": [[0], [0]], "kernel": {"einsum": "ij->i"}}, "of": ["X", "Y"]})",
          "/tra/join/kernel/einsum", "1"},
         {blocks + R"({"transform": {"einsum": "ij->ik"}, "of": "X"})", "/tra/transform/einsum", "'k'"},
         {blocks + R"({"transform": {"einsum": "...j->j"}, "of": "X"})", "/tra/transform/einsum", "'...'"},
         {blocks + R"({"transform": {"einsum": "ij->i", "agg": "argmin"}, "of": "X"})", "/tra/transform/agg",
          "'argmin'"},
         {blocks + R"({"transform": 1, "of": "X"})", "/tra/transform", "a kernel"},
         {blocks + R"({"transform": {"einsum": "ijk->i"}, "of": "X"})", "/tra/transform", "rank 3"},
         {R"("cut": {"X": [2, 3]}, "tra": )" + join, "/tra/join", "joinKeysR"},
         {R"("result": [["a0"]], "tra": "X")", "/result", "no 'a1'"},
         {R"("result": [["a0"], ["a1", "a1"]], "tra": "X")", "/result/1/1", "'a1' again"},
         {R"("result": [["a0"], ["k0"], ["a1"]], "tra": "X")", "/result/1/0", "'k0'"},
         {R"("result": [["a0"], [], ["a1"]], "tra": "X")", "/result/1", "none"},
         {R"("dtype": "f31", "tra": "X")", "/dtype", "'f31'"},
         {R"("blocks": {}, "tra": "X")", "/blocks", "blocks"}}));
    Fault const fault = fault_of(wrong.keys);
    CAPTURE(fault.text());
    CHECK(fault.where == "/nodes/0" + wrong.where);
    CHECK((fault.expected + fault.found + fault.fix).find(wrong.part) != std::string::npos);
    CHECK_FALSE(fault.fix.empty());
}

TEST_CASE("faults of different operators are reported, those that follow are not", "[lib][graph][tra][faults]") {
    auto const faults = faults_of(tra_text(blocks + R"j({"join": {"on": [[0], [0]], "kernel": "matAd"}, "of":
        [{"tile": {"axis": 0, "size": 5}, "of": "X"}, {"filter": "[q]", "of": "Y"}]})j"));
    REQUIRE(faults.size() == 3);
    CHECK(faults[0].where == "/nodes/0/tra/of/0/tile");
    CHECK(faults[1].where == "/nodes/0/tra/of/1/filter");
    CHECK(faults[2].where == "/nodes/0/tra/join/kernel");
}

TEST_CASE("tensors that are no relations, and programs without end, are refused", "[lib][graph][tra][faults]") {
    auto const of = [](std::string const& inputs, std::string const& rest) {
        std::string text = tra_text(rest);
        text.replace(text.find(R"(["X", "Y"])"), 10, inputs);
        return faults_of(text);
    };
    CHECK(of(R"(["X", "X"])", R"("tra": "X")").front().where == "/nodes/0/inputs/1");
    CHECK(of(R"(["e"])", R"("tra": "e")").front().where == "/nodes/0/inputs/0");
    CHECK(of(R"(["c"])", R"j("tra": {"aggregate": {"by": [], "kernel": "max(x, y)"}, "of": "c"})j").front().where ==
          "/nodes/0/tra/aggregate/kernel");
    CHECK(of(R"(["c"])", R"("dtype": "f32", "tra": "c")").front().where == "/nodes/0/dtype");
    std::string deep = "\"X\"";
    for (int k = 0; k < 1100; ++k) deep = R"({"transform": "-x", "of": )" + deep + "}";
    CHECK(of(R"(["X"])", "\"tra\": " + deep).front().expected == "operators nested at most 100 deep");
    std::string list, last = "X";
    for (int k = 0; k < 1100; ++k) {
        std::string const name = "n" + std::to_string(k);
        list += R"({"name": ")" + name + R"(", "transform": "-x", "of": ")" + last + "\"}, ";
        last = name;
    }
    CHECK(of(R"(["X"])", "\"tra\": [" + list + "\"X\"]").front().expected == "at most 1000 operators in one node");
}

TEST_CASE("the keys that a program looks at are bounded", "[lib][graph][tra][faults]") {
    Faults faults("");
    std::vector<std::string> const params;
    Json const program =
        Json::parse(R"({"filter": "[k0] >= 0", "of": {"filter": "1", "of": {"transform": "-x", "of": "X"}}})");
    ProgramPlace place{{{"X", tra::RelationType{{60}, {1}, std::nullopt, ""}}}, params, DType::f32, 120};
    CHECK(read_program(Cursor(program, faults), place));
    place.max_keys = 119;
    CHECK_FALSE(read_program(Cursor(program, faults, "/tra"), place));
    REQUIRE(faults.list().size() == 1);
    CHECK(faults.list().front().where == "/tra/filter");
    CHECK(faults.list().front().expected == "at most 119 keys looked at in one node");
}
