// Checks that need every rank: messages, order, predictions.
#include <algorithm>
#include <optional>
#include <tuple>

#include "lib/base/threads/parallel.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/verify/verify.hpp"

namespace ein::schedule {
namespace {

struct MessageKey {
    Rank from, to;
    MessageTag tag;
    friend auto operator<=>(MessageKey const&, MessageKey const&) = default;
};

MessageKey key_of(Message const& message, Rank rank) {
    return message.is_send ? MessageKey{rank, message.peer, message.tag} : MessageKey{message.peer, rank, message.tag};
}

std::string describe(MessageKey const& key) {
    return "message " + std::to_string(key.tag.value()) + " from rank " + std::to_string(key.from.value()) +
           " to rank " + std::to_string(key.to.value());
}

/// How a block's bytes lie, where that is not what its box says: 0 of dense ones. Alike for blocks that are alike.
std::uint64_t form_of(Section const& section, Block const& block) {
    if (!block.is<SparseBlock>()) return 0;
    SparseBlock const sparse = section.sparse(block);
    std::uint64_t form = sparse.compressed ? 3 : 2;
    auto const add = [&](Extent number) { form = (form ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15u; };
    for (Extent axis : sparse.axes) add(axis);
    for (Extent length : sparse.box.length) add(length);
    add(sparse.most);
    return form;
}

/// Both ends of each message, put together at the receiver.
void check_messages(Schedule const& schedule, std::vector<std::string>& faults) {
    struct End {
        MessageKey key;
        bool is_send;
        std::int64_t bytes;
        std::uint64_t form;
        std::ptrdiff_t moments;  // before it
    };
    Table<Rank, std::vector<End>> ends(schedule.sections.size());  // by receiver
    for (Rank rank : schedule.sections.ids()) {
        Section const& section = schedule.sections[rank];
        auto const moments = [&](TaskId task) {
            return std::upper_bound(section.moments.begin(), section.moments.end(), task) - section.moments.begin();
        };
        for (TaskId t : section.tasks.ids()) {
            if (!section.tasks[t].traits().is_transfer()) continue;
            Message const message = section.message(section.tasks[t]);
            MessageKey const key = key_of(message, rank);
            ends[key.to].push_back({key, message.is_send, section.bytes_of(message),
                                    form_of(section, section.blocks[message.block]), moments(t)});
        }
    }
    auto check_receiver = [](std::vector<End> list) {
        std::vector<std::string> found;
        std::sort(list.begin(), list.end(),
                  [](End const& a, End const& b) { return std::tie(a.key, a.is_send) < std::tie(b.key, b.is_send); });
        for (std::size_t k = 0; k < list.size();) {
            std::size_t next = k + 1;
            while (next < list.size() && list[next].key == list[k].key) ++next;
            if (next - k > 2 || (next - k == 2 && list[k].is_send == list[k + 1].is_send))
                found.push_back(describe(list[k].key) + ": expected once, found twice");
            else if (next - k == 1 || list[k].bytes != list[k + 1].bytes)
                found.push_back(describe(list[k].key) + ": expected a sender and a receiver of equal size");
            else if (list[k].form != list[k + 1].form)
                found.push_back(describe(list[k].key) + ": expected a sender and a receiver that list elements alike");
            else if (list[k].moments != list[k + 1].moments)
                found.push_back(describe(list[k].key) + ": expected both ends between the same moments");
            k = next;
        }
        return found;
    };
    for (auto const& found :
         for_each_in_parallel(ends.size(), [&](std::size_t to) { return check_receiver(std::move(ends.list()[to])); }))
        faults.insert(faults.end(), found.begin(), found.end());
}

/// Runs every rank's list in order, a message passing only when both its ends are first in line: the order that the
/// executor's promises about memory and progress rest on.
void check_order_ends(Schedule const& schedule, std::vector<std::string>& faults) {
    Table<Rank, TaskId> at(schedule.sections.size());
    Table<Rank, std::optional<MessageKey>> waiting(schedule.sections.size());  // of a rank that stands at one end of it
    std::vector<Rank> runnable;
    for (int rank = schedule.header.ranks; rank > 0; --rank) runnable.push_back(Rank{rank - 1});
    while (!runnable.empty()) {
        Rank const rank = runnable.back();
        runnable.pop_back();
        Section const& section = schedule.sections[rank];
        for (TaskId& position = at[rank]; section.tasks.has(position); position = following(position)) {
            Task const& task = section.tasks[position];
            if (!task.traits().is_transfer()) continue;
            Message const message = section.message(task);
            MessageKey const key = key_of(message, rank);
            if (waiting[message.peer] != key) {
                waiting[rank] = key;
                break;
            }
            waiting[message.peer].reset();
            at[message.peer] = following(at[message.peer]);
            runnable.push_back(message.peer);
        }
    }
    for (Rank rank : at.ids())
        if (schedule.sections[rank].tasks.has(at[rank])) {
            faults.push_back("rank " + std::to_string(rank.value()) + " stops at task " +
                             std::to_string(at[rank].value()) + ": expected an order that ends on all ranks");
            return;
        }
}

bool is_as_predicted(Header const& header, Section const& section, std::size_t rank) {
    Prediction const& p = header.prediction;
    Exchanged const predicted{p.bytes_sent[rank], p.bytes_received[rank], p.messages_sent[rank]};
    Profile const profile = replay(section);
    return exchanged(section, predicted_iterations(header, section)) == predicted &&
           profile.peak == p.peak_bytes[rank] && profile.at_end == 0;
}

void check_predictions(Schedule const& schedule, std::vector<std::string>& faults) {
    auto const good = for_each_in_parallel(schedule.sections.size(), [&](std::size_t rank) {
        return char{is_as_predicted(schedule.header, schedule.sections.list()[rank], rank)};
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
        return faults_of(schedule.header, schedule.sections.list()[rank], Rank{static_cast<int>(rank)});
    });
    for (auto const& of_rank : of_ranks) faults.insert(faults.end(), of_rank.begin(), of_rank.end());
    if (!faults.empty()) return faults;
    check_messages(schedule, faults);
    if (faults.empty()) check_order_ends(schedule, faults);
    if (faults.empty()) check_predictions(schedule, faults);
    return faults;
}

}  // namespace ein::schedule
