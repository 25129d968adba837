// What a file is by its first bytes and its keys, and how a reader of another kind refuses it.
#include "lib/base/files/file_kind.hpp"

#include <cstdlib>
#include <fstream>

#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

struct Sample {
    FileUse use;
    std::string name, text, mend;
};

std::vector<Sample> samples() {
    return {
        {FileUse::graph, "g.json", R"({"eingraph": 1, "nodes": [{"einrun": 1}]})", "plan it: einplan g.json -n 4"},
        {FileUse::graph, "g.json", R"({"tensors": {}, "nodes": [], "outputs": ["Z"]})", "einplan g.json -n 4"},
        {FileUse::plan, "p.json", R"({"einplan": 1, "graph_hash": "0", "ranks": 2, "parts": {}})",
         "einplan GRAPH --plan-in p.json"},
        {FileUse::report, "r.json", R"({"blocks": {"traceEvents": 1}, "einrun": "0.1"})", "eintool report r.json"},
        {FileUse::trace, "t.json", R"({"displayTimeUnit":"ms","traceEvents":[)", "eintool trace t.json"},
        {FileUse::explanation, "e.json", R"({"einplan_explain": 1, "ranks": 4})", "--plan-out writes a plan"},
        {FileUse::cluster, "c.json", R"({"nodes": 2, "ranks_per_node": 4})", "--cluster c.json"},
        {FileUse::checkpoint, "manifest.json", R"({"checkpoint": 3, "schedule": "0"})", "einplan --resume"},
        {FileUse::opt_einsum, "n.json", R"({"einsum": "ab,bc->ac", "shapes": [[2, 2]], "path": []})",
         "eintool import opt_einsum n.json -o n.graph.json"},
        {FileUse::cotengra, "n.json", R"({"inputs": [["a"]], "output": [], "size_dict": {"a": 2}})",
         "eintool import cotengra n.json"},
        {FileUse::omeinsum, "n.json", R"({"einsum": {"ixs": []}, "size": {}})", "eintool import omeinsum n.json"},
        {FileUse::model, "config.json", R"({"architectures": ["LlamaForCausalLM"]})",
         "eintool import safetensors-llama . -o GRAPH.json"},
        {FileUse::circuit, "c.qasm", "OPENQASM 2.0;\nqreg q[2];\n", "eintool import qasm c.qasm"},
        {FileUse::schedule, "s.sched", "EINSCHED\f...", "einrun runs it"},
    };
}

std::optional<FileKind> told(Sample const& of) { return kind_of_bytes(of.text, of.text.size(), of.name); }

std::string refusal(FileUse wanted, std::string const& expected, Sample const& of) {
    try {
        parse_json_of(wanted, expected, of.text, of.name);
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a graph that a launcher gives to einrun is planned for as many ranks", "[lib][base][file_kind]") {
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    auto const kind = told({FileUse::graph, "g.json", R"({"tensors": {}, "nodes": [], "outputs": ["Z"]})", ""});
    unsetenv("OMPI_COMM_WORLD_SIZE");
    REQUIRE(kind);
    CHECK(kind->mend.starts_with("plan it: einplan g.json -n 3;"));
}

TEST_CASE("each of our files is told by how it begins", "[lib][base][file_kind]") {
    for (Sample const& of : samples()) {
        CAPTURE(of.name, of.text);
        auto const kind = told(of);
        REQUIRE(kind);
        CHECK(kind->use == of.use);
        CHECK(kind->certain);
        CHECK_THAT(kind->mend, Catch::Contains(of.mend));
    }
}

TEST_CASE("what is read as another kind is refused with what it is for", "[lib][base][file_kind]") {
    for (Sample const& of : samples())
        for (FileUse const wanted : {FileUse::graph, FileUse::plan, FileUse::cluster, FileUse::report}) {
            if (wanted == of.use || of.use == FileUse::trace) continue;  // the trace of the samples is cut short
            CAPTURE(of.name, of.text);
            std::string const said = refusal(wanted, "a graph", of);
            CHECK_THAT(said, Catch::Contains(of.name + ": expected a graph, found a") ||
                                 Catch::Contains(of.name + ": expected a graph, found what einplan --explain=json"));
            CHECK_THAT(said, Catch::Contains(of.mend));
        }
}

TEST_CASE("a file is what is wanted where it may be that", "[lib][base][file_kind]") {
    Sample const network{FileUse::cotengra, "n.json", R"({"inputs": [["a"]], "output": [], "size_dict": {"a": 2}})",
                         ""};
    CHECK(refusal(FileUse::cotengra, "a contraction", network).empty());
    CHECK(refusal(FileUse::omeinsum, "a contraction", network).empty());  // its reader takes the same keys
    CHECK_THAT(refusal(FileUse::opt_einsum, "a contraction", network), Catch::Contains("eintool import cotengra"));
    Sample const unknown{FileUse::other, "x.json", R"({"x": 1})", ""};
    CHECK(refusal(FileUse::graph, "a graph", unknown).empty());  // its reader says what is missing
    CHECK_THAT(refusal(FileUse::graph, "a graph", {FileUse::other, "x.csv", "1,2\n3,4\n", ""}),
               Catch::Contains("expected a graph, found what looks like numbers as text, with commas"));
    CHECK_THAT(refusal(FileUse::graph, "a graph", {FileUse::other, "x.py", "import einloom as el\n", ""}),
               Catch::Contains("a program of Python; run it: python3 x.py"));
    CHECK_THAT(refusal(FileUse::graph, "a graph", {FileUse::other, "x.json", "hello", ""}),
               Catch::Contains("line 1, column 1"));
}

TEST_CASE("folders and files on disk are told too", "[lib][base][file_kind]") {
    TemporaryFolder const folder;
    std::filesystem::create_directories(folder.path() / "ck/000001");
    std::filesystem::create_directories(folder.path() / "empty");
    folder.write("ck/000001/manifest.json", "{}");
    folder.write("r.json", R"({"einrun": "0.1"})");
    auto const use = [&](std::string const& name) { return kind_of_file(folder.path() / name)->use; };
    CHECK(use("ck") == FileUse::checkpoint);
    CHECK(use("empty") == FileUse::other);
    CHECK(use("r.json") == FileUse::report);
    CHECK_FALSE(kind_of_file(folder.path() / "none"));
    CHECK_THROWS_AS(refuse_other_kind(folder.path() / "r.json", FileUse::trace, "a trace"), InputError);
    CHECK_NOTHROW(refuse_other_kind(folder.path() / "r.json", FileUse::report, "a run report"));
    CHECK_NOTHROW(refuse_other_kind(folder.path() / "none", FileUse::report, "a run report"));
}
