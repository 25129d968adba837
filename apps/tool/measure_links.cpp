#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "apps/tool/measure_cluster.hpp"

namespace ein::apps::tool {

using executor::Seat;
using executor::Transport;
using scheduler::Cluster;
using scheduler::Link;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// A sender and a receiver. Some pairs talk at once while all other ranks wait.
using Pair = std::pair<Rank, Rank>;

class LinkBench {
public:
    explicit LinkBench(Transport& transport) : transport_(transport) {}

    double latency(Pair pair) {
        auto const half_turns = [&] {
            constexpr int turns = 40;
            for (int turn = 0; turn < turns; ++turn) {
                transfer({pair}, 8, 1, false);
                transfer({{pair.second, pair.first}}, 8, 1, false);
            }
            return 2.0 * turns;
        };
        half_turns();
        return timed(half_turns);
    }

    double seconds_a_message(Pair pair) {
        return timed([&] {
            constexpr int messages = 500;
            transfer({pair}, 8, messages, true);
            return double{messages};
        });
    }

    /// Bytes/s that all pairs move together, in messages as large as it takes to look for half a second. The best of three: a lost packet
    /// or another program only slows a transfer down.
    double bandwidth(std::vector<Pair> const& pairs) {
        for (std::size_t bytes = std::size_t{256} << 10;; bytes *= 2) {
            auto const seconds = [&] {
                return timed([&] {
                    transfer(pairs, bytes, 4, true);
                    return 1.0;
                });
            };
            double const first = seconds();
            if (first < 0.5 && bytes < std::size_t{64} << 20) continue;
            double const best = std::min({first, seconds(), seconds()});
            return static_cast<double>(4 * bytes * pairs.size()) / best;
        }
    }

    /// Bytes/s that a rank sends and receives together. Connections that exchange evenly from the start reach more than those where one
    /// direction starts when the other is under way; both happen in runs, so a byte is given the mean time of the two.
    double both_ways(Pair pair, double one_way) {
        std::size_t const bytes = std::clamp<std::size_t>(static_cast<std::size_t>(one_way / 16), 64 << 10, 64 << 20);
        double const stream = static_cast<double>(4 * bytes) / one_way;
        // The second half of one stream and the first half of the other overlap: at twice `one_way` they take half of a stream's
        // time, at once `one_way` all of it.
        double const in_turn = median_seconds([&] { exchange_in_turn(pair, bytes); });
        double const overlap = std::clamp(in_turn - stream, stream / 2, stream);
        double const together = median_seconds([&] { transfer({pair, {pair.second, pair.first}}, bytes, 4, false); });
        return static_cast<double>(8 * bytes) / (overlap + std::max(together, stream) / 2);
    }

private:
    template <class What>
    double median_seconds(What const& what) {
        std::vector<double> seconds;
        for (int turn = 0; turn < 5; ++turn)
            seconds.push_back(timed([&] {
                what();
                return 1.0;
            }));
        std::sort(seconds.begin(), seconds.end());
        return seconds[2];
    }

    /// Four messages each way, two after two; the second rank begins to send when it has received two.
    void exchange_in_turn(Pair pair, std::size_t bytes) {
        bool const leads = pair.first == transport_.rank();
        Rank const other = leads ? pair.second : pair.first;
        int const out_tag = tags_[{transport_.rank(), other}], in_tag = tags_[{other, transport_.rank()}];
        tags_[pair] += 4;
        tags_[{pair.second, pair.first}] += 4;
        if (!leads && pair.second != transport_.rank()) return;
        involved_ = true;
        in_.resize(std::max(in_.size(), 4 * bytes));
        out_.resize(std::max(out_.size(), 4 * bytes));
        int sent = 0, sends_left = 0, received = 0;
        auto const send_two = [&] {
            for (int m = sent; m < sent + 2; ++m)
                transport_.start_send({out_.data() + static_cast<std::size_t>(m) * bytes, bytes}, other, out_tag + m,
                                      1);
            sent += 2, sends_left += 2;
        };
        for (int m = 0; m < 4; ++m)
            transport_.start_receive({in_.data() + static_cast<std::size_t>(m) * bytes, bytes}, other, in_tag + m, 0);
        if (leads) send_two();
        for (std::vector<Transport::Ticket> done; received < 4 || sent < 4 || sends_left > 0; done.clear()) {
            transport_.poll(done);
            for (Transport::Ticket const ticket : done) ticket == 0 ? ++received : --sends_left;
            if (sent == 0 ? received >= 2 : sent == 2 && sends_left == 0) send_two();
        }
    }

    /// Seconds of one of the things that `what` does and counts; the same on all ranks.
    template <class What>
    double timed(What const& what) {
        transport_.barrier();
        double const begin = now();
        double const count = what();
        std::string const mine = std::to_string(involved_ ? (now() - begin) / count * 1e9 : 0.0);
        involved_ = false;
        double longest = 0;
        for (std::string const& text : transport_.all_gather(mine)) longest = std::max(longest, std::stod(text));
        return longest * 1e-9;
    }

    /// Messages of each pair, all in flight at once; whoever has no part in it returns at once.
    /// @param answer  receivers say that they have all, so that the sender's time is not that of its buffers
    void transfer(std::vector<Pair> const& pairs, std::size_t bytes, int messages, bool answer) {
        std::size_t open = 0;
        for (auto const& [from, to] : pairs) {
            int const tag = tags_[{from, to}];
            tags_[{from, to}] += messages;
            bool const receives = to == transport_.rank();
            if (from != transport_.rank() && !receives) continue;
            std::vector<std::byte>& buffer = receives ? in_ : out_;
            buffer.resize(std::max(buffer.size(), bytes * static_cast<std::size_t>(messages)));
            for (int m = 0; m < messages; ++m, ++open) {
                std::span<std::byte> const piece(buffer.data() + static_cast<std::size_t>(m) * bytes, bytes);
                if (receives)
                    transport_.start_receive(piece, from, tag + m, 0);
                else
                    transport_.start_send(piece, to, tag + m, 0);
            }
        }
        involved_ = involved_ || open > 0;
        for (std::vector<Transport::Ticket> done; done.size() < open;) transport_.poll(done);
        if (!answer) return;
        std::vector<Pair> answers;
        for (auto const& [from, to] : pairs) answers.emplace_back(to, from);
        transfer(answers, 1, 1, false);
    }

    Transport& transport_;
    std::map<Pair, int> tags_;
    std::vector<std::byte> in_, out_;
    bool involved_ = false;
};

void measure_link(LinkBench& bench, Pair pair, Link& link) {
    link.latency = bench.latency(pair);
    link.per_message = bench.seconds_a_message(pair);
    link.bandwidth = bench.bandwidth({pair});
    double const both = bench.both_ways(pair, link.bandwidth);
    link.both_ways.reset();
    if (both < 1.9 * link.bandwidth) link.both_ways = both;
}

std::map<std::string, std::vector<Rank>> ranks_by_host(std::vector<Seat> const& seats) {
    std::map<std::string, std::vector<Rank>> hosts;
    for (std::size_t rank = 0; rank < seats.size(); ++rank)
        hosts[seats[rank].host].push_back(Rank{static_cast<int>(rank)});
    return hosts;
}

}  // namespace

void measure_links(Transport& transport, std::vector<Seat> const& seats, Cluster& cluster) {
    LinkBench bench(transport);
    auto const hosts = ranks_by_host(seats);
    std::vector<Rank> const* first = nullptr;
    std::vector<Rank> const* second = nullptr;
    for (auto const& [host, ranks] : hosts) (first == nullptr ? first : second) = &ranks;
    if (first->size() > 1) measure_link(bench, {(*first)[0], (*first)[1]}, cluster.inside);
    if (second == nullptr) return;
    measure_link(bench, {first->front(), second->front()}, cluster.between);
    cluster.uplink.reset();
    std::vector<Pair> all;
    for (std::size_t i = 0; i < std::min(first->size(), second->size()); ++i)
        all.emplace_back((*first)[i], (*second)[i]);
    if (all.size() < 2) return;
    double const together = bench.bandwidth(all);
    if (together < 0.9 * cluster.between.bandwidth * static_cast<double>(all.size())) cluster.uplink = together;
}

}  // namespace ein::apps::tool
