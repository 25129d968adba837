#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;
using Lines = std::vector<std::string>;

TEST_CASE("softmax subtracts the maximum and keeps sums of f16 in f32", "[lib][graph]") {
    CHECK(nodes_of(R"j("op": "softmax", "inputs": ["w"], "axes": [1])j") ==
          Lines{"out:max f32(2,) = w(axis0 axis1) -> (axis0) max x",
                "out:sum f32(2,) = w(axis0 axis1) out:max(axis0) -> (axis0) sum exp(x - y)",
                "out f16(2, 3) = w(axis0 axis1) out:max(axis0) out:sum(axis0) -> (axis0 axis1) sum exp(x - y)/z"});
    CHECK(nodes_of(R"j("op": "log_softmax", "inputs": ["A"])j").back() ==
          "out f32(2, 3) = A(axis0 axis1) out:max(axis0) out:sum(axis0) -> (axis0 axis1) sum x - y - log(z)");
    CHECK(one_node(R"j("op": "softmax", "inputs": ["n"])j").values.back().dtype == DType::f64);
    CHECK(nodes_of(R"j("op": "softmax", "inputs": ["A"], "axes": [0, -1])j")[0] ==
          "out:max f32() = A(axis0 axis1) -> () max x");
}

TEST_CASE("statistics reduce all axes by default and keep dims when asked", "[lib][graph]") {
    CHECK(nodes_of(R"j("op": "mean", "inputs": ["A"])j") ==
          Lines{"out:sum f32() = A(axis0 axis1) -> () sum x", "out f32() = out:sum() -> () sum x/6.0"});
    CHECK(nodes_of(R"j("op": "mean", "inputs": ["A"], "axis": 1, "keepdims": true)j") ==
          Lines{"out:sum f32(2, 1) = A(axis0 axis1) -> (axis0 kept1) sum x",
                "out f32(2, 1) = out:sum(axis0 kept1) -> (axis0 kept1) sum x/3.0"});
    CHECK(nodes_of(R"j("op": "logsumexp", "inputs": ["A"], "axis": 0, "keepdims": true)j") ==
          Lines{"out f32(1, 3) = A(axis0 axis1) -> (kept0 axis1) logsumexp x"});
    CHECK(nodes_of(R"j("op": "logsumexp", "inputs": ["n"])j") ==
          Lines{"out f64() = n(axis0) -> () logsumexp cast_f64(x)"});
    CHECK(nodes_of(R"j("op": "var", "inputs": ["A"], "axis": 1, "ddof": 1)j") ==
          Lines{"out:sum f32(2,) = A(axis0 axis1) -> (axis0) sum x",
                "out:mean f32(2,) = out:sum(axis0) -> (axis0) sum x/3.0",
                "out:squares f32(2,) = A(axis0 axis1) out:mean(axis0) -> (axis0) sum (x - y)*(x - y)",
                "out f32(2,) = out:squares(axis0) -> (axis0) sum x/2.0"});
    CHECK(nodes_of(R"j("op": "var", "inputs": ["z"])j")[2] ==
          "out:squares f32() = z(axis0 axis1) out:mean() -> () sum real((x - y)*conj(x - y))");
    CHECK(nodes_of(R"j("op": "var", "inputs": ["v"], "correction": 9)j").back() ==
          "out f32() = out:squares() -> () sum x/0.0");
}

TEST_CASE("norms take scale and bias over the normalized axes", "[lib][graph]") {
    CHECK(
        nodes_of(R"j("op": "rms_norm", "inputs": ["A", "v"], "eps": 0.5)j") ==
        Lines{
            "out:squares f32(2,) = A(axis0 axis1) -> (axis0) sum x*x",
            "out f32(2, 3) = A(axis0 axis1) out:squares(axis0) v(axis1) -> (axis0 axis1) sum x*rsqrt(y/3.0 + 0.5)*z"});
    CHECK(nodes_of(R"j("op": "layer_norm", "inputs": ["A", "v", "v"], "eps": 0.5)j").back() ==
          "out f32(2, 3) = A(axis0 axis1) out:mean(axis0) out:squares(axis0) v(axis1) v(axis1) -> (axis0 axis1) sum "
          "(x0 - x1)*rsqrt(x2/3.0 + 0.5)*x3 + x4");
}

TEST_CASE("transpose, cast, reshape, concat", "[lib][graph]") {
    CHECK(nodes_of(R"j("op": "transpose", "inputs": ["A"])j") ==
          Lines{"out f32(3, 2) = A(axis0 axis1) -> (axis1 axis0) sum x"});
    CHECK(nodes_of(R"j("op": "transpose", "inputs": ["A"], "axes": [0, -1])j") ==
          Lines{"out f32(2, 3) = A(axis0 axis1) -> (axis0 axis1) sum x"});
    CHECK(nodes_of(R"j("op": "cast", "inputs": ["A"], "dtype": "int8")j") ==
          Lines{"out i8(2, 3) = A(axis0 axis1) -> (axis0 axis1) sum x"});
    CHECK(nodes_of(R"j("op": "reshape", "inputs": ["B"], "shape": [2, -1, 3])j") ==
          Lines{"out f32(2, 2, 3) = reshape B"});
    CHECK(nodes_of(R"j("op": "reshape", "inputs": ["e"], "shape": [3, 0])j") == Lines{"out f32(3, 0) = reshape e"});
    CHECK(nodes_of(R"j("op": "reshape", "inputs": ["s"], "shape": [1, 1])j") == Lines{"out f32(1, 1) = reshape s"});
    CHECK(nodes_of(R"j("op": "concat", "inputs": ["A", "t", "A"])j") ==
          Lines{"out f32(5, 3) = A[0 0]->[0:2, 0:3] t[0 0]->[2:3, 0:3] A[0 0]->[3:5, 0:3]"});
    CHECK(nodes_of(R"j("op": "concat", "inputs": ["A", "z"], "axis": -1)j") ==
          Lines{"out:cast0 c64(2, 3) = A(axis0 axis1) -> (axis0 axis1) sum x",
                "out c64(2, 6) = out:cast0[0 0]->[0:2, 0:3] z[0 0]->[0:2, 3:6]"});
}

TEST_CASE("gather is a lookup of positions; one_hot compares", "[lib][graph]") {
    EinGraph const graph = one_node(R"j("op": "gather", "inputs": ["B", "n"], "axis": 1)j");
    CHECK(describe(graph) ==
          Lines{"out:position i64(3,) = n(axis0) -> (axis0) sum position(x, 4)",
                "out f32(3, 3) = B(axis0 axis1) out:position(index0) -> (axis0 index0) sum where(y == [axis1], x, 0)"});
    auto const lookup = as_lookup(std::get<EinSum>(graph.nodes[1].op));
    REQUIRE(lookup);
    CHECK((lookup->data == 0 && lookup->positions == 1 && lookup->label == 1));
    CHECK(nodes_of(R"j("op": "one_hot", "inputs": ["n"], "depth": 5)j") ==
          Lines{"out f32(3, 5) = n(axis0) -> (axis0 position) sum x == [position]"});
    CHECK(nodes_of(R"j("op": "one_hot", "inputs": ["n"], "num_classes": 5, "axis": 0, "dtype": "bool")j") ==
          Lines{"out bool(5, 3) = n(axis0) -> (position axis0) sum x == [position]"});
}

TEST_CASE("slices are Python's", "[lib][graph]") {
    struct Row {
        char const* keys;
        char const* node;
    };
    auto const row = GENERATE(values<Row>(
        {{R"j("slices": "1:, ::-1")j", "out f32(2, 4) = B[1 3/-1]->[0:2, 0:4]"},
         {R"j("slices": ["-2:", "0:100:3"])j", "out f32(2, 2) = B[1 0/3]->[0:2, 0:2]"},
         {R"j("slices": "..., 3:0:-2")j", "out f32(3, 2) = B[0 3/-2]->[0:3, 0:2]"},
         {R"j("slices": ":, 5:")j", "out f32(3, 0) = B[0 0]->[0:3, 0:0]"},
         {R"j("slices": "::9223372036854775807")j", ""},
         {R"j("start": [1, null], "stop": [null, -1])j", "out f32(2, 3) = B[1 0]->[0:2, 0:3]"},
         {R"j("start": [-1], "stop": [null], "step": [-2], "axes": [-1])j", "out f32(3, 2) = B[0 3/-2]->[0:3, 0:2]"},
         {R"j("start": 1, "stop": 3, "axis": 1)j", "out f32(3, 2) = B[0 1]->[0:3, 0:2]"}}));
    CAPTURE(row.keys);
    std::string const keys = std::string(R"j("op": "slice", "inputs": ["B"], )j") + row.keys;
    if (*row.node)
        CHECK(nodes_of(keys) == Lines{row.node});
    else
        CHECK(node_faults(keys).size() == 1);
    CHECK(nodes_of(R"j("op": "slice", "inputs": ["B"], "slices": [-1])j") ==
          Lines{"out:slice f32(1, 4) = B[2 0]->[0:1, 0:4]", "out f32(4,) = reshape out:slice"});
}

TEST_CASE("pad gives np.pad's modes", "[lib][graph]") {
    auto const pad = [](std::string const& keys) { return nodes_of(R"j("op": "pad", "inputs": ["v"], )j" + keys); };
    CHECK(pad(R"j("pad_width": 2)j") == Lines{"out f32(7,) = v[0]->[2:5] fill 0.00"});
    CHECK(pad(R"j("pad_width": [[1, 0]], "constant_values": 7)j") == Lines{"out f32(4,) = v[0]->[1:4] fill 7.00"});
    CHECK(
        pad(R"j("pad_width": [1, 2], "constant_values": [7, 8])j") ==
        Lines{"out:axis0before f32(4,) = v[0]->[1:4] fill 7.00", "out f32(6,) = out:axis0before[0]->[0:4] fill 8.00"});
    // np.pad([0, 1, 2], ...) gives 0 1 2 1 0 1 2 1 0 1 (reflect 4, 3), 2 2 1 0 0 1 2 2 (symmetric 4, 1), 2 0 1 2 0 1 2
    // 0 (wrap)
    CHECK(pad(R"j("pad_width": [4, 3], "mode": "reflect")j") ==
          Lines{"out f32(10,) = v[0]->[0:2] v[2/-1]->[2:4] v[0]->[4:7] v[1/-1]->[7:8] v[0]->[8:10]"});
    CHECK(pad(R"j("pad_width": [4, 1], "mode": "symmetric")j") ==
          Lines{"out f32(8,) = v[2]->[0:1] v[2/-1]->[1:4] v[0]->[4:7] v[2/-1]->[7:8]"});
    CHECK(pad(R"j("pad_width": [1, 4], "mode": "wrap")j") ==
          Lines{"out f32(8,) = v[2]->[0:1] v[0]->[1:4] v[0]->[4:7] v[0]->[7:8]"});
    CHECK(pad(R"j("pad_width": [2, 0], "mode": "edge")j") ==
          Lines{"out:axis0first f32(1,) = v[0]->[0:1]", "out:axis0firstelement f32() = reshape out:axis0first",
                "out:axis0firsts f32(2,) = out:axis0firstelement() -> (repeat) sum x",
                "out f32(5,) = out:axis0firsts[0]->[0:2] v[0]->[2:5]"});
    CHECK(pad(R"j("pad_width": 0, "mode": "wrap")j") == Lines{"out f32(3,) = v[0]->[0:3] fill 0.00"});
    CHECK(nodes_of(R"j("op": "pad", "inputs": ["B"], "pad_width": [[1, 0], [0, 1]], "mode": "wrap")j") ==
          Lines{"out:axis0 f32(4, 4) = B[2 0]->[0:1, 0:4] B[0 0]->[1:4, 0:4]",
                "out f32(4, 5) = out:axis0[0 0]->[0:4, 0:4] out:axis0[0 0]->[0:4, 4:5]"});
}

TEST_CASE("each fault of an op", "[lib][graph]") {
    struct Row {
        char const* keys;
        char const* where;
        char const* expected;
    };
    auto const row = GENERATE(values<Row>(
        {{R"j("op": "softmax", "inputs": ["A", "A"])j", "/nodes/0/inputs", "1 input"},
         {R"j("op": "layer_norm", "inputs": ["A", "v", "v", "v"])j", "/nodes/0/inputs", "1 to 3 inputs"},
         {R"j("op": "softmax", "inputs": ["A"], "axes": [2])j", "/nodes/0/axes/0", "an axis from -2 to 1"},
         {R"j("op": "softmax", "inputs": ["A"], "axes": [1, -1])j", "/nodes/0/axes/1", "each axis once"},
         {R"j("op": "softmax", "inputs": ["A"], "axes": 1, "axis": 1)j", "/nodes/0/axis", "\"axes\" or \"axis\""},
         {R"j("op": "softmax", "inputs": ["z"])j", "/nodes/0/inputs/0", "real numbers for softmax"},
         {R"j("op": "softmax", "inputs": ["A"], "keepdims": true)j", "/nodes/0/keepdims",
          "name, op, inputs, axes, axis, dtype, dim, dims, perm or sparse"},
         {R"j("op": "mean", "inputs": ["A"], "keepdims": 1)j", "/nodes/0/keepdims", "true or false"},
         {R"j("op": "var", "inputs": ["A"], "ddof": 1, "correction": 1)j", "/nodes/0/ddof",
          "\"correction\" or \"ddof\""},
         {R"j("op": "rms_norm", "inputs": ["A", "s"])j", "/nodes/0/inputs/1",
          "shape (3,), that of the normalized axes of 'A' (inputs/0) of shape (2, 3)"},
         {R"j("op": "rms_norm", "inputs": ["A"], "eps": -1)j", "/nodes/0/eps", "a number of 0 or more"},
         {R"j("op": "reshape", "inputs": ["A"])j", "/nodes/0", "the key \"shape\""},
         {R"j("op": "squeeze", "inputs": ["A"], "axis": 1)j", "/nodes/0/axis", "axes of extent 1"},
         {R"j("op": "squeeze", "inputs": ["A"], "axis": 2)j", "/nodes/0/axis", "an axis from -2 to 1"},
         {R"j("op": "flatten", "inputs": ["A"])j", "/nodes/0/op", "an op that means one thing"},
         {R"j("op": "reshape", "inputs": ["A"], "shape": [4])j", "/nodes/0/shape",
          "a shape of 6 elements, as 'A' (inputs/0) of shape (2, 3) has"},
         {R"j("op": "reshape", "inputs": ["A"], "shape": [4, -1])j", "/nodes/0/shape",
          "a shape of 6 elements, as 'A' (inputs/0) of shape (2, 3) has"},
         {R"j("op": "reshape", "inputs": ["A"], "shape": [-1, -1])j", "/nodes/0/shape/1",
          "an extent of 0 or more, or one -1"},
         {R"j("op": "reshape", "inputs": ["e"], "shape": [0, -1])j", "/nodes/0/shape",
          "a shape of 0 elements, as 'e' (inputs/0) of shape (0, 3) has"},
         {R"j("op": "transpose", "inputs": ["A"], "axes": [0])j", "/nodes/0/axes", "each of the 2 axes once"},
         {R"j("op": "cast", "inputs": ["A"])j", "/nodes/0", "the key \"dtype\""},
         {R"j("op": "cast", "inputs": ["A"], "dtype": "f33")j", "/nodes/0/dtype",
          "a dtype (f16, bf16, f32, f64, c64, c128, i8, i16, i32, i64, u8, bool)"},
         {R"j("op": "concat", "inputs": ["A", "B"])j", "/nodes/0/inputs/1", "the same shape but for axis 0"},
         {R"j("op": "concat", "inputs": ["A", "v"])j", "/nodes/0/inputs/1", "the same shape but for axis 0"},
         {R"j("op": "concat", "inputs": ["s"])j", "/nodes/0", "no axis: the tensor is a scalar"},
         {R"j("op": "gather", "inputs": ["A", "v"])j", "/nodes/0/inputs/1", "integers"},
         {R"j("op": "gather", "inputs": ["e", "n"])j", "/nodes/0/inputs/0", "an axis with elements to take from"},
         {R"j("op": "gather", "inputs": ["A", "n"], "axis": 2)j", "/nodes/0/axis", "an axis from -2 to 1"},
         {R"j("op": "one_hot", "inputs": ["n"])j", "/nodes/0", "the key \"depth\""},
         {R"j("op": "one_hot", "inputs": ["n"], "depth": -1)j", "/nodes/0/depth", "0 or more positions"},
         {R"j("op": "slice", "inputs": ["A"])j", "/nodes/0", "\"slices\", or \"start\", \"stop\" or \"step\""},
         {R"j("op": "slice", "inputs": ["A"], "slices": "1", "start": [0])j", "/nodes/0/slices",
          "\"slices\", or \"start\", \"stop\" and \"step\""},
         {R"j("op": "slice", "inputs": ["A"], "slices": "::0")j", "/nodes/0/slices",
          "start:stop:step (step not 0), a number, or '...', as NumPy has them"},
         {R"j("op": "slice", "inputs": ["A"], "slices": ["1:2", "a"])j", "/nodes/0/slices/1",
          "start:stop:step (step not 0), a number, or '...', as NumPy has them"},
         {R"j("op": "slice", "inputs": ["A"], "slices": "0,0,0")j", "/nodes/0/slices",
          "at most 2 slices and one '...'"},
         {R"j("op": "slice", "inputs": ["A"], "slices": [0, 3])j", "/nodes/0/slices/1", "a position from -3 to 2"},
         {R"j("op": "slice", "inputs": ["A"], "step": [0])j", "/nodes/0/step", "steps other than 0"},
         {R"j("op": "slice", "inputs": ["A"], "start": [0, 1, 2])j", "/nodes/0/start", "2 numbers, one for each axis"},
         {R"j("op": "pad", "inputs": ["A"])j", "/nodes/0", "the key \"pad_width\""},
         {R"j("op": "pad", "inputs": ["A"], "pad_width": -1)j", "/nodes/0/pad_width", "a width from 0 to 2^60"},
         {R"j("op": "pad", "inputs": ["A"], "pad_width": [[1, 1], [1, 1], [1, 1]])j", "/nodes/0/pad_width",
          "2 pairs, one for each axis, or one for all"},
         {R"j("op": "pad", "inputs": ["A"], "pad_width": [1, 2, 3])j", "/nodes/0/pad_width", "[before, after]"},
         {R"j("op": "pad", "inputs": ["A"], "pad_width": 1, "mode": "reflct")j", "/nodes/0/mode",
          "constant, edge, reflect, symmetric or wrap"},
         {R"j("op": "pad", "inputs": ["A"], "pad_width": 1, "mode": "edge", "constant_values": 1)j",
          "/nodes/0/constant_values", "no constant_values for this mode"},
         {R"j("op": "pad", "inputs": ["e"], "pad_width": 1, "mode": "edge")j", "/nodes/0/mode",
          "\"constant\" for an axis of extent 0"},
         {R"j("op": "pad", "inputs": ["A"], "pad_width": 1000000, "mode": "wrap")j", "/nodes/0/pad_width",
          "a border of at most 65536 repeats of the axis"}}));
    CAPTURE(row.keys);
    auto const faults = node_faults(row.keys);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == row.where);
    CHECK(faults[0].expected == row.expected);
    CHECK(!faults[0].fix.empty());
}
