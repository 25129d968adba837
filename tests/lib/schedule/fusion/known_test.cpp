// What is known of kernels under masks before any of them runs, by hand.
#include "lib/schedule/fusion/known.hpp"

#include <map>

#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/schedule/fusion/zero_signs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;
using namespace ein::schedule;
using scalar::Band;

namespace {

/// "ik,kd->id" over 40 of each label.
graph::EinSum einsum(std::string const& subscripts, std::string const& join, scalar::Agg agg = scalar::Agg::sum) {
    graph::EinSum out;
    std::map<char, int> number;
    std::vector<std::vector<int>> lists{{}};
    for (char c : subscripts) {
        if (c == ',' || c == '>') lists.emplace_back();
        if (c < 'a' || c > 'z') continue;
        if (number.emplace(c, static_cast<int>(number.size())).second) out.labels.emplace_back(1, c);
        lists.back().push_back(number.at(c));
    }
    out.extents.assign(out.labels.size(), 40);
    out.output = lists.back();
    lists.pop_back();
    out.inputs = lists;
    out.agg = agg;
    auto const parsed = scalar::parse(join, {static_cast<int>(out.inputs.size()), out.labels, {}});
    REQUIRE(parsed.faults.empty());
    out.join = parsed.expr;
    return out;
}

std::optional<Known> result(graph::EinSum const& of, KnownOperands operands = {}) {
    operands.resize(of.inputs.size());
    std::vector<Extent> const begin(of.labels.size(), 0);
    return known_result(of, operands, {begin, of.extents});
}

Band const causal{0, 1, -Band::far, 0};  // of axes i, k: k <= i
Known const zeros{causal, 0};
std::optional<Known> const nothing;

}  // namespace

TEST_CASE("what a mask makes one number is followed through joins and sums", "[schedule][known]") {
    CHECK(result(einsum("ik>ik", "where([k] <= [i], x, -inf)")) == Known{causal, -INFINITY});
    CHECK(result(einsum("ik>ki", "where([k] <= [i], x*0.3, 0)")) == Known{{0, 1, 0, Band::far}, 0});
    CHECK(result(einsum("ik>ik", "where([i] < [k] + 5 && [k] <= [i], x, 2)")) == Known{{0, 1, -4, 0}, 2});
    CHECK(result(einsum("ik,kj>ij", "where([j] <= [i], x*y, -inf)", scalar::Agg::sum)) == Known{causal, -INFINITY});
    CHECK(result(einsum("ik,i>ik", "exp(x - y)"), {Known{causal, -INFINITY}, nothing}) == zeros);
    CHECK(result(einsum("ik,i>ik", "exp(x - y)/y"), {Known{causal, -INFINITY}, nothing}) == zeros);
    CHECK(result(einsum("ik,ik>ik", "x*(y - 0.5)"), {zeros, nothing}) == zeros);
    CHECK(result(einsum("ik,ik>ik", "x*y"), {nothing, zeros}) == zeros);
}

TEST_CASE("nothing is known of what is not one number outside a band", "[schedule][known]") {
    CHECK_FALSE(result(einsum("ik>ik", "where([k] <= [i], x, [i] + 1 + x)")));
    CHECK_FALSE(result(einsum("ik>ik", "where(x > 0, x, 0)")));
    CHECK_FALSE(result(einsum("ik>ik", "where([k] <= [i], x, 0.1)")));     // rounded
    CHECK_FALSE(result(einsum("ik>ik", "where([k] <= [i] + 39, x, 0)")));  // all of it is in the band
    CHECK_FALSE(result(einsum("ik>ik", "where(2*[k] <= [i], x, 0)")));     // no band
    CHECK_FALSE(result(einsum("ik>i", "where([k] <= [i], x, 0)")));        // a label is gone
    CHECK_FALSE(result(einsum("ik,ik>ik", "x + y"), {zeros, nothing}));
    CHECK_FALSE(result(einsum("ik,ik>ik", "y/x"), {zeros, nothing}));
    CHECK_FALSE(result(einsum("ik>ik", "exp(x)*2"), {Known{causal, 100}}));
}

TEST_CASE("known operands leave terms of sums and elements out", "[schedule][known]") {
    auto const left = [](graph::EinSum const& of, KnownOperands const& operands) {
        std::vector<Extent> const begin(of.labels.size(), 0);
        return left_out(of, operands, {begin, of.extents});
    };
    auto const product = left(einsum("ik,kd>id", "x*y"), {zeros, nothing});
    REQUIRE(product);
    CHECK((product->cut == 0 && product->clipped == 1));
    auto const turned = left(einsum("ik,id>kd", "x*y"), {zeros, nothing});
    REQUIRE(turned);
    CHECK((turned->cut == 1 && turned->clipped == 0));
    CHECK(left(einsum("ik,ik>ik", "x*y"), {zeros, nothing}));
    CHECK_FALSE(left(einsum("ik,kd>id", "x + y"), {zeros, nothing}));
    CHECK_FALSE(left(einsum("ik,kd>id", "x*y", scalar::Agg::max), {zeros, nothing}));
    CHECK_FALSE(left(einsum("ik,kd>id", "x*y"), {Known{causal, 1}, nothing}));
}

TEST_CASE("a mask is dropped where an operand is zero outside the same band", "[schedule][known]") {
    auto const same = unmasked(einsum("ik,kd>id", "where([i] >= [k], x*y, 0)"), {zeros, nothing});
    REQUIRE(same);
    CHECK(same->band == causal);
    CHECK(same->kept == einsum("ik,kd>id", "x*y").join);
    CHECK_FALSE(unmasked(einsum("ik,kd>id", "where([i] >= [k] + 1, x*y, 0)"), {zeros, nothing}));
    CHECK_FALSE(unmasked(einsum("ik,kd>id", "where([i] >= [k], x*y, 1)"), {zeros, nothing}));
    CHECK_FALSE(unmasked(einsum("ik,kd>id", "where([i] >= [k], x*y, 0)", scalar::Agg::max), {zeros, nothing}));
    CHECK_FALSE(unmasked(einsum("ik,ik>ik", "where([i] >= [k], x*y, 0)"), {zeros, nothing}));  // 0, not -0
    CHECK_FALSE(unmasked(einsum("ik,kd>id", "where([i] >= [k], x*y, 0)"), {Known{causal, 1}, nothing}));
}

TEST_CASE("signs of zeros are seen where more than sums of products read them", "[schedule][known]") {
    struct Reader {
        char const *subscripts, *join;
        bool sees;
    };
    for (Reader const reader :
         {Reader{"ik,ik>i", "x*y", false}, Reader{"ik,ik>i", "where([i] > [k], -x*y/3, 0) + y", false},
          Reader{"ik,ik>i", "1/x + y", true}, Reader{"ik,ik>i", "where(x > 0, y, 0)", true},
          Reader{"ik,ik>i", "atan2(x, y)", true}, Reader{"ik,ik>ik", "x*y", true}}) {
        CAPTURE(reader.subscripts, reader.join);
        graph::EinSum const of = einsum(reader.subscripts, reader.join);
        test::ScheduleBuilder b(1);
        b.tensor("X", {40, 40});
        b.tensor("D", {40, 40});
        b.tensor("Z", Shape(of.output.size(), 40));
        auto const copy = b.kernel("D", einsum("ik>ik", "x")), read = b.kernel("Z", of);
        Box const all{{0, 0}, {40, 40}};
        b.load(0, "x", "X", all);
        b.block(0, "d", "D", all);
        b.block(0, "z", "Z", {Shape(of.output.size(), 0), Shape(of.output.size(), 40)});
        b.apply(0, copy, all, {"x"}, "d");
        b.apply(0, read, all, {"d", "d"}, "z");
        b.store(0, "z");
        Schedule const made = b.finish();
        Section const& section = made.sections[Rank{0}];
        BlockId const d = section.reads(TaskId{2})[0];  // after the load and the copy
        CHECK((zero_signs_seen(made.header, section)[d] != 0) == reader.sees);
    }
}
