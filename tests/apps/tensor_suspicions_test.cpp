#include "apps/tensor_suspicions.hpp"

#include "lib/graph/read_graph.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

std::vector<std::string> notes(std::string const& tensor) {
    std::string const text = R"({"eingraph": 1, "tensors": {"t": )" + tensor +
                             R"(}, "nodes": [{"name": "Z", "op": "abs", "inputs": "t"}], "outputs": ["Z"]})";
    return apps::tensor_suspicions(graph::read_graph(text, "g.json"), text);
}

}  // namespace

TEST_CASE("whole numbers that a type does not hold are noted", "[apps][suspicions]") {
    std::vector<std::string> const found = notes(R"({"data": {"values": [1, 1700000001, 1700000002]}})");
    REQUIRE(found.size() == 1);
    CHECK(found[0] ==
          "tensor 't': 1700000001 is 1700000000 in f32, which does not hold every whole number of that size; give it "
          "\"dtype\": \"i64\" or \"f64\"");
    CHECK(notes(R"({"shape": [4], "data": {"fill": 16777217}})").size() == 1);
    CHECK(notes(R"({"shape": [1, 2], "dtype": "bf16", "data": {"values": [[256, 257]]}})").size() == 1);
    CHECK(notes(R"({"shape": [2], "dtype": "f16", "data": {"values": [2048, 2049]}})").size() == 1);
    for (char const* tensor : {R"({"data": {"values": [16777216, 0.1, 3e10, -4]}})",
                               R"({"shape": [4], "dtype": "i64", "data": {"fill": 16777217}})",
                               R"({"shape": [2], "dtype": "f64", "data": {"values": [1700000001, 9007199254740993]}})",
                               R"({"shape": [1], "data": {"values": ["inf"]}})",
                               R"({"shape": [2], "dtype": "c64", "data": {"fill": 16777217}})"}) {
        CAPTURE(tensor);
        CHECK(notes(tensor).empty());
    }
}

TEST_CASE("random whole numbers that are all one are noted", "[apps][suspicions]") {
    auto const random = [](std::string const& keys, std::string const& dtype = "i32") {
        return notes(R"({"shape": [6], "dtype": ")" + dtype + R"(", "data": {"random": "uniform")" + keys + "}}");
    };
    REQUIRE(random(R"(, "low": 0, "high": 1)").size() == 1);
    CHECK(
        random(R"(, "low": 0, "high": 1)")[0] ==
        "tensor 't': every element is 0, since \"high\" is left out of random numbers; for 0 and 1 write \"high\": 2");
    CHECK(random(R"(, "low": 5, "high": 6)", "u8").size() == 1);
    CHECK(random(R"(, "low": 0, "high": 2)").empty());
    CHECK(random("").empty());
    CHECK(random(R"(, "low": 0, "high": 1)", "f32").empty());
}
