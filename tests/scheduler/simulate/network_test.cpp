#include "scheduler/simulate/network.hpp"

#include "scheduler/tuning.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using scheduler::Cluster;
using scheduler::FairLink;
using scheduler::Network;

namespace {

/// Ends of all messages, as (message, time), in order.
std::vector<std::pair<int, double>> ends_of(Network& network) {
    std::vector<std::pair<int, double>> out;
    while (network.next() < FairLink::never) {
        double const now = network.next();
        if (Network::Step const step = network.step(); step.passed) out.emplace_back(step.message, now);
    }
    return out;
}

Cluster plain() {
    Cluster cluster;
    cluster.ranks_per_node = 2;
    cluster.inside = {100, 0, 0, {}};
    cluster.between = {10, 0, 0, {}};
    cluster.uplink.reset();
    return cluster;
}

}  // namespace

TEST_CASE("a link is shared evenly by who is there", "[scheduler][simulate]") {
    FairLink link(10);
    CHECK(link.next_end() == FairLink::never);
    link.add(0, 20, 7);
    CHECK(link.next_end() == Approx(2));
    link.add(1, 10, 8);  // 10 bytes left of both
    CHECK(link.next_end() == Approx(3));
    CHECK(link.take(3) == 7);
    CHECK(link.next_end() == Approx(3));
    CHECK(link.take(3) == 8);
    link.add(5, 1, 9);
    CHECK(link.next_end() == Approx(5.1));
}

TEST_CASE("the earliest of changing times is known", "[scheduler][simulate]") {
    scheduler::Earliest earliest(5);
    CHECK(earliest.time() == FairLink::never);
    earliest.set(4, 3);
    earliest.set(1, 3);
    CHECK(earliest.index() == 1);
    earliest.set(1, 9);
    CHECK(earliest.index() == 4);
    earliest.grow(100);
    earliest.set(99, 1);
    CHECK(earliest.index() == 99);
    earliest.set(99, 9);
    CHECK(earliest.index() == 4);
    scheduler::Earliest one(1);
    one.set(0, 2);
    CHECK(one.time() == 2);
}

TEST_CASE("messages share the links that they have in common", "[scheduler][simulate]") {
    Cluster const cluster = plain();
    SECTION("two into one rank take twice as long") {
        Network network(cluster, 6);
        network.start(0, 0, Rank{0}, Rank{4}, 100);
        network.start(0, 1, Rank{2}, Rank{4}, 100);
        auto const ends = ends_of(network);
        CHECK(ends[0].second == Approx(20));
        CHECK(ends[1].second == Approx(20));
    }
    SECTION("both ways at once cost nothing more: links are full duplex") {
        Network network(cluster, 6);
        network.start(0, 0, Rank{0}, Rank{2}, 100);
        network.start(0, 1, Rank{2}, Rank{0}, 100);
        CHECK(ends_of(network)[1].second == Approx(10));
    }
    SECTION("unless the cluster says what two ranks exchange both ways") {
        Cluster half = cluster;
        half.between.both_ways = 10;
        Network network(half, 6);
        network.start(0, 0, Rank{0}, Rank{2}, 100);
        network.start(0, 1, Rank{2}, Rank{0}, 100);
        CHECK(ends_of(network)[1].second == Approx(20));
        Network ring(half, 6);  // to one neighbour, from another: nobody exchanges
        ring.start(0, 0, Rank{0}, Rank{2}, 100);
        ring.start(0, 1, Rank{2}, Rank{4}, 100);
        ring.start(0, 2, Rank{4}, Rank{0}, 100);
        CHECK(ends_of(ring)[2].second == Approx(10));
    }
    Cluster queued = cluster;
    queued.between.latency = 0.5;
    queued.between.queue = 30;
    queued.eager = 20;
    double const share = tuning::share_of_a_queue;
    SECTION("an answer stands behind what is left of what goes its way, as far as the link queues it") {
        Network network(queued, 6);
        CHECK(network.answer(0, Rank{2}, Rank{0}) == Approx(0.5));
        network.start(0, 0, Rank{0}, Rank{2}, 100);
        CHECK(network.answer(0, Rank{2}, Rank{0}) == Approx(3 * share + 0.5));
        while (network.next() < 7) network.step();
        CHECK(network.answer(7, Rank{2}, Rank{0}) == Approx(7 + share + 0.5));  // 20 bytes were sent ahead, 10 are left
        CHECK(network.answer(0, Rank{0}, Rank{2}) == Approx(0.5));
        CHECK(network.answer(0, Rank{4}, Rank{0}) == Approx(0.5));
        while (network.next() < FairLink::never) network.step();
        CHECK(network.answer(10, Rank{2}, Rank{0}) == Approx(10.5));
    }
    SECTION("of each message under way so much stands before an answer") {
        Network network(queued, 6);
        network.start(0, 0, Rank{0}, Rank{2}, 100);
        network.start(0, 1, Rank{0}, Rank{2}, 40);  // 20 of which were sent ahead
        CHECK(network.answer(0, Rank{2}, Rank{0}) == Approx((3 + 2) * share + 0.5));
    }
    SECTION("an answer does not stand behind what has left, though it waits for its receiver") {
        Network network(queued, 6);
        network.start(0, 0, Rank{0}, Rank{2}, 40);
        network.start(0, 1, Rank{4}, Rank{2}, 120);
        CHECK(network.step().message == -1);  // message 0 has left rank 0
        network.start(2.5, 2, Rank{0}, Rank{4}, 100);
        CHECK(network.answer(2.5, Rank{2}, Rank{0}) == Approx(2.5 + 0.5));
    }
    SECTION("ranks that ask each other at about the same time both answer before either sends") {
        Network network(queued, 6);
        CHECK(network.ask(0, Rank{0}, Rank{2}) == Approx(2 + 0.5));
        CHECK(network.ask(1, Rank{2}, Rank{0}) == Approx(1 + 2 + 0.5));
        CHECK(network.answer(2.5, Rank{0}, Rank{2}) == Approx(3 + 0.5));  // behind the request of its own rank
        CHECK(Network(cluster, 6).ask(7, Rank{2}, Rank{0}) == Approx(7 + cluster.between.latency));
    }
    SECTION("ranks of one node have their own, faster link") {
        Network network(cluster, 6);
        network.start(0, 0, Rank{0}, Rank{1}, 100);
        network.start(0, 1, Rank{0}, Rank{2}, 100);
        auto const ends = ends_of(network);
        CHECK(ends[0] == std::pair(0, 1.0));
        CHECK(ends[1].second == Approx(10));
    }
}

TEST_CASE("ranks of a node share its uplink, all nodes the backbone", "[scheduler][simulate]") {
    Cluster cluster = plain();
    cluster.uplink = 10;
    Network uplinks(cluster, 6);
    uplinks.start(0, 0, Rank{0}, Rank{2}, 100);
    uplinks.start(0, 1, Rank{1}, Rank{4}, 100);
    CHECK(ends_of(uplinks)[1].second == Approx(20));
    cluster.backbone = 5;
    Network backbone(cluster, 6);
    backbone.start(0, 0, Rank{0}, Rank{2}, 100);
    backbone.start(0, 1, Rank{2}, Rank{4}, 100);
    CHECK(ends_of(backbone)[1].second == Approx(40));
}

TEST_CASE("a message keeps its ranks' links busy beside its bytes", "[scheduler][simulate]") {
    Cluster cluster = plain();
    cluster.between.per_message = 1;
    Network network(cluster, 6);
    network.start(0, 0, Rank{0}, Rank{2}, 10);
    network.start(0, 1, Rank{0}, Rank{4}, 10);
    CHECK(ends_of(network)[1].second == Approx(4));
}

TEST_CASE("a link that was idle carries a burst at once", "[scheduler][simulate]") {
    FairLink link(10, 30);
    link.add(0, 50, 1);
    CHECK(link.next_end() == Approx(2));  // 20 bytes beyond the burst
    CHECK(link.take(2) == 1);
    link.add(3, 15, 2);  // what came back in a second
    CHECK(link.next_end() == Approx(3.5));
    CHECK(link.take(3.5) == 2);
    link.add(100, 30, 3);
    CHECK(link.next_end() == Approx(100));
}

TEST_CASE("a sender is free when the rest of its message fits in the queue", "[scheduler][simulate]") {
    Cluster cluster = plain();
    cluster.ranks_per_node = 1;
    cluster.eager = 0;
    cluster.between.queue = 20;
    Network network(cluster, 2);
    CHECK_FALSE(network.start(0, 0, Rank{0}, Rank{1}, 50));
    CHECK(network.next() == Approx(3));
    Network::Step step;
    while (step.message < 0) step = network.step();
    CHECK((step.sent && !step.passed));
    CHECK(network.start(3, 1, Rank{1}, Rank{0}, 20));  // all of it fits
    auto const ends = ends_of(network);
    REQUIRE(ends.size() == 2);
    for (auto const& [message, end] : ends) CHECK(end == Approx(5));
}
