// The program itself: exit codes, messages, files. Schedules are written by hand.
#include "tests/apps/einrun/einrun_place.hpp"

using namespace ein;
using namespace ein::test;

TEST_CASE("einrun runs alone, verifies and reports", "[einrun]") {
    Ready place;
    Outcome const run = place.alone("1.sched --verify --report r.json --trace t.json --threads 2 --repeat 3");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(has(run, "verified   Z: 24 of 24 elements, 0 differ"));
    CHECK(place.files_in("results") == 1);
    Json const report = place.json("r.json");
    CHECK(report["ranks"] == 1);
    CHECK(report["threads"] == 2);
    CHECK(report["repeat"].size() == 3);
    CHECK(report["blocks"]["live_at_end"] == 0);
    CHECK(report["blocks"]["live_after_execute"] == 1);
    CHECK(report["blocks"]["created"] == report["blocks"]["deleted"]);
    CHECK(report["verify"]["mismatches"] == 0);
    CHECK(report["tasks"]["apply"]["count"] == 3);
    CHECK(report["overlap"]["hidden_share"].is_null());
    CHECK(report["tf32"] == false);
    CHECK(report["ranks_detail"][0]["device"] == "cpu");
    for (char const* key : {"einrun", "graph", "schedule_hash", "device", "hosts", "seconds", "flops",
                            "gflops_per_second", "bytes_sent", "messages_sent", "bytes_predicted", "peak_block_bytes",
                            "peak_predicted", "ranks_detail", "spill", "checkpoint"})
        CHECK(report.contains(key));
    CHECK(place.json("t.json")["traceEvents"].size() > 5);
}

TEST_CASE("help and version need nothing; a wrong command line is code 2", "[einrun]") {
    Ready place;
    CHECK(place.alone("--help").code == 0);
    CHECK(has(place.alone("--version"), "einrun "));
    for (char const* arguments :
         {"", "1.sched --no-such", "1.sched --threads 0", "1.sched --verify=none", "1.sched --memory lots",
          "1.sched --device abacus", "1.sched --device emulated:speed=3", "1.sched --device-memory little",
          "1.sched --input A", "1.sched --set eta=1", "2.sched"})
        CHECK(place.alone(arguments).code == 2);
    CHECK(has(place.alone("1.sched --input YY=Y.npy"), "did you mean \"Y\"?"));
    Outcome const old_option = place.alone("1.sched --device cuda:tf32");
    CHECK(old_option.code == 2);
    CHECK(has(old_option, "give --device cuda and --allow-tf32"));
    for (char const* option : {"--every 3", "--stop-at 3", "--checkpoint c --every soon", "--checkpoint c --stop-at -1",
                               "--checkpoint c --repeat 2", "--checkpoint-required"})
        CHECK(place.alone(std::string("1.sched ") + option).code == 2);
}

TEST_CASE("bad inputs are code 3, all of them reported, and leave nothing", "[einrun]") {
    Ready place;
    CHECK(place.alone("none.sched").code == 3);
    fs::remove(place / "Y.npy");
    Outcome const missing = place.alone("1.sched");
    CHECK(missing.code == 3);
    CHECK(has(missing, "Y.npy"));
    tensor::write_npy(place / "wrong.npy", ones({3, 8}));
    CHECK(place.alone("1.sched --input Y=wrong.npy").code == 3);
    tensor::write_npy(place / "right.npy", ones());
    CHECK(place.alone("1.sched --input Y=right.npy --verify").code == 0);
    fs::remove_all(place / "results");
    fs::copy_file(place / "1.sched", place / "short.sched");
    fs::resize_file(place / "short.sched", fs::file_size(place / "1.sched") / 2);
    CHECK(place.alone("short.sched").code == 3);
    CHECK(place.files_in("results") == 0);
}

TEST_CASE("too little memory is code 4 with numbers, before anything is done", "[einrun]") {
    Ready place;
    check_end(place.alone("1.sched --memory 100"), 4, "(576 bytes)");
    CHECK(place.alone("1.sched --memory 576").code == 0);
}

TEST_CASE("a report in place of the schedule, or text in place of elements, is code 2 and loses nothing", "[einrun]") {
    Ready place;
    auto const size = fs::file_size(place / "1.sched");
    for (char const* arguments : {"1.sched --report 1.sched", "1.sched --trace ./1.sched",
                                  "1.sched --report r --trace r", "1.sched --input Y=Y.csv", "1.sched --stall nan"})
        CHECK(place.alone(arguments).code == 2);
    CHECK(fs::file_size(place / "1.sched") == size);
    CHECK(has(place.alone("1.sched --report 1.sched"), "--report: expected another file than SCHEDULE, which is read"));
}

TEST_CASE("an input that no output needs is not read, which is reported; a name may have a '='", "[einrun]") {
    Ready place;
    schedule::Schedule schedule = schedule::read_file(place / "1.sched");
    std::string& graph = schedule.header.graph_text;
    graph.replace(graph.find("\"Y\""), 3, "\"U\": {\"shape\": [2]}, \"Y\"");
    schedule::write_file(schedule, place / "unread.sched");
    Outcome const unread = place.alone("unread.sched --input U=/no/such.npy --input Y=Y.npy --verify");
    CAPTURE(unread.text);
    CHECK(unread.code == 0);
    CHECK(has(unread, "warning: --input U: no output needs this tensor"));
    CHECK(place.alone("unread.sched --input V=Y.npy").code == 2);
    CHECK(has(place.alone("1.sched --input Y==Y.npy"), "=Y.npy"));  // the file's name begins with '='
}

TEST_CASE("an output folder that cannot be made is code 1", "[einrun]") {
    Ready place;
    Outcome const run = place.alone("1.sched --out /dev/null/x");
    CHECK(run.code == 1);
    CHECK(has(run, "/dev/null/x"));
}

TEST_CASE("results that differ from the graph's are code 5", "[einrun]") {
    Ready place;
    // The schedule multiplies; let its graph add.
    schedule::Schedule schedule = schedule::read_file(place / "1.sched");
    schedule.header.graph_text.replace(schedule.header.graph_text.find("\"inputs\""), 0, "\"join\": \"x + y\", ");
    schedule::write_file(schedule, place / "other.sched");
    for (char const* how : {"--verify", "--verify=5"}) {
        Outcome const run = place.alone(std::string("other.sched ") + how);
        CAPTURE(run.text);
        CHECK(run.code == 5);
        CHECK(has(run, "output 'Z' ["));
        CHECK(has(run, "tolerance"));
    }
}

#ifdef MPIRUN
TEST_CASE("ranks run together, and bytes are as predicted", "[einrun][mpi]") {
    Ready place;
    for (int ranks : {1, 2, 3}) {
        Outcome const run =
            place.together(ranks, std::to_string(ranks) + ".sched --verify --report r.json --trace t.json");
        CAPTURE(run.text);
        CHECK(run.code == 0);
        Json const report = place.json("r.json");
        CHECK(report["ranks"] == ranks);
        CHECK(report["bytes_sent"] == report["bytes_predicted"]);
        CHECK(report["messages_sent"] == ranks - 1);
        for (Json const& rank : report["ranks_detail"]) {
            Json const &seconds = rank["seconds"], &overlap = rank["overlap"];
            CHECK(overlap["hidden_share"].is_null() == (ranks == 1));
            CHECK(overlap["hidden"].get<double>() <= overlap["under_way"].get<double>());
            CHECK(overlap["under_way"].get<double>() - overlap["hidden"].get<double>() ==
                  Approx(seconds["communicating"].get<double>()));
        }
        CHECK(report["verify"]["mismatches"] == 0);
        CHECK(place.json("t.json").contains("traceEvents"));
    }
}

TEST_CASE("a wrong number of ranks, one message and code 2", "[einrun][mpi]") {
    Ready place;
    Outcome const run = place.together(2, "3.sched");
    CHECK(run.code == 2);
    CHECK(has(run, "schedule is for 3 ranks, mpirun started 2; run mpirun -n 3 or plan again with einplan -n 2"));
    CHECK(run.text.find("schedule is for") == run.text.rfind("schedule is for"));
}

TEST_CASE("of repeated rounds on a device only the last one's outputs come to the host", "[einrun]") {
    Ready place;
    Outcome const run = place.alone("1.sched --device emulated --repeat 4 --report r.json");
    CAPTURE(run.text);
    REQUIRE(run.code == 0);
    Json const moved = place.json("r.json")["device_memory"];
    CHECK(moved["sent_home_predicted"] > 0);
    CHECK(4 * moved["sent_home"].get<std::int64_t>() == moved["sent_home_predicted"]);
    CHECK(4 * moved["copied_in"].get<std::int64_t>() == moved["copied_in_predicted"]);
}

TEST_CASE("ranks with a device of their own and ranks without run, and are reported, together", "[einrun][mpi]") {
    Ready place;
    std::string const device = "3.sched --device emulated --gpu-aware off --report r.json",
                      host = "3.sched --device cpu --report r.json", more = " : -n 2 " EINRUN " ";
    for (bool const device_first : {true, false}) {
        Outcome const run = place.together(1, device_first ? device + more + host : host + more + device);
        CAPTURE(run.text);
        CHECK(run.code == 0);
        Json const report = place.json("r.json"), &ranks = report["ranks_detail"];
        for (char const* what : {"copied_in", "evicted", "sent_home"}) {
            std::int64_t sum = 0;
            for (Json const& rank : ranks)
                if (!rank["device_memory"].is_null()) sum += rank["device_memory"][what].get<std::int64_t>();
            CHECK(report["device_memory"][what] == sum);
            CHECK(report["device_memory"][std::string(what) + "_predicted"] == sum);
        }
        CHECK(report["device_memory"]["copied_in"] > 0);
        CHECK(ranks[0]["device_memory"].is_null() == !device_first);
        CHECK(ranks[1]["device_memory"].is_null() == device_first);
    }
    Outcome const wrong = place.together(1, "3.sched" + more + "3.sched --no-such");
    CHECK(wrong.code == 2);
    CHECK(has(wrong, "--no-such"));
    CHECK(wrong.text.find("--no-such") == wrong.text.rfind("--no-such"));
    for (char const* option :
         {"--repeat 2", "--verify", "--report x.json", "--out elsewhere", "--trace t.json", "--input Y=Y.npy"}) {
        Outcome const run = place.together(1, "3.sched " + std::string(option) + more + "3.sched");
        CAPTURE(run.text);
        CHECK(run.code == 2);
        CHECK(has(run, "give it to every part of the mpirun command alike"));
    }
}

TEST_CASE("a file that is missing for one rank makes all leave with code 3", "[einrun][mpi]") {
    Ready place;
    fs::remove(place / "Y.npy");
    Outcome const run = place.together(3, "3.sched");
    CHECK(run.code == 3);
    CHECK(place.files_in("results") == 0);
}

TEST_CASE("a killed rank ends the run within seconds and leaves no file", "[einrun][mpi]") {
    Ready place;
    // Very many rounds; the last rank's process is killed in the middle.
    Outcome const run = place.shell(
        "(timeout -k 1 30 " MPIRUN " 2 " EINRUN
        " 2.sched --repeat 1000000 & echo $! > launcher); sleep 1.5;"
        " victim=$(pgrep -P $(pgrep -P $(cat launcher)) | tail -n 1); kill -9 $victim; for i in $(seq 80); do"
        " kill -0 $(cat launcher) 2>/dev/null || exit 0; sleep 0.1; done; exit 9");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    CHECK(place.files_in("results") == 0);
}
#endif
