#include "executor/finite/finite_watch.hpp"

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

schedule::Header two_tensors() {
    schedule::Header out;
    for (char const* name : {"X", "Y"}) out.tensors.add({name, {8}, DType::f32});
    return out;
}

Sighting some_elements(std::int64_t count) {
    Sighting out;
    out.add(Box{{0}, {8}}, count, {});
    return out;
}
SeenNonFinite seen_y() {
    return {{{schedule::TensorId{1}, some_elements(3), {}, schedule::KernelId{0}, {schedule::TensorId{0}}}}, {}};
}
SeenNonFinite seen_x() { return {{{schedule::TensorId{0}, some_elements(1), {}}}, {}}; }

/// Watches of all ranks, and the notes between them.
struct Ranks {
    schedule::Header const about = two_tensors();
    std::vector<FiniteWatch> watches;
    std::size_t notes = 0;

    explicit Ranks(int ranks) {
        for (int rank = 0; rank < ranks; ++rank) watches.emplace_back(about, Rank{rank}, ranks);
    }
    /// One tick of every rank, the last one first. @return what rank 0 says
    std::string tick(double now, std::vector<SeenNonFinite> news = {}) {
        std::string said;
        news.resize(watches.size());
        for (std::size_t rank = watches.size(); rank-- > 0;) {
            std::vector<FiniteWatch::Note> out;
            said = watches[rank].tick(now, news[rank], out);
            for (FiniteWatch::Note const& note : out)
                CHECK(watches[at(note.peer)].hear({Rank{static_cast<int>(rank)}, note.text}));
            notes += out.size();
        }
        return said;
    }
};

}  // namespace

TEST_CASE("a run in which nothing is seen sends no note", "[executor][finite]") {
    Ranks ranks(3);
    for (double now = 0; now < 100; ++now) CHECK(ranks.tick(now).empty());
    CHECK(ranks.notes == 0);
}

TEST_CASE("a node that is at fault for half a minute ends the run, when all have answered", "[executor][finite]") {
    int const size = GENERATE(1, 2, 3);
    Ranks ranks(size);
    std::vector<SeenNonFinite> news(static_cast<std::size_t>(size));
    news.back() = seen_y();
    CHECK(ranks.tick(10, news).empty());
    for (double now = 11; now < 40; ++now) CHECK(ranks.tick(now).empty());
    CHECK(ranks.tick(40).empty());  // asks
    CHECK_THAT(ranks.tick(41), Catch::StartsWith("--check-finite: node 'Y': expected finite elements"));
}

TEST_CASE("what another rank has seen before is heard of before the run is ended", "[executor][finite]") {
    Ranks ranks(3);
    CHECK(ranks.tick(0, {{}, seen_y(), {}}).empty());
    CHECK(ranks.tick(35).empty());
    CHECK(ranks.tick(36, {{}, {}, seen_x()}).empty());  // with its answer
    for (double now = 37; now < 100; ++now) CHECK(ranks.tick(now).empty());
}

TEST_CASE("notes of others are left to others", "[executor][finite]") {
    schedule::Header const about = two_tensors();
    FiniteWatch watch(about, Rank{0}, 2);
    for (char const* text : {"alive", "done 3 4", "explain", ""}) CHECK_FALSE(watch.hear({Rank{1}, text}));
}
