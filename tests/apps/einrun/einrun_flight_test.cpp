// What einrun leaves when a signal ends it: a flight record of each rank beside the results, nothing among them.
#include "tests/apps/einrun/einrun_place.hpp"

using namespace ein;
using namespace ein::test;

namespace {

/// Whoever runs the tests may have had SIGINT ignored, as shells do for what they start in the background.
std::string const by_default = "env --default-signal=INT,TERM,ABRT ";
std::string const abort_bit = "0x20", hangup_bit = "0x1";  // caught by nothing else: alone; on ranks but the first

}  // namespace

TEST_CASE("a signal ends a run with a flight record beside the results", "[einrun][flight]") {
    Ready place;
    std::string const signal = GENERATE("TERM", "INT", "ABRT");
    Outcome const run =
        place.shell(await_catching + by_default + EINRUN " 1.sched --quiet --repeat 1000000 & caught $! " + abort_bit +
                    " && kill -" + signal + " $!; wait $!");
    CAPTURE(signal, run.text);
    CHECK(run.code == (signal == "TERM" ? 143 : signal == "INT" ? 130 : 134));
    CHECK(has(run, "einrun: rank 0: signal "));
    CHECK(has(run, "results.flight/rank-0.json"));
    CHECK(place.files_in("results") == 0);
    CHECK(place.files_in("results.flight") == 1);
    Json const record = place.json("results.flight/rank-0.json");
    CHECK(record["otherData"]["why"].get<std::string>().find("signal ") == 0);
    CHECK(record["otherData"]["ranks"] == 1);
    CHECK(place.alone("1.sched --quiet").code == 0);
    CHECK_FALSE(fs::exists(place / "results.flight"));
}

TEST_CASE("a flight record that cannot be written hides nothing", "[einrun][flight]") {
    Ready place;
    std::ofstream(place / "results.flight") << "a file where the folder should be";
    Outcome const run =
        place.shell(await_catching + by_default + EINRUN " 1.sched --quiet --repeat 1000000 & caught $! " + abort_bit +
                    " && kill $!; wait $!");
    CAPTURE(run.text);
    CHECK(run.code == 143);
    CHECK(has(run, "einrun: rank 0: warning: no flight record: "));
    CHECK(place.files_in("results") == 0);
}

#ifdef MPIRUN
TEST_CASE("a rank that crashes under mpirun leaves its flight record", "[einrun][flight][mpi]") {
    Ready place;
    int const ranks = GENERATE(2, 3);
    // The last rank says where its process is.
    std::string const last = std::to_string(ranks - 1);
    Outcome const run = place.shell(
        await_catching + await_results +
        "export ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0; cat > start.sh <<'END'\n[ $OMPI_COMM_WORLD_RANK -eq " + last +
        " ] && echo $$ > pid\nexec " EINRUN " " + std::to_string(ranks) +
        ".sched --quiet --repeat 1000000\nEND\n (timeout -k 1 60 " MPIRUN " " + std::to_string(ranks) +
        " sh start.sh; echo code $?) & for i in $(seq 100); do [ -s pid ] && break; sleep 0.1; done; "
        "caught $(cat pid) " +
        hangup_bit + " && begun && sleep 0.5 && kill -SEGV $(cat pid); wait");
    CAPTURE(run.text);
    CHECK(has(run, "code 139\n"));
    CHECK(has(run, "einrun: rank " + last + ": signal 11 (Segmentation fault); its last tasks are in "));
    CHECK(place.files_in("results") == 0);
    CHECK(place.json("results.flight/rank-" + last + ".json")["otherData"]["rank"] == ranks - 1);
    for (auto const& entry : fs::directory_iterator(place / "results.flight"))
        CHECK(entry.path().filename().string().find("partial") == std::string::npos);
}

TEST_CASE("where the records are is reported though the first rank was killed", "[einrun][flight][mpi]") {
    Ready place;
    // Into a file: of ranks that it ends, mpirun now and again does not pass on the last words.
    Outcome const run = place.shell(
        await_catching + await_results +
        "cat > start.sh <<'END'\necho $$ > pid$OMPI_COMM_WORLD_RANK\nexec " EINRUN
        " 3.sched --quiet --repeat 1000000 2>> said\nEND\n (timeout -k 1 60 " MPIRUN
        " 3 sh start.sh; echo code $?) & for i in $(seq 100); do [ -s pid1 ] && [ -s pid2 ] && break; sleep 0.1; done; "
        "caught $(cat pid1) " +
        hangup_bit + " && caught $(cat pid2) " + hangup_bit +
        " && begun && sleep 0.5 && kill -KILL $(cat pid0); wait; cat said");
    CAPTURE(run.text);
    CHECK(has(run, "code 137\n"));
    CHECK(has(run, ": signal 15 (Terminated); its last tasks are in "));
    std::size_t const found = run.text.find("its last tasks are in ");
    CHECK(run.text.find("its last tasks are in ", found + 1) == std::string::npos);  // once
    CHECK(place.files_in("results.flight") >= 1);
}
#endif
