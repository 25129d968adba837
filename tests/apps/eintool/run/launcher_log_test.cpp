#include "apps/eintool/run/launcher_log.hpp"

#include "tests/support/catch.hpp"

using ein::apps::tool::LauncherLog;

namespace {

std::string failure_in(std::string const& text) {
    LauncherLog log;
    log.append(text);
    return log.failure();
}

}  // namespace

TEST_CASE("what mpirun says of a rank names it", "[apps][run]") {
    CHECK(failure_in("mpirun noticed that process rank 1 with PID 4711 on node n2 exited on signal 9 (Killed).\n") ==
          "rank 1 on n2 was ended by signal 9 (Killed)");
    CHECK(failure_in("mpirun detected that one or more processes exited with non-zero status, thus causing\n"
                     "the job to be terminated. The first process to do so was:\n\n"
                     "  Process name: [[4711,1],2]\n  Exit code:    6\n") == "rank 2 ended with code 6");
    CHECK(failure_in("MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD\nwith errorcode 1.\n") ==
          "rank 3 ended the job");
}

TEST_CASE("a lost host is named", "[apps][run]") {
    CHECK(failure_in("ORTE has lost communication with a remote daemon.\n\n"
                     "  HNP daemon   : [[4711,0],0] on node n1\n  Remote daemon: [[4711,0],1] on node n2\n") ==
          "host n2 is lost");
    CHECK(failure_in("srun: error: Node failure on n3\n") == "host n3 is lost");
}

TEST_CASE("what srun says of a task names it", "[apps][run]") {
    CHECK(failure_in("srun: error: n2: task 1: Killed\n") == "rank 1 on n2: Killed");
    CHECK(failure_in("srun: error: n[1-2]: tasks 0-3: Exited with exit code 1\n") ==
          "rank 0-3 on n[1-2]: Exited with exit code 1");
}

TEST_CASE("the first that is blamed stays, other lines blame nobody, pieces may be of any size", "[apps][run]") {
    std::string const text =
        "einrun: warning: srun: nothing\n"
        "srun: error: n2: task 1: Killed\nsrun: error: n1: task 0: Terminated\n";
    LauncherLog log;
    for (char const letter : text) log.append(std::string(1, letter));
    CHECK(log.failure() == "rank 1 on n2: Killed");
    CHECK(failure_in(std::string(100000, 'x') + "\n").empty());
    CHECK(failure_in("srun: error: n2: task 1: Kil").empty());
}
