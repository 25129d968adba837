#include "apps/einplan/batch/slurm_partitions.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "lib/base/text/counted.hpp"

namespace ein::apps {
namespace {

/// What a shell command prints; nothing where it fails.
std::string output_of(char const* command) {
    FILE* const pipe = popen(command, "r");
    if (pipe == nullptr) return "";
    std::string out;
    char text[256];
    while (std::fgets(text, sizeof text, pipe) != nullptr) out += text;
    return pclose(pipe) == 0 ? out : "";
}

bool slurm_is_configured() {
    return std::getenv("SLURM_CONF") != nullptr || std::filesystem::exists("/etc/slurm/slurm.conf");
}

/// 4 of "gpu:a100:4(S:0-1)", 6 of "gpu:2,gpu:a100:4,shard:8", 0 of "(null)".
int gpus_in(std::string const& devices) {
    int count = 0;
    std::istringstream items(devices);
    for (std::string item; std::getline(items, item, ',');) {
        if (!item.starts_with("gpu:")) continue;
        std::string const plain = item.substr(0, item.find('('));
        count += std::atoi(plain.c_str() + plain.rfind(':') + 1);
    }
    return count;
}

/// 8 of "1-8" and of "8"; nothing of "1-infinite".
std::optional<int> most_of(std::string const& job_size) {
    int const most = std::atoi(job_size.c_str() + job_size.find('-') + 1);  // npos + 1 is 0
    return most > 0 ? std::optional(most) : std::nullopt;
}

bool are_larger(Nodes const& a, Nodes const& b) {
    return std::pair(a.size.cores, a.size.mebibytes) > std::pair(b.size.cores, b.size.mebibytes);
}

bool have_room(NodeSize const& node, BatchResources const& resources) {
    return node.cores >= resources.ranks_a_node * resources.threads && node.mebibytes >= resources.mebibytes &&
           node.gpus.value_or(resources.gpus_a_node) >= resources.gpus_a_node;
}

std::string cores_text(int cores) { return counted(cores, "core"); }

std::string such_nodes(BatchResources const& resources) {
    std::string out = " with " + cores_text(resources.ranks_a_node * resources.threads);
    out += resources.gpus_a_node > 0 ? ", " : " and ";
    out += std::to_string(resources.mebibytes) + "M";
    if (resources.gpus_a_node > 0) out += " and " + counted(resources.gpus_a_node, "GPU");
    return out;
}

}  // namespace

std::vector<Partition> partitions_in(std::string const& listing) {
    std::vector<Partition> out;
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        std::erase(line, '+');
        std::istringstream words(line);
        std::string name, job_size, devices;
        Nodes nodes;
        if (!(words >> name >> nodes.count >> job_size >> nodes.size.cores >> nodes.size.mebibytes)) continue;
        if (nodes.size.cores < 1 || nodes.count < 1) continue;
        if (words >> devices) nodes.size.gpus = gpus_in(devices);
        bool const is_default = name.ends_with('*');
        if (is_default) name.pop_back();
        auto at = std::find_if(out.begin(), out.end(), [&](Partition const& each) { return each.name == name; });
        if (at == out.end()) at = out.insert(is_default ? out.begin() : out.end(), {name, is_default});
        if (auto const most = most_of(job_size)) at->most_nodes = most;
        at->nodes.push_back(nodes);
    }
    for (Partition& each : out) std::stable_sort(each.nodes.begin(), each.nodes.end(), are_larger);
    return out;
}

std::vector<Partition> partitions_at_hand() {
    if (!slurm_is_configured()) return {};
    return partitions_in(output_of("timeout 2 sinfo --noheader --exact --format='%P %D %s %c %m %G' 2> /dev/null"));
}

int room_for(BatchResources const& resources, Partition const& partition) {
    int count = 0;
    for (Nodes const& each : partition.nodes)
        if (have_room(each.size, resources)) count += each.count;
    return std::min(count, partition.most_nodes.value_or(count));
}

BatchResources resources_on(std::vector<Partition> const& partitions, std::optional<NodeSize> const& other,
                            schedule::Header const& header, scheduler::Cluster const& cluster, bool on_gpus) {
    if (partitions.empty()) return batch_resources(header, cluster, other, on_gpus);
    std::optional<BatchResources> largest;
    for (Partition const& partition : partitions) {
        for (Nodes const& nodes : partition.nodes) {
            if (on_gpus && nodes.size.gpus == 0) continue;
            BatchResources resources = batch_resources(header, cluster, nodes.size, on_gpus);
            resources.machine = "the partition " + partition.name + " that sinfo lists";
            if (!largest) largest = resources;
            if (resources.too_much || room_for(resources, partition) < resources.nodes) continue;
            resources.warning = room_warning(resources, partitions);
            return resources;
        }
    }
    if (!largest) {
        largest = batch_resources(header, cluster, partitions.front().nodes.front().size, on_gpus);
        largest->machine = "the partition " + partitions.front().name + " that sinfo lists";
    }
    largest->warning = room_warning(*largest, partitions);
    return *largest;
}

std::string room_warning(BatchResources const& resources, std::vector<Partition> const& partitions) {
    if (partitions.empty()) return "";
    auto const room = [&](Partition const& each) { return room_for(resources, each); };
    Partition const& first = partitions.front();
    if (first.is_default && room(first) >= resources.nodes) return "";
    auto const fit = std::find_if(partitions.begin(), partitions.end(),
                                  [&](Partition const& each) { return room(each) >= resources.nodes; });
    std::string const wanted = counted(resources.nodes, "node") + such_nodes(resources);
    if (fit != partitions.end())
        return first.is_default ? "expected " + wanted + " in the default partition " + first.name + ", found " +
                                      std::to_string(room(first)) + "; submit with sbatch --partition=" + fit->name
                                : "";
    Partition const& best = *std::max_element(partitions.begin(), partitions.end(),
                                              [&](auto const& a, auto const& b) { return room(a) < room(b); });
    int const found = room(best);
    int cores = 0;
    for (Partition const& each : partitions)
        for (Nodes const& nodes : each.nodes) cores = std::max(cores, nodes.size.cores);
    std::string const what_then =
        found > 0 ? "plan with -n " + std::to_string(found * resources.ranks_a_node) + " or fewer"
        : cores < resources.ranks_a_node * resources.threads
            ? "no node has more than " + cores_text(cores) +
                  ": correct ranks_per_node and threads of the cluster file, or leave --cluster out"
            : std::string("plan for more ranks, less --memory or other devices");
    return "expected " + wanted + " in a partition, found " +
           (found == 0 ? std::string("none") : std::to_string(found) + " in " + best.name) +
           ": Slurm refuses the job, or lets it wait for ever (PartitionConfig); " + what_then;
}

}  // namespace ein::apps
