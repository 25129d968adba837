#include "apps/eintool/run/hosts.hpp"

#include "tests/support/catch.hpp"

using namespace ein::apps::tool;

namespace {

std::vector<std::string> names_of(Hosts const& hosts) {
    std::vector<std::string> out;
    for (Host const& host : hosts.all) out.push_back(host.name);
    return out;
}

}  // namespace

TEST_CASE("a hostfile has slots, comments and repetitions", "[apps][run]") {
    Hosts const hosts = hosts_of_file("# ours\nn1 slots=4 max_slots=8\n\n  n2 slots = 2 # slow\nn1 slots=1\n");
    CHECK(hosts == Hosts{{{"n1", 5}, {"n2", 2}}, true});
    CHECK(hosts_of_file(hostfile_text(hosts)) == hosts);
    Hosts const uncounted = hosts_of_file("n1\nn2\n");
    CHECK(uncounted == Hosts{{{"n1", 1}, {"n2", 1}}, false});
    CHECK(hostfile_text(uncounted) == "n1\nn2\n");
    CHECK(hosts_of_file("n1 slots=-3\n") == Hosts{{{"n1", 1}}, false});
}

TEST_CASE("a list of hosts has slots behind colons", "[apps][run]") {
    CHECK(hosts_of_list("a,b:4,a") == Hosts{{{"a", 2}, {"b", 4}}, true});
    CHECK(hosts_of_list("").all.empty());
}

TEST_CASE("Slurm's ranges are told out", "[apps][run]") {
    CHECK(hosts_of_slurm("n[08-10,12],gpu", "4(x3),2,1") ==
          Hosts{{{"n08", 4}, {"n09", 4}, {"n10", 4}, {"n12", 2}, {"gpu", 1}}, true});
    CHECK(names_of(hosts_of_slurm("r[1-2]n[1,3]", "1(x4)")) ==
          std::vector<std::string>{"r1n1", "r2n1", "r1n3", "r2n3"});
    CHECK_FALSE(hosts_of_slurm("n[1-3]", "2").counted);
    CHECK(names_of(hosts_of_slurm("n[5-1]", "")) == std::vector<std::string>{"n5-1"});
    CHECK(names_of(hosts_of_slurm("n[", "")) == std::vector<std::string>{"n["});
}

TEST_CASE("ranks fill the slots that are left", "[apps][run]") {
    Hosts const whole = hosts_of_list("a:4,b:4,c:4");
    CHECK(ranks_on(whole, whole, 12) == 12);
    CHECK(ranks_on(hosts_of_list("a:4,b:4"), whole, 12) == 8);
    CHECK(ranks_on(hosts_of_list("a:4,b:4"), whole, 6) == 6);    // a host to spare
    CHECK(ranks_on(hosts_of_list("a:4,b:4"), whole, 24) == 16);  // two a slot
    CHECK(ranks_on(hosts_of_list("a:4"), whole, 1) == 1);
    Hosts const uncounted = hosts_of_file("a\nb\nc\n");
    CHECK(ranks_on(hosts_of_file("a\nb\n"), uncounted, 3) == 2);
    CHECK(ranks_on(hosts_of_file("a\n"), uncounted, 2) == 1);
}
