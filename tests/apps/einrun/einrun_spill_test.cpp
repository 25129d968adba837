// einrun with less memory than its schedule needs: --memory and --spill-dir.
#include "lib/schedule/memory/spill.hpp"
#include "tests/apps/einrun/einrun_place.hpp"

using namespace ein;
using namespace ein::test;

namespace {

/// Z = X0 * X1 * ... * X7, a product after another; every rank loads its rows of all of them, and the last sends its
/// rows to rank 0. On 1 rank blocks are 192 bytes: the peak is 9 of them, a task takes 3.
schedule::Schedule products(int ranks) {
    ScheduleBuilder b(ranks);
    std::string tensors, nodes;
    for (int i = 0; i < 8; ++i) {
        std::string const x = "X" + std::to_string(i);
        b.tensor(x, {8, 3});
        tensors += (i == 0 ? "\"" : ", \"") + x +
                   R"(": {"shape": [8, 3], "data": {"random": "uniform", "low": -1, "high": 1, "seed": )" +
                   std::to_string(i) + "}}";
    }
    for (int i = 1; i < 8; ++i) {
        std::string const z = i == 7 ? "Z" : "T" + std::to_string(i);
        b.tensor(z, {8, 3});
        nodes += std::string(i == 1 ? "" : ", ") + R"({"name": ")" + z + R"(", "einsum": "ij,ij->ij", "inputs": [")" +
                 (i == 1 ? "X0" : "T" + std::to_string(i - 1)) + R"(", "X)" + std::to_string(i) + R"("]})";
    }
    auto const multiply = b.kernel("Z", sum_of_products("ij,ij->ij", {{'i', 8}, {'j', 3}}));
    for (int rank = 0; rank < ranks; ++rank) {
        std::string const id = "_" + std::to_string(rank);
        Extent const begin = 8 * rank / ranks, rows = 8 * (rank + 1) / ranks - begin;
        Box const box{{begin, 0}, {rows, 3}};
        for (int i = 0; i < 8; ++i)
            b.load(rank, "X" + std::to_string(i) + id, "X" + std::to_string(i), box,
                   tensor::RandomSource{tensor::Distribution::uniform, -1, 1, static_cast<std::uint64_t>(i)});
        std::string before = "X0";
        for (int i = 1; i < 8; ++i) {
            std::string const z = i == 7 ? "Z" : "T" + std::to_string(i);
            b.block(rank, z + id, z, box);
            b.apply(rank, multiply, box, {before + id, "X" + std::to_string(i) + id}, z + id);
            before = z;
        }
        if (rank > 0) b.transfer(rank, "Z" + id, 0);
        b.store(0, "Z" + id);
    }
    schedule::Schedule schedule = b.finish();
    schedule.header.graph_text = R"({"eingraph": 1, "dtype": "f64", "tensors": {)" + tensors + R"(}, "nodes": [)" +
                                 nodes + R"(], "outputs": ["Z"]})";
    schedule.header.graph_file = "products.json";
    schedule.header.folder = ".";
    return schedule;
}

std::int64_t peak_of(schedule::Schedule const& schedule) {
    auto const& peaks = schedule.header.prediction.peak_bytes;
    return *std::max_element(peaks.begin(), peaks.end());
}

struct Products : Place {
    Products() {
        fs::create_directories(*this / "disk");
        for (int ranks : {1, 3}) schedule::write_file(products(ranks), *this / (std::to_string(ranks) + ".sched"));
    }
};

}  // namespace

TEST_CASE("half the memory is enough with a folder to spill to", "[einrun][spill]") {
    Products place;
    std::int64_t const half = peak_of(products(1)) / 2;
    Outcome const run = place.alone("1.sched --memory " + std::to_string(half) +
                                    " --spill-dir disk --verify --report r.json --trace t.json --threads 2");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(has(run, "verified   Z: 24 of 24 elements, 0 differ"));
    CHECK(has(run, "  spilled    "));
    Json const report = place.json("r.json");
    CHECK(report["peak_block_bytes"][0] <= half);
    CHECK(report["peak_predicted"][0] <= half);
    CHECK(report["spill"]["blocks"] == report["tasks"]["spill"]["count"]);
    CHECK(report["spill"]["bytes"] == 192 * report["spill"]["blocks"].get<std::int64_t>());
    CHECK(report["spill"]["blocks"] > 0);
    CHECK(report["ranks_detail"][0]["spill"]["bytes"] == report["spill"]["bytes"]);
    CHECK(report["blocks"]["created"] == report["blocks"]["deleted"]);
    int spills = 0;
    Json const trace = place.json("t.json");
    for (Json const& event : trace["traceEvents"])
        spills += event.value("cat", "") == "spill" || event.value("cat", "") == "fetch" ? 1 : 0;
    CHECK(spills > 1);
    CHECK(place.files_in("disk") == 0);
}

TEST_CASE("rounds are repeated on inputs that do not stay", "[einrun][spill]") {
    Products place;
    Outcome const run = place.alone("1.sched --memory 600 --spill-dir disk --verify --report r.json --repeat 3");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(place.json("r.json")["repeat"].size() == 3);
    CHECK(place.json("r.json")["peak_block_bytes"][0] <= 600);
    // 1728 bytes are enough for one round; for several rounds more are needed, or else a folder is asked for
    CHECK(place.alone("1.sched --memory 1728 --spill-dir disk --verify --repeat 3").code == 0);
    CHECK(place.alone("1.sched --memory 1728 --repeat 3").code == 4);
}

TEST_CASE("a folder that is not needed has no effect, even when it is missing", "[einrun][spill]") {
    Products place;
    Outcome const run = place.alone("1.sched --spill-dir none --verify --report r.json");
    CHECK(run.code == 0);
    CHECK(place.json("r.json")["spill"]["bytes"] == 0);
    CHECK_FALSE(has(run, "spilled"));
}

TEST_CASE("what cannot be spilled is refused before the run with its fix", "[einrun][spill]") {
    Products place;
    check_end(place.alone("1.sched --memory 600"), 4,
              "needs 1.69 KiB (1728 bytes) of blocks; give more, or --spill-dir a folder on a disk");
    check_end(place.alone("1.sched --memory 575 --spill-dir disk"), 4,
              "found 575 B a rank, and a task of rank 0 that needs 576 B (576 bytes); give --memory 576B or more");
    check_end(place.alone("1.sched --memory 576 --spill-dir 1.sched"), 1,
              "--spill-dir 1.sched: expected a folder that files can be made in, for blocks, found: Not a directory");
    CHECK(place.files_in("results") == 0);
    CHECK(place.alone("1.sched --memory 576 --spill-dir disk --verify").code == 0);
    CHECK(place.alone("1.sched --memory 576 --spill-dir made/anew --verify").code == 0);
}

TEST_CASE("a schedule that was planned with spills wants a folder, and less memory if need be", "[einrun][spill]") {
    Products place;
    schedule::write_file(schedule::with_spills(products(1), 800), place / "spilled.sched");
    Outcome const without = place.alone("spilled.sched");
    CHECK(without.code == 4);
    CHECK(has(without, "spilled.sched: expected --spill-dir, since the schedule was planned to write "));
    CHECK(has(without, "give --spill-dir"));
    CHECK(place.alone("spilled.sched --spill-dir disk --verify --repeat 2").code == 0);
    Outcome const tighter = place.alone("spilled.sched --spill-dir disk --verify --memory 600 --report r.json");
    CHECK(tighter.code == 0);
    CHECK(place.json("r.json")["peak_block_bytes"][0] <= 600);
}

TEST_CASE("a full disk is code 1 with the folder and the fix, and leaves nothing", "[einrun][spill]") {
    Products place;
    // no file may grow beyond 0 bytes: what einrun prints goes to a pipe
    Outcome const run =
        place.shell("(ulimit -f 0; " EINRUN " 1.sched --memory 600 --spill-dir disk 2>&1; echo code $?) | cat");
    CAPTURE(run.text);
    CHECK(has(run, "code 1\n"));
    CHECK(has(run, "--spill-dir disk: expected room for "));
    CHECK(has(run, "found: File too large; free space there, or give another --spill-dir"));
    CHECK(place.files_in("results") == 0);
    CHECK(place.files_in("disk") == 0);
}

#ifdef MPIRUN
TEST_CASE("each rank spills for itself", "[einrun][spill][mpi]") {
    Products place;
    std::int64_t const half = peak_of(products(3)) / 2;
    Outcome const run = place.together(
        3, "3.sched --memory " + std::to_string(half) + " --spill-dir disk --verify --report r.json --repeat 2");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    Json const report = place.json("r.json");
    for (Json const& peak : report["peak_block_bytes"]) CHECK(peak <= half);
    CHECK(report["bytes_sent"] == report["bytes_predicted"]);
    CHECK(report["spill"]["blocks"] > 2);
    Outcome const refused = place.together(3, "3.sched --memory 100 --spill-dir disk");
    CHECK(refused.code == 4);
    CHECK(refused.text.find("--memory: expected") == refused.text.rfind("--memory: expected"));
    CHECK(place.files_in("disk") == 0);
}
#endif
