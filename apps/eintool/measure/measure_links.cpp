#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "apps/eintool/measure/measure_cluster.hpp"
#include "executor/report/clock.hpp"

namespace ein::apps::tool {

using executor::Seat;
using executor::seconds_now;
using executor::SendEnds;
using executor::Transport;
using scheduler::Cluster;
using scheduler::Link;

namespace {

/// A sender and a receiver. Some pairs talk at once while all other ranks wait.
using Pair = std::pair<Rank, Rank>;

class LinkBench {
public:
    explicit LinkBench(Transport& transport) : transport_(transport) {}

    double latency(Pair pair) {
        auto const one_way_trips = [&] {
            constexpr int round_trips = 40;
            for (int trip = 0; trip < round_trips; ++trip) {
                transfer({pair}, 8, 1, false);
                transfer({{pair.second, pair.first}}, 8, 1, false);
            }
            return 2.0 * round_trips;
        };
        one_way_trips();
        return timed(one_way_trips);
    }

    double seconds_a_message(Pair pair) {
        return timed([&] {
            constexpr int messages = 500;
            transfer({pair}, 8, messages, true);
            return double{messages};
        });
    }

    /// Bytes/s that all pairs move together, in messages as large as it takes to look for half a second. The best of
    /// three: a lost packet or another program only slows a transfer down.
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

    /// Bytes/s that a rank sends and receives together.
    double both_ways(Pair pair, double one_way) {
        std::size_t const bytes = stream_bytes(one_way);
        double const seconds = median_seconds([&] {
            transfer({pair, {pair.second, pair.first}}, bytes, stream_messages, false);
        });
        return static_cast<double>(2 * stream_messages * bytes) / seconds;
    }

    /// Bytes that a link that was idle carries at once: what a message of a few times a limiter's bucket takes less
    /// than its bytes at the link's rate. Less than a quarter of the message is noise.
    double burst(Pair pair, double one_way, double latency) {
        auto const bytes = static_cast<std::size_t>(std::clamp(one_way / 200, 512e3, 64e6));
        std::vector<double> seconds;
        for (int repeat = 0; repeat < 5; ++repeat) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            seconds.push_back(timed([&] {
                transfer({pair}, bytes, 1, true);
                return 1.0;
            }));
        }
        double const at_once = static_cast<double>(bytes) - (median(seconds) - 2 * latency) * one_way;
        return at_once > static_cast<double>(bytes) / 4 ? at_once : 0;
    }

    /// Seconds by which the answer to a large message is late for each message whose data it stands behind.
    double answer_delay(Pair pair, double one_way) {
        std::vector<double> idle, busy;
        for (int repeat = 0; repeat < 5; ++repeat) {
            idle.push_back(seconds_to_answer(pair, 0, 0));
            busy.push_back(seconds_to_answer(pair, stream_bytes(one_way), stream_messages));
        }
        return (median(busy) - median(idle)) / (stream_messages - 1);  // one of them has come when it is asked for
    }

private:
    template <class What>
    double median_seconds(What const& what) {
        std::vector<double> seconds;
        for (int repeat = 0; repeat < 5; ++repeat)
            seconds.push_back(timed([&] {
                what();
                return 1.0;
            }));
        return median(std::move(seconds));
    }

    static constexpr int stream_messages = 4;
    static std::size_t stream_bytes(double bytes_per_second) {
        return std::clamp<std::size_t>(static_cast<std::size_t>(bytes_per_second / 16), 256 << 10, 64 << 20);
    }

    /// The first rank of `pair` streams messages to the second, which asks it, once the first of them has come, to take
    /// a message that waits to be answered (it is larger than what any MPI sends unasked). @return the seconds until
    /// that message could leave
    double seconds_to_answer(Pair pair, std::size_t bytes, int messages) {
        constexpr std::size_t asking = 192 << 10;
        bool const streams = pair.first == transport_.rank();
        int const stream_tag = tags_[pair], asking_tag = tags_[{pair.second, pair.first}];
        tags_[pair] += messages;
        tags_[{pair.second, pair.first}] += 1;
        transport_.barrier();
        double begin = 0, seconds = 0;
        if (streams || pair.second == transport_.rank()) {
            in_.resize(std::max(in_.size(), asking + bytes * static_cast<std::size_t>(messages)));
            out_.resize(in_.size());
            auto const piece = [&](std::vector<std::byte>& buffer, int m) {
                return std::span(buffer.data() + asking + static_cast<std::size_t>(m) * bytes, bytes);
            };
            constexpr Transport::Ticket ours = 0, theirs = 1;
            auto const ask = [&] {
                begin = seconds_now();
                transport_.start_send({out_.data(), asking}, pair.first, asking_tag, ours, SendEnds::when_free);
            };
            if (streams) transport_.start_receive({in_.data(), asking}, pair.second, asking_tag, ours);
            for (int m = 0; m < messages; ++m)
                streams
                    ? transport_.start_send(piece(out_, m), pair.second, stream_tag + m, theirs, SendEnds::when_free)
                    : transport_.start_receive(piece(in_, m), pair.first, stream_tag + m, theirs);
            if (!streams && messages == 0) ask();
            std::vector<Transport::Ticket> done;
            for (int left = messages + 1; left > 0; done.clear()) {
                transport_.poll(done);
                for (Transport::Ticket const ticket : done) {
                    --left;
                    if (ticket == ours)
                        seconds = seconds_now() - begin;
                    else if (!streams && begin == 0)
                        ask();
                }
            }
        }
        return longest(streams ? 0 : seconds);
    }

    /// Seconds of one of the things that `what` does and counts; the same on all ranks.
    template <class What>
    double timed(What const& what) {
        transport_.barrier();
        double const begin = seconds_now();
        double const count = what();
        double const mine = involved_ ? (seconds_now() - begin) / count : 0.0;
        involved_ = false;
        return longest(mine);
    }

    double longest(double seconds) {
        double out = 0;
        for (std::string const& text : transport_.all_gather(std::to_string(seconds * 1e9)))
            out = std::max(out, std::stod(text));
        return out * 1e-9;
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
                    transport_.start_send(piece, to, tag + m, 0, SendEnds::when_free);
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
    link.burst = static_cast<std::int64_t>(bench.burst(pair, link.bandwidth, link.latency));
    double const late = bench.answer_delay(pair, link.bandwidth);
    link.queue = late > 1e-4 ? static_cast<std::int64_t>(late * link.bandwidth) : 0;
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
