// NaN and infinities in results: what einrun says and how it ends.
#include "tests/apps/einrun/planned_place.hpp"

using namespace ein;
using namespace ein::test;

namespace {

/// Y = 1/X of two zeros and six other numbers, Z = Y * W.
std::string inverse(std::string const& join = "1/x") {
    return R"({"eingraph": 1, "name": "inverse", "dtype": "f32", "tensors": {
      "X": {"shape": [8], "data": {"values": [0, 1, 2, 0, 4, 5, 6, 7]}}, "W": {"shape": [8], "data": {"fill": 2}}},
      "nodes": [{"name": "Y", "einsum": "i->i", "inputs": ["X"], "join": ")" +
           join + R"("}, {"name": "Z", "einsum": "i,i->i", "inputs": ["Y", "W"]}], "outputs": ["Z", "X"]})";
}

std::string const in_outputs =
    "warning: NaN or infinities in outputs, and none in inputs: first in 'Z', 2 of 8 elements (2 infinite); run with "
    "--check-finite to see in which node they begin";
std::string const in_node =
    "--check-finite: node 'Y': expected finite elements, since its inputs are finite, found 2 elements (2 infinite) on "
    "rank";

bool once(Outcome const& run, std::string const& text) {
    return has(run, text) && run.text.find(text) == run.text.rfind(text);
}

}  // namespace

TEST_CASE("infinities that inputs have not are counted at the end, and results are there", "[einrun][finite]") {
    PlannedPlace place;
    place.plan("inverse.json", inverse());
    Outcome const run = place.alone("inverse.sched --report r.json");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(once(run, in_outputs));
    CHECK(has(run, "  not finite 2 of 8 elements (2 infinite) of 'Z'"));
    Json const report = place.json("r.json")["non_finite"];
    CHECK(report["every_node"] == false);
    CHECK(report["outputs"][0]["infinite"] == 2);
    CHECK(report["in_inputs"]["infinite"] == 0);
    CHECK(place.files_in("results") == 2);
}

TEST_CASE("with --check-finite the node is named, code 1, and no result is left", "[einrun][finite]") {
    PlannedPlace place;
    place.plan("inverse.json", inverse());
    for (std::string const device : {"cpu", "reference", "emulated"}) {
        Outcome const run =
            place.alone("inverse.sched --check-finite --verify --report r.json --repeat 2 --device " + device);
        CAPTURE(device, run.text);
        CHECK(run.code == 1);
        CHECK(once(run, in_node + " 0; x divides, which is infinite where it is 0: write where(x != 0, 1/x, 0)"));
        CHECK_FALSE(has(run, "warning"));
        CHECK_FALSE(has(run, "verified"));
        CHECK(place.files_in("results") == 0);
        Json const report = place.json("r.json")["non_finite"];
        CHECK(report["every_node"] == true);
        CHECK(report["nodes"].size() == 1);
        CHECK(report["nodes"][0]["node"] == "Y");
        CHECK(report["nodes"][0]["infinite"] == 2);
    }
}

TEST_CASE("with --check-finite what is finite, or meant, runs as ever", "[einrun][finite]") {
    PlannedPlace place;
    place.plan("inverse.json", inverse("where(x == 0, inf, 1/x)"));
    Outcome const meant = place.alone("inverse.sched --check-finite --verify");
    CAPTURE(meant.text);
    CHECK(meant.code == 0);
    CHECK_FALSE(has(meant, "warning"));
    CHECK(has(meant, "verified"));
    place.plan("finite.json", inverse("1/(x+1)"));
    Outcome const finite = place.alone("finite.sched --check-finite --quiet");
    CHECK(finite.code == 0);
    CHECK(finite.text.empty());
}

#ifdef MPIRUN
TEST_CASE("several ranks find the same node and say it once", "[einrun][finite][mpi]") {
    PlannedPlace place;
    place.plan("inverse.json", inverse(), 3);
    Outcome const run = place.together(3, "inverse.sched --check-finite");
    CAPTURE(run.text);
    CHECK(run.code == 1);
    CHECK(once(run, in_node));
    CHECK(place.files_in("results") == 0);
    Outcome const counted = place.together(3, "inverse.sched");
    CHECK(counted.code == 0);
    CHECK(once(counted, in_outputs));
    Outcome const unlike = place.together(1, "inverse.sched --check-finite : -n 2 " EINRUN " inverse.sched");
    CHECK(unlike.code == 2);
    CHECK(has(unlike, "expected --check-finite for all ranks as for rank 0, found no --check-finite for rank 1"));
}
#endif
