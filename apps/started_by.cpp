#include "apps/started_by.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

namespace ein::apps {
namespace {

/// Variables that a launcher sets for what it starts: how many there are, and which one this is.
struct Row {
    char const *launcher, *times, *self;
};
constexpr std::array rows{Row{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                          Row{"mpirun", "PMI_SIZE", "PMI_RANK"}, Row{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

}  // namespace

std::optional<StartedBy> started_by(std::function<char const*(char const*)> const& variable) {
    bool const in_step = variable("SLURM_STEP_NUM_TASKS") != nullptr && variable("OMPI_COMM_WORLD_SIZE") == nullptr;
    for (Row const& row : rows) {
        char const *const times = variable(row.times), *const self = variable(row.self);
        if (times == nullptr || std::atoi(times) < 2) continue;
        bool const is_first = self == nullptr || std::string_view(self) == "0";
        return StartedBy{in_step ? "srun" : row.launcher, std::atoi(times), is_first};  // srun sets PMI_SIZE too
    }
    return std::nullopt;
}

}  // namespace ein::apps
