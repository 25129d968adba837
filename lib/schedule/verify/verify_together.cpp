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

/// One end of a message to a rank.
struct End {
    Rank from;
    MessageTag tag;
    std::int64_t bytes;
    std::uint64_t form;
    std::int32_t moments;  // before it
    bool is_send;

    bool is_of(End const& other) const { return from == other.from && tag == other.tag; }
    friend bool operator<(End const& a, End const& b) {
        return std::tie(a.from, a.tag, a.is_send) < std::tie(b.from, b.tag, b.is_send);
    }
};

/// The ends of messages to ranks [first, end), by receiver.
std::vector<std::vector<End>> ends_of_messages(Schedule const& schedule, Rank first, Rank end) {
    std::vector<std::vector<End>> out(static_cast<std::size_t>(end.value() - first.value()));
    for (Rank rank : schedule.sections.ids()) {
        Section const& section = schedule.sections[rank];
        bool const receives = first <= rank && rank < end;
        std::int32_t moments = 0;
        for (TaskId t : section.tasks.ids()) {
            Task const& task = section.tasks[t];
            if (!task.traits().is_transfer()) continue;
            bool const is_send = task.is<Send>();
            Rank const to = is_send ? Rank{task.record().peer} : rank;
            if (is_send ? to < first || to >= end : !receives) continue;
            while (moments < static_cast<std::int32_t>(section.moments.size()) &&
                   section.moments[MomentId{moments}] <= t)
                ++moments;
            Message const message = section.message(task);
            out[static_cast<std::size_t>(to.value() - first.value())].push_back(
                {is_send ? rank : message.peer, message.tag, section.bytes_of(message),
                 form_of(section, section.blocks[message.block]), moments, is_send});
        }
    }
    return out;
}

std::vector<std::string> faults_of_messages(Rank to, std::vector<End> list) {
    std::vector<std::string> found;
    std::sort(list.begin(), list.end());
    for (std::size_t k = 0; k < list.size();) {
        std::size_t next = k + 1;
        while (next < list.size() && list[next].is_of(list[k])) ++next;
        auto const describe_this = [&] { return describe({list[k].from, to, list[k].tag}); };
        if (next - k > 2 || (next - k == 2 && list[k].is_send == list[k + 1].is_send))
            found.push_back(describe_this() + ": expected once, found twice");
        else if (next - k == 1 || list[k].bytes != list[k + 1].bytes)
            found.push_back(describe_this() + ": expected a sender and a receiver of equal size");
        else if (list[k].form != list[k + 1].form)
            found.push_back(describe_this() + ": expected a sender and a receiver that list elements alike");
        else if (list[k].moments != list[k + 1].moments)
            found.push_back(describe_this() + ": expected both ends between the same moments");
        k = next;
    }
    return found;
}

constexpr std::size_t most_ends = 4'000'000;  // of messages that are looked at together: some 200 MB

std::size_t all_ends(Schedule const& schedule) {
    std::size_t out = 0;
    for (std::size_t ends : for_each_in_parallel(schedule.sections.size(), [&](std::size_t rank) {
             std::size_t of_rank = 0;
             for (Task const& task : schedule.sections.list()[rank].tasks)
                 of_rank += task.traits().is_transfer() ? 1 : 0;
             return of_rank;
         }))
        out += ends;
    return out;
}

/// Of messages to ranks [first, end): both ends of each, put together at the receiver.
std::vector<std::string> faults_of_messages(Schedule const& schedule, Rank first, Rank end) {
    std::vector<std::string> found;
    std::vector<std::vector<End>> ends = ends_of_messages(schedule, first, end);
    for (std::size_t k = 0; k < ends.size(); ++k) {
        auto const of_rank = faults_of_messages(Rank{first.value() + static_cast<int>(k)}, std::move(ends[k]));
        found.insert(found.end(), of_rank.begin(), of_rank.end());
    }
    return found;
}

/// Runs every rank's list in order, a message passing only when both its ends are first in line: the order that the
/// executor's promises about memory and progress rest on.
std::optional<std::string> fault_of_order(Schedule const& schedule) {
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
        if (schedule.sections[rank].tasks.has(at[rank]))
            return "rank " + std::to_string(rank.value()) + " stops at task " + std::to_string(at[rank].value()) +
                   ": expected an order that ends on all ranks";
    return std::nullopt;
}

bool is_as_predicted(Header const& header, Section const& section, std::size_t rank) {
    Prediction const& p = header.prediction;
    Exchanged const predicted{p.bytes_sent[rank], p.bytes_received[rank], p.messages_sent[rank]};
    Profile const profile = replay(section);
    return exchanged(section, predicted_iterations(header, section)) == predicted &&
           profile.peak == p.peak_bytes[rank] && profile.at_end == 0;
}

/// The order, which one thread goes through, and beside it messages and what is predicted of each rank. Messages are
/// looked at for some receivers at a time, since all ends together are nearly as large as the schedule, and each time
/// all of it is gone through.
std::vector<std::string> faults_together(Schedule const& schedule) {
    std::size_t const ranks = schedule.sections.size();
    std::size_t const at_a_time = std::max<std::size_t>(1, ranks * most_ends / std::max(most_ends, all_ends(schedule)));
    std::size_t const batches = (ranks + at_a_time - 1) / at_a_time;
    auto const check = [&](std::size_t k) -> std::vector<std::string> {
        if (k == 0) {
            auto const fault = fault_of_order(schedule);
            return fault ? std::vector{*fault} : std::vector<std::string>{};
        }
        if (std::size_t const first = (k - 1) * at_a_time; k <= batches)
            return faults_of_messages(schedule, Rank{static_cast<int>(first)},
                                      Rank{static_cast<int>(std::min(ranks, first + at_a_time))});
        std::size_t const rank = k - 1 - batches;
        if (is_as_predicted(schedule.header, schedule.sections.list()[rank], rank)) return {};
        return {"rank " + std::to_string(rank) + ": expected the predicted bytes, messages and peak"};
    };
    auto const found = for_each_in_parallel(1 + batches + ranks, check);
    auto const of = [&](std::size_t first, std::size_t end) {
        std::vector<std::string> out;
        for (std::size_t k = first; k < end; ++k) out.insert(out.end(), found[k].begin(), found[k].end());
        return out;
    };
    // Where messages have faults others follow from those.
    if (auto faults = of(1, 1 + batches); !faults.empty()) return faults;
    if (auto faults = of(0, 1); !faults.empty()) return faults;
    return of(1 + batches, found.size());
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
    return faults.empty() ? faults_together(schedule) : faults;
}

}  // namespace ein::schedule
