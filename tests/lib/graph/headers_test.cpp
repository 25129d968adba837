// Shapes and dtypes that tensors leave to their files, given by a stand-in for those files.
#include "lib/graph/read/headers.hpp"

#include "lib/tensor/storage/storage.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

/// A.npy and m.safetensors hold f64 (4, 6), half.npy f32 (2,), whole.npy i64 (2,); csv.npy is text; others are missing;
/// raw ones say nothing.
std::optional<Header> headers(std::string const&, tensor::Source const& source) {
    if (!tensor::file_of(source) || std::holds_alternative<tensor::RawSource>(source)) return std::nullopt;
    std::string const& file = *tensor::file_of(source);
    if (file == "half.npy") return Header{{DType::f32, {2}}, source};
    if (file == "whole.npy") return Header{{DType::i64, {2}}, source};
    if (file == "A.npy" || file == "m.safetensors") return Header{{DType::f64, {4, 6}}, source};
    if (file == "csv.npy") throw InputError(Fault{file, "", "a .npy file", "what looks like text", "convert it"});
    throw tensor::UnopenedFile(
        Fault{file, "", "a file that can be read", "none", "check the path and its permissions"});
}

std::string graph_with(std::string const& tensor, std::string const& top = "") {
    return "{\"eingraph\": 1, " + top + "\"tensors\": {\"A\": " + tensor + "}, \"nodes\": [], \"outputs\": [\"A\"]}";
}

Value read_tensor(std::string const& tensor, std::string const& top = "") {
    return read_graph(graph_with(tensor, top), "g.json", headers).graph.values.at(0);
}

Fault refused(std::string const& tensor) {
    try {
        read_tensor(tensor);
    } catch (InputError const& error) {
        REQUIRE(error.faults().size() == 1);
        return error.faults()[0];
    }
    FAIL("accepted");
    return {};
}

}  // namespace

TEST_CASE("what a tensor leaves out its file says", "[lib][graph][headers]") {
    Value const whole = read_tensor(R"({"data": {"npy": "A.npy"}})");
    CHECK(whole.shape == Shape{4, 6});
    CHECK(whole.dtype == DType::f64);
    CHECK(read_tensor(R"({"shape": [4, 6], "data": {"npy": "A.npy"}})").dtype == DType::f64);
    CHECK(read_tensor(R"({"dtype": "double", "data": {"npy": "A.npy"}})").shape == Shape{4, 6});
    CHECK(read_tensor(R"({"shape": [2, 2, 6], "data": {"safetensors": "m.safetensors", "tensor": "w"}})").shape ==
          Shape{2, 2, 6});
    // f32 files are read as bf16, and stay so where that is the graph's dtype.
    CHECK(read_tensor(R"({"data": {"npy": "half.npy"}})", R"("dtype": "bf16", )").dtype == DType::bf16);
    CHECK(read_tensor(R"({"data": {"npy": "A.npy"}})", R"("dtype": "bf16", )").dtype == DType::f64);
}

TEST_CASE("a fill has the dtype that the file says", "[lib][graph][headers][sparse]") {
    auto const fill_of = [](std::string const& file) {
        return read_tensor(R"({"sparse": true, "fill": 3, "data": {"npy": ")" + file + "\"}}").listing.value().fill;
    };
    CHECK(fill_of("whole.npy").integer == 3);
    CHECK(fill_of("A.npy").number == 3.0);
    CHECK(refused(R"({"sparse": true, "fill": 0.5, "data": {"npy": "whole.npy"}})").where == "/tensors/A/fill");
}

TEST_CASE("a file of another kind is a fault, whatever the graph says of its tensor", "[lib][graph][headers]") {
    for (std::string const shape : {R"("shape": [3], "dtype": "f64", )", R"("shape": [3], )", R"("dtype": "f64", )"}) {
        CAPTURE(shape);
        Fault const fault = refused("{" + shape + R"("data": {"npy": "csv.npy"}})");
        CHECK(fault.where == "/tensors/A/data");
        CHECK(fault.expected == "a .npy file");
        CHECK(fault.found == "'csv.npy', what looks like text");
        CHECK(fault.fix == "convert it");
    }
}

TEST_CASE("a file that is not there yet is needed for what is left out alone", "[lib][graph][headers]") {
    CHECK(read_tensor(R"({"shape": [3], "dtype": "f64", "data": {"npy": "later.npy"}})").dtype == DType::f64);
    CHECK(read_tensor(R"({"shape": [3], "data": {"npy": "later.npy"}})").dtype == DType::f32);
    Fault const fault = refused(R"({"dtype": "f64", "data": {"npy": "later.npy"}})");
    CHECK(fault.where == "/tensors/A/data");
    CHECK(fault.expected == "a file that can be read, since \"shape\" is left to it");
    CHECK(fault.found == "'later.npy', none");
    CHECK(fault.fix == "check the path and its permissions, or write \"shape\" and \"dtype\"");
}

TEST_CASE("what is written and differs from the file is reported", "[lib][graph][headers]") {
    Fault const dtype = refused(R"({"dtype": "f32", "data": {"npy": "A.npy"}})");
    CHECK(dtype.where == "/tensors/A/dtype");
    CHECK(dtype.expected == "f64, as 'A.npy' has");
    CHECK(dtype.found == "f32");
    CHECK(dtype.fix ==
          "leave it out, and nodes compute in f64 as their inputs are; or convert the file: "
          "numpy.save(\"A.npy\", numpy.load(\"A.npy\").astype(\"f4\"))");
    Fault const shape = refused(R"({"shape": [6, 4], "data": {"npy": "A.npy"}})");
    CHECK(shape.where == "/tensors/A/shape");
    CHECK(shape.expected == "shape (4, 6), as 'A.npy' has");
    CHECK(shape.found == "(6, 4)");
    CHECK(shape.fix == "correct it, leave it out, or give another file");
    CHECK(refused(R"({"data": {"raw": "A.bin"}})").found == "none, and data that does not say it");
    CHECK(refused(R"({"data": {"fill": 1}})").found == "none, and data that does not say it");
    CHECK(refused(R"({"dtype": "f64"})").found == "none");
    CHECK(refused(R"({"shape": [4, "x"], "data": {"npy": "A.npy"}})").where == "/tensors/A/shape/1");
    CHECK(refused(R"({"dtype": "f65", "data": {"npy": "A.npy"}})").where == "/tensors/A/dtype");
}

TEST_CASE("the complete text reads alike without the files", "[lib][graph][headers]") {
    std::string const text = R"({"eingraph": 1, "x-note": "kept", "tensors": {"A": {"data": {"npy": "A.npy"}},
        "B": {"shape": [6, 2], "dtype": "f64"}, "V": {"data": {"values": [[1, 2, 3]]}}},
        "nodes": [{"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"]}], "outputs": ["C", "V"]})";
    CompleteGraph const read = read_graph(text, "g.json", headers);
    EinGraph const again = read_graph(read.text, "g.json");
    CHECK(describe(again) == describe(read.graph));
    CHECK(again.values.at(0).shape == Shape{4, 6});
    CHECK(read.text.find("\"x-note\":\"kept\"") != std::string::npos);
    std::string const complete = graph_with(R"({"shape": [3],  "dtype": "f64", "data": {"npy": "A.npy"}})");
    CHECK(read_graph(graph_with(R"({"shape": [2]})"), "g.json", headers).text == graph_with(R"({"shape": [2]})"));
}
