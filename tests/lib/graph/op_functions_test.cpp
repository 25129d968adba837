// Ops by plain names: every function of joins, every aggregation, and products.
#include "lib/graph/ops/op_reader.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;
using Lines = std::vector<std::string>;

namespace {

std::string op(std::string const& name, std::string const& inputs, std::string const& more = "") {
    return "\"op\": \"" + name + "\", \"inputs\": " + inputs + (more.empty() ? "" : ", " + more);
}

Fault fault_of(std::string const& keys) {
    auto const faults = node_faults(keys);
    CAPTURE(keys);
    REQUIRE(faults.size() == 1);
    return faults[0];
}

DType dtype_of(std::string const& keys) { return one_node(keys).values.back().dtype; }

}  // namespace

TEST_CASE("every op of the table reads, under each of its names", "[lib][graph][ops]") {
    for (OpEntry const& row : op_table()) {
        if (row.read != read_elementwise && row.read != read_aggregation && row.read != read_least_or_greatest)
            continue;
        std::string const name(row.name);
        std::string inputs = "[\"A\"";
        for (std::size_t k = 1; k < row.least_inputs; ++k) inputs += ", \"A\"";
        CAPTURE(name);
        CHECK(node_faults(op(name, inputs + "]")).empty());
        CHECK(node_faults(op("np." + name, inputs + "]")).empty());
    }
    for (scalar::Taken const& row : taken_ops()) {
        CAPTURE(row.written);
        REQUIRE(op_row(row.written) != nullptr);
        CHECK(op_row(row.written)->name == row.means);
    }
}

TEST_CASE("elementwise ops broadcast as NumPy does", "[lib][graph][ops]") {
    CHECK(nodes_of(op("add", R"(["A", "v"])")) ==
          Lines{"out f32(2, 3) = A(axis0 axis1) v(axis1) -> (axis0 axis1) sum x + y"});
    CHECK(nodes_of(op("subtract", R"(["A", "t"])")) ==
          Lines{"out:squeeze1 f32(3,) = reshape t",
                "out f32(2, 3) = A(axis0 axis1) out:squeeze1(axis1) -> (axis0 axis1) sum x - y"});
    CHECK(nodes_of(op("maximum", R"(["s", "A"])")) ==
          Lines{"out f32(2, 3) = s() A(axis0 axis1) -> (axis0 axis1) sum max(x, y)"});
    CHECK(nodes_of(op("max", R"(["A", "t", "s"])")).back() ==
          "out f32(2, 3) = A(axis0 axis1) out:squeeze1(axis1) s() -> (axis0 axis1) sum max(x, y, z)");
    CHECK(nodes_of(op("relu", R"("A")")) == Lines{"out f32(2, 3) = A(axis0 axis1) -> (axis0 axis1) sum relu(x)"});
    Fault const fault = fault_of(op("add", R"(["A", "B"])"));
    CHECK(fault.where == "/nodes/0/inputs/1");
    CHECK(fault.expected == "a shape that broadcasts with (2, 3)");
    CHECK(fault.found == "'B' (inputs/1) of shape (3, 4)");
    CHECK(fault.fix == "axes are aligned on the right, their extents equal or 1: reshape or transpose one of them");
    for (std::string const inputs : {R"(["A", "r"])", R"(["r", "A"])"}) {
        CAPTURE(inputs);
        std::string const text = R"({"eingraph": 1, "tensors": {"A": {"shape": [2, 3]}, "r": {"shape": [2]}}, "nodes":
            [{"name": "out", "op": "sub", "inputs": )" +
                                 inputs + R"(}], "outputs": ["out"]})";
        CHECK(faults_of(text).at(0).fix ==
              "axes are aligned on the right, their extents equal or 1: give the node that makes the one of (2,) "
              "\"keepdims\": true if it aggregates the rest, or reshape it to [2, 1]");
    }
}

TEST_CASE("elementwise ops have NumPy's types", "[lib][graph][ops]") {
    CHECK(dtype_of(op("add", R"(["w", "w"])")) == DType::f16);
    CHECK(dtype_of(op("add", R"(["n", "v"])")) == DType::f64);
    CHECK(dtype_of(op("divide", R"(["n", "n"])")) == DType::f64);
    CHECK(dtype_of(op("sqrt", R"(["n"])")) == DType::f64);
    CHECK(dtype_of(op("greater", R"(["A", "v"])")) == DType::boolean);
    CHECK(dtype_of(op("isnan", R"(["w"])")) == DType::boolean);
    CHECK(dtype_of(op("abs", R"(["z"])")) == DType::f32);
    CHECK(dtype_of(op("hypot", R"(["A", "A"])")) == DType::f32);
    CHECK(dtype_of(op("where", R"(["n", "v", "v"])")) == DType::f32);  // the condition decides nothing
    CHECK(dtype_of(op("multiply", R"(["n8", "n8"])")) == DType::u8);
    CHECK(dtype_of(op("exp", R"(["A"])", R"("dtype": "f64")")) == DType::f64);
    Fault const fault = fault_of(op("floor", R"(["z"])"));
    CHECK(fault.where == "/nodes/0/op");
    CHECK(fault.expected == "a function of c64");
    CHECK(fault.found == "'floor' of complex numbers");
}

TEST_CASE("aggregations are ops with axes and keepdims", "[lib][graph][ops]") {
    CHECK(nodes_of(op("sum", R"(["A"])", R"("axis": 0)")) == Lines{"out f32(3,) = A(axis0 axis1) -> (axis1) sum x"});
    CHECK(nodes_of(op("amax", R"(["A"])", R"("dim": -1, "keepdim": true)")) ==
          Lines{"out f32(2, 1) = A(axis0 axis1) -> (axis0 kept1) max x"});
    CHECK(nodes_of(op("sum", R"(["A"])", R"("axis": null)")) == Lines{"out f32() = A(axis0 axis1) -> () sum x"});
    CHECK(nodes_of(op("std", R"(["A"])", R"("axis": 1, "ddof": 1)")).back() ==
          "out f32(2,) = out:squares(axis0) -> (axis0) sum where(x/2.0 == 0, x/2.0, sqrt(x/2.0))");
    CHECK(nodes_of(op("norm", R"(["A"])")) == Lines{"out:squares f32() = A(axis0 axis1) -> () sum x*x",
                                                    "out f32() = out:squares() -> () sum where(x == 0, x, sqrt(x))"});
    CHECK(nodes_of(op("norm", R"(["z"])"))[0] == "out:squares f32() = z(axis0 axis1) -> () sum real(x*conj(x))");
    CHECK(nodes_of(op("count_nonzero", R"(["A"])")) == Lines{"out i64() = A(axis0 axis1) -> () sum x != 0"});
    CHECK(dtype_of(op("sum", R"(["n8"])")) == DType::i64);
    CHECK(dtype_of(op("prod", R"(["b"])")) == DType::i64);
    CHECK(dtype_of(op("any", R"(["A"])")) == DType::boolean);
    CHECK(dtype_of(op("max", R"(["n8"])")) == DType::u8);
    CHECK(dtype_of(op("average", R"(["n"])")) == DType::f64);
    CHECK(dtype_of(op("sum", R"(["n8"])", R"("dtype": "u8")")) == DType::u8);
}

TEST_CASE("argmax takes one axis, or the position in the whole tensor", "[lib][graph][ops]") {
    CHECK(nodes_of(op("argmax", R"(["A"])"))[0] == "out:flat f32(6,) = reshape A");
    EinGraph const kept = one_node(op("argmax", R"(["A"])", R"("keepdims": true)"));
    CHECK(kept.values.back().shape == Shape{1, 1});
    CHECK(kept.values.back().dtype == DType::i64);
    CHECK(one_node(op("argmin", R"(["A"])", R"("axis": 0)")).values.back().shape == Shape{3});
    CHECK(one_node(op("argmin", R"(["s"])")).values.back().shape.empty());
    CHECK(fault_of(op("argmax", R"(["A"])", R"("axes": [0, 1])")).expected == "one axis");
    CHECK(fault_of(op("argmax", R"(["e"])")).expected == "axes with elements to take the argmax of");
    CHECK(fault_of(op("max", R"(["e"])", R"("axis": 0)")).expected == "axes with elements to take the max of");
    CHECK(node_faults(op("max", R"(["e"])", R"("axis": 1)")).empty());
    CHECK(fault_of(op("min", R"(["z"])")).expected == "real numbers for min");
    CHECK(fault_of(op("max", R"(["A", "A"])", R"("axis": 0)")).expected ==
          "no \"axis\" of several inputs, whose elements are compared");
}

TEST_CASE("matmul is NumPy's, of vectors, matrices and batches", "[lib][graph][ops]") {
    CHECK(nodes_of(op("matmul", R"(["A", "B"])")) ==
          Lines{"out f32(2, 4) = A(row inner) B(inner column) -> (row column) sum x*y"});
    CHECK(nodes_of(op("matmul", R"(["A", "v"])")) == Lines{"out f32(2,) = A(row inner) v(inner) -> (row) sum x*y"});
    CHECK(nodes_of(op("matmul", R"(["v", "B"])")) ==
          Lines{"out f32(4,) = v(inner) B(inner column) -> (column) sum x*y"});
    CHECK(nodes_of(op("dot", R"(["v", "v"])")) == Lines{"out f32() = v(inner) v(inner) -> () sum x*y"});
    CHECK(nodes_of(op("outer", R"(["v", "A"])")) ==
          Lines{"out:flat1 f32(6,) = reshape A", "out f32(3, 6) = v(row) out:flat1(column) -> (row column) sum x*y"});
    auto const batches = [](std::string const& name) {
        return R"({"eingraph": 1, "tensors": {"X": {"shape": [5, 1, 2, 3]}, "Y": {"shape": [4, 3, 6]}},
                   "nodes": [{"name": "Z", "op": ")" +
               name + R"(", "inputs": ["X", "Y"]}], "outputs": "Z"})";
    };
    CHECK(describe(read_graph(batches("matmul"), "g.json")).back() ==
          "Z f32(5, 4, 2, 6) = Z:squeeze0(axis0 row inner) Y(axis1 inner column) -> (axis0 axis1 row column) sum x*y");
    auto const faults = faults_of(batches("dot"));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].expected == "\"dot\" of vectors and matrices");
    CHECK(faults[0].fix ==
          "write \"matmul\" to match their batches, or an \"einsum\" to pair them all, as NumPy's dot");
    Fault const inner = fault_of(op("matmul", R"(["A", "C"])"));
    CHECK(inner.where == "/nodes/0/inputs/1");
    CHECK(inner.expected == "3 elements along axis 0, as axis 1 of 'A' (inputs/0) of shape (2, 3) has");
    CHECK(fault_of(op("matmul", R"(["A", "s"])")).fix == "write \"multiply\" to scale by a number");
}

TEST_CASE("unknown and ambiguous ops", "[lib][graph][ops]") {
    CHECK(fault_of(op("sotfmax", R"(["A"])")).fix == "did you mean \"softmax\"?");
    CHECK(fault_of(op("subtrac", R"(["A"])")).fix == "did you mean \"subtract\"?");
    for (scalar::TwoMeanings const& row : ambiguous_ops()) {
        Fault const fault = fault_of(op(std::string(row.written), R"(["A"])"));
        CHECK(fault.expected == "an op that means one thing");
        CHECK(fault.fix == "write " + std::string(row.one) + ", or " + std::string(row.other));
    }
    CHECK(fault_of(op("floor_divide", R"(["A", "A"])")).expected == "an op that means one thing");
    CHECK(fault_of(op("mean", R"(["A"])", R"("axis": 0, "dim": 1)")).expected == "\"axis\" once");
}

TEST_CASE("one name where a list of one is meant", "[lib][graph]") {
    EinGraph const graph = read_graph(R"({"eingraph": 1, "tensors": {"W": {"shape": 3}},
        "nodes": [{"name": "loss", "einsum": "i->", "inputs": "W", "join": "W**2"},
                  {"name": "g", "grad": {"of": "loss", "wrt": "W"}}], "outputs": "g/W"})",
                                      "g.json");
    CHECK(graph.value(graph.outputs[0]).name == "g/W");
    CHECK(graph.value(graph.outputs[0]).shape == Shape{3});
    CHECK(one_node(R"j("op": "reshape", "inputs": "A", "newshape": -1)j").values.back().shape == Shape{6});
    CHECK(faults_of(R"({"eingraph": 1, "tensors": {"W": {"shape": [3]}}, "outputs": "V"})")[0].where == "/outputs");
    auto const wrt = faults_of(R"({"eingraph": 1, "tensors": {"W": {"shape": [], "dtype": "i32"}, "L": {"shape": []}},
        "nodes": [{"name": "g", "grad": {"of": "L", "wrt": "W"}}], "outputs": ["L"]})");
    REQUIRE(wrt.size() == 1);
    CHECK(wrt[0].where == "/nodes/0/grad/wrt");
}

TEST_CASE("a join calls its operands by their tensors' names", "[lib][graph]") {
    CHECK(nodes_of(R"j("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "abs(A - B)", "agg": "amax")j") ==
          Lines{"out f32(2, 4) = A(i j) B(j k) -> (i k) max abs(x - y)"});
    Fault const fault = fault_of(R"j("einsum": "ij,ij->ij", "inputs": ["A", "A"], "join": "A*2")j");
    CHECK(fault.expected == "a name that means one thing");
    CHECK(fault.found == "'A', which is input 0 and input 1");
}

TEST_CASE("var, std and norm of any join", "[lib][graph]") {
    CHECK(nodes_of(R"j("einsum": "ij->i", "inputs": ["A"], "join": "abs(x)", "agg": "std")j") ==
          Lines{"out:sum f32(2,) = A(i j) -> (i) sum abs(x)", "out:mean f32(2,) = out:sum(i) -> (i) sum x/3.0",
                "out:squares f32(2,) = A(i j) out:mean(i) -> (i) sum (abs(x) - y)*(abs(x) - y)",
                "out f32(2,) = out:squares(i) -> (i) sum where(x/3.0 == 0, x/3.0, sqrt(x/3.0))"});
    // A function of reals alone is one of reals, though the node stores complex numbers.
    for (std::string const agg : {"var", "std", "norm", "mean"})
        CHECK(dtype_of(R"j("einsum": "ij->i", "inputs": ["A"], "join": "gelu(x)", "dtype": "c128", "agg": ")j" + agg +
                       "\"") == DType::c128);
    CHECK(dtype_of(R"j("einsum": "ij->i", "inputs": ["z"], "agg": "var")j") == DType::f32);
    CHECK(dtype_of(R"j("einsum": "i->", "inputs": ["n"], "agg": "norm")j") == DType::f64);
    CHECK(dtype_of(R"j("einsum": "i->", "inputs": ["n"], "agg": "count")j") == DType::i64);
    CHECK(dtype_of(R"j("einsum": "i->", "inputs": ["n8"], "agg": "logsumexp")j") == DType::f64);
    CHECK(dtype_of(R"j("einsum": "ij->i", "inputs": ["w"], "agg": "logsumexp")j") == DType::f16);
}

TEST_CASE("what is counted wraps as it would alone", "[lib][graph]") {
    auto const counted_in = [](std::string const& join) {
        EinGraph const graph =
            one_node(R"("einsum": "i,i->", "inputs": ["n8", "n8"], "agg": "count", "join": ")" + join + "\"");
        EinSumTypes const types = types_of(graph, graph.nodes[0]);
        CHECK(types.accumulate == DType::i64);
        return types.compute;
    };
    CHECK(counted_in("x*y") == DType::u8);
    CHECK(counted_in("x/y") == DType::i64);  // the quotient is f64 whatever it is computed from
}
