// What einrun says and leaves when something around it fails: disks, folders, other processes.
#include "tests/apps/einrun/einrun_place.hpp"

using namespace ein;
using namespace ein::test;

TEST_CASE("a value given twice is a wrong command line", "[einrun]") {
    Ready place;
    check_end(place.alone("1.sched --input Y=Y.npy --input Y=other.npy"), 2,
              "--input Y: expected it once, found it twice");
    std::string text = graph_text;
    text.replace(text.find("\"tensors\""), 0, "\"params\": {\"eta\": 1}, ");
    schedule::Schedule schedule = schedule::read_file(place / "1.sched");
    schedule.header.params = {{"eta", 1.0}};
    schedule.header.graph_text = text;
    schedule::write_file(schedule, place / "params.sched");
    CHECK(place.alone("params.sched --set eta=2").code == 0);
    check_end(place.alone("params.sched --set eta=2 --set eta=3"), 2, "--set eta: expected it once, found it twice");
}

TEST_CASE("a report or trace that cannot be written is code 1, and the results are kept", "[einrun]") {
    Ready place;
    for (std::string const option : {"--report", "--trace"}) {
        Outcome const full = place.alone("1.sched --verify " + option + " /dev/full");
        CAPTURE(full.text);
        CHECK(full.code == 1);
        CHECK(has(full, option + " /dev/full: expected to write it, found: No space left on device; free some space"));
        CHECK(has(full, "verified   Z: 24 of 24 elements, 0 differ"));
        CHECK(place.files_in("results") == 1);
        fs::remove_all(place / "results");
        check_end(place.alone("1.sched " + option + " none/r.json"), 1, option + " none/r.json: expected to write it");
        CHECK(place.files_in("results") == 0);  // found before the run
    }
}

TEST_CASE("one file for report and trace is a wrong command line; a summary that is lost is reported", "[einrun]") {
    Ready place;
    CHECK(place.alone("1.sched --report same --trace same").code == 2);
    check_end(place.alone("1.sched > /dev/full"), 0,
              "the summary cannot be written to stdout: No space left on device");
}

TEST_CASE("a report goes to a pipe and to a device as it is", "[einrun]") {
    Ready place;
    check_end(place.alone("1.sched --quiet --report /dev/stdout | cat"), 0, "\"bytes_predicted\"");
    CHECK(place.alone("1.sched --report /dev/null --trace /dev/null").code == 0);
    CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a device that this build has not is code 1; auto takes what is there", "[einrun]") {
    Ready place;
    check_end(place.alone("1.sched --device cuda"), 1, "--device cuda: expected");
    CHECK(place.alone("1.sched --device auto").code == 0);
}

TEST_CASE("what a killed run left is swept by the next", "[einrun]") {
    Ready place;
    Outcome const killed =
        place.shell("(" EINRUN
                    " 1.sched --quiet --repeat 1000000 & echo $! > pid); for i in $(seq 100); do"
                    " ls -A results 2>/dev/null | grep -q partial && break; sleep 0.1; done; kill -9 $(cat pid);"
                    " while kill -0 $(cat pid) 2>/dev/null; do sleep 0.1; done; ls -A results");
    CAPTURE(killed.text);
    REQUIRE(has(killed, ".Z.npy.partial-"));
    Outcome const next = place.alone("1.sched --quiet");
    CHECK(next.code == 0);
    CHECK(place.files_in("results") == 1);
    CHECK(fs::exists(place / "results/Z.npy"));
}

/// Kernels one after the other, on a device of one rank.
static void write_many_kernels(Place const& place, std::string const& name) {
    ScheduleBuilder b(1);
    b.tensor("X", {8, 8}), b.tensor("Z", {8, 8});
    auto const square = b.kernel("Z", sum_of_products("ij,jk->ik", {{'i', 8}, {'j', 8}, {'k', 8}}));
    Box const box{{0, 0}, {8, 8}}, region{{0, 0, 0}, {8, 8, 8}};
    b.load(0, "z0", "X", box, tensor::RandomSource{tensor::Distribution::uniform, -1, 1, 5});
    for (int k = 0; k < 100; ++k) {
        std::string const from = "z" + std::to_string(k), to = "z" + std::to_string(k + 1);
        b.block(0, to, "Z", box);
        b.apply(0, square, region, {from, from}, to);
    }
    b.store(0, "z100");
    schedule::Schedule schedule = b.finish();
    schedule.header.graph_text = graph_text;
    schedule.header.folder = ".";
    schedule::write_file(schedule, place / name);
}

TEST_CASE("a run is not stalled while its device works, and is when it does not", "[einrun]") {
    Place const place;
    write_many_kernels(place, "many.sched");
    Outcome const busy = place.alone("many.sched --quiet --stall 0.6 --device emulated:delay=30000");
    CAPTURE(busy.text);
    CHECK(busy.code == 0);
    Outcome const hung = place.shell("timeout -k 1 20 " EINRUN
                                     " many.sched --quiet --stall 0.5 --out hung --device emulated:delay=1000000000");
    CAPTURE(hung.text);
    CHECK(hung.code == 1);
    CHECK(has(hung, "rank 0: waits: its device has not done 100 tasks that it was given, task 1 (apply of node 'Z'"));
    CHECK(has(hung, "no task has ended on any rank for 0.5 s"));
    CHECK(place.files_in("hung") == 0);
}

TEST_CASE("no temporary file is left where a device has no memory for blocks", "[einrun]") {
    Ready const place;
    Outcome const run = place.alone("1.sched --device emulated:allocate=1");
    CAPTURE(run.text);
    CHECK(run.code == 4);
    CHECK(place.files_in("results") == 0);
}

#ifdef MPIRUN
TEST_CASE("rank 0 has reported what is wrong before any rank leaves", "[einrun][mpi]") {
    Ready place;
    for (int iteration = 0; iteration < 5; ++iteration) {
        Outcome const run = place.together(3, "3.sched --out /dev/null/x");
        CAPTURE(run.text);
        CHECK(run.code == 1);
        CHECK(has(run, "einrun: --out /dev/null/x: expected a folder"));
    }
}

TEST_CASE("when a rank is stopped the others say whom they wait for, and the run ends with code 1", "[einrun][mpi]") {
    Ready place;
    int const stopped = GENERATE(0, 2);
    CAPTURE(stopped);
    // Not before all ranks run: who waits for a rank in MPI_Init cannot say so.
    Outcome const run = place.shell(await_catching +
                                    "cat > start.sh <<'END'\necho $$ > pid.$OMPI_COMM_WORLD_RANK\nexec " EINRUN
                                    " 3.sched --quiet --stall 1 --repeat 1000000\nEND\n (timeout -k 1 60 " MPIRUN
                                    " 3 sh start.sh; echo code $?) & for k in 0 1 2; do"
                                    " for i in $(seq 200); do [ -s pid.$k ] && break; sleep 0.1; done;"
                                    " caught $(cat pid.$k) 0x200; done; sleep 0.5; kill -STOP $(cat pid." +
                                    std::to_string(stopped) + "); wait");
    CAPTURE(run.text);
    CHECK(has(run, "code 1\n"));
    CHECK(place.files_in("results") == 0);
    int gave_up = -1;  // two may at once, of which the first to say where its tasks are ends the other
    for (int rank : {0, 1, 2})
        if (has(run, "rank " + std::to_string(rank) + ": its last tasks are in")) gave_up = rank;
    REQUIRE(gave_up >= 0);
    CHECK(place.json("results.flight/rank-" + std::to_string(gave_up) + ".json").contains("traceEvents"));
    CHECK(has(run, "rank " + std::to_string(stopped) + " has not been heard of for"));
    for (int rank : {0, 1, 2})
        if (rank != stopped)
            CHECK((has(run, "rank " + std::to_string(rank) + ": waits for") ||
                   has(run, "rank " + std::to_string(rank) + ": has ended its part and waits for")));
}
#endif
