#include "scheduler/lower/einsum/split_call.hpp"

#include <numeric>

#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

constexpr SplitRule any_size{
    .product_points = 1, .other_points = 1, .product_length = 1, .block_bytes = 1 << 20, .weighs_time = false};

/// Z[i, k] = A[i, j] B[j, k] of 8, on rank 1 of 3; B lies in `sources`, A is here.
SplitCall pieces(graph::EinSum const& einsum, std::vector<OperandSource> sources, CallParts parts = {},
                 SplitRule const& rule = any_size) {
    parts.operands = {{{Box::whole({8, 8}), Rank{1}}}, std::move(sources)};
    return split_call(einsum, Box::whole(einsum.extents), parts, Rank{1}, 3, rule);
}

Box rows(Extent begin, Extent length) { return {{begin, 0}, {length, 8}}; }

std::vector<OperandSource> const rows_of_three{{rows(0, 3), Rank{0}}, {rows(3, 3), Rank{1}}, {rows(6, 2), Rank{2}}};

graph::EinGraph product_chain(Extent extent) {
    test::GraphBuilder g;
    for (auto const& name : {"A", "B", "C", "D", "E"}) g.leaf(name, {extent, extent});
    g.einsum("AB", "ij,jk->ik", {"A", "B"});
    g.einsum("DE", "ij,jk->ik", {"D", "E"});
    g.einsum("CDE", "ij,jk->ik", {"C", "DE"});
    g.einsum("Z", "ik,ik->ik", {"AB", "CDE"}, {.join = "x + y"});
    return g.finish({"Z"});
}

std::int64_t total(std::vector<std::int64_t> const& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

std::size_t copies_in(schedule::Schedule const& schedule) {
    std::size_t n = 0;
    for (auto const& section : schedule.sections)
        n += static_cast<std::size_t>(
            std::count_if(section.tasks.begin(), section.tasks.end(),
                          [&](schedule::Task const& task) { return task.is<schedule::Copy>(); }));
    return n;
}

}  // namespace

TEST_CASE("pieces of a sum accumulate, what is here first, then ranks in turn", "[scheduler][pieces]") {
    auto const made = pieces(test::einsum("ij,jk->ik", {{8, 8}, {8, 8}}), rows_of_three);
    CHECK(made.by_source == std::vector<bool>{false, true});
    REQUIRE(made.list.size() == 3);
    std::vector<std::size_t> const sources{1, 2, 0};
    for (std::size_t p = 0; p < 3; ++p) {
        CHECK(made.list[p].sources == std::vector<std::size_t>{0, sources[p]});
        CHECK(made.list[p].accumulate == (p > 0));
    }
    CHECK(made.list[0].region == Box{{0, 3, 0}, {8, 3, 8}});
}

TEST_CASE("pieces along a label of the output write parts of it", "[scheduler][pieces]") {
    auto const made = pieces(test::einsum("ij,kj->ik", {{8, 8}, {8, 8}}), rows_of_three);
    REQUIRE(made.list.size() == 3);
    for (SubCall const& piece : made.list) CHECK_FALSE(piece.accumulate);
    CHECK(made.list[1].region == Box{{0, 0, 6}, {8, 8, 2}});
}

TEST_CASE("subblocks that others keep are made first", "[scheduler][pieces]") {
    CallParts parts;
    parts.subblocks = {rows(0, 3), rows(3, 3), rows(6, 2)};
    parts.turns = {2, 0, 1};
    auto const made = pieces(test::einsum("ij,jk->ik", {{8, 8}, {8, 8}}), {{Box::whole({8, 8}), Rank{1}}}, parts);
    REQUIRE(made.list.size() == 3);
    CHECK(made.list[0].subblock == 2);
    CHECK(made.list[1].subblock == 0);
    CHECK(made.list[2].subblock == 1);
}

TEST_CASE("a call stays whole where pieces do not pay or are not the same", "[scheduler][pieces]") {
    auto const product = test::einsum("ij,jk->ik", {{8, 8}, {8, 8}});
    auto const whole = [](SplitCall const& made) { return made.list.size() == 1 && !made.by_source[1]; };
    CHECK(
        whole(pieces(product, rows_of_three, {}, {.product_points = 129, .product_length = 1, .weighs_time = false})));
    CHECK_FALSE(
        whole(pieces(product, rows_of_three, {}, {.product_points = 128, .product_length = 1, .weighs_time = false})));
    CHECK(whole(pieces(product, rows_of_three, {}, {.product_points = 1, .product_length = 3, .weighs_time = false})));
    CHECK(whole(pieces(product, rows_of_three, {},
                       {.product_points = 1, .product_length = 1, .calls = 2, .weighs_time = false})));
    CallParts narrow;
    narrow.may_accumulate = false;
    CHECK(whole(pieces(product, rows_of_three, narrow)));
    auto scores = product;
    scores.agg = scalar::Agg::logsumexp;
    CHECK(whole(pieces(scores, rows_of_three)));
    CHECK(whole(pieces(test::einsum("ij,kk->ik", {{8, 8}, {8, 8}}), rows_of_three)));  // a diagonal
    CHECK(whole(pieces(product, {{rows(0, 4), Rank{0}}, {{{4, 0}, {4, 4}}, Rank{1}}, {{{4, 4}, {4, 4}}, Rank{2}}})));
}

TEST_CASE("subblocks are made apart where that hides more than it reads again", "[scheduler][pieces]") {
    auto const product = test::einsum("ij,jk->ik", {{400, 20000}, {20000, 4000}});
    std::vector<Box> rows;
    for (Extent row = 0; row < 400; row += 100) rows.push_back({{row, 0}, {100, 4000}});
    auto const pays = [&](double link) {
        SplitRule rule;
        rule.link = link;
        return subblocks_pay(product, Box::whole(product.extents), rows, 8 * 400 * 4000, 8, rule);
    };
    CHECK_FALSE(pays(1e10));  // the second operand, 640 MB, would be read three times more: 64 ms, to hide 1 ms
    CHECK(pays(1e8));         // 96 of 128 ms
}

TEST_CASE("sums are cut where what is there can be used meanwhile, but not very short ones", "[scheduler][pieces]") {
    auto const count = [](Extent terms) {
        auto const product = test::einsum("ij,jk->ik", {{2048, terms}, {terms, 2048}});
        CallParts parts;
        parts.operands = {{{Box::whole({2048, terms}), Rank{0}}},
                          {{{{0, 0}, {terms / 2, 2048}}, Rank{0}}, {{{terms / 2, 0}, {terms / 2, 2048}}, Rank{1}}}};
        return split_call(product, Box::whole(product.extents), parts, Rank{0}, 2, {.product_points = 1}).list.size();
    };
    CHECK(count(2048) == 2);
    CHECK(count(256) == 1);
}

TEST_CASE("a side of a product is as long as its labels together", "[scheduler][pieces]") {
    auto const heads = test::einsum("qhd,hdj->qj", {{64, 4, 32}, {4, 32, 64}});
    CallParts parts;
    parts.operands = {{{{{0, 0, 0}, {64, 2, 32}}, Rank{0}}, {{{0, 2, 0}, {64, 2, 32}}, Rank{1}}},
                      {{Box::whole({4, 32, 64}), Rank{0}}}};
    auto const count = [&](Extent length) {
        return split_call(heads, Box::whole(heads.extents), parts, Rank{0}, 2,
                          {.product_points = 1, .product_length = length, .weighs_time = false})
            .list.size();
    };
    CHECK(count(64) == 2);
    CHECK(count(65) == 1);
}

TEST_CASE("an operand that is here in blocks is put together where a copy is little beside the computing",
          "[scheduler][pieces]") {
    auto const call_of = [](Extent k, Rank other) {
        graph::EinSum const product = test::einsum("ij,jk->ik", {{4096, 4096}, {4096, k}});
        CallParts parts;
        parts.operands = {{{Box::whole({4096, 4096}), Rank{0}}},
                          {{Box{{0, 0}, {2048, k}}, Rank{0}}, {Box{{2048, 0}, {2048, k}}, other}}};
        return split_call(product, Box::whole(product.extents), parts, Rank{0}, 2, {.product_points = 1});
    };
    CHECK(call_of(1024, Rank{0}).list.size() == 1);  // 64 MiB copied beside 34 GFLOP
    CHECK(call_of(1024, Rank{1}).list.size() == 2);  // half of it comes meanwhile
    graph::EinSum const sum = test::einsum("ij->i", {{1 << 14, 1 << 12}});
    CallParts parts;
    parts.operands = {{{Box{{0, 0}, {1 << 13, 1 << 12}}, Rank{0}}, {Box{{1 << 13, 0}, {1 << 13, 1 << 12}}, Rank{0}}}};
    CHECK(split_call(sum, Box::whole(sum.extents), parts, Rank{0}, 2, {}).list.size() ==
          2);  // read once: a copy is not little
}

TEST_CASE("large subblocks are cut again where lengths divide, along the last axis that is cut",
          "[scheduler][pieces]") {
    SplitRule const rule{.block_bytes = 64, .blocks = 4};
    auto const subblocks = [&](Shape const& shape, std::size_t sharers, Parts const& wanted = {}) {
        return shared_subblocks(Cut(shape, {1, 1}), 0, sharers, 8, wanted, 0, rule);
    };
    CHECK(subblocks({16, 8}, 2) == Parts{8, 1});
    CHECK(subblocks({8, 16}, 2) == Parts{1, 8});
    CHECK(subblocks({16, 8}, 4, {2, 2}) == Parts{2, 8});
    CHECK(subblocks({12, 8}, 2) == Parts{6, 1});
    CHECK(subblocks({7, 8}, 2, {2, 1}) == Parts{2, 1});
    CHECK(subblocks({16, 8}, 1) == Parts{1, 1});
    CHECK(subblocks({4, 4}, 2) == Parts{2, 1});
    CHECK(shared_subblocks(Cut({16, 8}, {1, 1}), 0, 4, 8, {}, 512, rule) == Parts{2, 1});  // one for two of them
}

TEST_CASE("sources that had to come are taken after those that were here", "[scheduler][pieces]") {
    auto const here_now = [](Extent begin, Extent length, Rank home) {
        return OperandSource{rows(begin, length), Rank{1}, home};
    };
    auto const made = pieces(test::einsum("ij,jk->ik", {{8, 8}, {8, 8}}),
                             {here_now(0, 3, Rank{0}), here_now(3, 3, Rank{1}), here_now(6, 2, Rank{2})});
    REQUIRE(made.list.size() == 3);
    CHECK(made.list[0].sources[1] == 1);
    CHECK(made.list[1].sources[1] == 2);
    CHECK(made.list[2].sources[1] == 0);
}

TEST_CASE("a cut that is there already is taken by every operand that it suits", "[scheduler][pieces]") {
    graph::EinSum const product = test::einsum("ij,jk->ik", {{4096, 4096}, {4096, 2048}});
    CallParts parts;
    Box const upper{{0, 0}, {2048, 4096}}, lower{{2048, 0}, {2048, 4096}};
    parts.operands = {{{upper, Rank{0}}, {lower, Rank{0}}}, {{Box::whole({4096, 2048}), Rank{0}}}};
    auto const made = [&] { return split_call(product, Box::whole(product.extents), parts, Rank{0}, 2, {}); };
    CHECK_FALSE(made().by_source[0]);  // put together: a copy is little
    parts.subblocks = {{{0, 0}, {2048, 2048}}, {{2048, 0}, {2048, 2048}}};
    parts.turns = {0, 0};
    CHECK(made().by_source[0]);
}

TEST_CASE("calls in pieces move the same bytes, copy nothing and hold no more", "[scheduler][pieces]") {
    int const ranks = GENERATE(2, 3, 4, 7);
    auto const graph = product_chain(96);
    auto const plan = planner::plan(graph, {.ranks = ranks});
    SchedulerOptions options{.place = "pattern", .subblock_bytes = 0};
    auto const whole = make_schedule(graph, plan, options);
    options.split = any_size;
    auto const made = make_schedule(graph, plan, options);
    CAPTURE(ranks);
    CHECK(made.header.prediction.bytes_sent == whole.header.prediction.bytes_sent);
    CHECK(total(made.header.prediction.bytes_received) == total(whole.header.prediction.bytes_received));
    CHECK(copies_in(made) <= copies_in(whole));
    if (ranks == 2) CHECK(copies_in(made) == 0);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank)
        CHECK(made.header.prediction.peak_bytes[rank] <= whole.header.prediction.peak_bytes[rank]);
}
