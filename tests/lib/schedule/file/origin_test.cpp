#include "lib/schedule/file/origin.hpp"

#include "lib/schedule/file/codec.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::schedule;

namespace {

std::string const graph_text = R"({"eingraph": 1, "nodes": [{"name": "Z", "join": "x*y", "inputs": ["X", "Y"]}]})";

/// A schedule that was planned in a folder: X and W from x.raw, Y from y.raw, R from nowhere.
struct Planned {
    TemporaryFolder folder;
    Header header;

    Planned() {
        folder.write("graph.json", graph_text);
        folder.write("x.raw", std::string(64, 'x'));
        folder.write("y.raw", std::string(64, 'y'));
        header.graph_text = graph_text;
        header.graph_file = "graph.json";
        for (auto const& [name, file] : {std::pair{"X", "x.raw"}, {"W", "x.raw"}, {"Y", "y.raw"}})
            add(name, tensor::RawSource{file, 0});
        add("R", tensor::RandomSource{});
        note_input_files(header, folder.path());
    }
    void add(std::string const& name, tensor::Source source) {
        header.inputs.add({header.tensors.add({name, {8}, DType::f64}), std::move(source)});
    }
    std::vector<std::string> changes() const {
        std::vector<std::string> out;
        for (Fault const& fault : changes_since_planning(header, folder.path())) out.push_back(fault.text());
        return out;
    }
    std::string in(std::string const& text) const { return folder.file(text); }
};

}  // namespace

TEST_CASE("nothing has changed since planning, nor by what is written another way", "[schedule][origin]") {
    Planned const planned;
    CHECK(planned.changes().empty());
    planned.folder.write("x.raw", std::string(64, 'x'));  // as it was, later
    planned.folder.write("graph.json",
                         R"({ "nodes": [{"join": "x*y", "name": "Z", "inputs": ["X", "Y"], "x-note": 3}],
                              "x-note": "", "eingraph": 1 })");
    CHECK(planned.changes().empty());
}

TEST_CASE("an input that is there and cannot be read is reported when planning, one that is gone is not",
          "[schedule][origin]") {
    Planned planned;
    std::filesystem::remove(planned.folder.path() / "x.raw");
    std::filesystem::remove(planned.folder.path() / "y.raw");
    std::filesystem::create_directory(planned.folder.path() / "x.raw");
    CHECK(note_input_files(planned.header, planned.folder.path()) ==
          std::vector<std::string>{planned.in("x.raw") +
                                   " cannot be read: einrun will not see whether it changed since now"});
    CHECK(planned.changes().empty());
}

TEST_CASE("a changed graph is reported with the first place that is another", "[schedule][origin]") {
    Planned const planned;
    struct Case {
        std::string text, where, expected, found;
    };
    std::vector<Case> const cases{
        {R"({"eingraph": 1, "nodes": [{"name": "Z", "join": "x+y", "inputs": ["X", "Y"]}]})", "/nodes/0/join",
         "\"x*y\"", "\"x+y\""},
        {R"({"eingraph": 1, "nodes": [{"name": "Z", "join": "x*y", "inputs": ["X"]}]})", "/nodes/0/inputs", "2 entries",
         "1"},
        {R"({"eingraph": 1, "nodes": [{"name": "Z", "inputs": ["X", "Y"]}]})", "/nodes/0/join", "\"x*y\"", "nothing"},
        {R"({"eingraph": 1, "nodes": [{"name": "Z", "join": "x*y", "inputs": ["X", "Y"]}], "dtype": "f32"})", "/dtype",
         "nothing", "\"f32\""},
        {R"([{"eingraph": 1}])", "", "an object", "a list"},
        {"{", "", "the graph", "what is no JSON"},
    };
    for (Case const& each : cases) {
        planned.folder.write("graph.json", each.text);
        auto const changes = planned.changes();
        REQUIRE(changes.size() == 1);
        std::string const where = each.where.empty() ? "" : " " + each.where + ":";
        CHECK_THAT(changes[0], Catch::StartsWith(planned.in("graph.json") + ":" + where + " expected " + each.expected +
                                                 " as when the schedule was planned (hash "));
        CHECK_THAT(changes[0], Catch::Contains("), found " + each.found + " (hash "));
        CHECK_THAT(changes[0], Catch::EndsWith("; plan again with einplan, or give back what was there"));
    }
}

TEST_CASE("what a graph leaves to its data files, or writes in another way, has not changed", "[schedule][origin]") {
    Planned planned;
    tensor::write_npy(planned.folder.path() / "A.npy", tensor::HostTensor(DType::f64, {4, 3}));
    planned.add("A", tensor::NpySource{"A.npy"});
    auto const graph = [](std::string const& tensor, std::string const& dtype = "\"f32\"") {
        return R"({"eingraph": 1, "dtype": )" + dtype + R"(, "tensors": {"A": {"data": {"npy": "A.npy"})" + tensor +
               "}}}";
    };
    auto const changes = [&](std::string const& now) {
        planned.folder.write("graph.json", now);
        return planned.changes();
    };
    planned.header.graph_text = graph(R"(, "shape": [4, 3], "dtype": "f64")");
    CHECK(changes(graph("")).empty());
    CHECK(changes(graph(R"(, "shape": [4, 3])")).empty());
    CHECK(changes(graph(R"(, "dtype": "float64")")).empty());
    REQUIRE(changes(graph(R"(, "dtype": "f32")")).size() == 1);
    CHECK_THAT(planned.changes()[0], Catch::Contains("/tensors/A/dtype: expected \"f64\""));
    REQUIRE(changes(graph(R"(, "shape": [3, 4])")).size() == 1);
    planned.header.graph_text = graph(R"(, "shape": [4, 3], "dtype": "bf16")");  // rounded, which was asked for
    CHECK(changes(graph("")).size() == 1);
    planned.header.graph_text = graph(R"(, "shape": [4, 3], "dtype": "f64")");
    tensor::write_npy(planned.folder.path() / "B.npy", tensor::HostTensor(DType::i8, {4, 3}));
    schedule::Input& given = planned.header.inputs[planned.header.inputs.last()];
    given.source = tensor::NpySource{"B.npy"}, given.given = true;  // what another file holds says nothing of the graph
    CHECK(changes(graph("")).empty());
    REQUIRE(changes(graph(R"(, "dtype": "f32")")).size() == 1);
    given.source = tensor::NpySource{"A.npy"}, given.given = false;
    planned.header.graph_text = graph(R"(, "shape": [4, 3], "dtype": "bf16")");
    std::filesystem::remove(planned.folder.path() / "A.npy");  // whoever reads it says so
    CHECK(changes(graph("")).empty());
}

TEST_CASE("no depth of a graph file is too much", "[schedule][origin]") {
    Planned planned;
    std::string const open(200000, '['), close(200000, ']');
    planned.header.graph_text = open + close;
    planned.folder.write("graph.json", open + " " + close);
    CHECK(planned.changes().empty());
    planned.folder.write("graph.json", "[" + open + close + "]");
    CHECK(planned.changes().size() <= 1);
    planned.header.graph_text = graph_text;
    CHECK(planned.changes().size() == 1);
}

TEST_CASE("a changed input is reported once, with its size and checksum then and now", "[schedule][origin]") {
    Planned const planned;
    planned.folder.write("x.raw", std::string(63, 'x') + "z");
    planned.folder.write("y.raw", std::string(65, 'y'));
    auto const changes = planned.changes();
    REQUIRE(changes.size() == 2);
    CHECK_THAT(changes[0], Catch::StartsWith(planned.in("x.raw") +
                                             ": tensor 'X' and 1 more: expected what was there when the schedule was "
                                             "planned (64 bytes, checksum "));
    CHECK_THAT(changes[0], Catch::Contains("found other contents (64 bytes, checksum "));
    CHECK_THAT(changes[1], Catch::StartsWith(planned.in("y.raw") + ": tensor 'Y': "));
    CHECK_THAT(changes[1], Catch::Contains("found another size (65 bytes, checksum "));
}

TEST_CASE("what is gone, was not there, or is read from elsewhere now has not changed", "[schedule][origin]") {
    Planned planned;
    std::filesystem::remove(planned.folder.path() / "graph.json");
    std::filesystem::remove(planned.folder.path() / "y.raw");
    CHECK(planned.changes().empty());
    planned.add("L", tensor::RawSource{"later.raw", 0});
    planned.folder.write("later.raw", "1");
    planned.folder.write("x.raw", "1");
    for (int number : {0, 1}) {  // X and W, as --input does
        Input& input = planned.header.inputs[InputId{number}];
        input.source = tensor::RawSource{planned.in("x.raw"), 0};
        input.planned.reset();
    }
    CHECK(planned.changes().empty());
}

TEST_CASE("fingerprints are kept in the schedule's file, and are the same each time", "[schedule][origin]") {
    Planned const planned;
    Bytes const bytes = encode(planned.header);
    Header const read = decode_header(bytes, "test.sched");
    for (InputId input : read.inputs.ids()) CHECK(read.inputs[input].planned == planned.header.inputs[input].planned);
    CHECK(read.inputs[InputId{0}].planned.has_value());
    CHECK_FALSE(read.inputs[InputId{3}].planned.has_value());
    Header again = planned.header;
    planned.folder.write("x.raw", std::string(64, 'x'));
    note_input_files(again, planned.folder.path());
    CHECK(encode(again) == bytes);
}
