// Uniqueness, continuity, frontiers and bounds: each way to break them is reported with the operator and the key.
#include "lib/algebra/expression.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::tra;

namespace {

RelationTypes const types{{"A", {{2, 3}, {4, 4}, std::nullopt, ""}}, {"V", {{3}, {4}, std::nullopt, ""}}};

Fault fault_of(Expr const& expr) {
    try {
        check(expr, types);
    } catch (InputError const& error) {
        REQUIRE(error.faults().size() == 1);
        return error.faults().front();
    }
    FAIL("accepted: " << text(expr));
    return {};
}

bool says(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a rekey that gives two keys the same key is refused", "[lib][algebra][integrity]") {
    Fault const fault = fault_of(rekey(KeyMap::pick(2, {1}), input("A")));
    CHECK(says(fault.expected, "REKEY(→⟨[k1]⟩)"));
    CHECK(fault.found == "keys (0, 0) and (1, 0) both give (0)");
}

TEST_CASE("a result with holes is refused; holes that are closed again are not", "[lib][algebra][integrity]") {
    KeyPredicate const diagonal = KeyPredicate::parse(2, "[k0] == [k1]");
    Fault const fault = fault_of(transform(kernels::relu(), filter(diagonal, input("A"))));
    CHECK(says(fault.found, "no key (0, 1) below frontier (2, 2), left by σ([k0] == [k1])"));
    CHECK(check(rekey(KeyMap::pick(2, {0}), filter(diagonal, input("A"))), types).frontier == Shape{2});
    CHECK(says(fault_of(rekey(KeyMap::parse(1, {"2*[k0]"}), input("V"))).found, "no key (1)"));
    CHECK(check(filter(KeyPredicate::parse(1, "[k0] > 7"), input("V")), types).keys() == 0);  // nothing has no holes
}

TEST_CASE("concat wants every array of a group", "[lib][algebra][integrity]") {
    KeyPredicate const some = KeyPredicate::parse(2, "[k0] == 0 || [k1] < 2");
    Fault const fault = fault_of(concat(1, 0, filter(some, input("A"))));
    CHECK(says(fault.found, "2 for key (1)"));
    KeyPredicate const row = KeyPredicate::parse(2, "[k0] == 0");
    CHECK(check(concat(1, 0, filter(row, input("A"))), types).bound == Shape{12, 4});
}

TEST_CASE("every fault has its place, and all are reported", "[lib][algebra][integrity]") {
    Expr const wrong = join({0}, {0}, kernels::mat_mul(), transform(kernels::row_sum(), input("V")), input("W"));
    try {
        check(wrong, types);
        FAIL("accepted");
    } catch (InputError const& error) {
        REQUIRE(error.faults().size() == 2);
        CHECK(error.faults()[0].where == "/inputs/0");
        CHECK(says(error.faults()[0].expected, "λ(rowSum): rowSum takes an array of rank 2"));
        CHECK(error.faults()[1].where == "/inputs/1");
        CHECK(says(error.faults()[1].expected, "A or V"));
        CHECK(error.faults()[1].found == "'W'");
    }
}

TEST_CASE("key dimensions that an operator cannot have are refused", "[lib][algebra][integrity]") {
    auto const expr = GENERATE_COPY(
        as<Expr>{}, aggregate({2}, kernels::mat_add(), input("A")), aggregate({0, 0}, kernels::mat_add(), input("A")),
        join({0}, {-1}, kernels::mat_mul(), input("A"), input("A")),
        join({0, 1}, {0}, kernels::mat_mul(), input("A"), input("A")), concat(2, 0, input("A")),
        concat(0, 2, input("A")), tile(2, 2, input("A")), tile(0, 3, input("A")), tile(0, 0, input("A")),
        rekey(KeyMap::identity(1), input("A")), filter(KeyPredicate::parse(1, "1"), input("A")),
        aggregate({0}, kernels::mat_mul(), join({1}, {0}, kernels::diag(), input("A"), input("V"))),
        join({1}, {0}, kernels::mat_add(), input("A"), input("V")),
        rekey(KeyMap::parse(2, {"[k0] - [k1]", "[k1]"}), input("A")));
    CAPTURE(text(expr));
    CHECK_FALSE(fault_of(expr).fix.empty());
}

TEST_CASE("frontiers follow the operators", "[lib][algebra][integrity]") {
    auto const joined = check(join({1}, {0}, kernels::mat_mul(), input("A"), input("A")), types);
    CHECK(joined.frontier == Shape{2, 2, 3});  // the lesser of 3 and 2
    CHECK(check(tile(1, 2, input("A")), types).frontier == Shape{2, 3, 2});
    CHECK(check(tile(1, 2, input("A")), types).bound == Shape{4, 2});
    CHECK(check(aggregate({1, 0}, kernels::mat_add(), input("A")), types).frontier == Shape{3, 2});
    CHECK(check(input("A"), types).floats() == 96);
}

TEST_CASE("data that is no tensor relation is refused with its key", "[lib][algebra][integrity]") {
    Array const one{{1}, {1}};
    auto const message = [](Tuples tuples) -> std::string {
        try {
            TensorRelation::make(std::move(tuples), 1, {1});
            return "";
        } catch (InputError const& error) {
            return error.what();
        }
    };
    CHECK(says(message({{{0}, one}, {{0}, one}}), "two arrays under key (0)"));
    CHECK(says(message({{{0, 1}, one}}), "key (0, 1)"));
    CHECK(says(message({{{-1}, one}}), "key (-1)"));
    CHECK(says(message({{{0}, {{2}, {1, 2}}}}), "bound (2,) under key (0)"));
    CHECK(message({{{0}, one}, {{1}, one}}).empty());
}

TEST_CASE("keys far apart are found at once, and what no machine can count is refused", "[lib][algebra][integrity]") {
    CHECK(says(fault_of(rekey(KeyMap::parse(1, {"1000000000000*[k0]"}), input("V"))).found, "no key (1)"));
    RelationTypes const large{{"L", {{Extent{1} << 40}, {2}, std::nullopt, ""}}};
    Faults faults("");
    Expr const cross = join({}, {}, kernels::mat_add(), input("L"), input("L"));
    CHECK_FALSE(infer(aggregate({0}, kernels::mat_add(), cross), large, faults));
    REQUIRE(faults.list().size() == 1);
    CHECK(faults.list().front().where == "/inputs/0");
    CHECK(says(faults.list().front().expected, "at most 2^62 numbers"));
}
