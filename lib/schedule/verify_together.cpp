// Checks that need every rank: messages, order, predictions.
#include <map>
#include <tuple>

#include "lib/schedule/replay.hpp"
#include "lib/schedule/verify.hpp"

namespace ein::schedule {
namespace {

using MessageKey = std::tuple<int, int, int>;  // from, to, tag

MessageKey key_of(Task const& task, int rank) {
    return task.kind == TaskKind::send ? MessageKey{rank, task.peer, task.tag} : MessageKey{task.peer, rank, task.tag};
}

bool is_transfer(Task const& task) { return task.kind == TaskKind::send || task.kind == TaskKind::receive; }

std::string describe(MessageKey const& key) {
    return "message " + std::to_string(std::get<2>(key)) + " from rank " + std::to_string(std::get<0>(key)) +
           " to rank " + std::to_string(std::get<1>(key));
}

std::int64_t bytes_of(Section const& section, Task const& task) {
    std::int32_t const block = task.kind == TaskKind::send ? section.inputs_of(task)[0] : task.output;
    return section.bytes_of(section.blocks[static_cast<std::size_t>(block)]);
}

void check_messages(Schedule const& schedule, std::vector<std::string>& faults) {
    struct Ends {
        std::int64_t sent = -1, received = -1;
    };
    std::map<MessageKey, Ends> messages;
    for (int rank = 0; rank < schedule.header.ranks; ++rank) {
        Section const& section = schedule.sections[static_cast<std::size_t>(rank)];
        for (Task const& task : section.tasks) {
            if (!is_transfer(task)) continue;
            MessageKey const key = key_of(task, rank);
            std::int64_t& end = task.kind == TaskKind::send ? messages[key].sent : messages[key].received;
            if (end >= 0) faults.push_back(describe(key) + ": expected once, found twice");
            end = bytes_of(section, task);
        }
    }
    for (auto const& [key, ends] : messages)
        if (ends.sent != ends.received)
            faults.push_back(describe(key) + ": expected a sender and a receiver of equal size");
}

/// Runs every rank's list in order, a message passing only when both its ends are first in line: the order that the executor's
/// promises about memory and progress rest on.
void check_order_ends(Schedule const& schedule, std::vector<std::string>& faults) {
    std::vector<std::size_t> at(schedule.sections.size(), 0);
    std::map<MessageKey, int> waiting;  // one end stands at it; the rank that waits
    std::vector<int> runnable;
    for (int rank = schedule.header.ranks; rank > 0; --rank) runnable.push_back(rank - 1);
    while (!runnable.empty()) {
        int const rank = runnable.back();
        runnable.pop_back();
        auto const& tasks = schedule.sections[static_cast<std::size_t>(rank)].tasks;
        std::size_t& position = at[static_cast<std::size_t>(rank)];
        while (position < tasks.size()) {
            if (is_transfer(tasks[position])) {
                auto const [other, first] = waiting.try_emplace(key_of(tasks[position], rank), rank);
                if (first) break;
                runnable.push_back(other->second);
                ++at[static_cast<std::size_t>(other->second)];
                waiting.erase(other);
            }
            ++position;
        }
    }
    for (std::size_t rank = 0; rank < at.size(); ++rank)
        if (at[rank] < schedule.sections[rank].tasks.size()) {
            faults.push_back("rank " + std::to_string(rank) + " stops at task " + std::to_string(at[rank]) +
                             ": expected an order that ends on all ranks");
            return;
        }
}

void check_predictions(Schedule const& schedule, std::vector<std::string>& faults) {
    Prediction const& p = schedule.header.prediction;
    for (std::size_t rank = 0; rank < schedule.sections.size(); ++rank) {
        Section const& section = schedule.sections[rank];
        std::int64_t sent = 0, received = 0, messages = 0;
        for (Task const& task : section.tasks) {
            if (task.kind == TaskKind::send) sent += bytes_of(section, task), ++messages;
            if (task.kind == TaskKind::receive) received += bytes_of(section, task);
        }
        Profile const profile = replay(section);
        if (sent != p.bytes_sent[rank] || received != p.bytes_received[rank] || messages != p.messages_sent[rank] ||
            profile.peak != p.peak_bytes[rank] || profile.at_end != 0)
            faults.push_back("rank " + std::to_string(rank) + ": expected the predicted bytes, messages and peak");
    }
}

}  // namespace

std::vector<std::string> faults_of(Schedule const& schedule) {
    std::vector<std::string> faults = faults_of(schedule.header);
    if (static_cast<int>(schedule.sections.size()) != schedule.header.ranks)
        faults.push_back("expected a section for each rank");
    if (!faults.empty()) return faults;
    for (int rank = 0; rank < schedule.header.ranks; ++rank) {
        auto const of_rank = faults_of(schedule.header, schedule.sections[static_cast<std::size_t>(rank)], Rank{rank});
        faults.insert(faults.end(), of_rank.begin(), of_rank.end());
    }
    if (!faults.empty()) return faults;
    check_messages(schedule, faults);
    if (faults.empty()) check_order_ends(schedule, faults);
    if (faults.empty()) check_predictions(schedule, faults);
    return faults;
}

}  // namespace ein::schedule
