#include "lib/schedule/print/overview.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "lib/base/saturating.hpp"
#include "lib/base/text/screen_text.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/schedule/memory/live_bytes.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/print/print.hpp"

namespace ein::schedule {
namespace {

constexpr std::size_t most_nodes = 8, most_ranks = 6, most_moments = 3, name_columns = 30;

/// Adds up by node; a node's name is looked up once for each table entry that names it.
class Nodes {
public:
    explicit Nodes(Header const& header) : header_(header) {}

    /// Blocks carry their tensor's name, which is the node's or the input's.
    void add_moved(Tensor const& tensor, std::int64_t bytes) {
        Overview::OfNode& node = row(tensor.name);
        node.moved = saturating_sum(node.moved, bytes);
    }
    void add_call(KernelId kernel, Rank rank, double flops) {
        std::string const& name = header_.kernels[kernel].node;
        Overview::OfNode& node = row(name);
        node.flops += flops;
        ++node.calls;
        auto const [last, fresh] = last_rank_.try_emplace(name, rank);
        if (fresh || last->second != rank) ++node.ranks;
        last->second = rank;
    }
    std::vector<Overview::OfNode> sorted() && {
        std::ranges::stable_sort(rows_, [](auto const& a, auto const& b) {
            return std::pair(a.flops, a.moved) > std::pair(b.flops, b.moved);
        });
        return std::move(rows_);
    }

private:
    Overview::OfNode& row(std::string const& name) {
        auto const [place, fresh] = index_.try_emplace(name, rows_.size());
        if (fresh) rows_.push_back({.name = name});
        return rows_[place->second];
    }

    Header const& header_;
    std::vector<Overview::OfNode> rows_;
    std::unordered_map<std::string, std::size_t> index_;
    std::unordered_map<std::string, Rank> last_rank_;
};

/// What a task makes; of a message what it moves; of others what they read.
std::int64_t bytes_of(Section const& section, Task const& task) {
    if (task.traits().is_transfer()) return section.bytes_of(section.message(task));
    if (task.result()) return section.bytes_of(*task.result());
    std::int64_t bytes = 0;
    for (BlockId block : section.reads(task)) bytes += section.bytes_of(block);
    return bytes;
}

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string kinds_text(Overview const& overview) {
    std::string out = row("\n  %-10s %12s %12s\n", "task", "count", "bytes");
    for (auto const& of : overview.kinds)
        out += row("  %-10s %12lld %12s\n", of.kind.c_str(), static_cast<long long>(of.tasks),
                   bytes_text(of.bytes).c_str());
    return out;
}

std::string nodes_text(Overview const& overview) {
    double all = 0, rest = 0;
    for (auto const& of : overview.nodes) all += of.flops;
    auto const share = [&](double flops) { return percent(all > 0 ? flops / all : 0); };
    std::string out = row("\n  %-*s %10s %7s %12s %8s %12s\n", static_cast<int>(name_columns), "node", "calls", "ranks",
                          "operations", "share", "moved");
    for (std::size_t k = 0; k < overview.nodes.size(); ++k) {
        auto const& of = overview.nodes[k];
        if (k >= most_nodes) {
            rest += of.flops;
            continue;
        }
        out +=
            row("  %-*s %10lld %7lld %12s %8s %12s\n", static_cast<int>(name_columns),
                cut(of.name, name_columns).c_str(), static_cast<long long>(of.calls), static_cast<long long>(of.ranks),
                format_count(of.flops).c_str(), share(of.flops).c_str(), bytes_text(of.moved).c_str());
    }
    if (overview.nodes.size() > most_nodes)
        out += "  and " + std::to_string(overview.nodes.size() - most_nodes) + " more: " + share(rest) +
               " of the operations\n";
    return out;
}

std::string ranks_text(Overview const& overview) {
    std::string out = row("\n  %6s %10s %12s %12s %12s %12s %12s\n", "rank", "tasks", "operations", "sends", "receives",
                          "peak", "spills");
    for (std::size_t k = 0; k < std::min(most_ranks, overview.ranks.size()); ++k) {
        auto const& of = overview.ranks[k];
        out += row("  %6d %10lld %12s %12s %12s %12s %12s\n", of.rank.value(), static_cast<long long>(of.tasks),
                   format_count(of.flops).c_str(), bytes_text(of.sent).c_str(), bytes_text(of.received).c_str(),
                   bytes_text(of.peak).c_str(), bytes_text(of.spilled).c_str());
    }
    if (overview.ranks.size() > most_ranks)
        out += "  and " + std::to_string(overview.ranks.size() - most_ranks) + " more with fewer operations\n";
    return out;
}

/// Of what comes between a moment and the one after it.
std::string next_node(Schedule const& schedule, MomentId moment) {
    for (Section const& section : schedule.sections) {
        TaskId const end =
            following(moment) < section.moments.end_id() ? section.moments[following(moment)] : section.tasks.end_id();
        for (TaskId task = section.moments[moment]; task < end; task = following(task))
            if (std::string node = node_of(schedule.header, section, section.tasks[task]); !node.empty()) return node;
    }
    return "";
}

/// Those at which most is live, in the order of the run.
std::string moments_text(Overview const& overview) {
    std::vector<std::size_t> shown(overview.moments.size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    std::ranges::stable_sort(shown, std::greater(), [&](std::size_t k) { return overview.moments[k].live; });
    shown.resize(std::min(shown.size(), most_moments));
    std::ranges::sort(shown);
    if (shown.empty()) return "\n  no moment at which the run can be saved\n";
    std::string out = row("\n  %6s  %-*s  %-*s %12s\n", "moment", static_cast<int>(name_columns), "can be saved before",
                          static_cast<int>(name_columns), "in each iteration of", "checkpoint");
    for (std::size_t k : shown) {
        Overview::OfMoment const& of = overview.moments[k];
        out += row("  %6zu  %-*s  %-*s %12s\n", k, static_cast<int>(name_columns),
                   cut(of.before.empty() ? "-" : of.before, name_columns).c_str(), static_cast<int>(name_columns),
                   cut(of.loop.empty() ? "-" : of.loop, name_columns).c_str(), bytes_text(of.live).c_str());
    }
    if (overview.moments.size() > shown.size())
        out += "  and " + std::to_string(overview.moments.size() - shown.size()) + " more with smaller checkpoints\n";
    return out;
}

}  // namespace

std::vector<Overview::OfMoment> moments_of(Schedule const& schedule) {
    Header const& header = schedule.header;
    Table<MomentId, std::int64_t> const live = live_bytes(schedule);
    std::vector<Overview::OfMoment> out;
    for (MomentId moment : header.moments.ids()) {
        OptionalId<LoopSpecId> const loop = header.moments[moment].loop;
        out.push_back({next_node(schedule, moment), loop ? header.loops[*loop].name : "", live[moment]});
    }
    return out;
}

Overview overview_of(Schedule const& schedule) {
    Header const& header = schedule.header;
    Overview out;
    std::vector<Overview::OfKind> kinds(task_kinds);
    Nodes nodes(header);
    for (Rank rank : schedule.sections.ids()) {
        Section const& section = schedule.sections[rank];
        Runs const runs(section, predicted_iterations(header, section));
        Prediction const& predicted = header.prediction;
        Overview::OfRank& of_rank = out.ranks.emplace_back();
        of_rank = {.rank = rank,
                   .tasks = static_cast<std::int64_t>(section.tasks.size()),
                   .sent = predicted.bytes_sent[at(rank)],
                   .received = predicted.bytes_received[at(rank)],
                   .peak = predicted.peak_bytes[at(rank)],
                   .spilled = disk_use(section).written};
        for (TaskId t : section.tasks.ids()) {
            Task const& task = section.tasks[t];
            std::int64_t const bytes = saturating_product(bytes_of(section, task), runs.of(t));
            Overview::OfKind& kind = kinds[index(task.kind())];
            ++kind.tasks;
            kind.bytes = saturating_sum(kind.bytes, bytes);
            if (!task.traits().is_transfer()) continue;
            Message const message = section.message(task);
            if (message.is_send) nodes.add_moved(header.tensors[section.blocks[message.block].tensor], bytes);
        }
        visit_flops(header, section, runs, [&](TaskId, KernelId kernel, double flops) {
            of_rank.flops += flops;
            nodes.add_call(kernel, rank, flops);
        });
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        if (kinds[kind].tasks == 0) continue;
        kinds[kind].kind = task_traits[kind].name;
        out.kinds.push_back(std::move(kinds[kind]));
    }
    out.nodes = std::move(nodes).sorted();
    out.moments = moments_of(schedule);
    std::ranges::stable_sort(out.ranks, [](auto const& a, auto const& b) {
        return std::pair(a.flops, a.received) > std::pair(b.flops, b.received);
    });
    return out;
}

std::string to_text(Overview const& overview, Header const& header) {
    double flops = 0;
    std::int64_t moved = 0, peak = 0;
    for (Overview::OfRank const& rank : overview.ranks) {
        flops += rank.flops;
        moved = saturating_sum(moved, rank.sent);
        peak = std::max(peak, rank.peak);
    }
    std::string loops;
    for (LoopSpec const& loop : header.loops)
        loops += row("  loop %s: %s%lld iterations\n", cut(loop.name, name_columns).c_str(),
                     loop.conditional ? "at most " : "", static_cast<long long>(loop.iterations));
    return "schedule of graph '" + header.name + "' for " + std::to_string(header.ranks) +
           (header.ranks == 1 ? " rank, " : " ranks, ") + header.strategy + " placed by " + header.place +
           (header.reproducible ? ", reproducible" : "") + "\n" + "  " + format_count(flops) + " operations, " +
           bytes_text(moved) + " moved, peak of the fullest rank " + bytes_text(peak) + "\n" + loops +
           kinds_text(overview) + nodes_text(overview) + ranks_text(overview) + moments_text(overview);
}

}  // namespace ein::schedule
