// Checks that need every rank: messages, order, predictions.
#include <algorithm>
#include <optional>
#include <tuple>

#include "lib/base/parallel.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/verify/verify.hpp"

namespace ein::schedule {
namespace {

struct MessageKey {
    int from = 0, to = 0, tag = 0;
    friend auto operator<=>(MessageKey const&, MessageKey const&) = default;
};

MessageKey key_of(Task const& task, int rank) {
    return task.kind == TaskKind::send ? MessageKey{rank, task.peer, task.tag} : MessageKey{task.peer, rank, task.tag};
}

bool is_transfer(Task const& task) { return task.kind == TaskKind::send || task.kind == TaskKind::receive; }

std::string describe(MessageKey const& key) {
    return "message " + std::to_string(key.tag) + " from rank " + std::to_string(key.from) + " to rank " +
           std::to_string(key.to);
}

/// Both ends of each message, put together at the receiver.
void check_messages(Schedule const& schedule, std::vector<std::string>& faults) {
    struct End {
        MessageKey key;
        TaskKind kind;
        std::int64_t bytes;
    };
    std::vector<std::vector<End>> ends(schedule.sections.size());  // by receiver
    for (int rank = 0; rank < schedule.header.ranks; ++rank) {
        Section const& section = schedule.sections[static_cast<std::size_t>(rank)];
        for (Task const& task : section.tasks) {
            if (!is_transfer(task)) continue;
            MessageKey const key = key_of(task, rank);
            ends[static_cast<std::size_t>(key.to)].push_back({key, task.kind, section.message_of(task).bytes});
        }
    }
    auto check_receiver = [](std::vector<End> list) {
        std::vector<std::string> found;
        std::sort(list.begin(), list.end(),
                  [](End const& a, End const& b) { return std::tie(a.key, a.kind) < std::tie(b.key, b.kind); });
        for (std::size_t k = 0; k < list.size();) {
            std::size_t next = k + 1;
            while (next < list.size() && list[next].key == list[k].key) ++next;
            if (next - k > 2 || (next - k == 2 && list[k].kind == list[k + 1].kind))
                found.push_back(describe(list[k].key) + ": expected once, found twice");
            else if (next - k == 1 || list[k].bytes != list[k + 1].bytes)
                found.push_back(describe(list[k].key) + ": expected a sender and a receiver of equal size");
            k = next;
        }
        return found;
    };
    for (auto const& found :
         for_each_in_parallel(ends.size(), [&](std::size_t to) { return check_receiver(std::move(ends[to])); }))
        faults.insert(faults.end(), found.begin(), found.end());
}

/// Runs every rank's list in order, a message passing only when both its ends are first in line: the order that the executor's
/// promises about memory and progress rest on.
void check_order_ends(Schedule const& schedule, std::vector<std::string>& faults) {
    std::vector<std::size_t> at(schedule.sections.size(), 0);
    std::vector<std::optional<MessageKey>> waiting(schedule.sections.size());  // of a rank that stands at one end of it
    std::vector<int> runnable;
    for (int rank = schedule.header.ranks; rank > 0; --rank) runnable.push_back(rank - 1);
    while (!runnable.empty()) {
        int const rank = runnable.back();
        runnable.pop_back();
        auto const& tasks = schedule.sections[static_cast<std::size_t>(rank)].tasks;
        std::size_t& position = at[static_cast<std::size_t>(rank)];
        while (position < tasks.size()) {
            if (is_transfer(tasks[position])) {
                MessageKey const key = key_of(tasks[position], rank);
                auto const peer = static_cast<std::size_t>(tasks[position].peer);
                if (waiting[peer] != key) {
                    waiting[static_cast<std::size_t>(rank)] = key;
                    break;
                }
                waiting[peer].reset();
                ++at[peer];
                runnable.push_back(static_cast<int>(peer));
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

bool is_as_predicted(Header const& header, Section const& section, std::size_t rank) {
    Prediction const& p = header.prediction;
    Exchanged const predicted{p.bytes_sent[rank], p.bytes_received[rank], p.messages_sent[rank]};
    Profile const profile = replay(section);
    return exchanged(section, predicted_turns(header, section)) == predicted && profile.peak == p.peak_bytes[rank] &&
           profile.at_end == 0;
}

void check_predictions(Schedule const& schedule, std::vector<std::string>& faults) {
    auto const good = for_each_in_parallel(schedule.sections.size(), [&](std::size_t rank) {
        return char{is_as_predicted(schedule.header, schedule.sections[rank], rank)};
    });
    for (std::size_t rank = 0; rank < good.size(); ++rank)
        if (!good[rank])
            faults.push_back("rank " + std::to_string(rank) + ": expected the predicted bytes, messages and peak");
}

}  // namespace

std::vector<std::string> faults_of(Schedule const& schedule) {
    std::vector<std::string> faults = faults_of(schedule.header);
    if (static_cast<int>(schedule.sections.size()) != schedule.header.ranks)
        faults.push_back("expected a section for each rank");
    if (!faults.empty()) return faults;
    auto const of_ranks = for_each_in_parallel(schedule.sections.size(), [&](std::size_t rank) {
        return faults_of(schedule.header, schedule.sections[rank], Rank{static_cast<int>(rank)});
    });
    for (auto const& of_rank : of_ranks) faults.insert(faults.end(), of_rank.begin(), of_rank.end());
    if (!faults.empty()) return faults;
    check_messages(schedule, faults);
    if (faults.empty()) check_order_ends(schedule, faults);
    if (faults.empty()) check_predictions(schedule, faults);
    return faults;
}

}  // namespace ein::schedule
