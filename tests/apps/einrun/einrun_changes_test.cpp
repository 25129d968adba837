// A graph or input that changed between einplan and einrun is reported: both programs, graphs and files as users have
// them.
#include "tests/apps/einrun/planned_place.hpp"

using namespace ein;
using namespace ein::test;

namespace {

std::string const text = R"({"eingraph": 1, "name": "sums", "dtype": "f64", "params": {"eta": 2},
  "tensors": {"X": {"shape": [8, 3], "data": {"npy": "X.npy"}}, "Y": {"shape": [8, 3], "data": {"npy": "data/Y.npy"}}},
  "nodes": [{"name": "Z", "einsum": "ij,ij->ij", "inputs": ["X", "Y"], "join": "eta*x*y"}], "outputs": ["Z"]})";

struct Changing : PlannedPlace {
    Changing() {
        fs::create_directories(*this / "data");
        tensor::write_npy(*this / "X.npy", ones());
        tensor::write_npy(*this / "data/Y.npy", ones());
        plan("sums.json", text);
    }
    void change_x() const {
        tensor::HostTensor x = ones();
        x.set(23, scalar::Scalar::of(std::complex<double>(0.5)));
        tensor::write_npy(*this / "X.npy", x);
    }
};

}  // namespace

TEST_CASE("nothing is said of a graph and inputs that are as they were", "[einrun][changes]") {
    Changing place;
    Outcome const run = place.alone("sums.sched --strict --quiet --report r.json");
    CHECK(run.code == 0);
    CHECK(run.text.empty());
    CHECK(place.json("r.json")["changed"].empty());
}

TEST_CASE("a changed input is a warning, with --strict an error of code 3", "[einrun][changes]") {
    Changing place;
    place.change_x();
    Outcome const run = place.alone("sums.sched --quiet --report r.json");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(has(run, "X.npy: tensor 'X': expected what was there when the schedule was planned (320 bytes, checksum "));
    CHECK(has(run, "found other contents (320 bytes, checksum "));
    CHECK(run.text.find("einrun: warning: ") == run.text.rfind("einrun: warning: "));
    CHECK(place.json("r.json")["changed"].size() == 1);
    Outcome const strict = place.alone("sums.sched --strict --out strict");
    CHECK(strict.code == 3);
    CHECK(has(strict, "X.npy: tensor 'X': expected what was there"));
    CHECK(place.files_in("strict") == 0);
}

TEST_CASE("a changed graph is a warning with the place that is another, with --strict an error", "[einrun][changes]") {
    Changing place;
    std::string other = text;
    other.replace(other.find("eta*x*y"), 7, "x*y");
    place.write("sums.json", other);
    Outcome const run = place.alone("sums.sched --quiet");
    CHECK(run.code == 0);
    CHECK(has(run, "sums.json: /nodes/0/join: expected \"eta*x*y\" as when the schedule was planned (hash "));
    place.change_x();
    Outcome const strict = place.alone("sums.sched --strict");
    CHECK(strict.code == 3);
    CHECK(has(strict, "sums.json: /nodes/0/join"));
    CHECK(has(strict, "X.npy: tensor 'X'"));
}

TEST_CASE("inputs and params that are given, and a graph that is gone, have not changed", "[einrun][changes]") {
    Changing place;
    place.change_x();
    tensor::write_npy(place / "other.npy", ones());
    fs::remove(place / "sums.json");
    Outcome const run = place.alone("sums.sched --strict --quiet --input X=other.npy --set eta=3");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(run.text.empty());
}

TEST_CASE("a graph that leaves shape and dtype to its files has not changed", "[einrun][changes]") {
    Changing place;
    place.plan("sums.json", R"({"eingraph": 1, "tensors": {"X": {"data": {"npy": "X.npy"}}},
        "nodes": [{"name": "s", "op": "relu", "inputs": ["X"]}], "outputs": ["s"]})");
    Outcome const run = place.alone("sums.sched --strict --quiet");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(run.text.empty());
}

TEST_CASE("a given file of another type says nothing of the graph, which is not blamed", "[einrun][changes]") {
    Changing place;
    place.plan("sums.json", R"({"eingraph": 1, "tensors": {"X": {"data": {"npy": "X.npy"}}},
        "nodes": [{"name": "s", "op": "relu", "inputs": ["X"]}], "outputs": ["s"]})");
    tensor::write_npy(place / "narrow.npy", tensor::HostTensor(DType::f32, {8, 3}));
    Outcome const run = place.alone("sums.sched --strict --quiet --input X=narrow.npy");
    CAPTURE(run.text);
    CHECK(run.code == 3);
    CHECK(!has(run, "sums.json"));
    CHECK(has(run,
              "tensor 'X': expected f64, found f32; convert what is in the file: a.astype(\"float64\"), or write "
              "\"dtype\": \"f32\" with this file as the tensor's \"data\", and plan again"));
}

TEST_CASE("the same graph and inputs give the same schedule, whenever they were written", "[einrun][changes]") {
    Changing place;
    std::string const first = read_text_file(place / "sums.sched");
    fs::last_write_time(place / "X.npy", fs::file_time_type::clock::now() - std::chrono::hours(1));
    place.plan("sums.json", text);
    CHECK(read_text_file(place / "sums.sched") == first);
    place.change_x();
    place.plan("sums.json", text);
    CHECK(read_text_file(place / "sums.sched") != first);
}

TEST_CASE("a schedule may be planned before its inputs are there", "[einrun][changes]") {
    Changing place;
    fs::remove(place / "X.npy");
    place.plan("sums.json", text);
    tensor::write_npy(place / "X.npy", ones());
    CHECK(place.alone("sums.sched --strict").code == 0);
}

#ifdef MPIRUN
TEST_CASE("one rank says what changed, for all", "[einrun][changes][mpi]") {
    Changing place;
    place.plan("sums.json", text, 3);
    place.change_x();
    Outcome const run = place.together(3, "sums.sched --quiet");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(has(run, "X.npy: tensor 'X'"));
    CHECK(run.text.find("tensor 'X'") == run.text.rfind("tensor 'X'"));
    Outcome const strict = place.together(3, "sums.sched --strict");
    CHECK(strict.code == 3);
    CHECK(strict.text.find("tensor 'X'") == strict.text.rfind("tensor 'X'"));
}
#endif
