// Indices that are known before a run are checked before it; negative ones count from the end.
#include "apps/graph_file.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

struct Outcome {
    std::vector<Fault> faults;
    std::vector<std::string> notes;
};

/// @param tokens  the tensor of indices, looked up in 6 rows
Outcome outcome_of(std::string const& tokens, std::string const& folder = ".") {
    apps::GraphFile file{R"({"eingraph": 1, "tensors": {"E": {"shape": [6, 3], "data": {"fill": 1}}, "tok": )" +
                             tokens +
                             R"(}, "nodes": [{"name": "rows", "op": "gather", "inputs": ["E", "tok"]}],
                             "outputs": ["rows"]})",
                         "g.json", folder};
    try {
        apps::read_graph(file);
    } catch (InputError const& error) {
        return {error.faults(), {}};
    }
    return {{}, file.notes};
}

}  // namespace

TEST_CASE("indices that are written in the graph are checked when it is read", "[apps][index_values]") {
    Outcome const wrong = outcome_of(R"({"shape": [2, 2], "dtype": "i64", "data": {"values": [[0, 1], [9, -7]]}})");
    REQUIRE(wrong.faults.size() == 1);
    CHECK(wrong.faults[0].text() ==
          "g.json: /tensors/tok: expected indices from -6 to 5, since node 'rows' looks them up in 6 elements, found 9 "
          "at [1, 0] and 1 more; correct the tensor, or what it is looked up in: indices count from 0, negative ones "
          "from the end");
    Outcome const filled = outcome_of(R"({"shape": [3], "dtype": "i32", "data": {"fill": 6}})");
    REQUIRE(filled.faults.size() == 1);
    CHECK(filled.faults[0].found == "6 at [0] and 2 more");
    CHECK(outcome_of(R"({"shape": [3], "dtype": "i32", "data": {"fill": 5}})").notes.empty());
}

TEST_CASE("negative indices count from the end, which is noted", "[apps][index_values]") {
    Outcome const negative = outcome_of(R"({"shape": [2], "dtype": "i64", "data": {"values": [2, -6]}})");
    CHECK(negative.faults.empty());
    REQUIRE(negative.notes.size() == 1);
    CHECK(negative.notes[0] ==
          "'tok' has negative indices (-6 at [1]), which count from the end of what 'rows' looks up");
}

TEST_CASE("indices in a file are checked when it is there", "[apps][index_values]") {
    TemporaryFolder const folder;
    std::string const header =
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }" + std::string(60, ' ') + "\n";
    std::string npy = "\x93NUMPY\x01";
    npy += '\0', npy += static_cast<char>(header.size()), npy += '\0';
    folder.write("tok.npy", npy + header + "\x05\x06");
    Outcome const wrong = outcome_of(R"({"data": {"npy": "tok.npy"}})", folder.path().string());
    REQUIRE(wrong.faults.size() == 1);
    CHECK(wrong.faults[0].found == "6 at [1]");
    CHECK(outcome_of(R"({"shape": [2], "dtype": "u8", "data": {"npy": "later.npy"}})").faults.empty());
    CHECK(outcome_of(R"({"shape": [2], "dtype": "u8"})").faults.empty());
}
