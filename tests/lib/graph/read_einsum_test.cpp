#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;
using Lines = std::vector<std::string>;

TEST_CASE("einsum nodes of every kind", "[lib][graph]") {
    struct Row {
        char const* keys;
        char const* node;
    };
    auto const row = GENERATE(values<Row>(
        {{R"j("einsum": "ij,jk->ik", "inputs": ["A", "B"])j", "out f32(2, 4) = A(i j) B(j k) -> (i k) sum x*y"},
         {R"j("einsum": "ij->ji", "inputs": ["A"])j", "out f32(3, 2) = A(i j) -> (j i) sum x"},
         {R"j("einsum": "ii->i", "inputs": ["D"])j", "out f32(5,) = D(i i) -> (i) sum x"},
         {R"j("einsum": "ii", "inputs": ["D"])j", "out f32() = D(i i) -> () sum x"},
         {R"j("einsum": "->", "inputs": ["s"])j", "out f32() = s() -> () sum x"},
         {R"j("einsum": ",i->i", "inputs": ["s", "v"])j", "out f32(3,) = s() v(i) -> (i) sum x*y"},
         {R"j("einsum": "i->ik", "inputs": ["v"], "sizes": {"k": 7})j", "out f32(3, 7) = v(i) -> (i k) sum x"},
         {R"j("einsum": "i->i", "inputs": ["v"], "sizes": {"i": 3})j", "out f32(3,) = v(i) -> (i) sum x"},
         {R"j("einsum": "ij,j->i", "inputs": ["A", "v"], "join": "abs(x-y)", "agg": "max")j",
          "out f32(2,) = A(i j) v(j) -> (i) max abs(x - y)"},
         {R"j("einsum": "ij->ij", "inputs": ["A"], "join": "where([i] >= [j], eta*x, -inf)")j",
          "out f32(2, 3) = A(i j) -> (i j) sum where([i] >= [j], eta*x, -inf)"},
         {R"j("einsum": "row col, col -> row", "inputs": ["A", "v"], "join": "x*[row]*y")j",
          "out f32(2,) = A(row col) v(col) -> (row) sum x*[row]*y"},
         {R"j("einsum": "i,i->i", "inputs": ["v", "n"])j", "out f64(3,) = v(i) n(i) -> (i) sum x*y"},
         {R"j("einsum": "ij->i", "inputs": ["w"])j", "out f16(2,) = w(i j) -> (i) sum x"},
         {R"j("einsum": "ij->i", "inputs": ["A"], "dtype": "float64")j", "out f64(2,) = A(i j) -> (i) sum x"},
         {R"j("einsum": "...j,j->...", "inputs": ["A", "v"])j", "out f32(2,) = A(...0 j) v(j) -> (...0) sum x*y"},
         {R"j("einsum": "ij->i", "inputs": ["e"], "agg": "max")j", "out f32(0,) = e(i j) -> (i) max x"},
         {R"j("einsum": {"in": [["a", "b"], ["b", "c"], ["c", "d"]], "out": ["a", "d"]}, "inputs": ["A", "B", "C"])j",
          "out f32(2, 5) = A(a b) B(b c) C(c d) -> (a d) sum x*y*z"}}));
    CAPTURE(row.keys);
    CHECK(nodes_of(row.keys) == Lines{row.node});
}

TEST_CASE("axes of extent 1 broadcast as in NumPy, through a reshape that drops them", "[lib][graph]") {
    CHECK(nodes_of(R"j("einsum": "ij,ij->ij", "inputs": ["A", "t"])j") ==
          Lines{"out:squeeze1 f32(3,) = reshape t", "out f32(2, 3) = A(i j) out:squeeze1(j) -> (i j) sum x*y"});
    CHECK(nodes_of(R"j("einsum": "...,...->...", "inputs": ["t", "A"])j") ==
          Lines{"out:squeeze0 f32(3,) = reshape t",
                "out f32(2, 3) = out:squeeze0(...1) A(...0 ...1) -> (...0 ...1) sum x*y"});
    CHECK(nodes_of(R"j("einsum": "...,...->...", "inputs": ["A", "v"])j") ==
          Lines{"out f32(2, 3) = A(...0 ...1) v(...1) -> (...0 ...1) sum x*y"});
    CHECK(nodes_of(R"j("einsum": "ij->j", "inputs": ["t"])j") ==
          Lines{"out f32(3,) = t(i j) -> (j) sum x"});  // 1 everywhere: kept
    CHECK(nodes_of(R"j("einsum": "ii->i", "inputs": ["t"])j") ==
          Lines{"out:squeeze0 f32(3,) = reshape t", "out f32(3,) = out:squeeze0(i) -> (i) sum x"});
}

TEST_CASE("size(label) in a join is the extent that the node binds", "[lib][graph]") {
    CHECK(nodes_of(R"j("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "x*y/size(j) + size(k)")j") ==
          Lines{"out f32(2, 4) = A(i j) B(j k) -> (i k) sum x*y/3 + 4"});
    CHECK(nodes_of(R"j("einsum": "i->ir", "inputs": ["v"], "sizes": {"r": 9}, "join": "x*size(r)")j") ==
          Lines{"out f32(3, 9) = v(i) -> (i r) sum x*9"});
    auto const faults = node_faults(R"j("einsum": "row col -> row", "inputs": ["A"], "join": "x/size(cols)")j");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].expected == "a label of the node (row or col)");
    CHECK(faults[0].fix == "did you mean \"size(col)\"?\n  x/size(cols)\n         ^");
    CHECK(node_faults(R"j("einsum": "i->i", "inputs": ["Q"], "join": "x/size(i)")j").size() == 1);  // Q alone
}

TEST_CASE("a mean becomes its sum and the quotient, as the op has it", "[lib][graph]") {
    CHECK(nodes_of(R"j("einsum": "ij->i", "inputs": ["A"], "agg": "mean", "join": "x*x")j") ==
          Lines{"out:sum f32(2,) = A(i j) -> (i) sum x*x", "out f32(2,) = out:sum(i) -> (i) sum x/3.0"});
    CHECK(nodes_of(R"j("einsum": "i->", "inputs": ["n8"], "agg": "mean")j") ==
          Lines{"out:sum f64() = n8(i) -> () sum x", "out f64() = out:sum() -> () sum x/3.0"});
    CHECK(nodes_of(R"j("einsum": "i->", "inputs": ["n"], "agg": "mean", "dtype": "i32")j") ==
          Lines{"out:sum f64() = n(i) -> () sum x", "out i32() = out:sum() -> () sum x/3.0"});
    CHECK(nodes_of(R"j("einsum": "ij->j", "inputs": ["w"], "agg": "mean")j") ==
          Lines{"out:sum f32(3,) = w(i j) -> (j) sum x", "out f16(3,) = out:sum(j) -> (j) sum x/2.0"});
    CHECK(nodes_of(R"j("einsum": "ij->", "inputs": ["z"], "agg": "mean")j") ==
          Lines{"out:sum c64() = z(i j) -> () sum x", "out c64() = out:sum() -> () sum x/6.0"});
    CHECK(nodes_of(R"j("einsum": "i->i", "inputs": ["n"], "agg": "mean")j") ==
          Lines{"out f64(3,) = n(i) -> (i) sum x"});
    CHECK(nodes_of(R"j("einsum": "ij->j", "inputs": ["e"], "agg": "mean")j") ==
          Lines{"out:sum f32(3,) = e(i j) -> (j) sum x", "out f32(3,) = out:sum(j) -> (j) sum x/0.0"});
}

TEST_CASE("argmin and argmax become two EinSums that compute in one type", "[lib][graph]") {
    CHECK(nodes_of(R"j("einsum": "ij->i", "inputs": ["A"], "agg": "argmax")j") ==
          Lines{"out:max f32(2,) = A(i j) -> (i) max x",
                "out i64(2,) = A(i j) out:max(i) -> (i) min where(x == y || x != x, [j], 9223372036854775807)"});
    // any other join is rounded alike in both, whatever digits it is computed in
    CHECK(nodes_of(R"j("einsum": "ij->i", "inputs": ["A"], "agg": "argmin", "join": "exp(x)")j")[0] ==
          "out:min f32(2,) = A(i j) -> (i) min cast_f32(exp(x))");
    auto const types = [](std::string const& keys) {
        EinGraph const graph = one_node(keys);
        EinSumTypes const first = types_of(graph, graph.nodes[0]), second = types_of(graph, graph.nodes[1]);
        CHECK(first.compute == second.compute);
        CHECK(second.accumulate == DType::i64);
        return std::pair{first.compute, graph.value(graph.nodes[0].output).dtype};
    };
    CHECK(types(R"j("einsum": "i->", "inputs": ["n"], "agg": "argmin")j") == std::pair{DType::i64, DType::i64});
    CHECK(types(R"j("einsum": "i->", "inputs": ["b"], "agg": "argmax")j") == std::pair{DType::boolean, DType::boolean});
    CHECK(types(R"j("einsum": "i->", "inputs": ["n"], "agg": "argmin", "join": "x/2")j") ==
          std::pair{DType::f64, DType::f64});
    CHECK(types(R"j("einsum": "ij->i", "inputs": ["w"], "agg": "argmin")j") == std::pair{DType::f32, DType::f32});
    CHECK(types(R"j("einsum": "ij->i", "inputs": ["z"], "agg": "argmin", "join": "abs(x)")j") ==
          std::pair{DType::c64, DType::f32});
    CHECK(types(R"j("einsum": "ij->i", "inputs": ["z"], "agg": "argmin", "join": "cast_f64(abs(x))")j") ==
          std::pair{DType::c64, DType::f32});
    CHECK(types(R"j("einsum": "ij->i", "inputs": ["A"], "agg": "argmin", "join": "x > 0")j") ==
          std::pair{DType::f32, DType::f32});
    CHECK(types(R"j("einsum": "ij->i", "inputs": ["A"], "agg": "argmin", "join": "[j]*0.5")j") ==
          std::pair{DType::f64, DType::f64});
    CHECK(nodes_of(R"j("einsum": "ij->i", "inputs": ["A"], "agg": "argmax", "dtype": "i32")j").size() == 3);
}

TEST_CASE("an i64 that only changes its type is converted once", "[lib][graph]") {
    auto const types = [](std::string const& keys) {
        EinGraph const graph = one_node(keys);
        EinSumTypes const found = types_of(graph, graph.nodes[0]);
        return std::pair{found.compute, found.accumulate};
    };
    CHECK(types(R"j("op": "cast", "inputs": ["n"], "dtype": "f32")j") == std::pair{DType::i64, DType::i64});
    CHECK(types(R"j("einsum": "i->i", "inputs": ["n"], "dtype": "c64")j") == std::pair{DType::i64, DType::i64});
    CHECK(types(R"j("einsum": "i->", "inputs": ["n"], "dtype": "f32", "agg": "max")j") ==
          std::pair{DType::i64, DType::i64});
    CHECK(types(R"j("einsum": "i->i", "inputs": ["n"], "dtype": "f32", "join": "cast_f32(x)")j") ==
          std::pair{DType::i64, DType::f32});
    CHECK(types(R"j("einsum": "i->", "inputs": ["n"], "dtype": "f32")j") == std::pair{DType::i64, DType::f64});
    CHECK(types(R"j("einsum": "i->i", "inputs": ["n"], "dtype": "f32", "join": "x + 1")j") ==
          std::pair{DType::f64, DType::f64});
}

TEST_CASE("sums of comparisons count in the output's type", "[lib][graph]") {
    auto const accumulate = [](std::string const& keys) {
        EinGraph const graph = one_node(keys);
        return types_of(graph, graph.nodes[0]).accumulate;
    };
    CHECK(accumulate(R"j("einsum": "ij->i", "inputs": ["A"], "join": "x > 0")j") == DType::f32);
    CHECK(accumulate(R"j("einsum": "ij->i", "inputs": ["A"], "join": "x > 0", "dtype": "i64")j") == DType::i64);
    CHECK(accumulate(R"j("einsum": "ij->i", "inputs": ["A"], "join": "x > 0", "dtype": "bool")j") == DType::boolean);
    CHECK(accumulate(R"j("einsum": "i->", "inputs": ["b"])j") == DType::boolean);
    CHECK(accumulate(R"j("einsum": "i->", "inputs": ["b"], "dtype": "i64")j") == DType::i64);
    CHECK(accumulate(R"j("einsum": "ij->i", "inputs": ["A"], "join": "x > 0", "agg": "any")j") == DType::boolean);
    CHECK(accumulate(R"j("einsum": "ij->i", "inputs": ["w"])j") == DType::f32);
    CHECK(accumulate(R"j("einsum": "ij->i", "inputs": ["z"], "join": "abs(x)", "agg": "max")j") == DType::f32);
}

TEST_CASE("axes that are the other way round are told with the subscripts that fit", "[lib][graph]") {
    auto const fix = [](std::string const& einsum, std::string const& second, std::string const& first = "[30, 6]") {
        try {
            read_graph(R"({"eingraph": 1, "tensors": {"X": {"shape": )" + first + R"(}, "W": {"shape": )" + second +
                           R"(}}, "nodes": [{"name": "h", "einsum": )" + einsum +
                           R"(, "inputs": ["X", "W"]}], "outputs": ["h"]})",
                       "g.json");
        } catch (InputError const& error) {
            return error.faults().front().fix;
        }
        return std::string("sound");
    };
    CHECK(fix("\"bi,io->bo\"", "[8, 6]") == "write \"bi,oi->bo\", since the axes of 'W' fit that way round");
    CHECK(fix("\"b i, i o -> b o\"", "[8, 6]") ==
          "write \"b i, o i -> b o\", since the axes of 'W' fit that way round");
    CHECK(fix("\"bi, io -> bo\"", "[8, 6]") == "write \"bi,oi->bo\", since the axes of 'W' fit that way round");
    CHECK(fix(R"({"in": [["b", "i"], ["i", "o"]], "out": ["b", "o"]})", "[8, 6]") ==
          "write [\"o\",\"i\"] in its place, since the axes of 'W' fit that way round");
    CHECK(fix("\"ij,j->i\"", "[30]") == "write \"ji,j->i\", since the axes of 'X' fit that way round");
    CHECK(fix("\"ij,jk->ik\"", "[30, 6]") ==
          "write \"ji,jk->ik\", since the axes of 'X' fit that way round, or "
          "\"ij,kj->ik\", since the axes of 'W' fit that way round");
    CHECK(fix("\"bqd,bdk->bqk\"", "[2, 7, 4]", "[2, 5, 4]") ==
          "write \"bqd,bkd->bqk\", since the axes of 'W' fit that way round");
    CHECK(fix("\"ij,jk->ik\"", "[7, 9]") == "rename the label, or correct a shape: no transpose of one input fits");
}

TEST_CASE("each fault of an einsum node says where, what and how to fix it", "[lib][graph]") {
    struct Row {
        char const* keys;
        char const* where;
        char const* expected;
        char const* found;
    };
    auto const row = GENERATE(values<Row>(
        {{R"j("einsum": "ij,jk->ik", "inputs": ["A", "A"])j", "/nodes/0/einsum", "one extent for each label",
          "label 'j' is 3 in 'A' (inputs/0) but 2 in 'A' (inputs/1)"},
         {R"j("einsum": "ij,jk->ik", "inputs": ["A", "C"])j", "/nodes/0/einsum", "one extent for each label",
          "label 'j' is 3 in 'A' (inputs/0) but 4 in 'C' (inputs/1)"},
         {R"j("einsum": "ii->i", "inputs": ["A"])j", "/nodes/0/einsum", "one extent for each label",
          "label 'i' is 2 and 3 in 'A' (inputs/0)"},
         {R"j("einsum": "ij,jk->ik", "inputs": ["A"])j", "/nodes/0/inputs", "2 inputs, one for each term of \"einsum\"",
          "1"},
         {R"j("einsum": "ijk->i", "inputs": ["A"])j", "/nodes/0/einsum", "a tensor of 3 axes for term 1 'ijk'",
          "'A' (inputs/0) of shape (2, 3)"},
         {R"j("einsum": "...i->i", "inputs": ["A"])j", "/nodes/0/einsum", "'...' in the output too",
          "an output without it, but '...' stands for 1 axes"},
         {R"j("einsum": "i->ik", "inputs": ["v"])j", "/nodes/0/einsum", "an extent for the output's label 'k'",
          "none: no input has it"},
         {R"j("einsum": "i->ik", "inputs": ["v"], "sizes": {"k": -1})j", "/nodes/0/sizes/k", "an extent of 0 or more",
          "-1"},
         {R"j("einsum": "i->ik", "inputs": ["v"], "sizes": {"k": 2.5})j", "/nodes/0/sizes/k", "an integer", "2.5"},
         {R"j("einsum": "i->ik", "inputs": ["v"], "sizes": {"k": 9223372036854775808})j", "/nodes/0/sizes/k",
          "an integer below 2^63", "9223372036854775808"},
         {R"j("einsum": "i->i", "inputs": ["n8"], "join": "x + 300")j", "/nodes/0/join",
          "a join that has a type for operands of u8", "300, which u8 does not hold"},
         {R"j("einsum": "i->i", "inputs": ["n"], "join": "x + 9223372036854775808")j", "/nodes/0/join",
          "a join that has a type for operands of i64", "9223372036854775808, which i64 does not hold"},
         {R"j("einsum": "i->i", "inputs": ["v"], "sizes": {"i": 4})j", "/nodes/0/sizes/i", "3, as in 'v' (inputs/0)",
          "4"},
         {R"j("einsum": "i->i", "inputs": ["v"], "sizes": {"q": 4})j", "/nodes/0/sizes/q", "a label of this einsum",
          "the unknown label 'q'"},
         {R"j("einsum": "i->", "inputs": ["v"], "agg": "summ")j", "/nodes/0/agg",
          "sum, prod, min, max, any, all, logsumexp, argmin, argmax, mean, var, std, norm or count", "'summ'"},
         {R"j("einsum": "i->", "inputs": ["v"], "agg": 3)j", "/nodes/0/agg", "a string", "3"},
         {R"j("einsum": "i->", "inputs": ["v"], "dtype": "f31")j", "/nodes/0/dtype",
          "a dtype (f16, bf16, f32, f64, c64, c128, i8, i16, i32, i64, u8, bool)", "'f31'"},
         {R"j("einsum": "ij->", "inputs": ["A"], "agg": "argmax")j", "/nodes/0/agg",
          "exactly one label that the output lacks", "2"},
         {R"j("einsum": "i->i", "inputs": ["v"], "agg": "argmax")j", "/nodes/0/agg",
          "exactly one label that the output lacks", "0"},
         {R"j("einsum": "ij->j", "inputs": ["e"], "agg": "max")j", "/nodes/0/agg",
          "an aggregated label of extent 1 or more", "label 'i' of extent 0"},
         {R"j("einsum": "ij->j", "inputs": ["e"], "agg": "argmin")j", "/nodes/0/agg",
          "an aggregated label of extent 1 or more", "label 'i' of extent 0"},
         {R"j("einsum": "ij->i", "inputs": ["z"], "agg": "min")j", "/nodes/0/agg",
          "sum, prod, any or all of complex numbers", "min (they have no order)"},
         {R"j("einsum": "ij->i", "inputs": ["z"], "agg": "argmax")j", "/nodes/0/agg",
          "sum, prod, any or all of complex numbers", "argmax (they have no order)"},
         {R"j("einsum": "ij,ij->ij", "inputs": ["z", "z"], "join": "x < y")j", "/nodes/0/join",
          "a join that has a type for operands of c64", "'<' of complex numbers (they have no order)"},
         {R"j("einsum": "i->i", "inputs": ["v"], "joint": "x")j", "/nodes/0/joint",
          "name, einsum, inputs, join, agg, dtype, compute, sizes, path, slices or sparse",
          "the unknown key \"joint\""},
         {R"j("einsum": "i->i", "inputs": ["v"], "join": 7)j", "/nodes/0/join", "a string", "7"},
         {R"j("einsum": "i->i", "inputs": ["Av"])j", "/nodes/0/inputs/0", "the name of a tensor or node", "'Av'"},
         {R"j("einsum": "i->i", "inputs": [])j", "/nodes/0/inputs", "one input or more", "none"},
         {R"j("einsum": "i->i", "inputs": {"x": "v"})j", "/nodes/0/inputs", "a list", R"({"x":"v"})"},
         {R"j("einsum": "i,i->i", "inputs": ["v", 2])j", "/nodes/0/inputs/1", "the name of a tensor or node", "2"},
         {R"j("einsum": "i->i", "inputs": ["v"], "dtype": "float")j", "/nodes/0/dtype", "a dtype that means one thing",
          "'float'"},
         {R"j("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "agg": "norm", "path": [[0, 1], [0, 1]])j",
          "/nodes/0/path", "a join over which the aggregation distributes (sum of products, min of sums, ...)",
          "another one"},
         {R"j("einsum": "i->i")j", "/nodes/0", "the key \"inputs\"", "none"},
         {R"j("einsum": "i->ik", "inputs": ["v"], "sizes": {"k": 4611686018427387904})j", "/nodes/0",
          "tensors of at most 2^62 bytes", "'out' of shape (3, 4611686018427387904)"},
         {R"j("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "path": [[0, 1]])j", "/nodes/0/path",
          "steps until one operand is left", "2 left after 1 step"},
         {R"j("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "path": [[0, 3], [0, 1]])j", "/nodes/0/path/0/1",
          "a position from 0 to 2, each once in a step", "3"},
         {R"j("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "path": [[1, 1], [0, 1]])j", "/nodes/0/path/0/0",
          "a position from 0 to 2, each once in a step", "1"},
         {R"j("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "join": "x+y*z", "path": [[0, 1], [0, 1]])j",
          "/nodes/0/path", "a join over which the aggregation distributes (sum of products, min of sums, ...)",
          "another one"},
         {R"j("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "slices": ["j", "i"])j", "/nodes/0/slices/1",
          "a label that the result lacks", "'i', which it has"},
         {R"j("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "slices": ["q"])j", "/nodes/0/slices/0",
          "a label that the result lacks", "'q'"},
         {R"j("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "slices": ["j", "j"])j", "/nodes/0/slices/1",
          "each label once", "'j' again"},
         {R"j("einsum": "ij,jk->ik", "inputs": ["A", "B"], "slices": ["j"])j", "/nodes/0/slices",
          "three operands or more, a join over which the aggregation distributes, and no logsumexp", "another node"}}));
    CAPTURE(row.keys);
    auto const faults = node_faults(row.keys);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].file == "g.json");
    CHECK(faults[0].where == row.where);
    CHECK(faults[0].expected == row.expected);
    CHECK(faults[0].found == row.found);
    CHECK(!faults[0].fix.empty());
}

TEST_CASE("a fault in a join shows the text with a caret below the place", "[lib][graph]") {
    auto const faults = node_faults(R"j("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "abs(x-q)")j");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == "/nodes/0/join");
    CHECK(faults[0].found.find("'q'") != std::string::npos);
    CHECK(faults[0].fix.ends_with("\n  abs(x-q)\n        ^"));
    auto const unfit = node_faults(R"j("einsum": "i->i", "inputs": ["n8"], "join": "x + 300")j");
    REQUIRE(unfit.size() == 1);
    CHECK(unfit[0].fix.ends_with("\n  x + 300\n      ^"));
}

TEST_CASE("a join as deep as allowed leaves room for what argmin builds around it", "[lib][graph]") {
    auto const deep = [](int operations) {
        std::string join = "x";
        for (int k = 1; k < operations; ++k) join += "+x";
        return R"j("einsum": "ij->i", "inputs": ["A"], "agg": "argmin", "join": ")j" + join + "\"";
    };
    CHECK(node_faults(deep(2000)).empty());
    auto const faults = node_faults(deep(2001));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == "/nodes/0/join");
    CHECK(faults[0].expected == "at most 2000 operations upon one another");
    CHECK(faults[0].fix.ends_with("^"));
}

TEST_CASE("a whole number is met by the type that the node computes in", "[lib][graph]") {
    CHECK(node_faults(R"j("einsum": "i->i", "inputs": ["n8"], "join": "x + 300", "dtype": "i16")j").empty());
    CHECK(node_faults(R"j("einsum": "i->i", "inputs": ["n8"], "join": "x < 300")j").empty());
    CHECK(node_faults(R"j("einsum": "i->i", "inputs": ["v"], "join": "300", "dtype": "u8")j").size() == 1);
}

TEST_CASE("the fix of a wrong order shows how to write words", "[lib][graph]") {
    auto const faults = node_faults(R"j("einsum": "seq->seq", "inputs": ["v"])j");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].fix.find(R"j({"in": [["seq"]])j") != std::string::npos);
    CHECK(nodes_of(R"j("einsum": "seq -> seq", "inputs": ["v"])j") == Lines{"out f32(3,) = v(seq) -> (seq) sum x"});
}
