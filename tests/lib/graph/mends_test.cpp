// What newcomers write, and the mend that the message says.
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

struct Row {
    std::string keys, where, fix;  // fix: what the mend contains
};

void check_fault(std::vector<Fault> const& faults, Row const& row) {
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == row.where);
    CHECK_THAT(faults[0].fix, Catch::Contains(row.fix));
}

/// A tensor W (4,), a loop "fit" of it with these keys beside its times, and outputs.
std::vector<Fault> loop_faults(std::string const& keys, std::string const& outputs) {
    return faults_of(R"({"eingraph": 1, "tensors": {"W": {"shape": [4], "data": {"fill": 0}}},
        "nodes": [{"name": "p", "einsum": "j->", "inputs": ["W"]}, {"name": "g", "grad": {"of": "p", "wrt": ["W"]}},
                  {"name": "fit", "loop": {"times": 2, )" +
                     keys + R"(, "body": [{"name": "loss", "einsum": "j->", "inputs": ["W"]},
                                {"name": "w1", "einsum": "j->j", "inputs": ["W"], "join": "x+1"}]}}],
        "outputs": )" +
                     outputs + "}");
}

}  // namespace

TEST_CASE("what a node says otherwise than it must is told with its mend", "[lib][graph][mends]") {
    auto const row = GENERATE(values<Row>({
        {R"("einsum": "ij jk -> ik", "inputs": ["A", "B"])", "/nodes/0/inputs",
         "separate terms by commas: \"ij,jk->ik\""},
        {R"("einsum": "ij jk", "inputs": ["A", "B"])", "/nodes/0/inputs", "separate terms by commas: \"ij,jk\""},
        {R"("einsum": "b i, ij -> b j", "inputs": ["A", "B"])", "/nodes/0/einsum",
         "a term has a space in it, so every label is a word: write 'i j'"},
        {R"("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "A*B + v")", "/nodes/0/join",
         "add \"v\" to \"inputs\", and a term for it to \"einsum\""},
        {R"("einsum": "vj,jk->vk", "inputs": ["A", "B"], "join": "x*y + v")", "/nodes/0/join", "write [v]"},
        {R"("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "x*y + rho")", "/nodes/0/join", "\"params\""},
        {R"("einsum": "ij->i", "inputs": ["A"], "parts": {"i": 2})", "/nodes/0/parts",
         "move it beside \"nodes\": \"parts\": {\"out\": {\"i\":2}}"},
        {R"("op": "relu", "inputs": ["A"], "sharding": "i/dp j")", "/nodes/0/sharding",
         "\"sharding\": {\"out\": \"i/dp j\"}"},
        {R"("op": "transpose", "inputs": ["A"], "dim0": 0, "dim1": -1)", "/nodes/0/dim0", "write \"axes\": [1, 0]"},
        {R"("op": "relu", "inputs": ["a"])", "/nodes/0/inputs/0", "did you mean \"A\"?"},
        {R"("op": "linear", "inputs": ["A", "B", "v"])", "/nodes/0/op", "bi,oi->bo"},
        {R"("op": "CrossEntropyLoss", "inputs": ["A", "n"])", "/nodes/0/op", "\"log_softmax\""},
        {R"("op": "torch.nn.functional.cross_entropy", "inputs": ["A", "n"])", "/nodes/0/op", "\"one_hot\""},
        {R"("op": "dropout", "inputs": ["A"])", "/nodes/0/op", "leave it out"},
        {R"("einsum": "ij,jk=>ik", "inputs": ["A", "B"])", "/nodes/0/einsum", "write -> before the output"},
        {R"("einsum": "ij*jk->ik", "inputs": ["A", "B"])", "/nodes/0/einsum", "separate terms by commas"},
        {R"("op": "relu", "inputs": ["A"], "join": "x*2")", "/nodes/0/join", "\"einsum\": \"...->...\""},
        {R"("op": "relu", "inputs": [{"op": "matmul"}])", "/nodes/0/inputs/0", "make it a node of its own"},
        {R"("op": "relu", "inputs": ["A.T"])", "/nodes/0/inputs/0", "write \"A\" and exchange its labels"},
        {R"("op": "relu", "inputs": ["A[0:1]"])", "/nodes/0/inputs/0", "\"slices\": \"0:1\""},
        {R"("op": "softmax", "inputs": ["A"], "axes": ["j"])", "/nodes/0/axes/0", "the first axis is 0"},
        {R"("einsum": "ij->j", "inputs": ["A"], "reduce": "max")", "/nodes/0/reduce", "did you mean \"agg\"?"},
        {R"("einsum": "ij->ij", "inputs": ["A"], "function": "x*2")", "/nodes/0/function", "did you mean \"join\"?"},
        {R"("op": "unsqueeze", "inputs": ["A"])", "/nodes/0/op", "\"reshape\""},
    }));
    CAPTURE(row.keys);
    check_fault(node_faults(row.keys), row);
}

TEST_CASE("what a tensor says otherwise than it must is told with its mend", "[lib][graph][mends]") {
    auto const row = GENERATE(values<Row>({
        {R"("shape": [2], "data": "X.npy")", "/tensors/A/data", R"(write {"npy": "X.npy"})"},
        {R"("shape": [2], "data": "X.npz")", "/tensors/A/data", R"(write {"npz": "X.npz", "entry": "NAME"})"},
        {R"("shape": [2], "data": "m.safetensors")", "/tensors/A/data",
         R"(write {"safetensors": "m.safetensors", "tensor": "NAME"})"},
        {R"("shape": [2], "data": "a.mtx")", "/tensors/A/data", R"(write {"mtx": "a.mtx"})"},
        {R"("shape": [2], "data": "normal")", "/tensors/A/data", R"(write {"random": "normal", "seed": 1})"},
        {R"("shape": [2], "data": 0)", "/tensors/A/data", R"(write {"fill": 0})"},
        {R"("shape": [2], "data": [1, 2])", "/tensors/A/data", R"(write {"values": [...]})"},
        {R"("shape": "600x400")", "/tensors/A/shape", "write [600, 400]"},
        {R"x("shape": "(600, 400)")x", "/tensors/A/shape", "write [600, 400]"},
        {R"("shape": [2], "data": {"csv": "X.csv"})", "/tensors/A/data",
         R"x(numpy.save("X.npy", numpy.loadtxt("X.csv", delimiter=",")), then {"npy": "X.npy"})x"},
        {R"("shape": [2], "data": {"hdf5": "d/X.h5", "dataset": "/X"})", "/tensors/A/data",
         R"x(numpy.save("d/X.npy", h5py.File("d/X.h5")["/X"][:]), then {"npy": "d/X.npy"})x"},
        {R"("shape": [2], "data": {"h5": "X.h5"})", "/tensors/A/data", R"x(h5py.File("X.h5")[NAME][:])x"},
        {R"("shape": [2], "data": {"hdf": {"path": "X.h5", "key": "w"}})", "/tensors/A/data",
         R"x(h5py.File("X.h5")["w"][:])x"},
        {R"("shape": [2], "data": {"format": "hdf5", "file": "X", "name": "w"})", "/tensors/A/data",
         R"x(numpy.save("X.npy", h5py.File("X")["w"][:]))x"},
        {R"("shape": [2], "data": {"file": "X.h5", "dataset": "w"})", "/tensors/A/data",
         R"x(h5py.File("X.h5")["w"][:])x"},
        {R"("shape": [2], "data": "X.h5")", "/tensors/A/data", R"x(h5py.File("X.h5")[NAME][:])x"},
        {R"("shape": [2], "data": {"hdf5": true})", "/tensors/A/data",
         R"x(numpy.save("A.npy", h5py.File(FILE)[NAME][:]), then {"npy": "A.npy"})x"},
        {R"("shape": [2], "data": {"parquet": "X.parquet", "column": "c"})", "/tensors/A/data",
         R"x(pandas.read_parquet("X.parquet")["c"].to_numpy())x"},
        {R"("shape": [2], "data": {"parquet": "X.parquet"})", "/tensors/A/data",
         R"x(pandas.read_parquet("X.parquet").to_numpy())x"},
        {R"("shape": [2], "data": {"pickle": "X.pkl"})", "/tensors/A/data",
         R"x(numpy.asarray(pickle.load(open("X.pkl", "rb"))))x"},
        {R"("shape": [2], "data": {"pt": "X.pt", "key": "w"})", "/tensors/A/data",
         R"x(numpy.save("X.npy", torch.load("X.pt")["w"].numpy()), then {"npy": "X.npy"})x"},
        {R"("shape": [2], "data": {"torch": "X.pt"})", "/tensors/A/data",
         R"x(safetensors.torch.save_file(torch.load("X.pt"), "A.safetensors") of a dict)x"},
        {R"("shape": [2], "data": {"mat": "X.mat", "variable": "w"})", "/tensors/A/data",
         R"x(scipy.io.loadmat("X.mat")["w"])x"},
        {R"("shape": [2], "data": {"tsv": "X.tsv"})", "/tensors/A/data", R"x(numpy.loadtxt("X.tsv"))x"},
        {R"("shape": [2], "data": {"zarr": "X.zarr"})", "/tensors/A/data", R"x(zarr.open("X.zarr")[:])x"},
        {R"("shape": [2], "data": {"netcdf": "X.nc", "variable": "t"})", "/tensors/A/data",
         R"x(xarray.open_dataset("X.nc")["t"].to_numpy())x"},
        {R"("shape": [2], "data": {"file": "X.npy"})", "/tensors/A/data", R"(write {"npy": "X.npy"})"},
        {R"("shape": [2], "data": {"random": "gaussian"})", "/tensors/A/data/random", R"(write "normal")"},
        {R"("shape": [2], "data": {"random": "uniform", "mean": 1})", "/tensors/A/data/random",
         R"(write "random": "normal", or "low" and "high")"},
        {R"("shape": [2], "datatype": "f64")", "/tensors/A/datatype", R"(did you mean "dtype"?)"},
        {R"("shape": "n")", "/tensors/A/shape", "write the extent of each axis"},
    }));
    CAPTURE(row.keys);
    check_fault(faults_of(R"({"eingraph": 1, "tensors": {"A": {)" + row.keys + R"(}}, "outputs": ["A"]})"), row);
}

TEST_CASE("bounds of a slice that are names are told how rows are read that move", "[lib][graph][mends]") {
    auto const row = GENERATE(values<Row>({
        {R"("start": ["k", 0])", "/nodes/0/start/0", R"(rows from k on are {"name": "rows")"},
        {R"("start": [0], "stop": ["k+100"])", "/nodes/0/stop/0", R"(rows from k on are {"name": "rows")"},
        {R"("start": "k")", "/nodes/0/start", R"(read by "op": "gather", "inputs": ["X", "rows"])"},
        {R"("slices": "k:k+100")", "/nodes/0/slices", R"("inputs": ["k"], "sizes": {"i": 100}, "join": "x + [i]")"},
        {R"("slices": ["fit/k:"])", "/nodes/0/slices/0", R"("inputs": ["fit/k"])"},
    }));
    CAPTURE(row.keys);
    check_fault(faults_of(R"({"eingraph": 1, "tensors": {"A": {"shape": [4, 3]}, "k": {"shape": [], "dtype": "i64"}},
        "nodes": [{"name": "Y", "op": "slice", "inputs": "A", )" +
                          row.keys + R"(}], "outputs": ["Y", "k"]})"),
                row);
}

TEST_CASE("a loss of each sample is summed in a node that is named", "[lib][graph][mends]") {
    std::string const text = R"({"eingraph": 1, "tensors": {"W": {"shape": [4], "dtype": "f64"}}, "nodes": [
        {"name": "loss", "einsum": "i->i", "inputs": ["W"], "join": "x^2"},
        {"name": "g", "grad": {"of": "loss", "wrt": ["W"]}}], "outputs": ["g/W"]})";
    check_fault(faults_of(text), {"", "/nodes/1/grad/of",
                                  "sum it up: add the node {\"name\": \"loss_total\", \"op\": \"sum\", \"inputs\": "
                                  "\"loss\"}, then \"of\": \"loss_total\""});
}

TEST_CASE("what loops and gradients are called, and what they carry, is told with its mend", "[lib][graph][mends]") {
    std::string const carry = R"("carry": {"W": "w1"})";
    check_fault(loop_faults(carry, R"(["g"])"), {"", "/outputs/0", "write \"g/W\""});
    check_fault(loop_faults(carry, R"(["fit"])"), {"", "/outputs/0", "write \"fit/W\""});
    for (std::string const name : {"loss", "fit/loss"})
        check_fault(loop_faults(carry, R"(["fit/W", ")" + name + "\"]"),
                    {"", "/outputs/1",
                     "'loss' is seen in the body of 'fit' alone: carry it out, with a tensor \"last_loss\": "
                     "{\"shape\": [], \"data\": {\"fill\": 0}} of its shape, "
                     "\"carry\": {\"last_loss\": \"loss\"}, then write \"fit/last_loss\""});
    for (std::string const name : {"w1", "fit/w1"})
        for (std::string const& way : {carry, std::string(R"("carry": {"W": {"begin": "W", "next": "w1"}})")})
            check_fault(loop_faults(way, R"(["fit/W", ")" + name + "\"]"),
                        {"", "/outputs/1", "the loop 'fit' carries it, and leaves it as \"fit/W\": write that"});
    check_fault(loop_faults(R"("carry": {"w1": "W"})", R"(["fit/W"])"),
                {"", "/nodes/2/loop/carry/w1", "exchange the two: {\"W\": \"w1\"}"});
    check_fault(loop_faults(R"("carry": ["W"])", R"(["fit/W"])"),
                {"", "/nodes/2/loop/carry", "write {\"W\": \"W_next\"}"});
    check_fault(loop_faults(carry, R"(["fit/W", "p.npy"])"), {"", "/outputs/1", "write the name alone: \"p\""});
}

TEST_CASE("what a loop's condition and a gradient's param are is told with its mend", "[lib][graph][mends]") {
    auto const graph = [](std::string const& node) {
        return R"({"eingraph": 1, "params": {"eta": 0.1}, "tensors": {"W": {"shape": [4], "data": {"fill": 0}}},
            "nodes": [{"name": "p", "einsum": "j->", "inputs": ["W"], "join": "eta*x"}, {"name": "n", )" +
               node + R"(}], "outputs": ["p"]})";
    };
    check_fault(faults_of(graph(R"("grad": {"of": "p", "wrt": ["eta"]})")),
                {"", "/nodes/1/grad/wrt/0",
                 R"(it is a param; to differentiate by it, write it as a tensor: "tensors": {"eta": {"shape": [], )"
                 R"("data": {"fill": 0.1}}} in place of "params": {"eta": 0.1}, and add "eta" to the inputs of 'p' )"
                 R"(("einsum": "j,->"), whose join goes on reading it by name)"});
    check_fault(faults_of(graph(R"("einsum": "j,->j", "inputs": ["W", "eta"])")),
                {"", "/nodes/1/inputs/1",
                 R"(it is a param, which joins read by name; to read it as a tensor, write it)"
                 R"( as one: "tensors": {"eta": {"shape": [], "data": {"fill": 0.1}}})"});
    check_fault(faults_of(graph(R"("loop": {"while": "loss > 0.1", "max": 9, "carry": {"W": "w1"}, "body": [
                    {"name": "loss", "einsum": "j->", "inputs": ["W"]},
                    {"name": "w1", "op": "relu", "inputs": "W"}]})")),
                {"", "/nodes/1/loop/while", R"("inputs": ["loss"], "join": "x > 0.1"}, then write "while": "more")"});
}

TEST_CASE("a gradient by a param that matters through iterations alone has none", "[lib][graph][mends]") {
    auto const faults = [](std::string const& joins, std::string const& inside, std::string const& outside) {
        return faults_of(
            R"({"eingraph": 1, "params": {"eta": 0.1}, "tensors": {"W": {"shape": [4], "data": {"fill": 0}}},
            "nodes": [{"name": "fit", "loop": {"times": 3, "carry": {"W": "w1"}, "body": [
                {"name": "loss", "einsum": "j->", "inputs": ["W"], "join": "x^2"})" +
            inside + R"(, {"name": "w1", "einsum": "j->j", "inputs": ["W"], "join": ")" + joins +
            R"("}]}}, {"name": "end", "einsum": "j->", "inputs": ["fit/W"])" + "}" + outside +
            R"(], "outputs": ["fit/W"]})");
    };
    std::string const by_eta = R"(, {"name": "g", "grad": {"of": ")";
    std::string const unroll =
        R"('w1' does, so that it matters through iterations alone, which gradients do not go through; write the )"
        R"(iterations as nodes in place of the loop (in Python a for loop writes them), with "tensors": {"eta": )"
        R"({"shape": [], "data": {"fill": 0.1}}} in place of "params": {"eta": 0.1}, and add "eta" to the inputs of )"
        R"('w1' ("einsum": "j,->j"), whose join goes on reading it by name)";
    check_fault(faults("x - eta*2", by_eta + R"(loss", "wrt": ["eta"]}})", ""),
                {"", "/nodes/0/loop/body/1/grad/wrt/0",
                 "it is a param, and 'loss' of one iteration does not read it: " + unroll});
    check_fault(faults("x - eta*2", "", by_eta + R"(end", "wrt": ["eta"]}})"),
                {"", "/nodes/2/grad/wrt/0", "it is a param, and 'end' does not read it: " + unroll});
    check_fault(faults("x - 2", "", by_eta + R"(end", "wrt": ["eta"]}})"),
                {"", "/nodes/2/grad/wrt/0", "it is a param that no join reads; correct the name"});
}

TEST_CASE("the mends of a condition and a loss that are no scalars can be written", "[lib][graph][mends]") {
    auto const graph = [](std::string const& node) {
        return R"({"eingraph": 1, "tensors": {"W": {"shape": [4], "data": {"fill": 0}}}, "nodes": [)" + node +
               R"(], "outputs": ["W"]})";
    };
    auto const mend = [&](std::string const& node) {
        std::string const fix = faults_of(graph(node)).at(0).fix;
        std::size_t const begin = fix.find('{');
        Json made = Json::parse(fix.substr(begin, fix.rfind('}') + 1 - begin));
        made["name"] = "n";
        return made.dump();
    };
    std::string const loop = mend(R"({"name": "l", "loop": {"while": "W", "max": 2, "carry": {"W": "next"},
        "body": [{"name": "next", "einsum": "i->i", "inputs": ["W"]}]}})");
    std::string const loss = mend(R"({"name": "g", "grad": {"of": "W", "wrt": ["W"]}})");
    CHECK(loop == R"({"inputs":"W","name":"n","op":"any"})");
    CHECK(faults_of(graph(loop)).empty());
    CHECK(faults_of(graph(loss)).empty());
}

TEST_CASE("keys that people bring along are told which of ours they are", "[lib][graph][mends]") {
    std::string const text = R"({"version": 1, "inputs": {}, "operations": [], "outputs": ["A"], "constants": {}})";
    std::vector<std::string> fixes;
    for (Fault const& fault : faults_of(text)) fixes.push_back(fault.where + " " + fault.fix);
    for (std::string const expected : {"/version did you mean \"eingraph\"?", "/inputs did you mean \"tensors\"?",
                                       "/operations did you mean \"nodes\"?", "/constants did you mean \"params\"?"})
        CHECK_THAT(fixes, Catch::VectorContains(expected));
}

TEST_CASE("the recipe of a cross entropy is a graph", "[lib][graph][mends]") {
    std::string recipe = node_faults(R"("op": "cross_entropy", "inputs": ["A", "n"])").at(0).fix.substr(6);
    for (auto const& [word, name] : {std::pair{"LOGITS", "X"}, {"LABELS", "y"}, {"CLASSES", "3"}})
        recipe.replace(recipe.find(word), std::string(word).size(), name);
    CHECK(faults_of(R"({"eingraph": 1, "tensors": {"X": {"shape": [8, 3]}, "y": {"shape": [8], "dtype": "i64"}},
        "nodes": [)" +
                    recipe + R"(], "outputs": ["loss"]})")
              .empty());
}
