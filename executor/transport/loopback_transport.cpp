#include "executor/transport/loopback_transport.hpp"

#include <algorithm>
#include <cstring>

namespace ein::executor {

/// One rank's end of the hub.
class LoopbackTransport final : public Transport {
public:
    LoopbackTransport(LoopbackHub& hub, Rank rank) : hub_(hub), rank_(rank) {}
    Rank rank() const override { return rank_; }
    int size() const override { return hub_.ranks_; }

    void start_send(std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket, SendEnds) override {
        MutexLock const lock(hub_.mutex_);
        hub_.check_running();
        hub_.check_access(bytes.data());
        int const delay = hub_.options_.max_delay == 0
                              ? 0
                              : std::uniform_int_distribution<int>(0, hub_.options_.max_delay)(hub_.random_);
        auto [place, fresh] =
            member(to).arriving.try_emplace({rank_.value(), tag}, LoopbackHub::Message{bytes, ticket, delay});
        promise(fresh, "two messages from one rank to another carry the same tag");
        mine().counts.bytes_sent += static_cast<std::int64_t>(bytes.size());
        ++mine().counts.messages_sent;
    }

    void start_receive(std::span<std::byte> into, Rank from, int tag, Ticket ticket) override {
        MutexLock const lock(hub_.mutex_);
        hub_.check_running();
        hub_.check_access(into.data());
        mine().receives.push_back({into, from.value(), tag, ticket, 0, false});
    }

    void start_send_up_to(std::size_t most, std::span<std::byte const> bytes, Rank to, int tag, Ticket ticket,
                          SendEnds ends) override {
        promise(bytes.size() <= most, "a message is longer than its receiver expects");
        start_send(bytes, to, tag, ticket, ends);
    }

    void start_receive_up_to(std::span<std::byte> into, Rank from, int tag, Ticket ticket) override {
        MutexLock const lock(hub_.mutex_);
        hub_.check_running();
        hub_.check_access(into.data());
        mine().receives.push_back({into, from.value(), tag, ticket, 0, true});
    }

    void poll(std::vector<Ticket>& done) override {
        MutexLock const lock(hub_.mutex_);
        hub_.check_running();
        for (LoopbackHub::Receive const& receive : mine().receives) hub_.check_access(receive.into.data());
        std::erase_if(mine().receives, [&](LoopbackHub::Receive& receive) EIN_REQUIRES(hub_.mutex_) {
            if (!hub_.advance(receive, mine())) return false;
            done.push_back(receive.ticket);
            return true;
        });
        done.insert(done.end(), mine().sent.begin(), mine().sent.end());
        mine().sent.clear();
    }

    void start_barrier() override {
        MutexLock const lock(hub_.mutex_);
        hub_.check_running();
        ++mine().barrier;
    }

    bool test_barrier() override {
        MutexLock const lock(hub_.mutex_);
        hub_.check_running();
        return std::all_of(hub_.members_.begin(), hub_.members_.end(),
                           [mine = mine().barrier](LoopbackHub::Member const& other) { return other.barrier >= mine; });
    }

    std::vector<std::string> all_gather(std::string const& text) override {
        MutexLock const lock(hub_.mutex_);
        hub_.check_running();
        hub_.gathered_[static_cast<std::size_t>(rank_.value())] = text;
        std::int64_t const round = hub_.gather_round_;
        if (++hub_.gathering_ == size()) {
            hub_.gather_result_ = hub_.gathered_;
            hub_.gathering_ = 0;
            ++hub_.gather_round_;
            hub_.changed_.notify_all();
        }
        hub_.changed_.wait(lock,
                           [&]() EIN_REQUIRES(hub_.mutex_) { return hub_.gather_round_ > round || hub_.aborted_; });
        hub_.check_running();
        return hub_.gather_result_;  // the next round cannot end before this rank takes part in it
    }

    void post_note(Rank to, std::string const& note) override {
        MutexLock const lock(hub_.mutex_);
        member(to).notes.emplace_back(rank_.value(), note);
    }

    bool take_note(Rank& from, std::string& note) override {
        MutexLock const lock(hub_.mutex_);
        hub_.check_running();
        if (mine().notes.empty()) return false;
        from = Rank{mine().notes.front().first};
        note = std::move(mine().notes.front().second);
        mine().notes.pop_front();
        return true;
    }

    bool reaches_devices() const override { return true; }  // of emulated ones
    TransferCounts counts() const override {
        MutexLock const lock(hub_.mutex_);
        return hub_.members_[static_cast<std::size_t>(rank_.value())].counts;
    }

    [[noreturn]] void abort(ExitCode code) override {
        MutexLock const lock(hub_.mutex_);
        if (!hub_.aborted_) hub_.aborted_ = code;
        hub_.changed_.notify_all();
        throw RunAborted(*hub_.aborted_);
    }

private:
    LoopbackHub::Member& member(Rank rank) EIN_REQUIRES(hub_.mutex_) {
        return hub_.members_[static_cast<std::size_t>(rank.value())];
    }
    LoopbackHub::Member& mine() EIN_REQUIRES(hub_.mutex_) { return member(rank_); }

    LoopbackHub& hub_;
    Rank rank_;
};

LoopbackHub::LoopbackHub(int ranks, LoopbackOptions options)
    : options_(options),
      ranks_(ranks),
      random_(options.seed),
      members_(static_cast<std::size_t>(ranks)),
      gathered_(static_cast<std::size_t>(ranks)) {}

std::unique_ptr<Transport> LoopbackHub::join(Rank rank) { return std::make_unique<LoopbackTransport>(*this, rank); }

void LoopbackHub::check_running() const {
    if (aborted_) throw RunAborted(*aborted_);
}

void LoopbackHub::check_access(void const* memory) const {
    if (options_.check_access) options_.check_access(memory);
}

/// Moves the next piece of a message; true when the whole message has arrived.
bool LoopbackHub::advance(Receive& receive, Member& receiver) {
    auto const found = receiver.arriving.find({receive.from, receive.tag});
    if (found == receiver.arriving.end()) return false;
    Message& message = found->second;
    if (message.delay-- > 0) return false;
    message.delay = 0;
    bool const fits = receive.may_be_shorter ? message.bytes.size() <= receive.into.size()
                                             : message.bytes.size() == receive.into.size();
    if (!fits)
        throw RunError("message " + std::to_string(receive.tag) + " from rank " + std::to_string(receive.from) +
                       " has " + std::to_string(message.bytes.size()) + " bytes, the receiver expects " +
                       std::to_string(receive.into.size()));
    std::size_t const count = std::min(options_.chunk, message.bytes.size() - receive.moved);
    if (count > 0) std::memcpy(receive.into.data() + receive.moved, message.bytes.data() + receive.moved, count);
    receive.moved += count;
    if (receive.moved < message.bytes.size()) return false;
    members_[static_cast<std::size_t>(receive.from)].sent.push_back(message.ticket);
    receiver.arriving.erase(found);
    return true;
}

}  // namespace ein::executor
