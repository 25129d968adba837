#include "lib/base/error.hpp"
#include "scheduler/ia/cost.hpp"
#include "scheduler/ia/expression.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::ia;
namespace k = ein::tra::kernels;

namespace {

RelationType const type{{4, 4}, {2, 2}, std::nullopt, ""};
Expr at(Sites sites, int site_count = 4) { return input("X", type, std::move(sites), site_count); }
Expr joined(Join const& join, Sites left, Sites right) {
    return local(join, {at(std::move(left)), at(std::move(right))});
}
Join const product{{1}, {0}, k::mat_mul()};

}  // namespace

TEST_CASE("the site of a key is the same for any order of its dimensions", "[scheduler][ia][sites]") {
    CHECK(Sites::part({2, 0}) == Sites::part({0, 2}));
    CHECK(site_of({3, 9, 2}, {0, 2}, 4) == 1);
    CHECK(Sites::part({0}).keeps_together({0, 1}));
    CHECK_FALSE(Sites::part({0, 1}).keeps_together({0}));
    CHECK(Sites::all().keeps_together({}));
    CHECK_FALSE(Sites::scattered().keeps_together({0, 1}));
}

TEST_CASE("a local join wants one side at all sites, or both partitioned alike", "[scheduler][ia][typing]") {
    CHECK(joined(product, Sites::all(), Sites::part({1})).type().sites == Sites::part({2}));
    CHECK(joined(product, Sites::all(), Sites::part({0})).type().sites == Sites::part({1}));
    CHECK(joined(product, Sites::part({0}), Sites::all()).type().sites == Sites::part({0}));
    CHECK(joined(product, Sites::part({1}), Sites::part({0})).type().sites == Sites::part({1}));
    CHECK(joined(product, Sites::all(), Sites::all()).type().sites == Sites::all());
    CHECK(joined(product, Sites::scattered(), Sites::all()).type().sites == Sites::scattered());
    CHECK_THROWS_AS(joined(product, Sites::part({0}), Sites::part({0})), InputError);
    CHECK_THROWS_AS(joined(product, Sites::part({1}), Sites::part({1})), InputError);
    CHECK_THROWS_AS(joined(product, Sites::scattered(), Sites::scattered()), InputError);
    CHECK_THROWS_AS(local(product, {at(Sites::all(), 2), at(Sites::all(), 3)}), InputError);
}

TEST_CASE("sums whose pieces are apart may only be sent and summed", "[scheduler][ia][typing]") {
    Aggregation const rows{{0}, k::mat_add()};
    Expr const pieces = local(rows, {at(Sites::part({1}))});
    REQUIRE(pieces.type().pending.has_value());
    CHECK(pieces.type().tuples == 16);  // four rows at four sites
    CHECK_THROWS_AS(local(product, {pieces, at(Sites::all())}), InputError);
    CHECK_THROWS_AS(local(Map{KeyMap::identity(1), k::relu()}, {pieces}), InputError);
    CHECK_THROWS_AS(local(Aggregation{{0}, k::elem_min()}, {pieces}), InputError);
    CHECK_FALSE(local(rows, {shuffle({0}, pieces)}).type().pending.has_value());
    CHECK(local(rows, {shuffle({0}, pieces)}).type().sites == Sites::part({0}));
    CHECK_THROWS_AS(local(Aggregation{{0}, k::mat_sub()}, {at(Sites::part({1}))}),
                    InputError);  // no order to subtract in
    CHECK_THROWS_AS(local(Concat{1, 0}, {at(Sites::part({1}))}), InputError);
    CHECK_THROWS_AS(shuffle({}, at(Sites::all())), InputError);
    CHECK_THROWS_AS(shuffle({2}, at(Sites::all())), InputError);
}

TEST_CASE("a broadcast costs its numbers at each site, a shuffle once", "[scheduler][ia][cost]") {
    CHECK(cost({broadcast(at(Sites::part({0})))}) == Cost{4 * 64, 4 * 64});
    CHECK(cost({shuffle({1}, at(Sites::part({0})))}) == Cost{64, 64});
    Expr const pieces = local(Aggregation{{0}, k::mat_add()}, {at(Sites::part({1}))});
    CHECK(cost({shuffle({0}, pieces)}) == Cost{64, 16});
    Expr const diagonal = local(Filter{KeyPredicate::parse(2, "[k0] == [k1]")}, {at(Sites::part({0}))});
    CHECK(cost({broadcast(diagonal)}) == Cost{64, 256});
}
