#include "executor/transport/launcher.hpp"

#include <map>

#include "tests/support/catch.hpp"

using namespace ein::executor;

namespace {
Environment with(std::map<std::string, std::string> variables) {
    return [variables](char const* name) -> char const* {
        auto const found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
}
}  // namespace

TEST_CASE("a launcher is known by its variables", "[executor][transport]") {
    CHECK_FALSE(launched_by_mpi(with({{"HOME", "/root"}})));
    for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        CHECK(launched_by_mpi(with({{name, "0"}})));
}

TEST_CASE("without a launcher there is one rank and no MPI", "[executor][transport]") {
    Connection connection(with({}));
    CHECK(connection.transport().size() == 1);
    CHECK(connection.transport().all_gather("a") == std::vector<std::string>{"a"});
    CHECK_THROWS_AS(connection.transport().start_send({}, ein::Rank{1}, 0, 0, ein::executor::SendEnds::when_free),
                    ein::InternalError);
}

TEST_CASE("srun with the wrong MPI plugin is explained", "[executor][transport]") {
    auto const job = with({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "2"}});
    auto const step = with({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}});
    for (int const wanted : {1, 4}) CHECK(launcher_hint(1, wanted, step).find("srun --mpi=pmix") != std::string::npos);
    CHECK(launcher_hint(1, 4, job).find("SLURM_NTASKS is 4") != std::string::npos);
    CHECK(launcher_hint(1, 1, job).empty());  // in a batch script, without srun
    CHECK(launcher_hint(4, 4, step).empty());
    CHECK(launcher_hint(1, 1, with({{"SLURM_STEP_NUM_TASKS", "2"}, {"OMPI_COMM_WORLD_SIZE", "1"}})).empty());
    CHECK(launcher_hint(1, 2, with({{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}})).empty());
    CHECK(launcher_name(step) == "srun");
    CHECK(launcher_name(with({{"OMPI_COMM_WORLD_SIZE", "2"}})) == "mpirun");
}
