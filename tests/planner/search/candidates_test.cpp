#include "planner/search/candidates.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "planner/search/candidate_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

std::int64_t product(Parts const& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{1}, std::multiplies<>());
}

/// Every vector of parts within the extents, by counting.
std::set<Parts> all_vectors(Shape const& extents, std::int64_t calls) {
    std::set<Parts> best;
    std::int64_t reached = 0;
    Shape counts;
    for (Extent extent : extents) counts.push_back(std::min(calls, std::max<Extent>(1, extent)));
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        Parts parts(index.begin(), index.end());
        for (auto& part : parts) ++part;
        if (product(parts) > calls || product(parts) < reached) return;
        if (product(parts) > reached) best.clear();
        reached = product(parts);
        best.insert(parts);
    });
    return best;
}

}  // namespace

TEST_CASE("the numbers of candidates for powers of two are the published ones", "[planner][candidates]") {
    auto extents = [](std::size_t labels) { return Shape(labels, 1 << 20); };
    CHECK(count_candidates(extents(3), 8) == 10);
    CHECK(count_candidates(extents(6), 1024) == 3003);
    CHECK(count_candidates(extents(8), 1024) == 19448);
    CHECK(count_candidates(extents(12), 1024) == 352716);
    CHECK(candidates(extents(3), 8).parts.size() == 10);
    CHECK(candidates(extents(6), 1024).parts.size() == 3003);
    CHECK(candidates(extents(8), 1024).parts.size() == 19448);
}

TEST_CASE("a matmul on 8 calls has the two vectors that the paper's list lacks", "[planner][candidates]") {
    auto const list = candidates(Shape{8, 8, 8}, 8).parts;
    for (Parts const& missing : {Parts{2, 4, 1}, Parts{1, 4, 2}})
        CHECK(std::find(list.begin(), list.end(), missing) != list.end());
    CHECK(std::is_sorted(list.rbegin(), list.rend()));
}

TEST_CASE("with them come the output cuts (2, 1) and (1, 2), and each input is needed in its own labels' parts",
          "[planner][candidates]") {
    graph::EinGraph const graph = test::matmul(8, 8, 8);
    CandidateTable const table(graph, 8, Unit::elements, 1000);
    NodeCandidates const& matmul = table.of(NodeId{0});
    CHECK(matmul.outputs.size() == 10);
    for (Parts const& cut : {Parts{2, 1}, Parts{1, 2}, Parts{2, 4}, Parts{1, 1}})
        CHECK(std::find(matmul.outputs.begin(), matmul.outputs.end(), cut) != matmul.outputs.end());
    REQUIRE(matmul.sources.size() == 2);
    for (std::size_t c = 0; c < matmul.candidates.size(); ++c) {
        Parts const& d = matmul.candidates[c];  // over (i, j, k); the text prints l_Z for l_X and l_Y here
        for (std::size_t s : {0, 1}) {
            SourceNeeds const& source = matmul.sources[s];
            CHECK(source.needs[static_cast<std::size_t>(source.need_of[c])] ==
                  std::vector<Parts>{s == 0 ? Parts{d[0], d[1]} : Parts{d[1], d[2]}});
        }
    }
}

TEST_CASE("candidates are exactly the vectors of the largest product within calls and extents",
          "[planner][candidates]") {
    std::mt19937 random(7);
    for (int round = 0; round < 400; ++round) {
        Shape extents(random() % 4);
        for (Extent& extent : extents) extent = static_cast<Extent>(random() % 7);
        std::int64_t const calls = 1 + static_cast<std::int64_t>(random() % 30);
        CAPTURE(extents, calls);
        Candidates const found = candidates(extents, calls);
        std::set<Parts> const expected = all_vectors(extents, calls);
        CHECK(std::set<Parts>(found.parts.begin(), found.parts.end()) == expected);
        CHECK(found.parts.size() == expected.size());
        CHECK(found.calls == product(*expected.begin()));
        CHECK(found.total == static_cast<double>(expected.size()));
    }
}

TEST_CASE("a prime number of calls that no extent allows falls to the largest product below", "[planner][candidates]") {
    CHECK(attainable_calls(Shape{6, 6}, 7) == 6);
    CHECK(attainable_calls(Shape{7, 1}, 7) == 7);
    CHECK(attainable_calls(Shape{2, 3}, 100) == 6);
    CHECK(attainable_calls(Shape{}, 100) == 1);
    CHECK(attainable_calls(Shape{0, 0}, 8) == 1);
    CHECK(attainable_calls(Shape{1LL << 40, 1LL << 40}, 65521) == 65521);
}

TEST_CASE("given parts stay; the free labels have the largest product that is left", "[planner][candidates]") {
    auto list = [](Shape const& extents, std::int64_t calls, Parts const& fixed) {
        return candidates(extents, calls, 1000, fixed);
    };
    CHECK(list({8, 8, 8}, 8, {2, 0, 0}).parts == std::vector<Parts>{{2, 4, 1}, {2, 2, 2}, {2, 1, 4}});
    CHECK(list({8, 8, 8}, 8, {2, 0, 0}).calls == 8);
    CHECK(list({8, 8, 8}, 8, {3, 0, 1}).parts == std::vector<Parts>{{3, 2, 1}});  // 6 calls: 3 does not divide 8
    CHECK(list({8, 8, 8}, 8, {4, 4, 0}).parts == std::vector<Parts>{{4, 4, 1}});  // more than asked for
    CHECK(list({8, 8, 8}, 8, {4, 4, 0}).calls == 16);
    CHECK(list({8, 8, 8}, 8, {0, 0, 0}).parts == candidates(Shape{8, 8, 8}, 8).parts);
    CHECK(list({8, 2, 1}, 8, {1, 0, 0}).parts == std::vector<Parts>{{1, 2, 1}});
    CHECK(list({}, 8, {}).parts == std::vector<Parts>{{}});
}

TEST_CASE("too many candidates: only the labels of the largest extents are cut", "[planner][candidates]") {
    Shape extents(40, 2);
    extents[30] = extents[35] = 64;
    Candidates const some = candidates(extents, 64, 500);
    CHECK(some.total > 1e6);
    CHECK(some.parts.size() <= 500);
    CHECK(some.parts.size() > 50);
    for (Parts const& parts : some.parts) CHECK(product(parts) == 64);
    Parts both(40, 1);
    both[30] = both[35] = 8;
    CHECK(std::find(some.parts.begin(), some.parts.end(), both) != some.parts.end());
    CHECK(candidates(extents, 64, 500).parts == some.parts);

    Candidates const few = candidates(Shape(40, 2), 1 << 20, 10);  // 20 labels must be cut, whatever the limit
    CHECK(few.parts.size() <= 10);
    CHECK(product(few.parts.front()) == 1 << 20);
}
