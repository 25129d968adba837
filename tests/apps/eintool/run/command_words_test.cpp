#include "apps/eintool/run/commands.hpp"
#include "apps/eintool/run/words.hpp"
#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::apps;
using namespace ein::apps::tool;

namespace {

KnownOptions const known{
    {{{"-n", "--ranks"}, true}, {{"--checkpoint"}, true}, {{"--shrink"}, false}},
    {{{"-n", "--ranks"}, true}, {{"--memory"}, true}, {{"--parts"}, true}, {{"--explain"}, false}, {{"-o"}, true}},
    {{{"--memory"}, true}, {{"--threads"}, true}, {{"--checkpoint"}, true}, {{"-q", "--quiet"}, false}}};

SplitWords split(Words const& words) { return split_words(words, known); }

}  // namespace

TEST_CASE("words go to whom their options belong", "[apps][run]") {
    SplitWords const words = split({"g.json", "-n", "2", "--parts=4", "--threads", "3", "--explain=json", "-q"});
    CHECK(words.own == Words{"g.json", "-n", "2"});
    CHECK(words.plan == Words{"--parts=4", "--explain=json"});
    CHECK(words.plan_only == Words{"--parts", "--explain"});
    CHECK(words.run == Words{"--threads", "3", "-q"});
    CHECK(words.launcher.empty());
}

TEST_CASE("an option of both programs goes to both, one of ours to us alone", "[apps][run]") {
    SplitWords const words = split({"--memory", "8GiB", "g.json", "--checkpoint", "D", "-n4"});
    CHECK(words.plan == Words{"--memory", "8GiB"});
    CHECK(words.run == words.plan);
    CHECK(words.plan_only.empty());
    CHECK(words.own == Words{"g.json", "--checkpoint", "D", "-n4"});
}

TEST_CASE("behind -- is the launcher's, but for what einrun has", "[apps][run]") {
    SplitWords const words =
        split({"g.json", "--", "--hostfile", "h", "--threads", "2", "-quiet", "-x", "A", "--parts", "3", "-n", "5"});
    CHECK(words.own == Words{"g.json"});
    CHECK(words.run == Words{"--threads", "2"});
    CHECK(words.launcher == Words{"--hostfile", "h", "-quiet", "-x", "A", "--parts", "3", "-n", "5"});
}

TEST_CASE("options that nobody has are refused with the nearest, help is ours", "[apps][run]") {
    CHECK(split({"--help"}).own == Words{"--help"});
    try {
        split({"g.json", "--thread", "2"});
        FAIL("accepted");
    } catch (UsageError const& error) {
        CHECK_THAT(error.what(), Catch::Contains("found '--thread'; did you mean \"--threads\"?"));
    }
    CHECK_THROWS_AS(split({"--hostfile", "h"}), UsageError);
}

TEST_CASE("values are found and taken out", "[apps][run]") {
    Words const words{"--out", "a", "-oF", "--out=b", "x"};
    CHECK(value_of(words, {"--out"}, "results") == "b");
    CHECK(value_of(words, {"-o", "--output"}, "") == "F");
    CHECK(value_of(words, {"--report"}, "none") == "none");
    CHECK(without(words, {"--out"}) == Words{"-oF", "x"});
    CHECK(without({"x", "--out"}, {"--out"}) == Words{"x"});
}

TEST_CASE("launchers are told the number of ranks, the user's words, then the program", "[apps][run]") {
    CHECK(launch_command({LauncherKind::mpirun, {"--hostfile", "h"}}, 3, {"einrun", "s"}) ==
          Words{"mpirun", "-n", "3", "--hostfile", "h", "einrun", "s"});
    Words const srun = launch_command({LauncherKind::srun, {"--exclusive"}}, 3, {"einrun", "s"});
    CHECK(srun.front() == "srun");
    CHECK(Words(srun.end() - 4, srun.end()) == Words{"--ntasks=3", "--exclusive", "einrun", "s"});
}

TEST_CASE("hosts that are left replace those that the user named", "[apps][run]") {
    Hosts const left = hosts_of_list("a,c");
    Launcher const mpirun{LauncherKind::mpirun, {"--host", "a,b,c", "--mca", "btl", "tcp", "-machinefile", "f"}};
    CHECK(on_hosts(mpirun, left, "D/h").words == Words{"--mca", "btl", "tcp", "--hostfile", "D/h"});
    CHECK(host_list_of(mpirun) == "a,b,c");
    CHECK(hostfile_of(mpirun) == "f");
    CHECK_FALSE(hostfile_of({LauncherKind::mpirun, {}}));
    Launcher const srun{LauncherKind::srun, {"-w", "a,b,c", "--nodes=3", "--exclusive"}};
    CHECK(on_hosts(srun, left, "D/h").words == Words{"--exclusive", "--nodelist=a,c", "--nodes=2"});
}

TEST_CASE("a host is reached as the job would be", "[apps][run]") {
    CHECK(host_check({LauncherKind::mpirun, {"--hostfile", "h", "--mca", "plm_rsh_agent", "ssh", "-x", "A"}}, "b") ==
          Words{"mpirun", "-n", "1", "--host", "b", "--mca", "plm_rsh_agent", "ssh", "true"});
    Words const srun = host_check({LauncherKind::srun, {}}, "b");
    CHECK(std::find(srun.begin(), srun.end(), "--nodelist=b") != srun.end());
}

TEST_CASE("a plan for what is left takes no decisions from a file", "[apps][run]") {
    PlanCommand command{"einplan", "g.json", false, 4, "D/s", {"--plan-in", "p", "--memory", "1GiB"}, true};
    CHECK(plan_command(command) ==
          Words{"einplan", "g.json", "-n", "4", "-o", "D/s", "--quiet", "--plan-in", "p", "--memory", "1GiB"});
    command.graph = "D", command.resumes = true, command.ranks = 3, command.as_asked = false;
    CHECK(plan_command(command) ==
          Words{"einplan", "--resume", "D", "-n", "3", "-o", "D/s", "--quiet", "--memory", "1GiB"});
}

TEST_CASE("the programs' own tables know their options", "[apps][run]") {
    auto const plan = einplan_option_forms(), run = einrun_option_forms();
    for (std::string const name : {"--decompose", "-n", "--memory", "--sweep"}) {
        REQUIRE(find_option(plan, name) != nullptr);
        CHECK(find_option(plan, name)->takes_value);
    }
    for (std::string const name : {"--explain", "--quiet"}) CHECK_FALSE(find_option(plan, name)->takes_value);
    for (std::string const name : {"--threads", "--input", "--checkpoint", "--stall"})
        CHECK(find_option(run, name)->takes_value);
    for (std::string const name : {"--verify", "--strict"}) CHECK_FALSE(find_option(run, name)->takes_value);
    CHECK(find_option(run, "--help") == nullptr);
    CHECK(find_option(run, "--version") == nullptr);
}
