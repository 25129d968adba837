#include "apps/einplan/batch_lines.hpp"

#include <algorithm>
#include <cmath>

namespace ein::apps {

std::string batch_line(schedule::Header const& header, scheduler::Cluster const& cluster) {
    constexpr double mebibyte = 1 << 20, of_the_program = 256;
    int const a_node = std::min(header.ranks, cluster.ranks_per_node);
    int const nodes = (header.ranks + a_node - 1) / a_node;
    std::vector<std::int64_t> const& peaks = header.prediction.peak_bytes;
    double const peak = static_cast<double>(*std::max_element(peaks.begin(), peaks.end())) / mebibyte;
    auto const memory = static_cast<std::int64_t>(std::ceil(a_node * (1.1 * peak + of_the_program)));
    return "#SBATCH --nodes=" + std::to_string(nodes) + " --ntasks=" + std::to_string(header.ranks) +
           " --ntasks-per-node=" + std::to_string(a_node) + " --cpus-per-task=" + std::to_string(cluster.threads) +
           " --mem=" + std::to_string(memory) + "M";
}

}  // namespace ein::apps
