#include "apps/einplan/batch/batch_lines.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace ein::apps {
namespace {

constexpr double mebibyte = 1 << 20, of_the_program = 256;

}  // namespace

NodeSize this_machine() {
    double const bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    return {static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)), static_cast<std::int64_t>(bytes / mebibyte)};
}

BatchResources batch_resources(schedule::Header const& header, scheduler::Cluster const& cluster,
                               std::optional<NodeSize> const& node, bool on_gpus) {
    std::vector<std::int64_t> const& peaks = header.prediction.peak_bytes;
    double const peak = static_cast<double>(*std::max_element(peaks.begin(), peaks.end())) / mebibyte;
    double const of_a_rank = 1.1 * peak + of_the_program;
    int a_node = std::min(header.ranks, cluster.ranks_per_node), threads = cluster.threads;
    if (node) {
        int const room = static_cast<int>(std::min(1e6, static_cast<double>(node->mebibytes) / of_a_rank));
        a_node = std::max(1, std::min({a_node, node->cores, room}));
        threads = std::max(1, std::min(threads, node->cores / a_node));
    }
    BatchResources out{.nodes = (header.ranks + a_node - 1) / a_node,
                       .ranks = header.ranks,
                       .ranks_a_node = a_node,
                       .threads = threads,
                       .mebibytes = static_cast<std::int64_t>(std::ceil(a_node * of_a_rank)),
                       .gpus_a_node = on_gpus ? a_node : 0,
                       .too_much = {},
                       .warning = {},
                       .machine = {}};
    if (on_gpus && node && node->gpus.value_or(0) > 0) out.gpus_a_node = std::min(a_node, *node->gpus);
    if (node && out.mebibytes > node->mebibytes) out.too_much = node->mebibytes;
    return out;
}

std::string batch_options(BatchResources const& resources) {
    return "--nodes=" + std::to_string(resources.nodes) + " --ntasks=" + std::to_string(resources.ranks) +
           " --ntasks-per-node=" + std::to_string(resources.ranks_a_node) +
           " --cpus-per-task=" + std::to_string(resources.threads) + " --mem=" + std::to_string(resources.mebibytes) +
           "M" + (resources.gpus_a_node > 0 ? " --gpus-per-node=" + std::to_string(resources.gpus_a_node) : "");
}

std::string batch_line(BatchResources const& resources) {
    return "#SBATCH " + batch_options(resources) +
           (resources.too_much ? "  (the nodes here have " + std::to_string(*resources.too_much) + "M)" : "") +
           (resources.warning.empty() ? "" : "  (Slurm has no room for it)");
}

}  // namespace ein::apps
